"""A hand coupled to a point of a body, or to its pose: what runs at the hand's rate.

In place of the mechanism the point has its mobility W = J H⁻¹ Jᵀ there, linear rows first; what the
mechanism reports comes late, twice, in disorder or not at all. Passivity: H is the energy that the
hand gave, M what the mechanism got at its end; the hand may take back what it gave and the
mechanism has not got: H >= M - reserve. M counts only as far as it can be true.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.protocols.haptic import (
    HAND_BURST,
    HAND_SPEED,
    HAND_SPIN,
    OVERDRAFT,
    OVERDRAFT_TIME,
    OVERDRAFT_TIME_MOST,
    STATE_COUNT,
    TIME_MOST,
    GateReason,
    HapticSequence,
    HapticSettings,
    HapticState,
    Heard,
    TouchMode,
    WrongField,
)
from kinegen.kernels.reference.base.rotation import (
    quat_exp,
    quat_log,
    quat_multiply,
    quat_normalize,
)
from kinegen.kernels.reference.haptic.bounds import (
    haptic_gate,
    is_turn,
    slowed,
    wrong_hand,
    wrong_state,
)
from kinegen.kernels.reference.haptic.ledger import HapticLedger

__all__ = ["TouchedPoint", "hear", "tick"]

_NONE, _PUSH, _PULL = TouchMode
_POINT, _TURN, _SPEED, _REST, _W, _NORMAL, _K, _B = (
    slice(first, end) for first, end in pairwise([*HapticState][1:10])
)
_M, _HELD = HapticState.ENERGY, HapticState.HELD
_FORCE, _TORQUE = slice(3), slice(3, 6)


Hand = tuple[Floats, Floats]
"""Place (3,) [m] and orientation (wxyz) of a hand."""


@dataclass(slots=True, eq=False)
class TouchedPoint:
    """One touched point: what was reported of it, where it is, and the hand's account."""

    settings: HapticSettings

    # What the mechanism reported

    reported: Floats = field(default_factory=lambda: np.zeros(STATE_COUNT))
    reported_at: float = 0.0
    """Time for which it was reported [s]."""
    heard_at: float = -1e9
    """Time at which it was heard [s]."""
    delay: float = 0.0
    """One way, as estimated [s]."""
    order: HapticSequence = field(default_factory=HapticSequence)
    has_word: bool = False

    # The point

    p: Floats = field(default_factory=lambda: np.zeros(3))
    """[m]"""
    turn: Floats = field(default_factory=lambda: np.array([1.0, 0, 0, 0]))
    """Its orientation, wxyz."""
    u: Floats = field(default_factory=lambda: np.zeros(6))
    """Its velocity, linear then angular [m/s, rad/s]."""

    # The hand

    hand: Hand | None = None
    """Where it was measured last."""
    force: Floats = field(default_factory=lambda: np.zeros(6))
    """On it since the last tick: force [N], torque [N m]."""
    low: Floats = field(default_factory=lambda: np.zeros(6))
    """Least of them since it was measured."""
    high: Floats = field(default_factory=lambda: np.zeros(6))
    """Most of them since it was measured."""
    pace: Floats = field(default_factory=lambda: np.zeros(6))
    """Its velocity by where it was measured [m/s, rad/s]."""
    unmeasured: int = 0
    """Ticks since it was measured."""
    room: float = HAND_BURST
    """Time at full speed that its motion has left [s]."""
    strength: float = 0.0
    """Share of the coupling that acts: fades in and out, 0 to 1."""
    ledger: HapticLedger = field(default_factory=HapticLedger)
    removed: float = 0.0
    """Energy that the hand would have got for nothing [J]."""
    overdrawn_at: float = -1e9
    """When the hand last got more than it may have [s]."""
    locked_for: float = 0.0
    """How long there is no force after that [s]."""

    # Counts, and the last reasons

    ticks: int = 0
    fresh: int = 0
    reused: int = 0
    old: int = 0
    bad: int = 0
    limited: int = 0
    wrong: int = 0
    gated: int = 0
    jumps: int = 0
    wrong_field: WrongField = WrongField.FINE
    gate_reason: GateReason = GateReason.OPEN


def hear(h: TouchedPoint, sequence: int, now: float, echo: float, reported: Floats) -> int:
    """A word of the mechanism: what became of it, as :class:`Heard`."""
    if not (np.isfinite(reported).all() and abs(now) <= TIME_MOST and math.isfinite(echo)):
        h.bad += 1
        return Heard.BAD
    wrong = wrong_state(reported)
    if wrong is not WrongField.FINE:
        h.wrong, h.wrong_field = h.wrong + 1, wrong
        return Heard.WRONG
    is_restart = h.order.next(sequence, now - h.heard_at > h.settings.silence)
    if is_restart is None:
        h.old += 1
        return Heard.OLD
    if echo > 0:
        late = min(max((now - echo - reported[_HELD]) / 2, 0.0), 1.0)
        h.delay = h.delay + (late - h.delay) / 16 if h.has_word else late
    is_other = is_restart or h.reported[0] != reported[0]
    h.reported = np.array(reported)
    h.heard_at, h.reported_at = now, now - h.delay
    h.has_word = True
    h.fresh += 1
    h.ledger.report(float(reported[_M]), is_restart)
    if is_other:
        begin(h)
        # a new touch: credit from before belongs to the past, a debt does not
        h.ledger.keep(0.0)
    if is_restart:
        h.strength = 0.0
    return Heard.NEW


def tick(
    h: TouchedPoint, now: float, x: Floats, turn: Floats | None, v: Floats, *,
    is_faulty: bool, is_measured: bool,
) -> None:  # fmt: skip
    """Find the force on a hand at x with speed v; with its orientation a torque too."""
    s, speed = h.settings, np.zeros(6)
    speed[: len(v)] = v
    quat = np.array([1.0, 0, 0, 0]) if turn is None else np.asarray(turn, dtype=float)
    h.ticks += 1
    if wrong_hand(x, quat, speed) is not WrongField.FINE or not abs(now) <= TIME_MOST:
        release(h, np.zeros(6), False, GateReason.NO_HAND)
        return
    here = np.array(x), quat_normalize(quat) if is_turn(quat) else quat
    # what the hand gave since, and whether it got more than it may have
    book_work(h, here, is_measured)
    is_overdrawn = lock_overdraft(h, now)
    mode = int(h.reported[0]) if h.has_word else _NONE
    fade(h, now, is_touched=mode != _NONE and not is_faulty)
    # the point moves under the coupling, which pulls at the hand
    f, stored = np.zeros(6), 0.0
    if mode != _NONE and h.strength > 0:
        # a device that does not know its orientation feels the place alone
        turns = float(turn is not None and mode == _PULL)
        k, b = (h.reported[part] * [1.0, turns] for part in (_K, _B))
        move_point(h, here, now, mode, k, b, speed)
        f, stored = coupling(h, here, mode, k, b, speed)
        limit_force(h, f)
    # the hand gets no more than there is
    h.ledger.settle(s.reserve, s.supply_most, s.step)
    h.ledger.keep(min(stored, s.credit_most))
    reason = GateReason.OVERDRAWN if is_overdrawn else GateReason.OPEN
    release(h, affordable(h, f, speed), is_measured, reason)


def lock_overdraft(h: TouchedPoint, now: float) -> bool:
    """Whether the hand got more than it may have; there is no force for a while then."""
    s = h.settings
    if not (s.is_passive and h.ledger.is_overdrawn(-s.reserve, OVERDRAFT)):
        return False
    h.overdrawn_at = now
    longer = 2 * h.locked_for if h.locked_for else OVERDRAFT_TIME
    h.locked_for = min(longer, OVERDRAFT_TIME_MOST)
    return True


def fade(h: TouchedPoint, now: float, *, is_touched: bool) -> None:
    """Let the coupling's strength grow while the mechanism is heard, else fade."""
    s, age = h.settings, now - h.heard_at
    if age > s.deadline + s.step / 2:
        h.reused += 1
    is_locked = now - h.overdrawn_at < h.locked_for
    # (a clock that went back says nothing about the age)
    is_held = is_touched and abs(age) < s.silence and not is_locked
    if is_locked:
        h.strength = 0.0
    h.strength = min(max(h.strength + (1 if is_held else -1) * s.step / s.fade, 0.0), 1.0)


def limit_force(h: TouchedPoint, f: Floats) -> None:
    """Force and torque at the coupling's strength, neither too large nor too sudden, in place."""
    s = h.settings
    limits = (_FORCE, s.force_most, s.force_rate), (_TORQUE, s.torque_most, s.torque_rate)
    for part, most, rate in limits:
        norm = float(np.linalg.norm(f[part]))
        f[part] *= h.strength * (most / norm if norm > most else 1.0)
        f[part] = slowed(h.force[part], rate * s.step, f[part])


def begin(h: TouchedPoint) -> None:
    """The point as it was reported."""
    if h.has_word:
        h.p, h.u = h.reported[_POINT].copy(), h.reported[_SPEED].copy()
        h.turn = quat_normalize(h.reported[_TURN])


def book_work(h: TouchedPoint, here: Hand, is_measured: bool) -> None:
    """What the hand gave since it was measured last, as it really moved.

    Where the force changed in between, the one counts that gave the hand most.
    """
    h.room = min(h.room + h.settings.step, HAND_BURST)
    h.unmeasured += 1
    if not is_measured:
        return
    elapsed, h.unmeasured = h.unmeasured * h.settings.step, 0
    h.pace = np.zeros(6)
    if h.hand is not None:
        way = np.array([*(here[0] - h.hand[0]), *_between(h.hand[1], here[1])])
        given = 0.0
        # in the order of the compiled kernel
        for low, high, made in zip(h.low, h.high, way, strict=True):
            given -= (high if made > 0 else low) * made
        spent = max(
            float(np.linalg.norm(way[:3])) / HAND_SPEED,
            float(np.linalg.norm(way[3:])) / HAND_SPIN,
        )
        if spent > h.room:
            # nobody knows the way in between: it gives no credit, and takes the one there was
            h.ledger.keep(0.0)
            if given < 0:
                h.ledger.give(max(given, -h.settings.credit_most))
            h.strength, h.room = 0.0, HAND_BURST
            h.jumps += 1
        else:
            h.ledger.give(given)
            h.room -= spent
            h.pace = way / elapsed
    h.hand = here


def release(h: TouchedPoint, f: Floats, is_measured: bool, reason: GateReason) -> None:
    """Force and torque that leave, and the account of those since the hand was measured."""
    if reason is GateReason.OPEN:
        f, code = haptic_gate(f, h.force, h.settings.numbers)
        reason = GateReason(code)
    else:
        f = np.zeros(6)
    if reason is not GateReason.OPEN:
        h.gated, h.gate_reason = h.gated + 1, reason
        h.strength = 0.0
        begin(h)  # what made such a force is not used again
    h.force = f
    h.low = f if is_measured else np.minimum(h.low, f)
    h.high = f if is_measured else np.maximum(h.high, f)


def move_point(
    h: TouchedPoint, here: Hand, now: float, mode: int, k: Floats, b: Floats, v: Floats
) -> None:
    """The point's own motion under the coupling, implicit, then led to what was reported."""
    s, dt, reported = h.settings, h.settings.step, h.reported
    (x, quat), n = here, reported[_NORMAL]
    P = np.eye(6)
    if mode == _PUSH:
        P[:3, :3] = np.outer(n, n) if (h.p - x) @ n > 0 else 0.0
    W = reported[_W].reshape(6, 6)
    stiff, damp = np.repeat(k, 3), np.repeat(b, 3)
    away = np.concatenate([x - h.p, _between(h.turn, quat)])
    pull = P @ (stiff * away + damp * v)
    A = np.eye(6) + dt * W @ (P * (damp + dt * stiff)[:, None])
    carried = max(min(now - h.reported_at, s.horizon), 0.0)
    h.u = np.linalg.solve(A, h.u + dt * (reported[_REST] + W @ pull))
    h.p = h.p + dt * h.u[:3]
    h.turn = _turned(h.turn, dt * h.u[3:])
    gain = 1 - math.exp(-dt / s.blend)
    goal = _turned(quat_normalize(reported[_TURN]), carried * reported[_SPEED][3:])
    h.turn = _turned(h.turn, gain * _between(h.turn, goal))
    h.p = h.p + gain * (reported[_POINT] + carried * reported[_SPEED][:3] - h.p)
    h.u = h.u + gain * (reported[_SPEED] - h.u)


def coupling(
    h: TouchedPoint, here: Hand, mode: int, k: Floats, b: Floats, v: Floats
) -> tuple[Floats, float]:
    """Force of the point on the hand, and the energy in the spring.

    A surface never holds the hand back.
    """
    (x, quat), n = here, h.reported[_NORMAL]
    if mode == _PULL:
        off = np.concatenate([h.p - x, _between(quat, h.turn)])
        stored = k[0] * float(off[:3] @ off[:3]) + k[1] * float(off[3:] @ off[3:])
        return np.repeat(k, 3) * off + np.repeat(b, 3) * (h.u - v), stored / 2
    depth = max(float(n @ (h.p - x)), 0.0)
    press = k[0] * depth + b[0] * float(n @ (h.u - v)[:3]) if depth > 0 else 0.0
    return np.concatenate([max(press, 0.0) * n, np.zeros(3)]), float(k[0] * depth * depth / 2)


def affordable(h: TouchedPoint, f: Floats, v: Floats) -> Floats:
    """The hand gets no more than there is."""
    s, dt = h.settings, h.settings.step
    # until the next tick the hand moves by v dt, and by what force and torque make of it
    # (a device may be wrong about v: what it was seen to do counts as well)
    a = max(float(f @ v), float(f @ h.pace)) * dt
    most = max(h.ledger.balance + s.reserve, 0.0)
    c = dt * dt * (float(f[:3] @ f[:3]) / s.hand_mass + float(f[3:] @ f[3:]) / s.hand_inertia)
    if a + c <= most:
        return f
    h.removed += a + c - most
    h.limited += 1
    share = (math.sqrt(a * a + 4 * c * most) - a) / (2 * c) if c > 0 else 0.0
    return f * share if s.is_passive else f


def _between(start: Floats, end: Floats) -> Floats:
    """The rotation vector, world axes, that turns one orientation into another."""
    return quat_log(quat_multiply(end, start * np.array([1.0, -1, -1, -1])))


def _turned(quat: Floats, w: Floats) -> Floats:
    """An orientation, turned by a rotation vector in world axes."""
    return quat_normalize(quat_multiply(quat_exp(w), quat))
