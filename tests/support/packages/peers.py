"""Packages that only some tests need, fetched into a folder of their own at the first use."""

from __future__ import annotations

import functools
import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.robots.files import FOLDER

__all__ = ["peer"]

VERSIONS = {"drake": "1.51.1", "usd-core": "26.11"}


@functools.cache
def _home(package: str) -> Path | str:
    """Where a package is, or why it is nowhere."""
    version = VERSIONS[package]
    home = FOLDER / f"{package}-{version}"
    if not (home / "complete").exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps",
                   "--disable-pip-version-check", "--target", str(home),
                   f"{package}=={version}"]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            said = " ".join(done.stderr.split())
            return f"{package} {version} cannot be fetched: {said[-200:]}"
        (home / "complete").touch()
    return home


def peer(package: str, module: str) -> Any:
    """A module of a package; the test is skipped, with the reason, where it cannot be fetched."""
    home = _home(package)
    if isinstance(home, str):
        pytest.skip(home)
    if str(home) not in sys.path:
        sys.path.append(str(home))
    return importlib.import_module(module)
