"""Mechanism: the editable graph of links and joints, by name, numbers as formulas."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kinegen.mechanism.joint_types import JointType
from kinegen.raff.document import Document
from kinegen.raff.formula import Formula

if TYPE_CHECKING:
    from kinegen.mechanism.model import Model

__all__ = [
    "BASE",
    "Closure",
    "Frame",
    "Joint",
    "LinkProperties",
    "Mechanism",
    "Parameter",
    "Placement",
    "PlacementKind",
]

BASE = "base"
"""Name of the link that never moves: the world, link 0, frame W."""


class PlacementKind(enum.Enum):
    """How six numbers place one frame in another."""

    KLEINFINGER = 0
    """gamma, b, alpha, d, theta, r: ``Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)``."""
    POSE = 1
    """x, y, z, roll, pitch, yaw: ``T(x, y, z) Rz(yaw) Ry(pitch) Rx(roll)``."""


PLACEMENT_KEYS: Mapping[PlacementKind, tuple[str, ...]] = {
    PlacementKind.KLEINFINGER: ("gamma", "b", "alpha", "d", "theta", "r"),
    PlacementKind.POSE: ("x", "y", "z", "roll", "pitch", "yaw"),
}


@dataclass(slots=True)
class Placement:
    """Six numbers that place one frame in another [m, rad]."""

    kind: PlacementKind
    numbers: tuple[Formula, Formula, Formula, Formula, Formula, Formula]


@dataclass(slots=True)
class Closure:
    """Where a cut joint must land: a frame on another link, which closes a loop."""

    onto: str
    placement: Placement


@dataclass(slots=True)
class LinkProperties:
    """What the link carried by a joint is made of; ``None`` means not given."""

    mass: Formula | None = None
    """[kg]"""
    centre: tuple[Formula, Formula, Formula] | None = None
    """Centre of mass in the link frame [m]."""
    inertia: tuple[Formula, Formula, Formula, Formula, Formula, Formula] | None = None
    """xx, yy, zz, xy, xz, yz about the centre of mass, link axes [kg m²]."""
    density: Formula | None = None
    """[kg/m³]; gives mass and inertia from the shape when mass is absent."""
    shape: Any = "auto"
    """As in the file: 'auto', 'none', a mesh file's name, a mapping, or a list of those."""
    color: str | None = None


@dataclass(slots=True)
class Joint:
    """A joint and the link it carries, which has the joint's name."""

    name: str
    type: JointType
    parent: str
    """Name of the link it sits on."""
    placement: Placement
    """Places the joint's frame F on the parent link."""
    closes: Closure | None = None
    """Given for a cut joint: it carries no link of its own but lands on another one."""
    pitch: Formula | None = None
    """Screw joints: advance per turn [m]."""
    start: tuple[Formula, ...] = ()
    """nq numbers (angles in rad; quaternion wxyz, then xyz for a free joint); empty: neutral."""
    limits: tuple[tuple[Formula, Formula] | None, ...] = ()
    """One (lower, upper) per variable, None where unlimited; empty: none at all.
    A spherical joint has one entry: (0, largest swing angle of its z axis)."""
    motors: tuple[Mapping[str, Any] | None, ...] = ()
    """One per variable: the motor's keys as in the file, None where passive; empty: all passive."""
    friction: Mapping[str, Formula] | None = None
    spring: Mapping[str, Formula] | None = None
    backlash: Formula | None = None
    link: LinkProperties = field(default_factory=LinkProperties)
    note: str | None = None

    @property
    def has_motor(self) -> bool:
        """Whether any of its variables is driven."""
        return any(motor is not None for motor in self.motors)


@dataclass(slots=True)
class Frame:
    """A named frame fixed on a link: a tool, a handle, a mounting point."""

    name: str
    parent: str
    placement: Placement


@dataclass(slots=True)
class Parameter:
    """A named number that other numbers are formulas of; becomes a slider."""

    name: str
    formula: Formula
    minimum: Formula | None = None
    maximum: Formula | None = None
    note: str | None = None


@dataclass(slots=True)
class Mechanism:
    """A mechanism as people describe it: everything by name, every number a formula."""

    name: str
    parameters: dict[str, Parameter] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    frames: dict[str, Frame] = field(default_factory=dict)
    base: LinkProperties = field(default_factory=LinkProperties)
    title: str | None = None
    description: str | None = None
    source: str | None = None
    gravity: tuple[Formula, Formula, Formula] | None = None
    scene: dict[str, Any] = field(default_factory=dict)
    """Validated but not yet used: objects, sensors, agents, devices, motions, each a list."""
    document: Document | None = field(default=None, compare=False, repr=False)
    """The text it came from, kept for edits that change only what they must."""
    topology_version: int = field(default=0, compare=False, repr=False)
    """Grows when joints, frames or names change; a change of numbers leaves it."""

    def compile(self) -> Model:
        """The model of the mechanism as it is now."""
        from kinegen.mechanism.compile import compile_mechanism

        return compile_mechanism(self)
