"""A worker process that looks into uploaded files, with little memory, and stores them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from kinegen.errors import UsageError
from kinegen.studio.jobs.processes.loop import Report, serve
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.message import Message

__all__ = ["MEMORY", "Upload", "main", "store"]

MEMORY = 2 * 2**30
"""[bytes] of addresses that the process may have: four times what any file should take."""


@dataclass(slots=True)
class Upload(Message):
    """A file to be stored."""

    KIND: ClassVar[str] = "upload"
    folder: str
    """The project folder."""
    file: str
    """Path in it."""
    content: str
    """Where the upload lies."""


def store(job: Upload, _: Report | None = None) -> str:
    """Check one file and put it into its place; the path under which it is kept."""
    data = Path(job.content).read_bytes()
    try:
        return Project(job.folder).store(job.file, data)
    except (MemoryError, SystemError):  # the latter is how the reader of JSON fails
        raise UsageError("the file takes too much memory to be read") from None


def main() -> None:
    """Serve uploads until the input ends."""
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    serve(Upload, store)


if __name__ == "__main__":
    main()
