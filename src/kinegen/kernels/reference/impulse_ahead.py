"""Looking ahead: free flight, and impulses that close all joints at the step's end, in NumPy."""

from __future__ import annotations

import itertools

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.impulse_rows import rotation, times
from kinegen.kernels.reference.impulse_soft import SoftRows

__all__ = ["Ahead", "Look"]

Look = tuple[Floats, Floats, float, float, float, int]
"""Poses and twists at a step's end, widest gap, angle, miss of soft rows, iterations."""


def fly(bend: Floats, quat: Floats, w: Floats, t: float) -> tuple[Floats, Floats]:
    """Torque-free rotation over t by Taylor series: quaternion and w (body axes)."""
    W, P = [w], [np.array([1.0, 0, 0, 0])]
    for n in range(16):
        pairs = [(W[i], W[n - i], P[i]) for i in range(n + 1)]
        a = np.sum([np.roll(u, -1) * np.roll(v, -2) for u, v, _ in pairs], axis=0)
        p = np.sum([times(p, np.concatenate(([0.0], v))) for _, v, p in pairs], axis=0)
        W.append(t / (n + 1) * bend * a)
        P.append(0.5 * t / (n + 1) * p)
    out = times(quat, np.sum(P, axis=0))
    return out / np.linalg.norm(out), np.sum(W, axis=0)


class Ahead(SoftRows):
    """The part of a world that looks ahead."""

    def flight(self, V: Floats) -> tuple[Floats, Floats]:
        """Poses and twists of all bodies after free flight over a step."""
        poses, out, h = self.poses.copy(), V.copy(), self.step
        for b in np.flatnonzero(self.moves):
            R = rotation(self.poses[b, :4])
            poses[b, :4], turn = fly(self.bend[b], self.poses[b, :4], R.T @ V[b, 3:], h)
            poses[b, 4:] += h * V[b, :3] + h * h / 2 * self.gravity
            out[b, :3] += h * self.gravity
            out[b, 3:] = rotation(poses[b, :4]) @ turn
        return poses, out

    def close_direct(self, V: Floats) -> Look:
        """Impulses at the start that close all joints ahead, all at once, until they do."""
        respond = self.responses()
        for turn in itertools.count():
            poses, speeds = self.flight(V)
            rho, gap, angle, miss = self.ahead(poses)
            done = turn > (1 if self.limits else 0) and max(gap, angle, miss) <= self.gap_limit
            if done or turn == self.iteration_limit or not np.isfinite(gap):
                break
            look = self.look_at_limits(poses) - self.limit_speeds(V)
            by = -np.linalg.solve(self.A, rho)
            self.lam += by
            V += (self.Y @ by).reshape(-1, 6)
            self.lam += self.meet_limits(look + self.limit_speeds(V), respond, V)
        return poses, speeds, gap, angle, miss, turn

    def turns_fast(self, V: Floats, most: float) -> bool:
        """Whether a body turns by more than that [rad] in a step."""
        spin = np.linalg.norm(V[self.moves, 3:], axis=1).max(initial=0)
        return bool(spin * self.step > most)
