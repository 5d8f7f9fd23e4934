"""What is believed of a mechanism and a hand, sequence numbers, and the gate before every force.

The same as native/kernel/haptic/bounds.hpp; docs/reference/haptic-protocol.md lists the bounds.
"""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.haptic import (
    DAMPING_MOST,
    ENERGY_MOST,
    GATE_ROUNDING,
    HAND_FAR,
    HAND_SPEED,
    HAND_SPIN,
    HELD_MOST,
    MOBILITY_MOST,
    MOBILITY_ROUNDING,
    POINT_FAR,
    POINT_REST,
    POINT_SPEED,
    STIFFNESS_MOST,
    GateReason,
    HapticSettings,
    WrongField,
)

__all__ = ["haptic_gate", "is_turn", "slowed", "wrong_hand", "wrong_state"]

_QUIET = np.errstate(over="ignore", invalid="ignore")
"""Numbers of any size come here to be judged: what overflows is out of bounds, and no news."""


@_QUIET
def is_turn(quat: Floats) -> bool:
    """Whether four numbers are about a quaternion of length 1."""
    return 0.25 < float(quat @ quat) < 4


def _within(numbers: Floats, most: float) -> bool:
    return bool((np.abs(numbers) <= most).all())


def _is_mobility(W: Floats) -> bool:
    """Whether a matrix is symmetric, and negative in no direction."""
    if not _within(W, MOBILITY_MOST):
        return False
    slack = MOBILITY_ROUNDING * float(np.abs(W).max())
    if not _within(W - W.T, slack):
        return False
    L = np.zeros((6, 6))
    for r in range(6):
        for c in range(r + 1):
            left = W[r, c] + (slack if r == c else 0.0) - float(L[r, :c] @ L[c, :c])
            if r == c and left < 0:
                return False
            L[r, c] = math.sqrt(left) if r == c else left / L[c, c] if L[c, c] > 0 else 0.0
    return True


@_QUIET
def wrong_state(reported: Floats) -> WrongField:
    """Which numbers of a mechanism are out of their bounds, if any."""
    k, b = reported[59:61], reported[61:63]
    checks = (
        (WrongField.MODE, reported[0] in (0, 1, 2)),
        (WrongField.POSITION, _within(reported[1:4], POINT_FAR)),
        (WrongField.ORIENTATION, is_turn(reported[4:8])),
        (WrongField.VELOCITY, _within(reported[8:14], POINT_SPEED)),
        (WrongField.ACCELERATION, _within(reported[14:20], POINT_REST)),
        (WrongField.MOBILITY, _is_mobility(reported[20:56].reshape(6, 6))),
        (WrongField.NORMAL, float(reported[56:59] @ reported[56:59]) <= 1.02),
        (WrongField.STIFFNESS, 0 <= k[0] <= STIFFNESS_MOST),
        (WrongField.DAMPING, 0 <= b[0] <= DAMPING_MOST),
        (WrongField.STIFFNESS, 0 <= k[1] <= STIFFNESS_MOST),
        (WrongField.DAMPING, 0 <= b[1] <= DAMPING_MOST),
        (WrongField.ENERGY, abs(reported[63]) <= ENERGY_MOST),
        (WrongField.TIME, 0 <= reported[64] <= HELD_MOST),
    )
    return next((field for field, is_fine in checks if not is_fine), WrongField.FINE)


@_QUIET
def wrong_hand(x: Floats, quat: Floats, v: Floats) -> WrongField:
    """Which numbers of a hand are out of their bounds; v has six."""
    if not _within(x, HAND_FAR):
        return WrongField.POSITION
    if not is_turn(quat):
        return WrongField.ORIENTATION
    if not (_within(v[:3], HAND_SPEED) and _within(v[3:], HAND_SPIN)):
        return WrongField.VELOCITY
    return WrongField.FINE


def slowed(before: Floats, most: float, f: Floats) -> Floats:
    """What can be had from the force before, or any share of it, by a change of a size."""
    square = float(before @ before)
    share = min(max(float(f @ before) / square, 0.0), 1.0) if square > 0 else 0.0
    off = f - share * before
    size = float(np.linalg.norm(off))
    return share * before + off * (most / size) if size > most else f


@_QUIET
def haptic_gate(force: Floats, before: Floats, settings: Floats, /) -> tuple[Floats, int]:
    """Check a force before it is sent: unchanged within all bounds, otherwise zero.

    Every force passes here last.
    """
    s = HapticSettings(*np.asarray(settings, dtype=float).tolist())
    reason = GateReason.OPEN if _within(force, 1e300) else GateReason.NOT_FINITE
    limits = (
        (slice(3), s.force_most, s.force_rate),
        (slice(3, 6), s.torque_most, s.torque_rate),
    )
    for part, most, rate in limits:
        if reason is GateReason.OPEN:
            too_fast = slowed(before[part], rate * s.step, force[part]) - force[part]
            if not np.linalg.norm(force[part]) <= most * (1 + GATE_ROUNDING):
                reason = GateReason.TOO_LARGE
            elif not np.linalg.norm(too_fast) <= GATE_ROUNDING * most:
                reason = GateReason.TOO_FAST
    return (np.array(force) if reason is GateReason.OPEN else np.zeros(6)), int(reason)
