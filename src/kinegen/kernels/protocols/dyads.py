"""What every set of kernels takes for planar linkages: programs of constructions."""

from __future__ import annotations

import enum

__all__ = ["DYAD_INTS", "DYAD_MOST_LINKS", "DYAD_REALS", "DyadKind"]

DYAD_INTS = 8
"""Integers of one construction."""
DYAD_REALS = 20
"""Numbers of one construction."""
DYAD_MOST_LINKS = 64
"""Links of a program at most."""


class DyadKind(enum.IntEnum):
    """What a construction does."""

    TURN = 0
    """A driven hinge carries a link (RobotDesigner's algorithm 1)."""
    TILT = 1
    """An input is the turn of a link in the world."""
    PLACE = 2
    """Two inputs are the place of a point of a link whose turn is known."""
    JOIN = 3
    """Two bars meet where two circles cross (RobotDesigner's algorithm 2)."""
