"""Mechanism: the editable graph of links and joints, by name, numbers as formulas."""

from __future__ import annotations

import enum
import os
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from kinegen.errors import Problem
from kinegen.joint_types import JointType
from kinegen.raff.document import Document
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.opener import Opener

if TYPE_CHECKING:
    from kinegen.mechanism.model import Model

__all__ = [
    "BASE",
    "Closure",
    "Coupling",
    "CouplingKind",
    "Follows",
    "Frame",
    "Joint",
    "LinkProperties",
    "Mechanism",
    "Parameter",
    "Placement",
    "PlacementKind",
]

BASE = "base"
"""Name of the link that never moves (the world, link 0, frame W) where a file gives no other."""


class PlacementKind(enum.Enum):
    """How six numbers place one frame in another."""

    KLEINFINGER = 0
    """gamma, b, alpha, d, theta, r: ``Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)``."""
    POSE = 1
    """x, y, z, roll, pitch, yaw: ``T(x, y, z) Rz(yaw) Ry(pitch) Rx(roll)``."""

    __hash__ = object.__hash__  # there is one object of each: much faster than by its name


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
    """Name of the link, or of a frame on it."""
    placement: Placement


@dataclass(slots=True)
class Follows:
    """That a joint's variable follows another one: ratio times that one, plus an offset."""

    joint: str
    """The joint it follows; ``joint.variable`` for one with several variables."""
    ratio: Formula
    """Its change per change of the other."""
    offset: Formula
    """Its value where the other is 0 [rad, m]."""
    variable: str | None = None
    """Which of its own variables; None where there is only one."""


class CouplingKind(enum.Enum):
    """What relates joint variables; the value is its key in a RAFF file."""

    GEARS = "gears"
    BELT = "belt"
    CHAIN = "chain"
    RACK = "rack"
    SCREW = "screw"
    RELATION = "relation"
    CAM = "cam"

    __hash__ = object.__hash__

    @property
    def joins_links(self) -> bool:
        """Whether it acts between two links that turn, whatever joints carry them."""
        return self in (CouplingKind.GEARS, CouplingKind.BELT, CouplingKind.CHAIN)


@dataclass(slots=True)
class Coupling:
    """A relation between joint variables: gears, a belt, a rack, a lead screw, a cam."""

    name: str
    kind: CouplingKind
    members: tuple[str, ...]
    """Gears and belts: two links. Others: variables (``joint``, or ``joint.variable``) in the order
    rack, pinion; nut, screw; follower, cam; those of a relation as in the file."""
    numbers: tuple[Formula, ...] = ()
    """Teeth or radii [m] of both members, the radius of a pinion [m], the lead of a screw [m per
    turn], the factors of a relation."""
    measured_by: str = ""
    """The key of the numbers: teeth, radii, radius, lead, relation; empty for a cam."""
    module: Formula | None = None
    """Of gears: pitch diameter per tooth [m]."""
    internal: bool = False
    """Of gears: whether one of them is a ring with teeth inside."""
    crossed: bool = False
    """Of a belt: whether it turns its second pulley the other way."""
    carrier: str | None = None
    """Of gears and belts: the link that carries both axes, where it is not clear."""
    profile: Formula | tuple[tuple[Formula, Formula], ...] | None = None
    """Of a cam: the follower's variable as a formula of ``x``, the cam's variable, or a table."""
    offset: Formula | None = None
    """What is added to the relation [rad, m]; None for gears, belts, racks and screws: as at the
    start."""
    note: str | None = None
    guide: str = field(default="", compare=False)
    """The guide whose curve it is, one coordinate of it; empty for couplings of the file."""


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
    collision: Any = None
    """As ``shape``: the body that others touch, None for the shape itself."""
    color: str | None = None
    surface: Mapping[str, Formula] | None = None
    """Friction and restitution, as in the file."""


@dataclass(slots=True)
class Joint:
    """A joint and the link it carries, which has the joint's name."""

    name: str
    type: JointType
    parent: str
    """Name of the link it sits on, or of a frame on that link."""
    placement: Placement
    """Places the joint's frame F on the parent link or frame."""
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
    armature: Formula | None = None
    """Inertia that moves with the joint itself, such as a passive gear's [kg m², kg]."""
    follows: Follows | None = None
    """The joint that it follows (a mimic joint)."""
    link: LinkProperties = field(default_factory=LinkProperties)
    called: str | None = None
    """Its name in files of other formats, where it is another one."""
    note: str | None = None

    @property
    def has_motor(self) -> bool:
        """Whether any of its variables is driven."""
        return bool(self.motors) and any(motor is not None for motor in self.motors)


@dataclass(slots=True)
class Frame:
    """A named frame fixed on a link: a tool, a handle, a mounting point."""

    name: str
    parent: str
    """Name of the link it is fixed on, or of another frame."""
    placement: Placement
    note: str | None = None
    is_link: bool = False
    """Whether it is the link's own frame and name in files of other formats."""
    joint: str | None = None
    """Name of the fixed joint that holds it in files of other formats."""
    called: str | None = None
    """Its name in files of other formats, where it is another one."""


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
    """An editable mechanism: everything has a name, and every number is a formula."""

    name: str
    parameters: dict[str, Parameter] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    frames: dict[str, Frame] = field(default_factory=dict)
    couplings: dict[str, Coupling] = field(default_factory=dict)
    """Relations between joint variables; those of a joint that follows another are its own."""
    base: LinkProperties = field(default_factory=LinkProperties)
    base_name: str = BASE
    """Name of the link that never moves."""
    title: str | None = None
    description: str | None = None
    source: str | None = None
    gravity: tuple[Formula, Formula, Formula] | None = None
    mode: str | None = None
    """Assembly mode of the start: signs of its branch ('+-') or a number; None: the nearest."""
    scene: dict[str, Any] = field(default_factory=dict)
    """Lists of rows of the file: springs, objects, lights, people, sensors, agents, devices,
    motions."""
    world: dict[str, Any] = field(default_factory=dict)
    """The file's section of that name: step, seed, floor; ``engines`` by the link they move."""
    wall: dict[str, Any] = field(default_factory=dict)
    """The file's section of that name: screens of a room that show the mechanism."""
    collisions: dict[str, Any] = field(default_factory=dict)
    """Which bodies touch: ``self`` (bool) and ``except`` (pairs of names), where given."""
    document: Document | None = field(default=None, compare=False, repr=False)
    """The original text, kept so that edits change as little as possible."""
    opener: Opener | None = field(default=None, compare=False, repr=False)
    """Finds and reads the files that the text names, such as meshes."""
    noted: tuple[Problem, ...] = field(default=(), compare=False, repr=False)
    """The remarks found so far."""
    late_remarks: Callable[[], list[Problem]] | None = field(
        default=None, compare=False, repr=False
    )
    """Finds remarks that take time, when they are first requested."""
    topology_version: int = field(default=0, compare=False, repr=False)
    """Grows when joints, frames or names change, but not when numbers do."""

    if not TYPE_CHECKING:  # a checker knows the attributes that there are

        def __getattr__(self, name: str) -> Any:
            from kinegen.mechanism.model import Model

            is_model = hasattr(Model, name) or name in Model.__annotations__
            if not name.startswith("_") and is_model:
                raise AttributeError(
                    f"'{name}' belongs to a compiled model, not to the mechanism '{self.name}': "
                    "mechanism.compile() returns the model"
                )
            raise AttributeError(f"a Mechanism has no attribute '{name}'")

    @property
    def remarks(self) -> tuple[Problem, ...]:
        """Remarks on text that is allowed but seldom meant, such as an angle of 90 rad."""
        if self.late_remarks is not None:
            late, self.late_remarks = self.late_remarks(), None
            self.noted = tuple(sorted([*self.noted, *late])) if late else self.noted
        return self.noted

    @remarks.setter
    def remarks(self, remarks: tuple[Problem, ...]) -> None:
        self.noted, self.late_remarks = remarks, None

    def compile(self) -> Model:
        """Compile the current mechanism into a model."""
        from kinegen.mechanism.collection import uncollected
        from kinegen.mechanism.compiling.compile import compile_mechanism

        with uncollected():
            return compile_mechanism(self)

    def snapshot(self) -> Mechanism:
        """A copy that later edits do not change, without the original text."""
        return replace(
            self,
            parameters={name: replace(one) for name, one in self.parameters.items()},
            joints={name: _copy_joint(one) for name, one in self.joints.items()},
            frames={name: _copy_frame(one) for name, one in self.frames.items()},
            couplings={name: replace(one) for name, one in self.couplings.items()},
            base=replace(self.base),
            scene=deepcopy(self.scene) if self.scene else {},
            world=deepcopy(self.world) if self.world else {},
            wall=deepcopy(self.wall) if self.wall else {},
            collisions=deepcopy(self.collisions),
            document=None,
            noted=(),
            late_remarks=None,
        )

    def link_of(self, name: str) -> str:
        """The link that a frame is on, directly or through other frames; for a link, itself."""
        for _ in range(1 + len(self.frames)):  # a program may have made a cycle
            if name not in self.frames:
                break
            name = self.frames[name].parent
        return name

    def set_parameter(self, name: str, value: float | str) -> None:
        """Set a parameter to a value [SI] or formula; one token of the text changes."""
        from kinegen.mechanism.editing.numbers import set_parameter

        set_parameter(self, name, value)

    def set_number(self, owner: str, key: str, value: float | str) -> None:
        """Set one number of a joint or frame: ``set_number("B", "d", "150 mm")``."""
        from kinegen.mechanism.editing.numbers import set_number

        set_number(self, owner, key, value)

    def set_value(self, owner: str, key: str, value: Any) -> None:
        """Set, add or (with None) remove any key of a joint or frame."""
        from kinegen.mechanism.editing.structure import set_value

        set_value(self, owner, key, value)

    def set_key(self, key: str, value: Any) -> None:
        """Set, add or (with None) remove a key of the file itself: ``gravity``, ``springs``."""
        from kinegen.mechanism.editing.structure import set_key

        set_key(self, key, value)

    def add_parameter(self, name: str, value: float | str, **keys: Any) -> None:
        """Add a parameter; keys as in the file: ``min``, ``max``, ``note``."""
        from kinegen.mechanism.editing.structure import add_parameter

        add_parameter(self, name, value, **keys)

    def remove_parameter(self, name: str) -> None:
        """Remove a parameter that no formula uses."""
        from kinegen.mechanism.editing.structure import remove_parameter

        remove_parameter(self, name)

    def add_joint(self, name: str, parent: str, **keys: Any) -> None:
        """Add a joint with the link it carries; keys as in a RAFF row."""
        from kinegen.mechanism.editing.structure import add_joint

        add_joint(self, name, parent, **keys)

    def remove_joint(self, name: str) -> None:
        """Remove a joint that carries nothing."""
        from kinegen.mechanism.editing.structure import remove_joint

        remove_joint(self, name)

    def add_frame(self, name: str, parent: str, **keys: Any) -> None:
        """Add a frame; keys as in a RAFF row."""
        from kinegen.mechanism.editing.structure import add_frame

        add_frame(self, name, parent, **keys)

    def remove_frame(self, name: str) -> None:
        """Remove a frame."""
        from kinegen.mechanism.editing.structure import remove_frame

        remove_frame(self, name)

    def rename(self, old: str, new: str) -> None:
        """Rename a joint, a frame or the base everywhere."""
        from kinegen.mechanism.editing.structure import rename

        rename(self, old, new)

    def rename_parameter(self, old: str, new: str) -> None:
        """Rename a parameter in every formula."""
        from kinegen.mechanism.editing.structure import rename_parameter

        rename_parameter(self, old, new)

    def problems(self) -> tuple[Problem, ...]:
        """The problems of the mechanism's current text; empty if there are none."""
        from kinegen.mechanism.save import problems

        return problems(self)

    def to_raff(self) -> str:
        """The mechanism as RAFF text: the original text with all edits, or a new text."""
        from kinegen.mechanism.save import to_raff

        return to_raff(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the mechanism's text to a file, completely or not at all."""
        from kinegen.mechanism.save import save

        save(self, path)


_T = TypeVar("_T")


def _copier(kind: type[_T]) -> Callable[[_T], _T]:
    """What copies an object of a dataclass: a few times as fast as ``dataclasses.replace``."""
    values = attrgetter(*(one.name for one in fields(kind)))  # type: ignore[arg-type]
    return lambda given: kind(*values(given))


_copy_placement = _copier(Placement)
_copy_link = _copier(LinkProperties)
_copy_joint_itself = _copier(Joint)
_copy_frame_itself = _copier(Frame)


def _copy_joint(joint: Joint) -> Joint:
    made = _copy_joint_itself(joint)
    made.placement = _copy_placement(joint.placement)
    if joint.closes is not None:
        made.closes = Closure(joint.closes.onto, _copy_placement(joint.closes.placement))
    if joint.follows is not None:
        made.follows = replace(joint.follows)
    made.link = _copy_link(joint.link)
    return made


def _copy_frame(frame: Frame) -> Frame:
    made = _copy_frame_itself(frame)
    made.placement = _copy_placement(frame.placement)
    return made
