"""What every set of kernels offers about singular poses: the signatures that all twins share.

A *heading* is two arrays, ints and reals: the rows of ``call_records``, then a mark and a speed per
variable, for those that a heading of joints moves or holds.
"""

from __future__ import annotations

import enum
from typing import Protocol, TypeAlias

from kinegen.kernels.call_records import HeadingInts, HeadingReals
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.records import size_of

__all__ = [
    "AIM_LIMIT",
    "BRANCH_LIMIT",
    "HEADING_INTS",
    "HEADING_REALS",
    "BoundMonitor",
    "BranchKind",
    "Examination",
    "FoundAhead",
    "FoundBranch",
    "FoundBranches",
    "HeadingType",
    "MonitorStatus",
    "SearchEnd",
    "SingularKind",
]

AIM_LIMIT = 64
"""Frames that can be watched at once."""
BRANCH_LIMIT = 8
"""Branches of one singular pose, at most."""
HEADING_INTS, HEADING_REALS = size_of(HeadingInts), size_of(HeadingReals)
"""Numbers of a heading before those of the variables."""


class SingularKind(enum.IntEnum):
    """What is lost in a singular pose."""

    TASK = 0
    """A frame cannot move in some direction."""
    GAIN = 1
    """The loops let joints move though the inputs hold."""
    BOTH = 2
    NONE = 3


class HeadingType(enum.IntEnum):
    """What moves: a frame or joints."""

    NONE = -1
    FRAME = 0
    JOINTS = 1


class SearchEnd(enum.IntEnum):
    """Why a search along a heading ended."""

    FOUND = 0
    REACH = 1
    """Nothing within the requested distance."""
    NO_FURTHER = 2
    """The way leads no further."""
    LIMIT = 3
    """A joint meets its limit."""
    LOST = 4
    """The way ends there."""


class BranchKind(enum.IntEnum):
    """What a branch's motion is called."""

    BENDS = 0
    """``joint`` bends: the other way or back, if something led here."""
    IN_PLACE = 1
    """``joint`` and ``other`` turn while the frame stands still."""
    ONWARD = 2
    """At a branch point: all continue as before."""
    BACK = 3
    """All go back."""
    PARTS = 4
    """``joint`` continues (``same``) or turns, while ``other`` continues (``goes_on``) or back."""


class MonitorStatus(enum.IntEnum):
    """What became of a question."""

    DONE = 0
    HEADING_IS_ZERO = 1
    """The heading's direction is zero."""
    NOTHING_AHEAD = 2
    """There is no singular pose on the heading."""
    NONE_NEARBY = 3
    """There is no singular pose of the kind near this one."""
    WRONG_KIND = 4
    """The singular pose ahead is of the other kind."""


Examination: TypeAlias = tuple[int, bool, float, float, Floats, Floats, Floats, Floats, Floats]
"""Kind, whether the loops lose rank, both distances, values of both kinds; then rows: lost
directions, standing motions and gained motions, scaled, unit, the first large entry positive."""
FoundAhead: TypeAlias = tuple[int, int, bool, float, float, float, Floats]
"""Status, why it ended, whether the unit is metres, distance along the heading, both distances of
the pose that was found (or of the first), and the closed poses on the way, (count, nq)."""
FoundBranch: TypeAlias = tuple[int, bool, int, int, int, bool, bool, bool, Floats]
"""Kind, whether it crosses, sign of the joint named first, joint, other joint or -1, ``same``,
``goes_on``, whether a motion led here, closed poses through the singular one to the phantom."""
FoundBranches: TypeAlias = tuple[int, int, bool, Floats, list[FoundBranch]]
"""Status, kind, whether the loops lose rank, closed poses to the singular one, its branches."""


class BoundMonitor(Protocol):
    """A model's singularity monitor. Poses q that it is given have closed loops."""

    def watch(
        self, q: Floats, aim_ints: Ints, aim_reals: Floats, inputs: Ints, /
    ) -> tuple[int, int, int, int]:
        """Choose what is watched; the ranks of loops, frames, passive rows and inputs near q.

        Args:
            q: an ordinary pose.
            aim_ints: site and handle kind of each frame, (n, 2); a kind of -1 is decided in place.
            aim_reals: point and axis, given in the frame, (n, 6).
            inputs: 1 for each joint that is driven.
        """
        ...

    def measure(self, q: Floats, /) -> tuple[int, float, float, Floats]:
        """Kind, distances of both kinds (infinite where there are none), the frames' values."""
        ...

    def examine(self, q: Floats, /) -> Examination:
        """Everything that is known about a pose."""
        ...

    def blocks(self) -> list[tuple[bool, Ints]]:
        """Of each sign: whether it belongs to the inputs, and the variables of its block."""
        ...

    def signs(self, q: Floats, /) -> Floats:
        """Signed values that change smoothly through zero where a singularity is crossed."""
        ...

    def ahead(
        self,
        q: Floats,
        heading_ints: Ints,
        heading_reals: Floats,
        within: float,
        limits: bool,
        step: float,
        near: float,
        /,
    ) -> FoundAhead:
        """The first singular pose on a heading; ``within`` negative: as far as is useful."""
        ...

    def branches_beyond(
        self, q: Floats, heading_ints: Ints, heading_reals: Floats, kind: int, amplitude: float, /
    ) -> FoundBranches:
        """The branches of the pose ahead, or of the nearest one if the heading's type is NONE."""
        ...

    def refine(self, path: Floats, bounds: Floats, /) -> Floats | None:
        """The path with poses put in between until no joint moves by more than its bound."""
        ...
