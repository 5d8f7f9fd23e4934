"""Names of parts in a file: each once in its scope, and none that the format forbids."""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["OutNames", "identifier"]


class OutNames:
    """Names of one scope; what had to be changed is remembered."""

    def __init__(self, allowed: Callable[[str], str] = str) -> None:
        """An empty scope.

        Args:
            allowed: Turns a name into one that the format allows.
        """
        self._allowed = allowed
        self._taken: set[str] = set()
        self.changed: dict[str, str] = {}
        """New names by old ones."""

    def new(self, name: str, kind: str = "") -> str:
        """A name that is not taken yet.

        Args:
            name: As in the mechanism.
            kind: What it is, put behind a name that is taken.
        """
        plain = self._allowed(name)
        found, count = plain, 1
        while found in self._taken:
            ending = f"_{kind}" if kind else "_"
            found = f"{plain}{ending}{count if count > 1 or not kind else ''}"
            count += 1
        self._taken.add(found)
        if found != name:
            self.changed[name] = found
        return found


def identifier(name: str) -> str:
    """A name of letters, digits and ``_`` that begins with none of the digits."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return plain if re.match(r"[A-Za-z_]", plain) else f"_{plain}"
