"""Comments of a RAFF text, and the rows that they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kinegen.raff.document import Document
from kinegen.raff.nodes import Listing, Node, Scalar

__all__ = ["Comment", "comments_of"]

_HASH = re.compile(r"(?:^|(?<=\s))#[ ]?(.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of a text."""

    text: str
    line: int
    """Counted from 1."""
    stands_alone: bool
    """Whether nothing else is on its line."""


def comments_of(document: Document) -> list[Comment]:
    """All comments of a text, in their order."""
    text, source = document.text, document.source
    spans = sorted((node.start, node.end) for node in _scalars(document.root))
    found = []
    for match in _HASH.finditer(text):
        if _is_inside(spans, match.start()):
            continue
        line, column = source.position(match.start())
        lead = text[match.start() - column + 1 : match.start()]
        found.append(Comment(match.group(1), line, not lead.strip()))
    return found


def _scalars(node: Node) -> Iterator[Scalar]:
    todo: list[Node] = [node]
    while todo:
        one = todo.pop()
        if isinstance(one, Scalar):
            yield one
        elif isinstance(one, Listing):
            todo += one.items
        else:
            todo += [*one.keys, *one.values]


def _is_inside(spans: Sequence[tuple[int, int]], offset: int) -> bool:
    """Whether a character is part of a text or word."""
    return any(start <= offset < end for start, end in spans)
