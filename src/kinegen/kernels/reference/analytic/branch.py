"""One branch of the closed-form inverse: waist, hand, elbow, wrist, in this order.

Canonical frame A: z along the waist axis, -y along the parallel axes when the waist is at zero.
C is the point that the first joints carry to its place: where the wrist's axes meet, or a point of
link 4. In the arm's plane, turned by the waist, a vector is the complex number x + iz.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, field

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.analytic import AnalyticFlag
from kinegen.kernels.reference.analytic.arm import (
    MERGE,
    PARALLEL,
    REACH,
    SINGULAR_SINE,
    TINY,
    WRIST,
    Arm,
    X,
    Y,
    Z,
)
from kinegen.kernels.reference.base.rotation import cross
from kinegen.kernels.reference.base.transform import turn

__all__ = ["SINGULAR_FLAGS", "Branch", "Posture", "seed_angles", "solve_branch", "to_joints"]

# Inside the solver only: the branch and its twin are one; the seed decides the first wrist axis.
MERGED_SIDE, MERGED_ELBOW, MERGED_FLIP, FREE_WRIST = 256, 512, 1024, 2048
SINGULAR_FLAGS = int(
    AnalyticFlag.SINGULAR_WRIST | AnalyticFlag.SINGULAR_SHOULDER | AnalyticFlag.SINGULAR_ELBOW
)


@dataclass(slots=True)
class Posture:
    """Canonical angles: waist, upper bar, bend of the elbow, link 4 in the plane, wrist."""

    waist: float = 0.0
    upper: float = 0.0
    bend: float = 0.0
    psi: float = 0.0
    euler: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    flags: int = 0


@dataclass(frozen=True, slots=True)
class Branch:
    """What all steps of a branch share."""

    arm: Arm
    side: float
    """Offset of C from the plane through the waist axis."""
    hand: complex
    """From the fourth axis to C in the plane, for psi = 0."""
    R_AO: Floats
    """The target's rotation in A, led through to the last axis."""
    seed: tuple[float, float, float, float]
    """Canonical angles of the seed: waist, upper, psi, first of the wrist."""
    back: bool
    down: bool
    flip: bool = False
    psi: float | None = None
    """The hand's angle, or None when it follows from R_AO."""
    gives_way: bool = False
    """Whether the hand turns further to bring the position within reach."""

    @property
    def flags(self) -> int:
        """The branch's name as ``AnalyticFlag``."""
        return self.back | self.down << 1 | self.flip << 2


def solve_branch(b: Branch, centre: Floats, nearest: bool) -> Posture | None:
    """All angles of a branch that carries C to its place, or as near as it gets.

    None when the place is out of reach and the nearest was not asked for, or when another branch
    already stands for this one.
    """
    arm, posture = b.arm, Posture()
    x = _turn_waist(b, centre, posture)
    if x is None and not nearest:
        return None
    if nearest or x is None:
        posture.waist = _nearest_waist(b, centre, posture.waist)
        at = _in_plane(arm, centre, posture.waist)[0]
    else:
        at = complex(x - arm.waist, centre[Z])
    if arm.family == PARALLEL:
        _turn_hand(b, centre, posture)
        at -= b.hand * cmath.rect(1, posture.psi)
    if not nearest and abs(_excess(arm, abs(at))) > REACH * arm.size:
        return None
    _bend_elbow(b, at, posture)
    if arm.family == WRIST and arm.axes > 0:
        _turn_wrist(b, _pitch(arm, posture), b.seed[3], posture)
    doubled = (
        (b.back and posture.flags & MERGED_SIDE)
        or (b.down and posture.flags & MERGED_ELBOW)
        or (b.flip and posture.flags & MERGED_FLIP)
    )
    return None if doubled else posture


def to_joints(arm: Arm, posture: Posture) -> Floats:
    """Joint values of canonical angles."""
    pitch = _pitch(arm, posture)
    upper = posture.upper - arm.upper_angle
    values = [posture.waist, upper, pitch - upper, *posture.euler[: arm.axes]]
    if arm.axes == 3:
        values[4] -= arm.offset
    if arm.family == PARALLEL:
        values[3] = posture.psi - pitch
    return np.array(values) * arm.sign


def seed_angles(arm: Arm, q: Floats) -> tuple[float, float, float, float]:
    """The canonical angles that a seed decides: waist, upper, psi, first of the wrist."""
    turns = (arm.sign * q).tolist()
    fourth = turns[3] if arm.joints > 3 else 0.0
    return turns[0], turns[1] + arm.upper_angle, turns[1] + turns[2] + fourth, fourth


def _pitch(arm: Arm, posture: Posture) -> float:
    """Turn of link 3 in the arm's plane."""
    return float(posture.upper + posture.bend - arm.fore_angle)


# Waist and hand


def _turn_waist(b: Branch, centre: Floats, posture: Posture) -> float | None:
    """Turn until C has the side offset; C's distance along the arm, or None if it is too near."""
    side, size = b.side, b.arm.size
    rho = math.hypot(centre[X], centre[Y])
    x = math.sqrt(max(0.0, (rho - abs(side)) * (rho + abs(side))))
    if x < SINGULAR_SINE * size:
        posture.flags |= AnalyticFlag.SINGULAR_SHOULDER
    if abs(side) > TINY * size:
        if x < MERGE * size:
            x = 0.0
            posture.flags |= MERGED_SIDE
    elif rho < TINY * size:
        # on the axis any turn will do
        posture.waist = b.seed[0] + (math.pi if b.back else 0.0)
        return x
    if b.back:
        x = -x
    posture.waist = cmath.phase(complex(centre[X], centre[Y]) * complex(x, -side))
    return x if abs(side) - rho <= REACH * size else None


def _in_plane(arm: Arm, centre: Floats, waist: float) -> tuple[complex, float]:
    """C from the shoulder in the arm's plane, and its coordinate across it, for any waist."""
    level = complex(centre[X], centre[Y]) * cmath.rect(1, -waist)
    return complex(level.real - arm.waist, centre[Z]), level.imag


def _turn_hand(b: Branch, centre: Floats, posture: Posture) -> None:
    """Turn link 4 as the orientation asks, for the waist's turn in the posture."""
    if b.psi is not None:
        posture.psi = b.psi
        return
    _turn_wrist(b, 0.0, b.seed[2], posture)
    posture.psi = posture.euler[0]
    if b.gives_way or (posture.flags & FREE_WRIST and b.arm.axes == 3):
        at = _in_plane(b.arm, centre, posture.waist)[0]
        posture.psi = _free_hand(b, at, posture.psi)
        if b.arm.axes > 1:
            _turn_wrist(b, 0.0, posture.psi, posture, held=True)


def _free_hand(b: Branch, at: complex, psi: float) -> float:
    """The angle nearest to psi for which the fourth axis is within the elbow's reach.

    Else the one that brings it nearest. For a hand that may turn freely about C at a given place.
    """
    distance, length = abs(at), abs(b.hand)
    if 2 * distance * length < TINY * b.arm.size**2:
        return psi
    middle = cmath.phase(at) - cmath.phase(b.hand)
    turned = math.remainder(psi - middle, math.tau)
    D = abs(at - b.hand * cmath.rect(1, psi))
    wanted = D - _excess(b.arm, D)
    if wanted == D:
        return psi
    cosine = (distance**2 + length**2 - wanted**2) / (2 * distance * length)
    return middle + math.copysign(math.acos(min(1.0, max(-1.0, cosine))), turned)


# Elbow


def _excess(arm: Arm, D: float) -> float:
    """By how much a distance from the shoulder is too long (positive) or too short (negative)."""
    return float(D - min(max(D, abs(arm.upper - arm.fore)), arm.upper + arm.fore))


def _bend_elbow(b: Branch, at: complex, posture: Posture) -> None:
    """Bring the bars' end to a place, or stretch or fold them towards it; bend 0 is straight."""
    arm, D = b.arm, abs(at)
    longest, shortest = arm.upper + arm.fore, abs(arm.upper - arm.fore)
    # 1 - cos and 1 + cos of the bend, up to a factor, without cancellation
    open_ = max(0.0, (longest - D) * (longest + D))
    shut = max(0.0, (D - shortest) * (D + shortest))
    bend = 2 * math.atan2(math.sqrt(open_), math.sqrt(shut))
    if math.sin(bend) < SINGULAR_SINE:
        posture.flags |= AnalyticFlag.SINGULAR_ELBOW
    if math.sin(bend) < MERGE:
        bend = 0.0 if shut > open_ else math.pi
        posture.flags |= MERGED_ELBOW
    elif b.down == b.back:
        bend = -bend
    posture.bend = bend
    bars = arm.upper + cmath.rect(arm.fore, bend)
    any_turn = D < TINY * arm.size
    posture.upper = b.seed[1] if any_turn else cmath.phase(at * bars.conjugate())


# Wrist


def _turn_wrist(
    b: Branch, pitch: float, seed: float, posture: Posture, *, held: bool = False
) -> None:
    """Angles of the remaining rotation M = Rz(a) Rx(t1) Rz(b) Rx(t2) Rz(c).

    With two axes M = Rz(a) Rx(t1) Rz(c), with one Rz(c). A rotation that they cannot give: the last
    axis' direction first, then the best turn about it. ``seed`` stands for a where the first and
    last axis line up, or always if it is ``held``.
    """
    arm = b.arm
    M = arm.inlet @ _turned(Y, pitch) @ _turned(Z, -posture.waist) @ b.R_AO
    before = np.eye(3)
    if arm.axes > 1:
        if arm.axes == 3:
            posture.euler[1] = _middle_angle(arm, M, b.flip)
            if abs(math.sin(posture.euler[1])) < TINY:
                posture.flags |= MERGED_FLIP
            behind_first = arm.twists[0] @ _turned(Z, posture.euler[1]) @ arm.twists[1]
        else:
            behind_first = arm.twists[0]
        last, wanted = complex(*behind_first[:2, Z]), complex(*M[:2, Z])
        tilt = abs(last if arm.axes == 3 else wanted)
        if tilt < SINGULAR_SINE:
            posture.flags |= AnalyticFlag.SINGULAR_WRIST
        if tilt < TINY:
            posture.flags |= FREE_WRIST
        free = held or tilt < TINY
        posture.euler[0] = seed if free else cmath.phase(wanted * last.conjugate())
        before = _turned(Z, posture.euler[0]) @ behind_first
    N = before.T @ M
    best = complex(N[X, X] + N[Y, Y], N[Y, X] - N[X, Y])
    undecided = seed if arm.axes == 1 else 0.0
    posture.euler[arm.axes - 1] = undecided if abs(best) < TINY else cmath.phase(best)


def _middle_angle(arm: Arm, M: Floats, flip: bool) -> float:
    """The middle one of three Euler angles, from the tilt of the last axis against the first."""
    (c1, s1), (c2, s2) = ((T[Y, Y], T[Z, Y]) for T in arm.twists)
    cosine = (c1 * c2 - M[Z, Z]) / (s1 * s2)
    across = c1 * s2 * cosine + s1 * c2
    sine = math.sqrt(max(0.0, M[X, Z] ** 2 + M[Y, Z] ** 2 - across**2)) / s2
    return math.atan2(-sine if flip else sine, cosine)


def _turned(axis: int, angle: float) -> Floats:
    return turn(axis, angle)[:3, :3]


# Out of reach


def _slope(b: Branch, centre: Floats, waist: float) -> float:
    """Half the derivative, by the waist, of the squared distance that the arm leaves to C.

    The orientation is held, and elbow and shoulder do their best.
    """
    arm, posture = b.arm, Posture(waist=waist)
    at, y = _in_plane(arm, centre, waist)
    x, moves = at.real + arm.waist, complex(y, 0)
    if arm.family == PARALLEL:
        _turn_hand(b, centre, posture)
        hand = b.hand * cmath.rect(1, posture.psi)
        at -= hand
        moves -= 1j * hand * _hand_rate(b, posture)
    D = abs(at)
    outward = (at.conjugate() * moves).real / D if D > TINY * arm.size else 0.0
    return float(_excess(arm, D) * outward - (y - b.side) * x)


def _hand_rate(b: Branch, posture: Posture) -> float:
    """How fast psi follows the waist while a wrist of three axes holds its orientation.

    That is w · (h5 × h6) / (h4 · h5 × h6), where w is the turn about -z of A.
    """
    if b.psi is not None or b.arm.axes < 3:
        return 0.0
    R5 = _turned(Z, posture.psi) @ b.arm.twists[0]
    R6 = R5 @ _turned(Z, posture.euler[1]) @ b.arm.twists[1]
    normal = cross(R5[:, Z], R6[:, Z])
    if abs(normal[Z]) < SINGULAR_SINE:
        return 0.0
    return float(-b.arm.inlet[:, Z] @ normal / normal[Z])


def _nearest_waist(b: Branch, centre: Floats, waist: float) -> float:
    """The turn near the given one where the slope passes upwards through zero.

    There the arm comes nearest to a point out of its reach. A bracket, then the Illinois rule.
    """
    zero = 1e-16 * b.arm.size**2
    here = _slope(b, centre, waist)
    if abs(here) <= zero:
        return waist
    inner = outer = waist
    at_inner = at_outer = here
    step = 0.02
    while at_outer * here > 0:
        if step > math.pi:
            return waist
        inner, at_inner = outer, at_outer
        outer = waist - math.copysign(step, here)
        at_outer = _slope(b, centre, outer)
        step *= 1.5
    for _ in range(100):
        if abs(at_outer) <= zero:
            break
        new = (inner * at_outer - outer * at_inner) / (at_outer - at_inner)
        if not min(inner, outer) < new < max(inner, outer):
            new = 0.5 * (inner + outer)
        if new in {inner, outer}:
            break
        value = _slope(b, centre, new)
        if value * at_outer <= 0:
            inner, at_inner = outer, at_outer
        else:
            at_inner *= 0.5
        outer, at_outer = new, value
    return outer
