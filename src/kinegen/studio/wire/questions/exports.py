"""The question for a file of a mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kinegen.studio.wire.message import FileLink, Question, Result

__all__ = ["ExportRequest"]


@dataclass(slots=True)
class ExportRequest(Question):
    """A file for download, such as page, gltf, csv, json, svg or raff."""

    KIND: ClassVar[str] = "export"
    RESULT: ClassVar[type[Result]] = FileLink
    format: str
    motion: str | None = None
    """A recorded motion; None for the pose."""
