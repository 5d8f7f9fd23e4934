"""The kinds of joints, with their variables: the one place that knows their sizes."""

from __future__ import annotations

import enum
from dataclasses import dataclass

__all__ = ["JointInfo", "JointType"]


@dataclass(frozen=True, slots=True)
class JointInfo:
    """What a joint type means, apart from its kinematics."""

    code: int
    """Number of the type in the compiled model's arrays."""
    nq: int
    """Size of its part of q."""
    variables: tuple[tuple[str, str], ...]
    """(name, quantity) of each tangent variable; quantity is 'angle' or 'length'."""
    meaning: str
    """One line for people."""

    @property
    def nv(self) -> int:
        """Number of freedoms."""
        return len(self.variables)


class JointType(enum.Enum):
    """A joint's type; the value is its word in a RAFF file."""

    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    SCREW = "screw"
    CYLINDRICAL = "cylindrical"
    UNIVERSAL = "universal"
    SPHERICAL = "spherical"
    PLANAR = "planar"
    FREE = "free"
    FIXED = "fixed"

    __hash__ = object.__hash__  # there is one object of each: much faster than by its name

    @property
    def info(self) -> JointInfo:
        """Sizes and meaning of the type."""
        return _INFO[self]


_ANGLE, _LENGTH = "angle", "length"
_INFO = {
    JointType.REVOLUTE: JointInfo(0, 1, (("theta", _ANGLE),), "turns about z"),
    JointType.PRISMATIC: JointInfo(1, 1, (("r", _LENGTH),), "slides along z"),
    JointType.SCREW: JointInfo(
        2, 1, (("theta", _ANGLE),), "turns about z and advances by its pitch per turn"
    ),
    JointType.CYLINDRICAL: JointInfo(
        3, 2, (("theta", _ANGLE), ("r", _LENGTH)), "turns about z and slides along it"
    ),
    JointType.UNIVERSAL: JointInfo(
        4, 2, (("z", _ANGLE), ("x", _ANGLE)), "turns about z, then about the turned x"
    ),
    JointType.SPHERICAL: JointInfo(
        5, 4, (("wx", _ANGLE), ("wy", _ANGLE), ("wz", _ANGLE)), "turns about any axis (quaternion)"
    ),
    JointType.PLANAR: JointInfo(
        6, 3, (("x", _LENGTH), ("y", _LENGTH), ("theta", _ANGLE)), "slides in x, y, turns about z"
    ),
    JointType.FREE: JointInfo(
        7,
        7,
        (
            ("vx", _LENGTH),
            ("vy", _LENGTH),
            ("vz", _LENGTH),
            ("wx", _ANGLE),
            ("wy", _ANGLE),
            ("wz", _ANGLE),
        ),
        "moves without constraint: a floating base (quaternion and position)",
    ),
    JointType.FIXED: JointInfo(8, 0, (), "fixes its link to its parent"),
}
