"""Document: a RAFF text and its nodes, edited token by token so that the rest stays as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kinegen.errors import RaffError, UsageError
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.nodes import Listing, Mapping, Node, Scalar, Source
from kinegen.raff.opener import Opener
from kinegen.raff.repeat import REPEAT, Indices, fill, written_rows
from kinegen.raff.source import parse_source

__all__ = ["Document", "Path"]

Path = tuple[str | int, ...]
"""Keys and list positions from the top: ``("joints", 2, "d")``."""

_WIDTH: Final = 100


class Document:
    """A RAFF text that is edited in place: comments, order and layout stay.

    Values are given as they stand in the file (quoted where YAML needs it, see
    :mod:`kinegen.raff.emit`).
    """

    def __init__(self, text: str, file: str = "text", *, opener: Opener | None = None) -> None:
        self.file = file
        self.opener = opener
        """Reads the files that the text names; None: those of the library alone."""
        self._text = text
        self._root: Node | None = None

    @property
    def text(self) -> str:
        """The text as it is now."""
        return self._text

    def trial(self) -> Document:
        """A copy to try edits on, which may read the same files and no others."""
        return Document(self._text, self.file, opener=self.opener)

    def adopt(self, root: Mapping) -> None:
        """Take over the nodes of the text, which whoever has read it has at hand."""
        self._root = root

    @property
    def source(self) -> Source:
        """The text with its line numbers."""
        return Source(self._text, self.file)

    @property
    def root(self) -> Mapping:
        """The file's own mapping; RaffError when the text is not YAML."""
        if self._root is None:
            _, root, problems = parse_source(self._text, self.file)
            if problems:
                raise RaffError(problems)
            self._root = root
        if not isinstance(self._root, Mapping):
            raise UsageError(f"{self.file} is not a mapping")
        return self._root

    def find(self, path: Path) -> Node | None:
        """The node at a path, or None."""
        node: Node | None = self.root
        for step in path:
            if isinstance(node, Mapping) and isinstance(step, str):
                node = node.get(step)
            elif isinstance(node, Listing) and isinstance(step, int):
                node = node.items[step] if 0 <= step < len(node.items) else None
            else:
                return None
        return node

    def row(self, section: str, name: str) -> Path | None:
        """Where a section's row is written, by its name: ``("joints", 2)``."""
        rows = self.named_rows(section)
        return next((path for path, found, _, _ in rows if found == name), None)

    def names(self, section: str) -> set[str]:
        """The names of a section's rows."""
        return {name for _, name, _, _ in self.named_rows(section)}

    def named_rows(self, section: str) -> Iterator[tuple[Path, str, Mapping, Indices]]:
        """Path, name, node and indices of a section's rows; repeated ones have a path in common."""
        for path, row, indices in written_rows(self.root.get(section)):
            found = row.get("name")
            if isinstance(found, Scalar):
                try:
                    yield (section, *path), fill(found.text, indices), row, indices
                except FormulaError:
                    continue  # the reader says what is wrong with it

    def repeats(self, path: Path) -> str:
        """The ``repeat`` that a row is written under, as text; empty where there is none."""
        for end in range(2, len(path) + 1):
            node = self.find((*path[:end], REPEAT))
            if node is not None:
                return self._text[node.start : self._end(node)]
        return ""

    def set(self, path: Path, text: str) -> None:
        """Replace the value at a path; nothing else changes."""
        node = self.need(path)
        if isinstance(node, Scalar) and node.start < node.end and node.plain and _simple(text):
            self._set_token(node, text)
        else:
            gap = " " if node.start == node.end else ""
            self.replace([(node.start, self._end(node), gap + text)])

    def add(self, path: Path, key: str, text: str) -> None:
        """Add a key at the end of the mapping at a path."""
        mapping = self.need(path)
        if not isinstance(mapping, Mapping):
            raise UsageError(f"{_dotted(path)} is not a mapping")
        if key in mapping.table:
            raise UsageError(f"{_dotted(path)} already has '{key}'")
        entry = f"{key}:{text}" if text[:1] in ("\n", "\r") else f"{key}: {text}"
        if mapping.flow:
            self._add_flow(mapping, mapping.values, entry, path)
        else:
            column = self.source.position(mapping.keys[0].start)[1] - 1
            self._add_line(mapping.values[-1], " " * column + entry)

    def append(self, path: Path, text: str) -> None:
        """Add an item at the end of the list at a path; the top's list is made when absent."""
        listing = self.find(path)
        if listing is None and len(path) == 1:
            self.add((), str(path[0]), f"{self._newline()}  - {text}")
        elif not isinstance(listing, Listing):
            raise UsageError(f"{_dotted(path)} is not a list")
        elif listing.flow and not listing.items and len(path) == 1:
            start = len(self._text[: listing.start].rstrip(" "))
            self.replace([(start, listing.end, f"{self._newline()}  - {text}")])
        elif listing.flow:
            self._add_flow(listing, listing.items, text, path)
        else:
            column = self.source.position(self._dash(listing.items[0]))[1] - 1
            self._add_line(listing.items[-1], f"{' ' * column}- {text}")

    def remove(self, path: Path) -> None:
        """Remove the key or list item at a path, with its comma or its lines."""
        node, parent, last = self.need(path), self.need(path[:-1]), path[-1]
        if isinstance(parent, Mapping):
            index = parent.table[str(last)]
            starts = [key.start for key in parent.keys]
            ends = [self._end(value) for value in parent.values]
        else:
            assert isinstance(parent, Listing) and isinstance(last, int)
            index = last
            starts = [item.start for item in parent.items]
            ends = [self._end(item) for item in parent.items]
        if parent.flow:
            self._remove_flow(starts, ends, index)
        elif len(starts) == 1:
            empty = "{}" if isinstance(parent, Mapping) else "[]"
            start = parent.start
            while start > 0 and self._text[start - 1] in " \t\r\n":
                start -= 1
            self.replace([(start, ends[0], " " + empty)])
        elif isinstance(parent, Mapping) and not self._starts_line(starts[index]):
            # The first key after a dash: the next one takes its place.
            self.replace([(starts[index], starts[index + 1], "")])
        else:
            first = self._dash(node) if isinstance(parent, Listing) else starts[index]
            self.replace([(self._line_start(first), self._line_end(ends[index]), "")])

    def replace(self, edits: Iterable[tuple[int, int, str]]) -> None:
        """Replace several spans (start, end, text), none overlapping, in one go."""
        text = self._text
        for start, end, fresh in sorted(edits, reverse=True):
            text = text[:start] + fresh + text[end:]
        self._text = text
        self._root = None

    def need(self, path: Path) -> Node:
        """The node at a path; UsageError when there is none."""
        node = self.find(path)
        if node is None:
            raise UsageError(f"{self.file} has no '{_dotted(path)}'")
        return node

    def _set_token(self, node: Scalar, text: str) -> None:
        """Exchange a plain word; the nodes behind it move along, so nothing is parsed again."""
        start, end = node.start, node.end
        self._text = self._text[:start] + text + self._text[end:]
        shift = len(text) - (end - start)
        node.text = text
        todo: list[Node] = [self.root]
        while todo:
            item = todo.pop()
            if item.start > start:
                item.start += shift
            if item.end >= end:
                item.end += shift
            if isinstance(item, Mapping):
                todo += item.keys
                todo += item.values
            elif isinstance(item, Listing):
                todo += item.items

    def _add_flow(
        self, node: Mapping | Listing, children: list[Node], entry: str, path: Path
    ) -> None:
        """Put an entry before the closing bracket, on a new line when a row's last is full."""
        if not children:
            self.replace([(node.start + 1, node.start + 1, entry)])
            return
        at = self._end(children[-1])
        line = self._text[self._line_start(at) : self._line_end(at)]
        used = len(line.split(" #")[0].rstrip())
        outer = self.find(path[:-1])
        inner = outer is not None and outer is not node and _is_flow(outer)
        if used + len(entry) + 2 > _WIDTH and not inner:
            column = self.source.position(node.start)[1]
            entry = f",{self._newline()}{' ' * column}{entry}"
        else:
            entry = f", {entry}"
        self.replace([(at, at, entry)])

    def _add_line(self, last: Node, line: str) -> None:
        """Put a line below the one on which a node ends."""
        at = self._line_end(self._end(last))
        before = "" if self._text[:at].endswith(("\n", "\r")) else self._newline()
        self.replace([(at, at, f"{before}{line}{self._newline()}")])

    def _remove_flow(self, starts: list[int], ends: list[int], index: int) -> None:
        """Take an entry and one comma out of a flow collection, comments left alone."""
        if len(starts) == 1:
            self.replace([(starts[0], ends[0], "")])
        elif index == 0:
            self._cut(ends[0], starts[1], [(starts[0], ends[0], "")], whole=(starts[0], starts[1]))
        else:
            before = ends[index - 1]
            own = [(starts[index], ends[index], "")]
            self._cut(before, starts[index], own, whole=(before, ends[index]))

    def _cut(
        self, start: int, end: int, own: list[tuple[int, int, str]], *, whole: tuple[int, int]
    ) -> None:
        gap = self._text[start:end]
        if "#" not in gap:
            self.replace([(*whole, "")])
        else:
            comma = start + gap.index(",")
            self.replace([*own, (comma, comma + 1, "")])

    def _end(self, node: Node) -> int:
        """Where a node's text really ends: YAML's own mark runs on to the next token."""
        while not isinstance(node, Scalar) and not node.flow:
            children: list[Node] = node.items if isinstance(node, Listing) else node.values
            if not children:
                return node.start
            node = children[-1]
        end = node.end
        while end > node.start and self._text[end - 1] in " \t\r\n":
            end -= 1
        return end

    def _dash(self, item: Node) -> int:
        """The dash before a list item."""
        return self._text.rindex("-", 0, item.start)

    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self._text else "\n"

    def _line_start(self, at: int) -> int:
        return max(self._text.rfind("\n", 0, at), self._text.rfind("\r", 0, at)) + 1

    def _starts_line(self, at: int) -> bool:
        return self._text[self._line_start(at) : at].strip() == ""

    def _line_end(self, at: int) -> int:
        """Just behind the line break that follows."""
        found = self._text.find("\n", at)
        return found + 1 if found >= 0 else len(self._text)


def _simple(text: str) -> bool:
    """Whether a value is one plain word or formula that reads as it is written."""
    # A * is plain anywhere but at the start, where it would be an alias.
    bad = "\"'#,[]{}:&!|>%@`"
    return text.isprintable() and text[:1] != "*" and not any(char in bad for char in text)


def _is_flow(node: Node) -> bool:
    return not isinstance(node, Scalar) and node.flow


def _dotted(path: Path) -> str:
    return ".".join(map(str, path)) or "the file"
