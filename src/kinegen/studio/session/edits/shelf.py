"""Shelf: compiled texts that a session keeps at hand, so that undo is quick."""

from __future__ import annotations

from collections.abc import Iterator

from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.reading.readers import Reader
from kinegen.studio.wire.codec import Encoded

__all__ = ["Shelf"]

MOST = 4
"""Texts that are kept: enough for undo and redo, and for what typing began with."""
MOST_BYTES = 16 * 2**20
"""Memory that those take, roughly, the latest aside: one may have 64 MB, and sessions are many."""


class Shelf:
    """The latest compiled texts, by text and file."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str | None], CompiledText] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[CompiledText]:
        return iter(self._kept.values())

    def read(self, reader: Reader, text: str, project: Project, file: str | None) -> CompiledText:
        """What a text compiles to; it is read where it is not at hand."""
        work = self._kept.pop((text, file), None)
        if work is None or not work.is_current():
            work = reader.read(text, project, file)
        self.keep(text, file, work)
        return work

    def keep(self, text: str, file: str | None, work: CompiledText) -> None:
        """Keep a compiled text as the latest."""
        self._kept[text, file] = work
        size = sum(map(_size, self))
        while len(self) > MOST or (len(self) > 1 and size > MOST_BYTES):
            size -= _size(self._kept.pop(next(iter(self._kept))))


def _size(work: CompiledText) -> int:
    """Memory that a compiled text takes, roughly [bytes]; small ones are read at once."""
    return len(work.text) + (len(work.data.json) if isinstance(work.data, Encoded) else 0)
