"""Names that a room fetches from its modules at first use: one name does not load them all."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["fetcher"]


def fetcher(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's ``__getattr__`` for names by the module that holds them.

    Args:
        package: The package's ``__name__``.
        homes: Module of the package to the names that come from it, apart by blanks.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def fetch(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(importlib.import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return fetch
