"""A mechanism's text, and saving it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile

from kinegen.errors import Problem, RaffError
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load_document
from kinegen.mechanism.write import write
from kinegen.raff.document import Document

__all__ = ["problems", "save", "to_raff"]


def to_raff(mechanism: Mechanism) -> str:
    """The mechanism's text: the one it came from with its edits, or a fresh one."""
    return mechanism.document.text if mechanism.document else write(mechanism)


def problems(mechanism: Mechanism) -> tuple[Problem, ...]:
    """What a reader would say about the mechanism's text as it is now; empty when good."""
    own = mechanism.document
    trial = Document(
        to_raff(mechanism), own.file if own else "text", folder=own.folder if own else None
    )
    try:
        load_document(trial)
    except RaffError as error:
        return error.problems
    return ()


def save(mechanism: Mechanism, path: str | os.PathLike[str]) -> None:
    """Write the mechanism's text to a file, which is never left half written."""
    target = os.path.realpath(path)
    data = to_raff(mechanism).encode("utf-8")
    folder = os.path.dirname(target)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".", suffix=".raff")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            shutil.copymode(target, temporary)
        else:
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
