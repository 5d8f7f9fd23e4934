"""A hand coupled to one point of a body: what runs at the hand's rate in place of the mechanism.

The point has the body's mobility W = J H⁻¹ Jᵀ there; what the mechanism tells comes late, twice, in
disorder or not at all. Passivity: H is the energy that the hand gave, M what the mechanism was given
at its end; the hand may take back what it gave and the mechanism has not got: H >= M - reserve.
"""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.haptic_protocol import STATE_COUNT, HapticSettings
from kinegen.kernels.layout import Floats

__all__ = ["HapticPoint"]

_NONE, _PUSH, _PULL = 0, 1, 2
_NEW, _OLD, _BAD = 0, 1, 2
_K, _B, _M, _HELD = 22, 23, 24, 25


class HapticPoint:
    """One touched point, stepped by the caller."""

    def __init__(self, settings: Floats) -> None:
        self.set = HapticSettings(*np.asarray(settings, dtype=float).tolist())
        self.told = np.zeros(STATE_COUNT)
        self.told_at, self.heard_at, self.delay = 0.0, -1e9, 0.0
        self.sequence, self.has_word = 0, False
        self.p, self.u = np.zeros(3), np.zeros(3)
        self.x: Floats | None = None
        self.force = np.zeros(3)
        self.strength = self.given = self.forgotten = self.removed = 0.0
        self.ticks = self.fresh = self.reused = self.old = self.bad = self.limited = 0

    def hear(self, sequence: int, now: float, echo: float, told: Floats, /) -> int:
        """A word of the mechanism: 0 new, 1 old or double, 2 nonsense."""
        is_sane = np.isfinite(told).all() and told[0] in (_NONE, _PUSH, _PULL)
        if not is_sane or told[_K] < 0 or told[_B] < 0:
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
            self.p, self.u = told[1:4].copy(), told[4:7].copy()
            credit = self.given - told[_M]
            if credit > 0 or is_silent:
                self.forgotten += credit
                self.given = float(told[_M])
        return _NEW

    def tick(self, now: float, x: Floats, v: Floats, is_faulty: bool, /) -> Floats:
        """The force on a hand at x with speed v, (3,) [N]."""
        s, dt = self.set, self.set.step
        self.ticks += 1
        if self.x is not None:
            for i in range(3):  # in the order of the compiled kernel
                self.given -= self.force[i] * (x[i] - self.x[i])
        self.x = np.array(x)
        age = now - self.heard_at
        mode = int(self.told[0]) if self.has_word else _NONE
        if age > s.deadline + dt / 2:
            self.reused += 1
        is_held = mode != _NONE and age < s.silence and not is_faulty
        self.strength = min(max(self.strength + (1 if is_held else -1) * dt / s.fade, 0.0), 1.0)
        f = np.zeros(3)
        if mode != _NONE and self.strength > 0:
            self._move(now, mode, x, v)
            f = self._coupling(mode, x, v)
            size = float(np.linalg.norm(f))
            f = f * self.strength * (s.force_most / size if size > s.force_most else 1.0)
        self.force = self._affordable(f, v)
        return self.force.copy()

    def _move(self, now: float, mode: int, x: Floats, v: Floats) -> None:
        """The point's own motion under the coupling, implicit, then led to what was told."""
        s, dt, told = self.set, self.set.step, self.told
        k, b, n = told[_K], told[_B], told[19:22]
        P = np.eye(3)
        if mode == _PUSH:
            P = np.outer(n, n) if (self.p - x) @ n > 0 else np.zeros((3, 3))
        WP = told[10:19].reshape(3, 3) @ P
        A = np.eye(3) + dt * (b + dt * k) * WP
        pull = k * (x - self.p) + b * v
        carried = min(now - self.told_at, s.horizon)
        self.u = np.linalg.solve(A, self.u + dt * (told[7:10] + WP @ pull))
        self.p = self.p + dt * self.u
        gain = 1 - math.exp(-dt / s.blend)
        self.p = self.p + gain * (told[1:4] + carried * told[4:7] - self.p)
        self.u = self.u + gain * (told[4:7] - self.u)

    def _coupling(self, mode: int, x: Floats, v: Floats) -> Floats:
        """Force of the point on the hand; a surface never holds the hand back."""
        k, b, n = self.told[_K], self.told[_B], self.told[19:22]
        if mode == _PULL:
            return np.asarray(k * (self.p - x) + b * (self.u - v))
        depth = float(n @ (self.p - x))
        press = k * depth + b * float(n @ (self.u - v)) if depth > 0 else 0.0
        return np.asarray(max(press, 0.0) * n)

    def _affordable(self, f: Floats, v: Floats) -> Floats:
        """The hand gets no more than there is."""
        s, dt = self.set, self.set.step
        credit = self.given - self.told[_M] + s.reserve
        if credit > s.credit_most:
            self.forgotten += credit - s.credit_most
            self.given -= credit - s.credit_most
            credit = s.credit_most
        # until the next tick the hand moves by v dt, and by what the force makes of it
        most, a = max(credit, 0.0), float(f @ v) * dt
        c = float(f @ f) * dt * dt / s.hand_mass
        if a + c <= most:
            return f
        self.removed += a + c - most
        self.limited += 1
        share = (math.sqrt(a * a + 4 * c * most) - a) / (2 * c)
        return f * share if s.is_passive else f

    def state(self) -> tuple[Floats, float, float, float, float]:
        """Of the point; see the protocol."""
        place = np.concatenate([self.p, self.u])
        return place, self.strength, self.given + self.forgotten, self.removed, self.delay

    def counts(self) -> tuple[int, int, int, int, int, int]:
        """Of ticks and words; see the protocol."""
        return self.ticks, self.fresh, self.reused, self.old, self.bad, self.limited
