"""A mechanism's text, and saving it."""

from __future__ import annotations

import os

from kinegen.errors import Problem, RaffError, UsageError
from kinegen.files import write_atomically
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load_document
from kinegen.mechanism.write import write
from kinegen.raff.document import Document

__all__ = ["problems", "save", "to_raff"]

_SUFFIXES = ("", ".raff", ".txt", ".yaml", ".yml")
"""Of files that a RAFF text may be in."""


def to_raff(mechanism: Mechanism) -> str:
    """The mechanism as RAFF text: the original text with all edits, or a new text."""
    return mechanism.document.text if mechanism.document else write(mechanism)


def problems(mechanism: Mechanism) -> tuple[Problem, ...]:
    """The problems of the mechanism's current text; empty if there are none."""
    own = mechanism.document
    trial = own.trial() if own else Document(write(mechanism))
    try:
        load_document(trial)
    except RaffError as error:
        return error.problems
    return ()


def save(mechanism: Mechanism, path: str | os.PathLike[str]) -> None:
    """Write the mechanism's text to a file, which is never left half written."""
    if os.path.splitext(path)[1].lower() not in _SUFFIXES:
        name = os.path.basename(path)
        raise UsageError(
            f"'{name}': a mechanism is saved as RAFF text, in a .raff file; "
            f"kg.export(mechanism, '{name}') writes other formats"
        )
    write_atomically(path, to_raff(mechanism).encode("utf-8"))
