"""Assembly that, where it fails, also says which joint is most likely placed wrongly."""

from __future__ import annotations

from collections.abc import Sequence

from kinegen.errors import AssemblyError
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.diagnosis.diagnosis import open_suspects
from kinegen.kinematics.diagnosis.words import suspect_text
from kinegen.kinematics.mobility.words import listed
from kinegen.kinematics.solving.assembling.assembly import Assembly, assemble
from kinegen.kinematics.solving.open_loops import open_loop
from kinegen.kinematics.solving.polygon import polygon_shortage
from kinegen.mechanism.model import Model

__all__ = ["assemble_explained"]

_SHOWN = 3
"""Suspects that one sentence can hold."""


def assemble_explained(
    model: Model, q: Configuration = None, *, locked: Sequence[str] = (), attempts: int = 200
) -> Assembly:
    """The same as :func:`assemble`, for people: it takes its time over the reason of a failure.

    Raises:
        AssemblyError: With the loop that stays open, and what would put it right.
    """
    try:
        return assemble(model, q, locked=locked, attempts=attempts)
    except AssemblyError as error:
        blame = _blame(model, q)
        if not blame:
            raise
        raise AssemblyError(f"{error}; {blame}", gap=error.gap) from None


def _blame(model: Model, q: Configuration) -> str:
    """Which joint keeps a loop open; nothing where a bar is too short, or values that are held."""
    start = configuration(model, q)
    loop = open_loop(model, start)
    if loop is None or polygon_shortage(model, start):
        return ""
    likely = open_suspects(model, start, loop).likely[:_SHOWN]
    if not likely:
        return ""
    names = listed((suspect.joint for suspect in likely), last="or")
    ways = "; or ".join(suspect_text(suspect) for suspect in likely)
    return f"most likely {names} is placed wrongly: {ways}"
