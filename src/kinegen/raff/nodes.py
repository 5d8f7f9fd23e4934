"""The nodes of a RAFF text, with their exact places: scalars, lists and mappings."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field

__all__ = ["Listing", "Mapping", "Node", "Scalar", "Source"]

_BREAK = re.compile(r"\r\n?|\n")


@dataclass(slots=True, eq=False)
class Scalar:
    """A word, number or text; offsets count characters of the source."""

    text: str
    """Its content: quotes removed, escapes resolved."""
    start: int
    end: int
    plain: bool
    """Written without quotes, on one or several lines."""


@dataclass(slots=True, eq=False)
class Listing:
    """A list: ``[a, b]`` (flow) or one item per line after ``-``."""

    start: int
    flow: bool
    end: int = 0
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Mapping:
    """Keys and values: ``{a: 1}`` (flow) or one ``key: value`` per line."""

    start: int
    flow: bool
    end: int = 0
    keys: list[Scalar] = field(default_factory=list)
    values: list[Node] = field(default_factory=list)
    table: dict[str, int] = field(default_factory=dict)
    """Index of each key."""

    def get(self, key: str) -> Node | None:
        """The value of a key, or None."""
        index = self.table.get(key)
        return None if index is None else self.values[index]

    def key(self, key: str) -> Scalar:
        """The node of a key that is there."""
        return self.keys[self.table[key]]


Node = Scalar | Listing | Mapping


@dataclass(slots=True, eq=False)
class Source:
    """A text and the name of where it came from."""

    text: str
    file: str
    _breaks: list[int] = field(default_factory=list)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both counted from 1."""
        if not self._breaks:
            self._breaks = [0, *(found.end() for found in _BREAK.finditer(self.text))]
        line = bisect.bisect_right(self._breaks, offset)
        return line, offset - self._breaks[line - 1] + 1

    def inside(self, node: Scalar, offset: int) -> int:
        """Source offset of a character of a scalar's content, or its start if they differ."""
        lead = 0 if node.plain else 1
        shown = self.text[node.start + lead : node.end - lead]
        return node.start + lead + offset if shown == node.text else node.start
