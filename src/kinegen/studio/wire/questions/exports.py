"""The question for a file of a mechanism."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from kinegen.studio.wire.message import FileLink, Question, Result

__all__ = ["ExportRequest"]


@dataclass(slots=True)
class ExportRequest(Question):
    """A file for download, in one of the formats that `Welcome.downloads` lists."""

    KIND: ClassVar[str] = "export"
    RESULT: ClassVar[type[Result]] = FileLink
    format: str
    motion: str | None = None
    """A recorded motion; None for the pose."""
    options: dict[str, str] = field(default_factory=dict)
    """The format's own options."""
