"""Robot: what every description of a robot says, whatever its format: links, joints, shapes.

Readers fill it, with the place in the file of all that may be wrong; ``mechanism.py`` turns it into
a mechanism.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from kinegen.errors import Problem
from kinegen.formats.problems import FormatProblems
from kinegen.formats.robots.read.xml_source import Element
from kinegen.formats.robots.transform import IDENTITY, Transform, Vector

__all__ = [
    "Mimic",
    "MotionKind",
    "Robot",
    "RobotCam",
    "RobotFrame",
    "RobotJoint",
    "RobotLink",
    "RobotPose",
    "RobotRelation",
    "RobotShape",
    "RobotSource",
]


class MotionKind(enum.Enum):
    """How a joint moves."""

    FIXED = "fixed"
    HINGE = "revolute"
    SLIDER = "prismatic"
    SCREW = "screw"
    CYLINDRICAL = "cylindrical"
    UNIVERSAL = "universal"
    BALL = "spherical"
    PLANAR = "planar"
    FREE = "free"

    __hash__ = object.__hash__  # there is one object of each: much faster than by its name


@dataclass(slots=True)
class RobotShape:
    """A body in a link's frame."""

    kind: str
    """box, cylinder, sphere, capsule or mesh, as in RAFF."""
    sizes: tuple[float, ...] = ()
    """As in RAFF: edges; radius and length; radius [m]."""
    mesh: str = ""
    """As the file names it."""
    scale: tuple[float, ...] = (1.0, 1.0, 1.0)
    """Of a mesh, along its own axes."""
    X_LS: Transform = IDENTITY
    color: str | None = None
    """``#rrggbb``"""
    at: Element | int = 1
    """Where the file names the mesh."""


@dataclass(slots=True)
class RobotLink:
    """A rigid part."""

    name: str
    at: Element | int
    mass: float = 0.0
    """[kg]"""
    X_LC: Transform = IDENTITY
    """Centre of mass and principal or other axes of the inertia."""
    inertia: tuple[float, ...] = (0.0,) * 6
    """xx yy zz xy xz yz about the centre, in the axes of X_LC [kg m²]."""
    shapes: list[RobotShape] = field(default_factory=list)
    """As it is drawn."""
    collisions: list[RobotShape] = field(default_factory=list)
    """As others touch it."""
    lacks_mesh: bool = False
    """Whether a mesh of it was not found: then something stands for it."""
    is_virtual: bool = False
    """Stands between two joints of one body, and is in no file."""


@dataclass(slots=True)
class Mimic:
    """A joint's variable as that of another one, times a ratio, plus an offset."""

    joint: str
    ratio: float
    offset: float


@dataclass(slots=True)
class RobotJoint:
    """A connection of two links."""

    name: str
    kind: MotionKind
    parent: str
    child: str
    at: Element | int
    X_PJ: Transform = IDENTITY
    """Pose of the joint in the parent; the child has this pose at zero."""
    axis: Vector = (0.0, 0.0, 1.0)
    """Unit vector in the joint's frame."""
    axis2: Vector = (1.0, 0.0, 0.0)
    """Universal joints: the second axis, perpendicular to the first."""
    pitch: float = 0.0
    """Screws: advance per turn [m]."""
    X_JC: Transform = IDENTITY
    """Pose of the child in the frame that moves with the joint."""
    zero: float = 0.0
    """The variable's value where the child has the pose X_PJ X_JC [rad, m]."""
    start: tuple[float, ...] = ()
    """As q has it: quaternion wxyz, then xyz for a free joint; empty: neutral."""
    spring: tuple[float, float] | None = None
    """Stiffness and the value at rest."""
    armature: float = 0.0
    servo: tuple[float, float] | None = None
    """Stiffness and damping of its position servo."""
    limits: tuple[float, float] | None = None
    """[rad, m]"""
    limits2: tuple[float, float] | None = None
    """Universal joints: of the second variable."""
    effort: float | None = None
    mode: str | None = None
    """What its targets set, as in RAFF; None: not given."""
    gear: float | None = None
    """Turns of the motor for one of the joint."""
    speed: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    has_motor: bool = True
    mimic: Mimic | None = None


@dataclass(slots=True)
class RobotFrame:
    """A named place on a link."""

    name: str
    link: str
    X_LF: Transform
    at: Element | int


class RobotSource(Protocol):
    """The file of a robot."""

    def problem(self, at: Element | int, message: str) -> Problem:
        """Something to say about a place, which is what the reader has noted as one."""
        ...


@dataclass(slots=True)
class RobotRelation:
    """Variables of joints whose weighted sum stays the same."""

    name: str
    at: Element | int
    terms: tuple[tuple[str, float], ...]
    """Joints, each with its factor."""
    total: float
    """What the products add up to [rad, m]."""


@dataclass(slots=True)
class RobotCam:
    """A joint's variable as a polynomial of another one's."""

    name: str
    at: Element | int
    follower: str
    leader: str
    factors: tuple[float, ...]
    """Of the powers of the leader's variable, from 0."""


@dataclass(slots=True)
class RobotPose:
    """A named configuration: a keyframe."""

    name: str
    at: Element | int
    time: float
    """[s]"""
    values: Mapping[str, tuple[float, ...]]
    """By joint, as q has it."""


class Robot:
    """A robot as its file describes it."""

    def __init__(self, name: str, source: RobotSource) -> None:
        self.name = name
        self.source = source
        self.links: dict[str, RobotLink] = {}
        self.joints: dict[str, RobotJoint] = {}
        self.loops: list[RobotJoint] = []
        """Joints onto links that another joint carries."""
        self.frames: list[RobotFrame] = []
        self.couplings: list[RobotRelation | RobotCam] = []
        self.poses: list[RobotPose] = []
        self.gravity: Vector | None = None
        """[m/s²]"""
        self.problems: list[Problem] = []
        """What makes the file useless."""
        self.left_out: list[Problem] = []
        """What the file says and the mechanism does not."""
        self.remarks: list[Problem] = []
        """What is carried over and yet worth knowing."""
        self.late_remarks: Callable[[], list[Problem]] | None = None
        """More of these, which take time to find."""

    def problem(self, at: Element | int, message: str) -> None:
        """Report something that is wrong, at its place."""
        self.problems.append(self.source.problem(at, message))

    def leave_out(self, at: Element | int, message: str) -> None:
        """Report something that is not carried over, at its place."""
        self.left_out.append(self.source.problem(at, message))

    def remark(self, at: Element | int, message: str) -> None:
        """Report something that is carried over and seldom meant, at its place."""
        self.remarks.append(self.source.problem(at, message))

    def start_at(self, pose: RobotPose) -> None:
        """Start in one of the poses."""
        for name, values in pose.values.items():
            self.joints[name].start = values

    def raise_if_any(self) -> None:
        """Stop here if anything was wrong."""
        if self.problems:
            raise FormatProblems(self.problems)
