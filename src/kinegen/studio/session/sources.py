"""Sources: the texts that sessions begin with, from the library, the project or a page."""

from __future__ import annotations

from kinegen.errors import UsageError
from kinegen.mechanism.load import library_file, library_names
from kinegen.studio.session.project import RAFF, Project, can_open
from kinegen.studio.session.readers import Reader

__all__ = ["first_source", "text_of"]


def text_of(
    project: Project, reader: Reader, source: str, value: str, name: str = ""
) -> tuple[str, str | None]:
    """The RAFF text that is to be opened, and its path in the project folder if it is a file's."""
    if source == "library":
        return library_file(value).read_bytes().decode("utf-8"), None
    if source == "file":
        text = project.read(value)
        if value.endswith(RAFF):
            return text, project.name_of(value)
        return reader.as_raff(text, project, value), None
    return reader.as_raff(value, project, name or "text"), None


def first_source(name: str) -> tuple[str, str]:
    """What a word on the command line or in a link means: ('library' or 'file', value)."""
    if name in library_names():
        return "library", name
    if can_open(name):
        return "file", name
    raise UsageError(f"'{name[:80]}' is neither in the library nor a file of the project folder")
