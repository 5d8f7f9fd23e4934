"""Sources: the texts that sessions begin with, from the library, the project or a page."""

from __future__ import annotations

from dataclasses import dataclass

from kinegen.errors import UsageError
from kinegen.formats.load import Converted
from kinegen.formats.robots.read.mesh_files import is_missing_mesh
from kinegen.mechanism.load import is_in_library, library_file
from kinegen.studio.session.files.project import RAFF, Project, can_open
from kinegen.studio.session.reading.readers import Reader
from kinegen.studio.wire.messages import ImportData, RemarkData

__all__ = ["Source", "first_source", "text_of"]

MOST_REMARKS = 200
"""Remarks on one file that pages receive; how many there are in all is said."""


@dataclass(frozen=True, slots=True)
class Source:
    """What is opened."""

    text: str
    """As RAFF."""
    file: str | None = None
    """Its path in the project folder, if the text is that of a RAFF file there."""
    imported: ImportData | None = None
    """What it was before, if it was in another format."""


def text_of(project: Project, reader: Reader, source: str, value: str, name: str = "") -> Source:
    """The RAFF text that is to be opened, and where it comes from."""
    if source == "library":
        return Source(library_file(value).read_bytes().decode("utf-8"))
    if source == "file":
        text = project.read(value)
        if value.endswith(RAFF):
            return Source(text, project.name_of(value))
        return _converted(reader.as_raff(text, project, value), value)
    return _converted(reader.as_raff(value, project, name or "text"), name or "text")


def _converted(made: Converted, file: str) -> Source:
    if made.format == "raff":
        return Source(made.text)
    remarks = [
        RemarkData(one.file, one.line, one.column, one.message, is_missing_mesh(one.message))
        for one in made.remarks
    ]
    imported = ImportData(
        file, made.title, remarks[:MOST_REMARKS], len(remarks), sum(one.is_mesh for one in remarks)
    )
    return Source(made.text, None, imported)


def first_source(name: str) -> tuple[str, str]:
    """What a word on the command line or in a link means: ('library' or 'file', value)."""
    if is_in_library(name):
        return "library", name
    if can_open(name):
        return "file", name
    raise UsageError(f"'{name[:80]}' is neither in the library nor a file of the project folder")
