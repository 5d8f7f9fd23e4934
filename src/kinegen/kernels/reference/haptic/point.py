"""A hand coupled to a point of a body, or to its pose: what runs at the hand's rate.

In place of the mechanism the point has its mobility W = J H⁻¹ Jᵀ there, linear rows first; what the
mechanism tells comes late, twice, in disorder or not at all. Passivity: H is the energy that the
hand gave, M what the mechanism got at its end; the hand may take back what it gave and the
mechanism has not got: H >= M - reserve. M counts only as far as it can be true.
"""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.haptic_protocol import (
    HAND_BURST,
    HAND_SPEED,
    HAND_SPIN,
    STATE_COUNT,
    TIME_MOST,
    GateReason,
    HapticSequence,
    HapticSettings,
    Heard,
    WrongField,
)
from kinegen.kernels.layout import Floats
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

__all__ = ["HapticPoint"]

_NONE, _PUSH, _PULL = 0, 1, 2
_POINT, _TURN, _SPEED, _REST = slice(1, 4), slice(4, 8), slice(8, 14), slice(14, 20)
_W, _NORMAL = slice(20, 56), slice(56, 59)
_K, _B, _M, _HELD = slice(59, 61), slice(61, 63), 63, 64
_FORCE, _TORQUE = slice(3), slice(3, 6)
OVERDRAFT, OVERDRAFT_TIME, OVERDRAFT_TIME_MOST = 0.01, 1.0, 64.0
"""Energy [J] beyond the reserve that is no rounding; for how long there is no force then [s]: twice
as long each time, up to a most."""


class HapticPoint:
    """One touched point, stepped by the caller."""

    def __init__(self, settings: Floats) -> None:
        self.set = HapticSettings(*np.asarray(settings, dtype=float).tolist()).checked()
        self.told = np.zeros(STATE_COUNT)
        self.told_at, self.heard_at, self.delay = 0.0, -1e9, 0.0
        self.order, self.has_word = HapticSequence(), False
        self.p, self.turn, self.u = np.zeros(3), np.array([1.0, 0, 0, 0]), np.zeros(6)
        self.hand: tuple[Floats, Floats] | None = None
        self.force = np.zeros(6)
        self.low, self.high = np.zeros(6), np.zeros(6)
        self.pace, self.unmeasured = np.zeros(6), 0
        self.room = HAND_BURST
        self.ledger = HapticLedger()
        self.strength = self.removed = 0.0
        self.ticks = self.fresh = self.reused = self.old = self.bad = self.limited = 0
        self.wrong = self.gated = self.jumps = 0
        self.overdrawn_at, self.locked_for = -1e9, 0.0
        self.wrong_field, self.gate_reason = WrongField.FINE, GateReason.OPEN

    def hear(self, sequence: int, now: float, echo: float, told: Floats, /) -> int:
        """A word of the mechanism: what became of it, as :class:`Heard`."""
        if not (np.isfinite(told).all() and abs(now) <= TIME_MOST and math.isfinite(echo)):
            self.bad += 1
            return Heard.BAD
        wrong = wrong_state(told)
        if wrong is not WrongField.FINE:
            self.wrong, self.wrong_field = self.wrong + 1, wrong
            return Heard.WRONG
        is_restart = self.order.next(sequence, now - self.heard_at > self.set.silence)
        if is_restart is None:
            self.old += 1
            return Heard.OLD
        if echo > 0:
            late = min(max((now - echo - told[_HELD]) / 2, 0.0), 1.0)
            self.delay = self.delay + (late - self.delay) / 16 if self.has_word else late
        is_other = is_restart or self.told[0] != told[0]
        self.told = np.array(told)
        self.heard_at, self.told_at = now, now - self.delay
        self.has_word = True
        self.fresh += 1
        self.ledger.tell(float(told[_M]), is_restart)
        if is_other:
            self._begin()
            # a new touch: credit from before belongs to the past, a debt does not
            self.ledger.keep(0.0)
        if is_restart:
            self.strength = 0.0
        return Heard.NEW

    def tick(
        self,
        now: float,
        x: Floats,
        turn: Floats | None,
        v: Floats,
        is_faulty: bool,
        is_measured: bool = True,
        /,
    ) -> Floats:
        """The force on a hand at x with speed v, (3,) [N]; with its orientation a torque too."""
        s, dt = self.set, self.set.step
        size = 3 if turn is None else 6
        speed = np.zeros(6)
        speed[: len(v)] = v
        quat = np.array([1.0, 0, 0, 0]) if turn is None else np.asarray(turn, dtype=float)
        self.ticks += 1
        if wrong_hand(x, quat, speed) is not WrongField.FINE or not abs(now) <= TIME_MOST:
            self._release(np.zeros(6), False, GateReason.NO_HAND)
            return self.force[:size].copy()
        here = np.array(x), quat_normalize(quat) if is_turn(quat) else quat
        self._book(here, is_measured)
        age = now - self.heard_at
        mode = int(self.told[0]) if self.has_word else _NONE
        if age > s.deadline + dt / 2:
            self.reused += 1
        is_overdrawn = s.is_passive and self.ledger.is_overdrawn(-s.reserve, OVERDRAFT)
        if is_overdrawn:
            self.overdrawn_at = now
            longer = 2 * self.locked_for if self.locked_for else OVERDRAFT_TIME
            self.locked_for = min(longer, OVERDRAFT_TIME_MOST)
        is_locked = now - self.overdrawn_at < self.locked_for
        # (a clock that went back says nothing about the age)
        is_heard = abs(age) < s.silence
        is_held = mode != _NONE and is_heard and not is_faulty and not is_locked
        if is_locked:
            self.strength = 0.0
        self.strength = min(max(self.strength + (1 if is_held else -1) * dt / s.fade, 0.0), 1.0)
        f, stored = np.zeros(6), 0.0
        if mode != _NONE and self.strength > 0:
            # a device that does not know how it is turned feels the place alone
            turns = float(turn is not None and mode == _PULL)
            k, b = (self.told[part] * [1.0, turns] for part in (_K, _B))
            self._move(here, now, mode, k, b, speed)
            f, stored = self._coupling(here, mode, k, b, speed)
            limits = (_FORCE, s.force_most, s.force_rate), (_TORQUE, s.torque_most, s.torque_rate)
            for part, most, rate in limits:
                norm = float(np.linalg.norm(f[part]))
                f[part] *= self.strength * (most / norm if norm > most else 1.0)
                f[part] = slowed(self.force[part], rate * dt, f[part])
        self.ledger.settle(s.reserve, s.supply_most, dt)
        self.ledger.keep(min(stored, s.credit_most))
        reason = GateReason.OVERDRAWN if is_overdrawn else GateReason.OPEN
        self._release(self._affordable(f, speed), is_measured, reason)
        return self.force[:size].copy()

    def _begin(self) -> None:
        """The point as it was told."""
        if self.has_word:
            self.p, self.u = self.told[_POINT].copy(), self.told[_SPEED].copy()
            self.turn = quat_normalize(self.told[_TURN])

    def _book(self, here: tuple[Floats, Floats], is_measured: bool) -> None:
        """What the hand gave since it was measured last, as it really moved.

        Where the force changed in between, the one counts that gave the hand most.
        """
        self.room = min(self.room + self.set.step, HAND_BURST)
        self.unmeasured += 1
        if not is_measured:
            return
        elapsed, self.unmeasured = self.unmeasured * self.set.step, 0
        self.pace = np.zeros(6)
        if self.hand is not None:
            way = np.array([*(here[0] - self.hand[0]), *_between(self.hand[1], here[1])])
            given = 0.0
            # in the order of the compiled kernel
            for low, high, made in zip(self.low, self.high, way, strict=True):
                given -= (high if made > 0 else low) * made
            spent = max(
                float(np.linalg.norm(way[:3])) / HAND_SPEED,
                float(np.linalg.norm(way[3:])) / HAND_SPIN,
            )
            if spent > self.room:
                # nobody knows the way in between: it gives no credit, and takes the one there was
                self.ledger.keep(0.0)
                if given < 0:
                    self.ledger.give(max(given, -self.set.credit_most))
                self.strength, self.room = 0.0, HAND_BURST
                self.jumps += 1
            else:
                self.ledger.give(given)
                self.room -= spent
                self.pace = way / elapsed
        self.hand = here

    def _release(self, f: Floats, is_measured: bool, reason: GateReason) -> None:
        """Force and torque that leave, and the account of those since the hand was measured."""
        if reason is GateReason.OPEN:
            f, code = haptic_gate(f, self.force, self.set.numbers)
            reason = GateReason(code)
        else:
            f = np.zeros(6)
        if reason is not GateReason.OPEN:
            self.gated, self.gate_reason = self.gated + 1, reason
            self.strength = 0.0
            self._begin()  # what made such a force is not used again
        self.force = f
        self.low = f if is_measured else np.minimum(self.low, f)
        self.high = f if is_measured else np.maximum(self.high, f)

    def _move(
        self, here: tuple[Floats, Floats], now: float, mode: int, k: Floats, b: Floats, v: Floats
    ) -> None:
        """The point's own motion under the coupling, implicit, then led to what was told."""
        s, dt, told = self.set, self.set.step, self.told
        (x, quat), n = here, told[_NORMAL]
        P = np.eye(6)
        if mode == _PUSH:
            P[:3, :3] = np.outer(n, n) if (self.p - x) @ n > 0 else 0.0
        W = told[_W].reshape(6, 6)
        stiff, damp = np.repeat(k, 3), np.repeat(b, 3)
        away = np.concatenate([x - self.p, _between(self.turn, quat)])
        pull = P @ (stiff * away + damp * v)
        A = np.eye(6) + dt * W @ (P * (damp + dt * stiff)[:, None])
        carried = max(min(now - self.told_at, s.horizon), 0.0)
        self.u = np.linalg.solve(A, self.u + dt * (told[_REST] + W @ pull))
        self.p = self.p + dt * self.u[:3]
        self.turn = _turned(self.turn, dt * self.u[3:])
        gain = 1 - math.exp(-dt / s.blend)
        goal = _turned(quat_normalize(told[_TURN]), carried * told[_SPEED][3:])
        self.turn = _turned(self.turn, gain * _between(self.turn, goal))
        self.p = self.p + gain * (told[_POINT] + carried * told[_SPEED][:3] - self.p)
        self.u = self.u + gain * (told[_SPEED] - self.u)

    def _coupling(
        self, here: tuple[Floats, Floats], mode: int, k: Floats, b: Floats, v: Floats
    ) -> tuple[Floats, float]:
        """Force of the point on the hand, and the energy in the spring.

        A surface never holds the hand back.
        """
        (x, quat), n = here, self.told[_NORMAL]
        if mode == _PULL:
            off = np.concatenate([self.p - x, _between(quat, self.turn)])
            stored = k[0] * float(off[:3] @ off[:3]) + k[1] * float(off[3:] @ off[3:])
            return np.repeat(k, 3) * off + np.repeat(b, 3) * (self.u - v), stored / 2
        depth = max(float(n @ (self.p - x)), 0.0)
        press = k[0] * depth + b[0] * float(n @ (self.u - v)[:3]) if depth > 0 else 0.0
        return np.concatenate([max(press, 0.0) * n, np.zeros(3)]), float(k[0] * depth * depth / 2)

    def _affordable(self, f: Floats, v: Floats) -> Floats:
        """The hand gets no more than there is."""
        s, dt = self.set, self.set.step
        # until the next tick the hand moves by v dt, and by what force and torque make of it
        # (a device may be wrong about v: what it was seen to do counts as well)
        a = max(float(f @ v), float(f @ self.pace)) * dt
        most = max(self.ledger.balance + s.reserve, 0.0)
        c = dt * dt * (float(f[:3] @ f[:3]) / s.hand_mass + float(f[3:] @ f[3:]) / s.hand_inertia)
        if a + c <= most:
            return f
        self.removed += a + c - most
        self.limited += 1
        share = (math.sqrt(a * a + 4 * c * most) - a) / (2 * c) if c > 0 else 0.0
        return f * share if s.is_passive else f

    def state(self) -> tuple[Floats, float, float, float, float]:
        """Of the point; see the protocol."""
        place = np.concatenate([self.p, self.turn, self.u])
        return place, self.strength, self.ledger.total, self.removed, self.delay

    def counts(self) -> tuple[int, int, int, int, int, int]:
        """Of ticks and words; see the protocol."""
        return self.ticks, self.fresh, self.reused, self.old, self.bad, self.limited

    def refusals(self) -> tuple[int, int, int, int, int]:
        """What was refused, and why; see the protocol."""
        return self.wrong, int(self.wrong_field), self.gated, int(self.gate_reason), self.jumps

    def energies(self) -> tuple[float, float, float, float]:
        """The hand's account; see the protocol."""
        return self.ledger.total, self.ledger.balance, self.ledger.kept, self.ledger.got


def _between(start: Floats, end: Floats) -> Floats:
    """The rotation vector, world axes, that turns one orientation into another."""
    return quat_log(quat_multiply(end, start * np.array([1.0, -1, -1, -1])))


def _turned(quat: Floats, w: Floats) -> Floats:
    """An orientation, turned by a rotation vector in world axes."""
    return quat_normalize(quat_multiply(quat_exp(w), quat))
