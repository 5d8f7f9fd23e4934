"""The world of the impulse engine: bodies, what joins them, how they are run, where they are."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.protocols.impulse import AXIS_SIZE, BOND_SIZE, LOAD_SIZE, TOUCH_SIZE, RowAction
from kinegen.kernels.reference.impulse.joints import (
    DAMPING,
    HELD,
    NV,
    ROTOR,
    SPRING,
    STIFFNESS,
    rotation,
)

__all__ = ["Limit", "World", "bind_world", "bond_frames"]


LIGHT = 1e3
"""A body is light if one that it is joined to has more than so many times its mass or moments."""
STIFFEST = 1e7
"""Most that a light body can be stiffened: beyond that rounding would show."""


@dataclass
class Limit:
    """An impulse with bounds: dry friction, an end of travel, a contact or friction in it."""

    kind: str
    """dry, lower, upper, touch, slide, spin or roll"""
    row: Floats
    """Its speed by the twists of all bodies, (6 bodies,)."""
    low: float
    """Least impulse [N s, N m s]."""
    high: float
    """Largest impulse [N s, N m s]."""
    aim: float = 0.0
    """Speed to reach [m/s, rad/s]."""
    p: float = 0.0
    """The impulse found [N s, N m s]."""
    bond: int = -1
    """Its joint."""
    of: int = -1
    """Its variable in v, or its pair that may touch."""
    normal: int = -1
    """The limit that presses where this one rubs."""
    friction: float = 0.0
    direction: Floats = field(default_factory=lambda: np.zeros(3))
    """In which it slides, world axes."""
    points: tuple[tuple[int, Floats], ...] = ()
    """Places of the contact in both bodies, the pushed one last."""


@dataclass(slots=True, eq=False, kw_only=True)
class World:
    """Bodies, what joins them, how they are run, and where they are; SI units, radians."""

    # Bodies

    mass: Floats
    """(bodies,); 0: held."""
    moments: Floats
    """About the principal axes, (bodies, 3)."""
    moves: NDArray[np.bool_]
    """Which are not held, (bodies,)."""
    inverse: Floats
    """1 / mass and 1 / moments; 0 where held, (bodies, 4)."""
    bend: Floats
    """How spins about two axes change that about the third, (bodies, 3)."""
    ease: Floats
    """Share of the compliance that counts, along and about: below 1 for light ones, (bodies, 2)."""
    gravity: Floats
    """Acceleration, world axes, (3,)."""

    # Joints

    bonds: Ints
    """Type, body a, body b, first in q, first in v, (joints, 5)."""
    axes: Floats
    """Numbers per variable, (nv, 9): rotor, damping and so on, by the columns in ``joints``."""
    frames: list[tuple[Floats, Floats]]
    """F in body a and M in body b, (4, 4) each."""
    leads: Floats
    """Of screws [m/rad], (joints,)."""
    curves: list[tuple[Floats, bool]]
    """Cubics of a curve that a point follows (n, 4, 3), and whether it is closed."""
    soft: list[list[int]]
    """Variables of each joint that give way: with a rotor, damper or spring."""
    blocks: Blocks | None = None
    """The mechanism whose couplings join variables."""
    order: Ints
    """Ties (joints and, behind all of them, couplings) as they are eliminated."""
    outward: Ints
    """Joints from the held bodies outward: joint, end of the outer body, whether in a loop."""

    # How they are run

    step: float = 0.0
    """[s]"""
    gap_limit: float = 0.0
    """Gap [m, rad] at which joints count as closed."""
    speed_limit: float = 0.0
    iteration_limit: int = 0
    sweeps: int = 0
    """Joints are closed one by one, so many times at most; 0: all at once."""
    stops: bool = True
    friction: bool = True
    stop_restitution: float = 0.0

    # What acts on them

    efforts: Floats
    """Of motors, (nv,)."""
    loads: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    """Bodies that are pushed."""
    load_numbers: Floats = field(default_factory=lambda: np.zeros((0, LOAD_SIZE)))
    """Place in the body, force and moment in world axes, (loads, 9)."""
    touches: Ints = field(default_factory=lambda: np.zeros((0, 3), np.int32))
    """Pairs that may touch: kind, a, b."""
    touch_numbers: Floats = field(default_factory=lambda: np.zeros((0, TOUCH_SIZE)))
    """Their places, radii, normal, friction and restitution, (touches, 15)."""

    # Where they are

    poses: Floats
    """Quaternion and centre, (bodies, 7)."""
    twists: Floats
    """Velocity of the centre and angular velocity, world axes, (bodies, 6)."""
    q: Floats = field(default_factory=lambda: np.zeros(0))
    v: Floats
    rotor: Floats
    """Speeds of rotors, (nv,)."""
    curve_at: Floats = field(default_factory=lambda: np.zeros(0))
    """Parameters of points on curves, (joints,)."""
    theta: Floats
    """Share of a damper that acts at a step's start, (nv,)."""
    time: float = 0.0
    """[s]"""
    work: float = 0.0
    """Of all that is not stored, since the start [J]."""
    balance: float = np.inf
    """Energy less work: what must not grow [J]; infinite: not known yet."""
    swing: float = 0.0
    """Largest kinetic energy of the recent steps [J]."""
    change: float = np.inf
    """Energy that the recent steps added to the balance [J]."""

    # Rows at the present place

    turns: Floats = field(default_factory=lambda: np.zeros((0, 3, 3)))
    """Inverse inertias in world axes, (bodies, 3, 3)."""
    J: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """Speeds of all rows by the twists of all bodies, (rows, 6 bodies)."""
    Y: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """M⁻¹ Jᵀ, (6 bodies, rows)."""
    row_kind: list[RowAction | None] = field(default_factory=list)
    """along, about, thread or coupling"""
    row_bond: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Each row's tie: its joint, or the number of joints and that of its coupling."""
    row_part: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Which row of its joint each is."""
    row_v: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Each row's variable in v; -1: it is held."""
    own: Floats = field(default_factory=lambda: np.zeros(0))
    """Change of each row's speed by its own unit impulse, (rows,)."""
    yields: Floats = field(default_factory=lambda: np.zeros(0))
    """Compliance of each row, (rows,)."""
    keep: Floats = field(default_factory=lambda: np.zeros(0))
    """Share of each row's impulse that is its rotor's, (rows,)."""
    A: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """J M⁻¹ Jᵀ + compliance, (rows, rows)."""
    limits: list[Limit] = field(default_factory=list)

    # Impulses

    lam: Floats = field(default_factory=lambda: np.zeros(0))
    """That close the joints ahead, (rows,); kept from step to step."""
    last: Floats = field(default_factory=lambda: np.zeros(0))
    """That made speeds agree at the end of the last step, (rows,)."""
    late: dict[int, Floats] = field(default_factory=dict)
    """Of springs and dampers at a step's end: per variable; of a spring, as a vector."""
    carried: tuple[Floats, dict[int, Floats]] = field(default_factory=lambda: (np.zeros(0), {}))
    """All of them over the last whole step, rows and late ones."""

    @property
    def coupling_count(self) -> int:
        """How many couplings there are."""
        return 0 if self.blocks is None else self.blocks.counts.coupling


def bind_world(*arrays: Floats | Ints) -> World:
    """A world at rest at the origin; arrays as the compiled one takes them."""
    bodies, numbers, axes, gravity, curve = (
        np.array(arrays[i], dtype=np.float64) for i in (0, 2, 3, 4, 6)
    )
    bonds, first, closed = (np.array(arrays[i], dtype=np.int32) for i in (1, 5, 7))
    mass, moments = bodies[:, 0], bodies[:, 1:]
    moves = mass > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        after, before = (np.roll(moments, by, axis=1) for by in (-1, -2))
        bend = np.where(moves[:, None], (after - before) / moments, 0)
        inverse = np.where(moves[:, None], 1 / bodies, 0)
    bonds, axes, numbers = (
        bonds.reshape(-1, 5),
        axes.reshape(-1, AXIS_SIZE),
        numbers.reshape(-1, BOND_SIZE),
    )
    gives_way = np.any(axes[:, [ROTOR, DAMPING, STIFFNESS]] != 0, axis=1)
    soft = [
        [v for v in range(b[4], b[4] + NV[b[0]]) if gives_way[v]] * (3 if b[0] == SPRING else 1)
        for b in bonds
    ]
    cubics = curve.reshape(-1, 4, 3)
    count, nv = len(mass), len(axes)
    return World(
        mass=mass,
        moments=moments,
        moves=moves,
        inverse=inverse,
        bend=bend,
        ease=eased_bodies(bodies, bonds),
        gravity=gravity,
        bonds=bonds,
        axes=axes,
        frames=[(frame_matrix(n[:12]), frame_matrix(n[12:24])) for n in numbers],
        leads=numbers[:, 24] / (2 * np.pi),
        curves=[(cubics[a:b], bool(c)) for (a, b), c in zip(pairwise(first), closed, strict=True)],
        soft=soft,
        blocks=Blocks(*_mechanism(*arrays[15:17])) if len(arrays[15]) else None,
        order=np.array(arrays[8], dtype=np.int32),
        outward=np.array(arrays[14], dtype=np.int32).reshape(-1, 3),
        efforts=np.zeros(nv),
        poses=np.tile([1.0, 0, 0, 0, 0, 0, 0], (count, 1)),
        twists=np.zeros((count, 6)),
        v=np.zeros(nv),
        rotor=np.zeros(nv),
        theta=np.full(nv, 0.5),
    )


def eased_bodies(bodies: Floats, bonds: Ints) -> Floats:
    """Joints of a light body pass on what heavy ones bear: they give way as little as those."""
    own = np.stack((bodies[:, 0], bodies[:, 1:].max(axis=1)), axis=1)
    size, grew = own.copy(), True
    pairs = [(a, b) for type_, a, b, _, _ in bonds if HELD[type_]]
    while grew:
        grew = False
        for (a, b), kind in itertools.product(pairs, range(2)):
            less, more = (a, b) if size[a, kind] < size[b, kind] else (b, a)
            if size[less, kind] > 0 and LIGHT * size[less, kind] < size[more, kind]:
                size[less, kind], grew = size[more, kind], True
    ratio = np.divide(own, size, out=np.ones_like(own), where=size > 0)
    return np.asarray(np.maximum(ratio, 1 / STIFFEST))


def _mechanism(ints: Floats | Ints, reals: Floats | Ints) -> tuple[Ints, Floats]:
    return np.array(ints, dtype=np.int32), np.array(reals, dtype=np.float64)


def frame_matrix(numbers: Floats) -> Floats:
    """Of nine numbers of a rotation and three of a place."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = numbers[:9].reshape(3, 3), numbers[9:]
    return out


def pose_matrix(pose: Floats) -> Floats:
    """Of a quaternion and a place."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = rotation(pose[:4]), pose[4:]
    return out


def bond_frames(w: World, j: int, poses: Floats) -> tuple[Floats, Floats]:
    """Frames F and M of a joint."""
    _, a, b, _, _ = w.bonds[j]
    return pose_matrix(poses[a]) @ w.frames[j][0], pose_matrix(poses[b]) @ w.frames[j][1]
