"""Chart: configurations that move smoothly, as the numbers of q with two rates of change.

Sums and blends of these numbers are easy; quaternions among them are made of length 1 afterwards,
and their rates give angular velocities and accelerations exactly.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.joint_types import JointType
from kinegen.mechanism.model import Model

__all__ = ["Chart", "Rates"]

_SIGNS = np.array([1.0, -1.0, -1.0, -1.0])
Rates: TypeAlias = tuple[Floats, Floats, Floats]
"""Numbers of q, (nq,), and their first and second rates of change."""


class Chart:
    """How the numbers of q and their rates belong to q, v and vdot of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        turning = model.quaternion_joints
        self._turns = [(j.q, j.v, j.type is JointType.FREE) for j in turning]
        in_q, in_v = np.ones(model.nq, dtype=bool), np.ones(model.nv, dtype=bool)
        for joint in turning:
            in_q[joint.q] = in_v[joint.v] = False
        self.plain_q, self.plain_v = np.flatnonzero(in_q), np.flatnonzero(in_v)
        """Where variables are that are their own rates: all but those of balls and free joints."""

    @property
    def still(self) -> Floats:
        """No offset: zeros, and quaternions of no rotation."""
        out = np.zeros(self.model.nq)
        for part, _, _ in self._turns:
            out[part.start] = 1.0
        return out

    def state(self, rates: Rates) -> tuple[Floats, Floats, Floats]:
        """q, v and vdot of numbers and their rates."""
        y, y1, y2 = rates
        q, v, vdot = y.copy(), np.zeros(self.model.nv), np.zeros(self.model.nv)
        v[self.plain_v], vdot[self.plain_v] = y1[self.plain_q], y2[self.plain_q]
        for part, own, is_free in self._turns:
            at = slice(part.start, part.start + 4)
            p, p1, p2 = y[at], y1[at], y2[at]
            square = float(p @ p)
            back = _conjugate(p)
            turn = 2 * _times(back, p1)[1:] / square
            bend = 2 * _times(back, p2)[1:] / square - turn * (2 * float(p @ p1) / square)
            q[at] = p / np.sqrt(square)
            spin = slice(own.stop - 3, own.stop)
            v[spin], vdot[spin] = turn, bend
            if is_free:
                # linear rates are in the body's axes, which turn
                place, line = slice(part.start + 4, part.stop), slice(own.start, own.start + 3)
                v[line] = _turned_back(q[at], y1[place])
                vdot[line] = _turned_back(q[at], y2[place]) - np.cross(turn, v[line])
        return q, v, vdot

    def rates(self, q: Floats, v: Floats) -> Floats:
        """How the numbers of q change at velocity v, (nq,)."""
        out = np.zeros(self.model.nq)
        out[self.plain_q] = v[self.plain_v]
        for part, own, is_free in self._turns:
            at = slice(part.start, part.start + 4)
            spin = np.concatenate([[0.0], v[own.stop - 3 : own.stop]])
            out[at] = _times(q[at], spin) / 2
            if is_free:
                line = v[own.start : own.start + 3]
                out[part.start + 4 : part.stop] = _turned_back(_conjugate(q[at]), line)
        return out

    def shifted(self, rates: Rates, by: Rates) -> Rates:
        """A motion with an offset that may change: numbers are added, rotations follow it."""
        y, y1, y2 = (a + b for a, b in zip(rates, by, strict=True))
        for part, _, _ in self._turns:
            at = slice(part.start, part.start + 4)
            (p, p1, p2), (d, d1, d2) = ([one[at] for one in both] for both in (rates, by))
            y[at] = _times(p, d)
            y1[at] = _times(p1, d) + _times(p, d1)
            y2[at] = _times(p2, d) + 2 * _times(p1, d1) + _times(p, d2)
        return y, y1, y2

    def offset(self, rates: Rates, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """The offset, and its rate, that brings a motion to q and v now."""
        y, y1, _ = rates
        speed = self.rates(q, v)
        d, d1 = q - y, speed - y1
        for part, _, _ in self._turns:
            at = slice(part.start, part.start + 4)
            back = _conjugate(y[at]) / float(y[at] @ y[at])
            d[at] = _times(back, q[at])
            d1[at] = _times(back, speed[at] - _times(y1[at], d[at]))
            if d[part.start] < 0:  # the shorter way round
                d[at], d1[at] = -d[at], -d1[at]
        return d, d1


def _times(a: Floats, b: Floats) -> Floats:
    """The product of two quaternions."""
    w, x, y, z = a.tolist()
    s, i, j, k = b.tolist()
    return np.array(
        [
            w * s - x * i - y * j - z * k,
            w * i + x * s + y * k - z * j,
            w * j - x * k + y * s + z * i,
            w * k + x * j - y * i + z * s,
        ]
    )


def _conjugate(p: Floats) -> Floats:
    return np.asarray(p * _SIGNS)


def _turned_back(quat: Floats, x: Floats) -> Floats:
    """A vector in the axes that a quaternion turns."""
    inside = _times(_times(_conjugate(quat), np.concatenate([[0.0], x])), quat)
    return np.asarray(inside[1:])
