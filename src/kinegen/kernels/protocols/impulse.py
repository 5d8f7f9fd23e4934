"""What every set of kernels offers for the impulse engine: a world of bodies that can be run."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple, Protocol

from kinegen.joint_types import JointTraits, JointType
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.contact import ShapeArrays

__all__ = [
    "AXIS_SIZE",
    "BODY_SIZE",
    "BONDS",
    "BOND_SIZE",
    "LOAD_SIZE",
    "SPRING_ROWS",
    "TOUCH_SIZE",
    "AxisNumber",
    "Bond",
    "BondRow",
    "BondType",
    "BoundImpulse",
    "ImpulseTuple",
    "RowAction",
    "RowAxis",
]

BODY_SIZE = 4
"""Numbers of a body: mass, three principal moments; mass 0: held still."""
BOND_SIZE = 25
"""Numbers of a bond: X_aF, X_bM, pitch."""
TOUCH_SIZE = 15
"""Numbers of a pair that may touch: point and radius on a; point, normal, radius on b; friction,
restitution, torsional and rolling friction."""
LOAD_SIZE = 9
"""Numbers of a load: point on the body, force, moment about it (world axes)."""
SPRING_ROWS = 3
"""Rows of a spring: along it and across."""


class AxisNumber(enum.IntEnum):
    """Numbers of a variable of a bond."""

    ROTOR = 0
    DAMPING = 1
    COULOMB = 2
    BREAKAWAY = 3
    STRIBECK = 4
    STIFFNESS = 5
    REST = 6
    LOWER = 7
    UPPER = 8


AXIS_SIZE = 9
"""How many those are."""


class BondType(enum.IntEnum):
    """What joins two bodies: the types of joints by their codes, and three more."""

    REVOLUTE = 0
    PRISMATIC = 1
    SCREW = 2
    CYLINDRICAL = 3
    UNIVERSAL = 4
    SPHERICAL = 5
    PLANAR = 6
    FREE = 7
    FIXED = 8
    POINT_ON_PLANE = 9
    """A point of b stays on a plane of a."""
    POINT_ON_CURVE = 10
    """A point of b stays on a curve of a."""
    SPRING = 11
    """Between points: it holds nothing, and its variable is its length."""

    @classmethod
    def of(cls, type_: JointType) -> BondType:
        """That of a mechanism's joint."""
        return cls(type_.info.code)


class RowAction(enum.IntEnum):
    """How two bodies act on each other in a row."""

    ALONG = 0
    """By a force along a direction."""
    ABOUT = 1
    """By a moment about an axis."""
    THREAD = 2
    """By both, as a screw's thread does."""


class RowAxis(enum.IntEnum):
    """Directions and axes of rows."""

    WORLD_X = 0
    WORLD_Y = 1
    WORLD_Z = 2
    F_X = 3
    """Of frame F on a, as F_Y and F_Z."""
    F_Y = 4
    F_Z = 5
    M_X = 6
    """Of frame M on b, as M_Y and M_Z."""
    M_Y = 7
    M_Z = 8
    CROSS = 9
    """x of M × z of F."""
    NORMAL = 10
    """One of a curve's normals, as BINORMAL is the other."""
    BINORMAL = 11
    LINE = 12
    """The line from F to M; ACROSS and OVER are across it."""
    ACROSS = 13
    OVER = 14


class BondRow(NamedTuple):
    """A direction along which, or an axis about which, two bodies act on each other."""

    action: RowAction
    axis: RowAxis


class Bond(NamedTuple):
    """What a type of bond means to the engine."""

    nq: int
    nv: int
    held: tuple[BondRow, ...]
    """Rows that it holds: those along a direction come first."""
    freed: tuple[BondRow, ...]
    """Rows along and about which it is free, one per v; three of a spring."""

    @property
    def along(self) -> int:
        """How many of the rows that it holds act along a direction."""
        return sum(row.action != RowAction.ABOUT for row in self.held)


def _axis(frame: str, axis: str) -> RowAxis:
    return RowAxis[f"{frame}_{axis.upper()}"]


def _joint(info: JointTraits) -> Bond:
    """A joint of a mechanism."""
    # where nothing slides or turns, the world's axes do as well as the joint's
    slides = "WORLD" if info.holds_along == "xyz" else "F"
    turns = "WORLD" if info.holds_about == "xyz" else "F"
    held = [BondRow(RowAction.ALONG, _axis(slides, a)) for a in info.holds_along]
    if info.has_pitch:
        held.append(BondRow(RowAction.THREAD, RowAxis.F_Z))
    held += [BondRow(RowAction.ABOUT, _axis(turns, a)) for a in info.holds_about]
    if info.holds_cross:
        held.append(BondRow(RowAction.ABOUT, RowAxis.CROSS))
    freed = []
    for k, (a, slides_there) in enumerate(zip(info.axes, info.is_length, strict=True)):
        on_outer = info.has_quaternion or (info.lands_on_x and k == info.nv - 1)
        action = RowAction.ALONG if slides_there else RowAction.ABOUT
        freed.append(BondRow(action, _axis("M" if on_outer else "F", a)))
    return Bond(info.nq, info.nv, tuple(held), tuple(freed))


def _along(*axes: RowAxis) -> tuple[BondRow, ...]:
    return tuple(BondRow(RowAction.ALONG, axis) for axis in axes)


BONDS = (
    *(_joint(kind.info) for kind in JointType),
    Bond(0, 0, _along(RowAxis.F_Z), ()),
    Bond(0, 0, _along(RowAxis.NORMAL, RowAxis.BINORMAL), ()),
    Bond(1, 1, (), _along(RowAxis.LINE, RowAxis.ACROSS, RowAxis.OVER)),
)
"""Of every type, by its number; those of joints follow from their traits."""

ImpulseTuple = tuple[int, int, float, float, float, float, float, float, float, int, int, int]
"""Steps run, status (0 fine, 1 not finite), time, gap, angle gap, velocity gap, kinetic and
potential energy, work, contacts, iterations, corrections."""


class BoundImpulse(Protocol):
    """Bodies, joints, springs and pairs that may touch, with their state."""

    def set(
        self, step: float, gap_limit: float, speed_limit: float, iteration_limit: int,
        sweeps: int, stops: bool, friction: bool, stop_restitution: float, /,
    ) -> None:  # fmt: skip
        """How to run; sweeps 0: directly."""
        ...

    def start(
        self, poses: Floats, twists: Floats, q: Floats, curve_at: Floats, time: float, /
    ) -> None:
        """Begin at poses (n, 7) and twists (n, 6) of the bodies, with joint variables q."""
        ...

    def set_touches(self, touches: Ints, numbers: Floats, /) -> None:
        """Pairs that may touch from now on: (n, 3) kind, a, b; (n, 15)."""
        ...

    def touch(
        self, arrays: ShapeArrays, bodies: Ints, X_BL: Floats, reach: Floats, margin: float, /
    ) -> None:
        """Let bodies touch in all steps from now on.

        ``bodies`` (links,): body of each link; ``X_BL`` (links, 12): where the link is on it;
        ``reach`` (links,): how far its shapes reach from its origin [m]; ``margin``: least distance
        from which on bodies count as near [m].
        """
        ...

    def run(
        self, steps: int, efforts: Floats, loads: Ints, load_numbers: Floats, /
    ) -> ImpulseTuple:
        """Run steps under efforts (nv,) and loads on bodies (n,), (n, 9)."""
        ...

    def snapshot(self) -> tuple[Any, ...]:
        """All that the next steps depend on, beside the world and the ways to run."""
        ...

    def resume(self, *state: Any) -> None:
        """Continue from a state of the same world, bit for bit."""
        ...

    def reactions(self) -> Floats:
        """Mean force and moment about M's origin on b through each joint, last step, (m, 6)."""
        ...

    def coupling_efforts(self) -> Floats:
        """Mean effort of each coupling over the last step [N m, N]."""
        ...

    @property
    def q(self) -> Floats:
        """Joint variables."""
        ...

    @property
    def v(self) -> Floats:
        """Their speeds."""
        ...

    @property
    def poses(self) -> Floats:
        """Quaternion and centre of each body, (n, 7)."""
        ...

    @property
    def twists(self) -> Floats:
        """Velocity of the centre and angular velocity, world axes, (n, 6)."""
        ...
