"""The kinds of joints and their traits: the one table that all code asks.

``make tables`` generates ``native/kernel/base/joint_types.hpp`` and
``web/src/kernel/tables/joint-types.ts`` from it.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property

__all__ = ["JointTraits", "JointType"]

_QUATERNION = ("qw", "qx", "qy", "qz")


@dataclass(frozen=True)
class JointTraits:
    """What a joint type means, apart from its kinematics."""

    code: int
    """Number of the type in the compiled model's arrays."""
    variables: tuple[tuple[str, str], ...]
    """(name, quantity) of each tangent variable; quantity is 'angle' or 'length'."""
    axes: str
    """The axis that each variable turns about or slides along: x, y or z."""
    meaning: str
    """One line for people."""
    has_quaternion: bool = False
    """Whether its three turns are one quaternion, with which its q begins."""
    swings: bool = False
    """Whether its limit is one angle: how far its z may swing from where it is at q = identity."""
    has_pitch: bool = False
    """Whether it advances along z as it turns."""

    @cached_property
    def nv(self) -> int:
        """Number of degrees of freedom."""
        return len(self.variables)

    @cached_property
    def nq(self) -> int:
        """Size of its part of q."""
        return self.nv + self.has_quaternion

    @cached_property
    def is_length(self) -> tuple[bool, ...]:
        """For each tangent variable, whether it slides."""
        return tuple(quantity == "length" for _, quantity in self.variables)

    @cached_property
    def q_variables(self) -> tuple[tuple[str, str], ...]:
        """(name, quantity) of each number of q; those of a quaternion are plain numbers."""
        if not self.has_quaternion:
            return self.variables
        sliding = (self.axes[k] for k in range(self.nv) if self.is_length[k])
        return (
            *((name, "number") for name in _QUATERNION),
            *((axis, "length") for axis in sliding),
        )

    @cached_property
    def identity(self) -> tuple[float, ...]:
        """Its q where it does nothing."""
        turn = (1.0, 0.0, 0.0, 0.0) if self.has_quaternion else ()
        return turn + (0.0,) * (self.nq - len(turn))

    @cached_property
    def moves(self) -> bool:
        """Whether it lets anything move."""
        return self.nv > 0

    @cached_property
    def is_hinge(self) -> bool:
        """Whether it turns about z and does nothing else."""
        return self.is_length == (False,) and not self.has_pitch

    @cached_property
    def is_slide(self) -> bool:
        """Whether it slides along z and does nothing else."""
        return self.is_length == (True,)

    @cached_property
    def is_single(self) -> bool:
        """Whether it turns or slides, by one variable and nothing else."""
        return self.is_hinge or self.is_slide

    @cached_property
    def is_ball(self) -> bool:
        """Whether it turns about any axis and does nothing else."""
        return self.has_quaternion and not any(self.is_length)

    @cached_property
    def floats(self) -> bool:
        """Whether it constrains nothing."""
        return self.nv == 6

    @cached_property
    def has_axis(self) -> bool:
        """Whether z is an axis of its: it moves, and turns about no other."""
        return self.moves and self._turns <= {"z"}

    @cached_property
    def turns_about_axis(self) -> bool:
        """Whether it turns, and about z alone."""
        return self._turns == {"z"}

    @cached_property
    def slides_along_axis(self) -> bool:
        """Whether it slides along the axis it has, by itself or as it turns."""
        return self.has_axis and ("z" in self._slides or self.has_pitch)

    @cached_property
    def slides_across(self) -> bool:
        """Whether it slides along x or y: its axis, if it has one, does not stay where it is."""
        return bool(self._slides & {"x", "y"})

    @cached_property
    def turns_in_place(self) -> bool:
        """Whether it turns about an axis that stays where it is."""
        return self.turns_about_axis and not self.slides_across

    @cached_property
    def turns_about_point(self) -> bool:
        """Whether it turns about several axes through one point, which stays where it is."""
        return len(self._turns) > 1 and not self._slides

    @cached_property
    def lands_on_x(self) -> bool:
        """Whether the axis that belongs to its outer link is x: that of its last turn."""
        return not self.has_quaternion and self.axes.endswith("x")

    @cached_property
    def fits_plane(self) -> bool:
        """Whether it can be part of a mechanism that moves in a plane."""
        return self._turns <= {"z"} and not (self._turns & self._slides or self.has_pitch)

    @cached_property
    def holds_along(self) -> str:
        """The axes along which nothing slides by itself: all, or those of its frame F."""
        return "".join(
            a for a in "xyz" if a not in self._slides and not (self.has_pitch and a == "z")
        )

    @cached_property
    def holds_about(self) -> str:
        """The axes about which nothing turns: all, or those of its frame F."""
        return "xyz" if not self._turns else "xy" if self._turns == {"z"} else ""

    @cached_property
    def holds_cross(self) -> bool:
        """Whether it keeps an axis of one link perpendicular to one of the other."""
        return self.turns_about_point and not self.has_quaternion

    @cached_property
    def _turns(self) -> set[str]:
        return {axis for axis, slides in zip(self.axes, self.is_length, strict=True) if not slides}

    @cached_property
    def _slides(self) -> set[str]:
        return {axis for axis, slides in zip(self.axes, self.is_length, strict=True) if slides}


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
    def info(self) -> JointTraits:
        """Sizes and meaning of the type."""
        return _TRAITS[self]


_ANGLE, _LENGTH = "angle", "length"
_TURNS = (("wx", _ANGLE), ("wy", _ANGLE), ("wz", _ANGLE))
_TRAITS = {
    JointType.REVOLUTE: JointTraits(0, (("theta", _ANGLE),), "z", "turns about z"),
    JointType.PRISMATIC: JointTraits(1, (("r", _LENGTH),), "z", "slides along z"),
    JointType.SCREW: JointTraits(
        2,
        (("theta", _ANGLE),),
        "z",
        "turns about z and advances by its pitch per turn",
        has_pitch=True,
    ),
    JointType.CYLINDRICAL: JointTraits(
        3, (("theta", _ANGLE), ("r", _LENGTH)), "zz", "turns about z and slides along it"
    ),
    JointType.UNIVERSAL: JointTraits(
        4, (("z", _ANGLE), ("x", _ANGLE)), "zx", "turns about z, then about the turned x"
    ),
    JointType.SPHERICAL: JointTraits(
        5, _TURNS, "xyz", "turns about any axis (quaternion)", has_quaternion=True, swings=True
    ),
    JointType.PLANAR: JointTraits(
        6,
        (("x", _LENGTH), ("y", _LENGTH), ("theta", _ANGLE)),
        "xyz",
        "slides in x, y, turns about z",
    ),
    JointType.FREE: JointTraits(
        7,
        (("vx", _LENGTH), ("vy", _LENGTH), ("vz", _LENGTH), *_TURNS),
        "xyzxyz",
        "moves without constraint: a floating base (quaternion and position)",
        has_quaternion=True,
    ),
    JointType.FIXED: JointTraits(8, (), "", "fixes its link to the parent link"),
}
