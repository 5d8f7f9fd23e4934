"""Recognising the arms that have a closed-form inverse, from their numbers alone.

The kernels (``native/kernel/analytic*.hpp``) solve one shape of arm: a waist perpendicular to two
parallel axes, shoulder and elbow, that carry a point C; behind them either axes that meet in C, or
a fourth parallel axis. Here the chain's axes are measured, and the numbers of that shape kept.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats, Ints
from kinegen.kernels.reference.base.transform import inverse, transform
from kinegen.kinematics.analytic.chain import ANGLE_TOLERANCE, LENGTH_TOLERANCE, Chain, cross

__all__ = ["AnalyticKind", "ArmNumbers", "recognise"]

WRIST, PARALLEL = 0, 1
ROUNDING = 1e-12
"""Misfit of an arm that is exactly of its kind."""
POLISH_EXACT, POLISH_MISFIT = 1e-6, 1e-2
"""Residual below which Newton's method may improve an answer: rounding next to singular poses, or
the misfit of an arm nearly of its kind, grown by the levers."""
RIGHT_ANGLE = 1e-12
"""Cosines below this are rounding of a right angle, for which the wrist's formulas are exact."""


class AnalyticKind(enum.Enum):
    """The kinds of arm with a closed form; the value says what it is."""

    SPHERICAL_WRIST = "six joints, the last three axes meet in a point"
    THREE_PARALLEL = "six joints, axes 2, 3 and 4 are parallel"
    PITCH_ARM = "waist, three parallel axes and perhaps a roll (3D-RAS)"
    SHORT_WRIST = "waist, shoulder, elbow and a wrist of one or two axes through a point"
    POSITION = "waist, shoulder and elbow: position only"


@dataclass(frozen=True, slots=True)
class ArmNumbers:
    """An arm as the kernels take it."""

    kind: AnalyticKind
    reason: str
    """What was recognised, in words."""
    ints: Ints
    reals: Floats
    size: float
    """Sum of the distances between the joints [m]."""
    shape: dict[str, float]
    """Lengths [m] and angles at zero [rad] of the arm's plane, by name."""
    X_AW: Floats
    """The world in the canonical frame A (4, 4): z along the waist, x away from it."""
    tool_reach: float
    """Distance of the frame from C [m]."""
    misfit: float
    """How far the arm is from being exactly of its kind [rad, parts of its size]: rounding, or 1e-6
    in files that write 1.5708. Then Newton's method corrects the answers, but near double roots
    (an arm almost stretched by the square root of this) they may be missed or inexact."""


def recognise(chain: Chain, start: Floats, lower: Floats, upper: Floats) -> ArmNumbers | str:
    """The arm's canonical numbers, or in words why it has no closed form here.

    Args:
        chain: the revolute joints from the base to the frame.
        start: values of the chain's joints in the file's start, which distinguish front from back.
        lower: limits of the chain's joints [rad].
        upper: limits of the chain's joints [rad].
    """
    found = _family(chain)
    if isinstance(found, str):
        return found
    kind, family, centre, reason = found
    x_sign = _forward_sign(chain, family, centre, start)
    return _Canonical(chain, family, centre, x_sign).numbers(kind, reason, start, lower, upper)


def _family(chain: Chain) -> tuple[AnalyticKind, int, Floats, str] | str:
    """Kind, family, C at zero and the words for it; or why there is none."""
    count, name = len(chain.joints), chain.name
    if not 3 <= count <= 6:
        return f"{count} revolute joints: closed forms are available for 3 to 6"
    if not chain.are_perpendicular(1, 2):
        return f"axes {name(1)} and {name(2)} are not at right angles"
    if not chain.are_parallel(2, 3):
        return f"axes {name(2)} and {name(3)} are not parallel"
    origin = chain.home[:3, 3]
    base = f"{name(1)} is perpendicular to {name(2)} and {name(3)}, which are parallel"
    if count == 3:
        return _checked(chain, AnalyticKind.POSITION, WRIST, origin, base)
    wrist = list(range(4, count + 1))
    for i in wrist[:-1]:
        if chain.are_parallel(i, i + 1):
            return (
                f"axes {name(i)} and {name(i + 1)} are parallel: they turn the wrist in the same "
                "way"
            )
    listed = ", ".join(name(i) for i in wrist)
    if chain.are_parallel(3, 4) and (count < 6 or chain.meeting_point(wrist) is None):
        words = f"{base}, and so is {name(4)}"
        if count < 6:
            point = origin if count == 4 else chain.foot(5, origin)
            return _checked(chain, AnalyticKind.PITCH_ARM, PARALLEL, point, words)
        meeting = chain.meeting_point([5, 6])
        if meeting is None:
            return f"axes {name(5)} and {name(6)} do not meet, nor do {listed}"
        return _checked(chain, AnalyticKind.THREE_PARALLEL, PARALLEL, meeting, words)
    if count == 4:
        point = chain.foot(4, origin)
        return _checked(chain, AnalyticKind.SHORT_WRIST, WRIST, point, base)
    meeting = chain.meeting_point(wrist)
    if meeting is None:
        also = f", nor is {name(4)} parallel to {name(3)}"
        return f"axes {listed} do not meet in a point{also}"
    kind = AnalyticKind.SPHERICAL_WRIST if count == 6 else AnalyticKind.SHORT_WRIST
    return _checked(chain, kind, WRIST, meeting, f"{base}; {listed} meet in a point")


def _checked(
    chain: Chain, kind: AnalyticKind, family: int, centre: Floats, reason: str
) -> tuple[AnalyticKind, int, Floats, str] | str:
    """The finding, unless one of the two bars has no length."""
    small = LENGTH_TOLERANCE * chain.size
    ends = [chain.points[1], chain.points[2], centre if family == WRIST else chain.points[3]]
    axis = chain.axes[1]
    for one, other, which in ((0, 1, "upper arm"), (1, 2, "forearm")):
        bar = ends[other] - ends[one]
        if float(np.linalg.norm(bar - axis * (axis @ bar))) <= small:
            return f"the {which} has no length: nothing bends at {chain.name(3)}"
    return kind, family, centre, reason


def _forward_sign(chain: Chain, family: int, centre: Floats, start: Floats) -> int:
    """Which way round the parallel axes count, so that 'front' is where the arm stands.

    The shoulder is in front of the waist; where it is beside it, C is, in the file's start.
    """
    z = _up(chain)
    ahead = cross(z, chain.axes[1])
    shoulder = float((chain.points[1] - chain.points[0]) @ ahead)
    if abs(shoulder) <= LENGTH_TOLERANCE * chain.size:
        carriers = 3 if family == WRIST else 4
        # the waist left out: its turn does not change what is in front of it
        angles = [0.0, *start[1:carriers].tolist()]
        shoulder = float((chain.carried(centre, angles) - chain.points[0]) @ ahead)
    return -1 if shoulder < 0 else 1


def _up(chain: Chain) -> Floats:
    """The waist's direction, turned upwards."""
    axis: Floats = chain.axes[0]
    return -axis if axis[2] < -ANGLE_TOLERANCE else axis


class _Canonical:
    """The canonical frame A of an arm and the arm's numbers in it."""

    def __init__(self, chain: Chain, family: int, centre: Floats, x_sign: int) -> None:
        self.chain, self.family, self.centre = chain, family, centre
        z = _up(chain)
        x = cross(z, x_sign * chain.axes[1])
        x /= np.linalg.norm(x)
        y = cross(z, x)
        waist, shoulder = chain.points[0], chain.points[1]
        origin = waist + z * (z @ (shoulder - waist))
        self.R_WA = np.column_stack([x, y, z])
        self.X_AW = inverse(transform(self.R_WA, origin))
        self.pitch_axis = -y
        self.sign = np.ones(6)
        self.sign[0] = np.sign(chain.axes[0] @ z)
        for i in range(1, 4 if family == PARALLEL else 3):
            self.sign[i] = np.sign(chain.axes[i] @ self.pitch_axis)

    def in_A(self, point: Floats) -> Floats:
        return np.asarray(self.X_AW[:3, :3] @ point + self.X_AW[:3, 3])

    def numbers(
        self, kind: AnalyticKind, reason: str, start: Floats, lower: Floats, upper: Floats
    ) -> ArmNumbers:
        """All numbers, in the order of ``bind_arm``."""
        chain = self.chain
        shape = self._shape()
        inlet, outlet, twist, offset = self._wrist(start)
        R_WT = chain.home[:3, :3]
        p_CT = self.centre - chain.home[:3, 3]
        lever, tilt = self._hand()
        misfit = self._misfit()
        fixed = [np.concatenate([X[:3, :3].ravel(), X[:3, 3]]) for X in chain.fixed]
        reals = np.concatenate(
            [
                self.X_AW[:3, :3].ravel(),
                self.X_AW[:3, 3],
                list(shape.values()),
                self.sign,
                inlet.ravel(),
                outlet.ravel(),
                twist,
                [offset],
                R_WT.T @ p_CT,
                lever,
                [tilt, chain.size, POLISH_EXACT if misfit < ROUNDING else POLISH_MISFIT],
                *fixed,
                lower,
                upper,
            ]
        )
        count = len(chain.joints)
        ints = np.array([self.family, count - 3, count], dtype=np.int32)
        reach = float(np.linalg.norm(p_CT))
        return ArmNumbers(kind, reason, ints, reals, chain.size, shape, self.X_AW, reach, misfit)

    def _misfit(self) -> float:
        """How far the arm is from being exactly of its family [rad, parts of its size]."""
        chain, axes = self.chain, self.chain.axes
        off = [abs(float(axes[0] @ axes[1])), math.hypot(*cross(axes[1], axes[2]))]
        through = range(4, len(chain.joints) + 1)
        if self.family == PARALLEL:
            off.append(math.hypot(*cross(axes[2], axes[3])))
            through = range(5, len(chain.joints) + 1)
        for i in through:
            off.append(math.dist(chain.foot(i, self.centre), self.centre) / chain.size)
        return max(off)

    def _shape(self) -> dict[str, float]:
        """Lengths and angles of the bars in the arm's plane, in the kernels' order."""
        chain = self.chain
        shoulder, elbow, centre = map(self.in_A, (chain.points[1], chain.points[2], self.centre))
        end = self.in_A(chain.points[3]) if self.family == PARALLEL else centre
        upper, fore, hand = elbow - shoulder, end - elbow, centre - end
        return {
            "waist": float(shoulder[0]),
            "side": float(centre[1]),
            "upper": math.hypot(upper[0], upper[2]),
            "fore": math.hypot(fore[0], fore[2]),
            "hand": math.hypot(hand[0], hand[2]),
            "upper_angle": math.atan2(upper[2], upper[0]),
            "fore_angle": math.atan2(fore[2], fore[0]),
            "hand_angle": math.atan2(hand[2], hand[0]),
        }

    def _wrist(self, start: Floats) -> tuple[Floats, Floats, Floats, float]:
        """Rotations before and behind the Euler angles, their twists, offset of the middle one."""
        axes = [self.R_WA.T @ axis for axis in self.chain.axes[3:]]
        if self.family == PARALLEL:
            axes[0] = self.R_WA.T @ self.pitch_axis
        R_AT = self.R_WA.T @ self.chain.home[:3, :3]
        twist = np.array([0.0, 1.0, 0.0, 1.0])
        if not axes:
            return np.eye(3), np.eye(3), twist, 0.0
        frames = [_frame(axes[0], axes[1] if len(axes) > 1 else None)]
        offset = 0.0
        if len(axes) > 1:
            twist[:2] = _twist(axes[0], axes[1])
        if len(axes) == 3:
            # The middle axis counts so that the file's start is not called flipped.
            middle, last = axes[1], axes[2]
            angle = _angle(cross(axes[0], middle), cross(middle, last), middle)
            if math.sin(angle + start[4]) < -ANGLE_TOLERANCE:
                middle, self.sign[4] = -middle, -1.0
                angle = _angle(cross(axes[0], middle), cross(middle, last), middle)
            offset = angle
            frames = [_frame(axes[0], middle)]
            twist = np.array([*_twist(axes[0], middle), *_twist(middle, last)])
            x = cross(middle, last)
            frames.append(_square(x, last))
        elif len(axes) == 2:
            frames.append(_square(frames[0][:, 0], axes[1]))
        return frames[0].T, R_AT.T @ frames[-1], twist, offset

    def _hand(self) -> tuple[Floats, float]:
        """The hand for a given wrist angle: C from the fourth axis, roll axis, tool from C."""
        lever, chain = np.zeros(9), self.chain
        if self.family != PARALLEL or len(chain.joints) > 5:
            return lever, 0.0
        centre, end = self.in_A(self.centre), self.in_A(chain.points[3])
        tool = self.in_A(chain.home[:3, 3])
        lever[:3] = centre[0] - end[0], centre[1], centre[2] - end[2]
        lever[6:] = tool - centre
        pointing = tool - end
        if len(chain.joints) == 5:
            roll = self.R_WA.T @ chain.axes[4]
            lever[3:6] = roll
            pointing = -roll if roll @ (tool - end) < 0 else roll
        return lever, math.atan2(pointing[2], pointing[0])


def _twist(one: Floats, other: Floats) -> tuple[float, float]:
    """Cosine and sine of the angle between two directions, right angles made exact."""
    cosine = float(one @ other)
    sine = math.hypot(*cross(one, other))
    return (0.0, 1.0) if abs(cosine) < RIGHT_ANGLE else (cosine, sine)


def _angle(one: Floats, other: Floats, about: Floats) -> float:
    """The angle from one direction to another about an axis perpendicular to both."""
    return math.atan2(float(cross(one, other) @ about), float(one @ other))


def _square(x: Floats, z: Floats) -> Floats:
    """The axes (columns) of the frame with a given z and x as near as it may be."""
    x = x - z * (z @ x)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, cross(z, x), z])


def _frame(z: Floats, following: Floats | None) -> Floats:
    """The frame of an Euler axis: x along the common normal with the next axis, or any."""
    x = cross(z, following) if following is not None else np.eye(3)[np.argmin(np.abs(z))]
    return _square(x, z)
