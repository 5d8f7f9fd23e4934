"""Rows of numbers that calls of the solver and of the singularity monitor take and return.

Compiled kernels, their twins and the page read the same rows: ``make tables`` writes the places of
the fields for C++ and TypeScript.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

__all__ = [
    "AheadInts",
    "AheadOptions",
    "AheadReals",
    "AimInts",
    "AimReals",
    "BranchInts",
    "HandleInts",
    "HandleReals",
    "HeadingInts",
    "HeadingReals",
    "OutlookInts",
    "Ranks",
    "SolverNumbers",
    "SolverReport",
    "Three",
]

Three: TypeAlias = tuple[float, float, float]
Four: TypeAlias = tuple[float, float, float, float]
Six: TypeAlias = tuple[float, float, float, float, float, float]


class HandleInts(NamedTuple):
    """What a handle holds."""

    site: int
    """Link (its index) or frame (link count + its index)."""
    kind: int
    """A HandleKind."""
    pin: int
    """1: a hard constraint."""


class HandleReals(NamedTuple):
    """Where a handle holds, and where that should be."""

    point: Three
    """In the site's frame [m]."""
    axis: Three
    """In the site's frame; of unit length."""
    position: Three
    """Where the point should be [m]."""
    turn: Four
    """The rotation that the site should have, wxyz; for a direction its three numbers and 0."""
    weight: float
    """How much the place counts beside other handles."""
    rotation_weight: float
    """How much the rotation counts."""


class SolverNumbers(NamedTuple):
    """Options of the solver that are single numbers."""

    iterations: float
    """How many steps it may take."""
    max_step: float
    """Largest scaled move of a variable per step."""
    gap_tolerance: float
    """Scaled gap below which a loop is closed."""
    handle_tolerance: float
    """Scaled error below which the handles are met."""
    posture_gain: float
    """Share of the way to the posture per step."""
    use_limits: float
    """Whether joint limits are kept."""


class SolverReport(NamedTuple):
    """What the solver reports."""

    outcome: int
    """An Outcome."""
    iterations: int
    """Steps that it took."""
    dof: int
    """Degrees of freedom that loops, pins and limits leave."""
    redundant: int
    """Rows of loops and pins that others imply."""
    gap: float
    """Widest gap of a loop, scaled by the mechanism's size."""
    pin_error: float
    """What the pins lack together, scaled."""
    handle_error: float
    """What the handles lack together, scaled."""
    gradient: float
    """How fast that could still fall, per unit of motion."""
    task_pivot: float
    """Smallest over largest pivot of the handles' rows: 0 at a singularity."""
    loop_pivot: float
    """Smallest pivot of the loops' rows: 0 where a degree of freedom is gained."""
    size: float
    """The mechanism's size [m]."""
    clearance: float
    """Distance of the nearest bodies that are avoided [m]; inf: none are near."""
    obstacle: int
    """Pair of bodies' shapes that stands in the way; -1: none."""


class AimInts(NamedTuple):
    """A frame that is watched."""

    site: int
    kind: int
    """A HandleKind; -1: point or pose, whichever says everything."""


class AimReals(NamedTuple):
    """What of a frame is watched, given in the frame."""

    point: Three
    axis: Three


class Ranks(NamedTuple):
    """Usual ranks near a pose."""

    loops: int
    task: int
    """Of the frames' rows."""
    passive: int
    """Of the rows of the variables without motors."""
    inputs: int


class HeadingInts(NamedTuple):
    """A straight way that a frame or joints are on; a mark per variable follows."""

    type: int
    """A HeadingType."""
    site: int
    kind: int
    """A HandleKind; -1: three numbers are given, and the rotation is kept where it can be."""


class HeadingReals(NamedTuple):
    """Where it leads; a speed per variable follows."""

    point: Three
    axis: Three
    direction: Six
    """Over the rows of the kind [m, rad]."""


class AheadOptions(NamedTuple):
    """How a singular pose ahead is looked for."""

    reach: float
    """How far; negative: as far as is useful."""
    use_limits: float
    step: float
    """Largest scaled step."""
    tolerance: float
    """How near counts as there."""


class AheadReals(NamedTuple):
    """How far the singular pose ahead is."""

    distance: float
    """Along the heading."""
    task: float
    """Distance of the first kind in the pose that was found."""
    gain: float
    """Distance of the second kind there."""


class AheadInts(NamedTuple):
    """What was found ahead."""

    end: int
    """A SearchEnd."""
    kind: int
    """A SingularKind."""
    is_length: int
    """Whether the unit is metres."""
    pose_count: int
    """Poses of the way there."""


class OutlookInts(NamedTuple):
    """A singular pose whose branches were looked for."""

    kind: int
    """A SingularKind."""
    is_branch_point: int
    """Whether different ways of moving meet there."""
    pose_count: int
    """Poses of the way there."""
    branch_count: int


class BranchInts(NamedTuple):
    """One way on from a singular pose."""

    kind: int
    """A BranchKind."""
    crosses: int
    """Whether it leads to another branch, and not back."""
    sign: int
    """Of the joint that is named first."""
    joint: int
    other: int
    """Another joint, or -1."""
    same: int
    """Whether the joint continues as before."""
    goes_on: int
    """Whether the other joint does."""
    led: int
    """Whether a motion led here."""
    pose_count: int
    """Poses of its whole way."""
