"""Whether all that a plug-in needs can be imported by the program that it runs in."""

from __future__ import annotations

import importlib.util
import sys

__all__ = ["missing_packages"]


def missing_packages() -> str | None:
    """A message for the user when something is missing."""
    missing = [name for name in ("numpy", "yaml", "kinegen") if not importlib.util.find_spec(name)]
    if not missing:
        return None
    return (
        f"Kinegen's plug-in needs {' and '.join(missing)} in the Python of this program: "
        f"run '{sys.executable}' -m pip install kinegen, then start it again"
    )
