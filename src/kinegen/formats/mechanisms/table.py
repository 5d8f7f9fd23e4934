"""Tables in plain text: CSV, blanks, or Markdown, with the place of every cell."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Cell", "read_rows"]

Spans = list[tuple[int, int]]
"""First and last (exclusive) character of each cell of a line."""

_RULE = re.compile(r"[\s|:+=-]*--[\s|:+=-]*$")
_COMMENT = re.compile(r"\s+#.*")
_WORDS = re.compile(r"\S+")
_WIDE = re.compile(r"\S+(?: \S+)*")
_WORDS_WITH_UNITS = re.compile(r"\S+(?:[ \t]+[\[(][^\])]*[\])])?")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table."""

    text: str
    """Without the blanks and quotes around it."""
    offset: int
    """Its first character in the whole text."""


def read_rows(text: str) -> list[list[Cell]]:
    """The rows of a table, the header first; comments, empty lines and rules are left out."""
    lines: list[tuple[str, int]] = []
    offset = 0
    for raw in text.splitlines(keepends=True):
        line = raw.rstrip("\r\n")
        if "|" not in line:
            line = _COMMENT.sub("", line)
        if line.strip() and line.lstrip()[0] not in "#%" and not _RULE.match(line):
            lines.append((line, offset))
        offset += len(raw)
    if not lines:
        return []
    split = _splitter([line for line, _ in lines])
    return [[_cell(line, start, *span) for span in split(line)] for line, start in lines]


def _splitter(lines: list[str]) -> Callable[[str], Spans]:
    """How the lines are divided, judged by the header and by what fits all of them."""
    header = lines[0]
    if "|" in header:
        return _split_markdown
    for mark in "\t;,":
        if mark in header:
            return lambda line: _split_at(line, mark)
    wide = [len(_WIDE.findall(line)) for line in lines]
    if wide[0] > 1 and len(set(wide)) == 1:
        return lambda line: [found.span() for found in _WIDE.finditer(line)]
    return lambda line: [
        found.span() for found in (_WORDS_WITH_UNITS if line is header else _WORDS).finditer(line)
    ]


def _split_at(line: str, mark: str) -> Spans:
    """Cells between marks; a mark inside quotes or parentheses does not count."""
    spans: Spans = []
    start, depth, quoted = 0, 0, False
    for i, letter in enumerate(line):
        if letter == '"':
            quoted = not quoted
        depth += (letter == "(") - (letter == ")")
        if letter == mark and not quoted and depth <= 0:
            spans.append((start, i))
            start = i + 1
    return [*spans, (start, len(line))]


def _split_markdown(line: str) -> Spans:
    spans = _split_at(line, "|")
    if line.lstrip().startswith("|"):
        spans = spans[1:]
    if line.rstrip().endswith("|"):
        spans = spans[:-1]
    return spans


def _cell(line: str, line_start: int, start: int, end: int) -> Cell:
    raw = line[start:end]
    text = raw.strip()
    offset = start + len(raw) - len(raw.lstrip())
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`$":
        inner = text[1:-1]
        text, offset = inner.strip(), offset + 1 + len(inner) - len(inner.lstrip())
    return Cell(text, line_start + offset)
