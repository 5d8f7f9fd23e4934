"""Names that a package fetches from its modules at first use: one name does not load them all.

A package lists its public names once, in the ``__init__.pyi`` beside its ``__init__.py``, which
type checkers and editors read as well, one ``from MODULE import NAME as NAME`` per line.
"""

from __future__ import annotations

import importlib
import os
import sys

TYPE_CHECKING = False  # as in typing, whose import takes longer than all of this one
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["attach", "listed"]


def attach(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """A package's ``__getattr__``, ``__dir__`` and ``__all__``.

    Args:
        package: The package's ``__name__``.
        file: The package's ``__file__``.
    """
    homes = listed(file)
    names = sorted(homes)

    def fetch(name: str) -> Any:
        if name not in homes:
            raise AttributeError(_unknown(package, name, homes))
        home = homes[name]
        if home == package:
            return importlib.import_module(f"{package}.{name}")
        value = getattr(importlib.import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return fetch, lambda: names, names


def listed(file: str) -> dict[str, str]:
    """The module of each name in the list beside a package's ``__init__.py``."""
    with open(f"{file.rpartition('.')[0]}.pyi", encoding="utf-8") as stub:
        rows = [line.split() for line in stub if line.startswith("from ")]
    return {row[3]: row[1] for row in rows}


def _unknown(package: str, name: str, homes: dict[str, str]) -> str:
    """What to say of a name that a package does not have, with the namespace that has it."""
    message = f"module '{package}' has no attribute '{name}'"
    if name.startswith("_"):  # programs ask all modules for such names, and must not load any
        return message
    for namespace in (one for one, home in homes.items() if home == package):
        module = importlib.import_module(f"{package}.{namespace}")
        if name in module.__all__:
            return f"{message}; it is {package}.{namespace}.{name}"
    if any(os.path.isdir(f"{folder}/{name}") for folder in sys.modules[package].__path__):
        return f"{message}; write 'import {package}.{name}'"
    return message
