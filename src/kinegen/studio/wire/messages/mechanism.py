"""A mechanism and its scene, as a page gets them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kinegen.studio.wire.parts import DrawnData, RowValue, Shape

__all__ = [
    "CouplingData",
    "DeviceData",
    "FrameData",
    "JointData",
    "LightData",
    "LoopData",
    "ModelData",
    "MotorMode",
    "NumberData",
    "ObjectData",
    "ParameterData",
    "Quantity",
    "VariableData",
    "WorldData",
]

Quantity = Literal["angle", "length", "number"]
MotorMode = Literal["position", "velocity", "torque", "computed"]


@dataclass(slots=True)
class VariableData:
    """One variable of a joint."""

    name: str
    """Such as 'theta' or 'r'."""
    quantity: Quantity
    motor: bool
    mode: MotorMode = "position"
    """What its motor follows in a simulation."""


@dataclass(slots=True)
class JointData:
    """A joint's place in the arrays, as in ``Model.joints``."""

    name: str
    type: str
    parent: int
    child: int
    on: str
    """The link or frame that it sits on, as in the file."""
    onto: str
    """The link or frame that a cut joint lands on, as in the file; empty for others."""
    q: int
    """First of its numbers in q."""
    nq: int
    v: int
    """First of its degrees of freedom in v."""
    nv: int
    placement: int
    is_cut: bool
    variables: list[VariableData]
    """One per variable; a spherical joint has none that a slider could move."""
    editable: bool
    """False for joints of an included robot: their rows are in another file."""


@dataclass(slots=True)
class LoopData:
    """A loop: its cut joint, and the placement of the frame where that joint lands."""

    joint: int
    placement: int


@dataclass(slots=True)
class CouplingData:
    """A relation between joint variables: gears, a belt, a rack, a cam, a joint that follows."""

    name: str
    kind: str
    members: list[str]
    """What it joins, as a person says it."""
    joints: list[int]
    is_length: bool
    """Whether what it lacks is a length [m]; else an angle [rad]."""


@dataclass(slots=True)
class FrameData:
    """A named frame on a link."""

    name: str
    link: int
    on: str
    """The link or frame that it is fixed to, as in the file."""
    placement: int
    editable: bool


@dataclass(slots=True)
class ParameterData:
    """A parameter: a slider when it is free, a read-out when it follows a formula."""

    name: str
    index: int
    """For the kernels' ``kg_set_parameter``."""
    text: str
    """As written in the file."""
    formula: bool
    """Whether it follows other parameters."""
    quantity: Quantity
    minimum: float | None
    maximum: float | None
    note: str | None


@dataclass(slots=True)
class NumberData:
    """A number of a joint or frame, such as ``d`` of joint B or ``closes.d`` of joint C."""

    owner: str
    key: str
    index: int
    """For the kernels' ``kg_set_number``; its value is ``reals[index]``."""
    text: str
    """As written in the file, '' where it is left out."""
    formula: bool
    """Whether it follows parameters."""
    quantity: Quantity


@dataclass(slots=True)
class ModelData:
    """A compiled model: the kernels' two blocks and the names that lead into them."""

    name: str
    ints: str
    """int32, little endian, base64."""
    reals: str
    """float64, little endian, base64; parameters, numbers and transforms as they are now."""
    start: list[float]
    """The file's starting q, loops closed where they can be."""
    links: list[str]
    link_shapes: list[Shape]
    """Per link as in the file, numbers worked out: 'auto', 'none', a mesh file, a mapping, …"""
    link_colors: list[str | None]
    joints: list[JointData]
    loops: list[LoopData]
    couplings: list[CouplingData]
    """Their equations come behind those of the loops."""
    drawn: list[DrawnData]
    """What is drawn for them: gears, belts, cams."""
    frames: list[FrameData]
    robots: list[str]
    """Names of the robots that the file includes."""
    parameters: list[ParameterData]
    numbers: list[NumberData]
    planar: bool
    """Whether everything moves in one plane, so that a 2D view makes sense."""


@dataclass(slots=True)
class ObjectData:
    """A free object of the scene."""

    name: str
    shape: Shape
    pose: list[float]
    """Quaternion wxyz, then xyz [m]."""
    color: str | None
    fixed: bool


@dataclass(slots=True)
class LightData:
    """A light of the scene."""

    name: str
    type: Literal["directional", "point"]
    node: str
    """Name of the link or object that carries it."""
    place: list[float]
    """Its pose there: quaternion wxyz, then xyz [m]."""
    direction: list[float]
    """The way its light travels, a unit vector in its own axes."""
    color: str
    intensity: float
    """1 makes a white surface that faces it white, from 1 m for a point light."""


@dataclass(slots=True)
class DeviceData:
    """An input device declared in the file."""

    name: str
    type: str
    moves: list[str]
    """Frames, links, joints or parameters."""
    mode: Literal["absolute", "incremental"]
    scale: float
    rotation_scale: float
    axes: dict[str, RowValue]
    """What each of its axes does, as in the file: mostly the name of one that it stands for."""
    port: str
    """Where it is connected; empty: not said."""
    side: Literal["left", "right"] | None
    """The hand of a controller or bare hand; None: either."""
    button: Literal["trigger", "grip"]
    """Of a controller: what holds the part."""
    holds: Literal["point", "pose"]


@dataclass(slots=True)
class WorldData:
    """What makes a mechanism a world: it runs with its sensors and agents."""

    engine: str
    step: float
    """[s]"""
    sensors: list[str]
    agents: list[str]
    seed: int = 0
    """Of all noise."""
    engines: dict[str, str] = field(default_factory=dict)
    """Engines of links that have their own."""
    people: list[str] = field(default_factory=list)
    """People of the file."""
