"""Robot: what every description of a robot says, whatever its format: links, joints, shapes.

Readers fill it, with the place in the file of all that may be wrong; ``mechanism.py`` turns it into
a mechanism.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from kinegen.errors import Problem
from kinegen.formats.problems import FormatProblems
from kinegen.formats.robots.transform import IDENTITY, Transform, Vector
from kinegen.formats.robots.xml_source import Element

__all__ = ["Mimic", "MotionKind", "Robot", "RobotJoint", "RobotLink", "RobotShape"]


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


@dataclass(slots=True)
class RobotShape:
    """A body in a link's frame."""

    kind: str
    """box, cylinder, sphere, capsule or mesh, as in RAFF."""
    sizes: tuple[float, ...] = ()
    """As in RAFF: edges; radius and length; radius [m]."""
    mesh: str = ""
    """As the file names it."""
    scale: float = 1.0
    X_LS: Transform = IDENTITY
    color: str | None = None
    """``#rrggbb``"""
    at: Element | None = None
    """Where the file names the mesh."""


@dataclass(slots=True)
class RobotLink:
    """A rigid part."""

    name: str
    at: Element
    mass: float = 0.0
    """[kg]"""
    X_LC: Transform = IDENTITY
    """Centre of mass and principal or other axes of the inertia."""
    inertia: tuple[float, ...] = (0.0,) * 6
    """xx yy zz xy xz yz about the centre, in the axes of X_LC [kg m²]."""
    shapes: list[RobotShape] = field(default_factory=list)


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
    at: Element
    X_PJ: Transform = IDENTITY
    """Pose of the joint in the parent; the child has this pose at zero."""
    axis: Vector = (0.0, 0.0, 1.0)
    """Unit vector in the joint's frame."""
    limits: tuple[float, float] | None = None
    """[rad, m]"""
    effort: float | None = None
    speed: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    has_motor: bool = True
    mimic: Mimic | None = None


class Robot:
    """A robot as its file describes it."""

    def __init__(self, name: str, file: str) -> None:
        self.name = name
        self.file = file
        self.links: dict[str, RobotLink] = {}
        self.joints: dict[str, RobotJoint] = {}
        self.problems: list[Problem] = []
        """What makes the file useless."""
        self.left_out: list[Problem] = []
        """What the file says and the mechanism does not."""

    def problem(self, at: Element, message: str) -> None:
        """Report something that is wrong, at its place."""
        self.problems.append(Problem(self.file, at.line, at.column, message))

    def leave_out(self, at: Element, message: str) -> None:
        """Report something that is not carried over, at its place."""
        self.left_out.append(Problem(self.file, at.line, at.column, message))

    def raise_if_any(self) -> None:
        """Stop here if anything was wrong."""
        if self.problems:
            raise FormatProblems(self.problems)
