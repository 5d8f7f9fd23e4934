"""A hand coupled to a point of a body, or to its pose: what runs at the hand's rate.

In place of the mechanism the point has its mobility W = J H⁻¹ Jᵀ there, linear rows first; what the
mechanism tells comes late, twice, in disorder or not at all. Passivity: H is the energy that the
hand gave, M what the mechanism got at its end; the hand may take back what it gave and the
mechanism has not got: H >= M - reserve.
"""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.haptic_protocol import STATE_COUNT, HapticSettings
from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.rotation import quat_exp, quat_log, quat_multiply, quat_normalize

__all__ = ["HapticPoint"]

_NONE, _PUSH, _PULL = 0, 1, 2
_NEW, _OLD, _BAD = 0, 1, 2
_POINT, _TURN, _SPEED, _REST = slice(1, 4), slice(4, 8), slice(8, 14), slice(14, 20)
_W, _NORMAL = slice(20, 56), slice(56, 59)
_K, _B, _M, _HELD = slice(59, 61), slice(61, 63), 63, 64


class HapticPoint:
    """One touched point, stepped by the caller."""

    def __init__(self, settings: Floats) -> None:
        self.set = HapticSettings(*np.asarray(settings, dtype=float).tolist())
        self.told = np.zeros(STATE_COUNT)
        self.told_at, self.heard_at, self.delay = 0.0, -1e9, 0.0
        self.sequence, self.has_word = 0, False
        self.p, self.turn, self.u = np.zeros(3), np.array([1.0, 0, 0, 0]), np.zeros(6)
        self.hand: tuple[Floats, Floats] | None = None
        self.force = np.zeros(6)
        self.strength = self.given = self.forgotten = self.removed = 0.0
        self.ticks = self.fresh = self.reused = self.old = self.bad = self.limited = 0

    def hear(self, sequence: int, now: float, echo: float, told: Floats, /) -> int:
        """A word of the mechanism: 0 new, 1 old or double, 2 nonsense."""
        is_sane = bool(np.isfinite(told).all()) and told[0] in (_NONE, _PUSH, _PULL)
        if is_sane:
            length = float(told[_TURN] @ told[_TURN])
            is_sane = 0.25 < length < 4 and min(*told[_K], *told[_B]) >= 0
        if not is_sane:
            self.bad += 1
            return _BAD
        is_silent = now - self.heard_at > self.set.silence
        # sequence numbers go round at 2³²
        newer = (sequence - self.sequence + 2**31) % 2**32 - 2**31
        if self.has_word and not is_silent and newer <= 0:
            self.old += 1
            return _OLD
        if echo > 0:
            late = min(max((now - echo - told[_HELD]) / 2, 0.0), 1.0)
            self.delay = self.delay + (late - self.delay) / 16 if self.has_word else late
        is_other = not self.has_word or is_silent or self.told[0] != told[0]
        self.told = np.array(told)
        self.sequence, self.heard_at, self.told_at = sequence, now, now - self.delay
        self.has_word = True
        self.fresh += 1
        if is_other:
            self.p, self.u = told[_POINT].copy(), told[_SPEED].copy()
            self.turn = quat_normalize(told[_TURN])
            credit = self.given - told[_M]
            if credit > 0 or is_silent:
                self.forgotten += credit
                self.given = float(told[_M])
        return _NEW

    def tick(
        self, now: float, x: Floats, turn: Floats | None, v: Floats, is_faulty: bool, /
    ) -> Floats:
        """The force on a hand at x with speed v, (3,) [N]; with its orientation a torque too."""
        s, dt = self.set, self.set.step
        speed = np.zeros(6)
        speed[: len(v)] = v
        quat = np.array([1.0, 0, 0, 0]) if turn is None else quat_normalize(np.asarray(turn))
        self.ticks += 1
        if self.hand is not None:
            # in the order of the compiled kernel
            way = [*(x - self.hand[0]), *_between(self.hand[1], quat)]
            for force, made in zip(self.force, way, strict=True):
                self.given -= force * made
        self.hand = np.array(x), quat
        age = now - self.heard_at
        mode = int(self.told[0]) if self.has_word else _NONE
        if age > s.deadline + dt / 2:
            self.reused += 1
        is_held = mode != _NONE and age < s.silence and not is_faulty
        self.strength = min(max(self.strength + (1 if is_held else -1) * dt / s.fade, 0.0), 1.0)
        f = np.zeros(6)
        if mode != _NONE and self.strength > 0:
            # a device that does not know how it is turned feels the place alone
            turns = float(turn is not None and mode == _PULL)
            k, b = (self.told[part] * [1.0, turns] for part in (_K, _B))
            self._move(now, mode, k, b, speed)
            f = self._coupling(mode, k, b, speed)
            for part, most in ((slice(3), s.force_most), (slice(3, 6), s.torque_most)):
                size = float(np.linalg.norm(f[part]))
                f[part] *= self.strength * (most / size if size > most else 1.0)
        self.force = self._affordable(f, speed)
        return self.force[: 3 if turn is None else 6].copy()

    def _move(self, now: float, mode: int, k: Floats, b: Floats, v: Floats) -> None:
        """The point's own motion under the coupling, implicit, then led to what was told."""
        assert self.hand is not None
        s, dt, told = self.set, self.set.step, self.told
        (x, quat), n = self.hand, told[_NORMAL]
        P = np.eye(6)
        if mode == _PUSH:
            P[:3, :3] = np.outer(n, n) if (self.p - x) @ n > 0 else 0.0
        W = told[_W].reshape(6, 6)
        stiff, damp = np.repeat(k, 3), np.repeat(b, 3)
        away = np.concatenate([x - self.p, _between(self.turn, quat)])
        pull = P @ (stiff * away + damp * v)
        A = np.eye(6) + dt * W @ (P * (damp + dt * stiff)[:, None])
        carried = min(now - self.told_at, s.horizon)
        self.u = np.linalg.solve(A, self.u + dt * (told[_REST] + W @ pull))
        self.p = self.p + dt * self.u[:3]
        self.turn = _turned(self.turn, dt * self.u[3:])
        gain = 1 - math.exp(-dt / s.blend)
        goal = _turned(quat_normalize(told[_TURN]), carried * told[_SPEED][3:])
        self.turn = _turned(self.turn, gain * _between(self.turn, goal))
        self.p = self.p + gain * (told[_POINT] + carried * told[_SPEED][:3] - self.p)
        self.u = self.u + gain * (told[_SPEED] - self.u)

    def _coupling(self, mode: int, k: Floats, b: Floats, v: Floats) -> Floats:
        """Force of the point on the hand; a surface never holds the hand back."""
        assert self.hand is not None
        (x, quat), n = self.hand, self.told[_NORMAL]
        if mode == _PULL:
            away = np.concatenate([self.p - x, _between(quat, self.turn)])
            return np.asarray(np.repeat(k, 3) * away + np.repeat(b, 3) * (self.u - v))
        depth = float(n @ (self.p - x))
        press = k[0] * depth + b[0] * float(n @ (self.u - v)[:3]) if depth > 0 else 0.0
        return np.concatenate([max(press, 0.0) * n, np.zeros(3)])

    def _affordable(self, f: Floats, v: Floats) -> Floats:
        """The hand gets no more than there is."""
        s, dt = self.set, self.set.step
        credit = self.given - self.told[_M] + s.reserve
        if credit > s.credit_most:
            self.forgotten += credit - s.credit_most
            self.given -= credit - s.credit_most
            credit = s.credit_most
        # until the next tick the hand moves by v dt, and by what force and torque make of it
        most, a = max(credit, 0.0), float(f @ v) * dt
        c = dt * dt * (float(f[:3] @ f[:3]) / s.hand_mass + float(f[3:] @ f[3:]) / s.hand_inertia)
        if a + c <= most:
            return f
        self.removed += a + c - most
        self.limited += 1
        share = (math.sqrt(a * a + 4 * c * most) - a) / (2 * c)
        return f * share if s.is_passive else f

    def state(self) -> tuple[Floats, float, float, float, float]:
        """Of the point; see the protocol."""
        place = np.concatenate([self.p, self.turn, self.u])
        return place, self.strength, self.given + self.forgotten, self.removed, self.delay

    def counts(self) -> tuple[int, int, int, int, int, int]:
        """Of ticks and words; see the protocol."""
        return self.ticks, self.fresh, self.reused, self.old, self.bad, self.limited


def _between(start: Floats, end: Floats) -> Floats:
    """The rotation vector, world axes, that turns one orientation into another."""
    return quat_log(quat_multiply(end, start * np.array([1.0, -1, -1, -1])))


def _turned(quat: Floats, w: Floats) -> Floats:
    """An orientation, turned by a rotation vector in world axes."""
    return quat_normalize(quat_multiply(quat_exp(w), quat))
