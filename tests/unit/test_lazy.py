"""Names fetched at first use: what exists, what does not, and what asking must not load."""

from __future__ import annotations

import subprocess
import sys

import pytest

import kinegen as kg


def test_a_missing_name_says_which_namespace_has_it() -> None:
    with pytest.raises(AttributeError, match=r"it is kinegen\.kinematics\.link_twists"):
        _ = kg.link_twists  # type: ignore[attr-defined]


def test_asking_for_private_names_loads_nothing() -> None:
    # Blender asks every module for such a name while it walks through sys.modules
    code = (
        "import sys, kinegen; before = set(sys.modules); "
        "assert not hasattr(kinegen, '__addon_enabled__'); "
        "assert set(sys.modules) == before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
