"""Looking ahead: free flight, and impulses that close all joints at the step's end, in NumPy."""

from __future__ import annotations

import itertools

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.impulse.rows import rotation, times
from kinegen.kernels.reference.impulse.soft import SoftRows

__all__ = ["Ahead", "Look"]

Look = tuple[Floats, Floats, float, float, float, int]
"""Poses and twists at a step's end, widest gap, angle, miss of soft rows, iterations."""


def fly(bend: Floats, quat: Floats, w: Floats, t: float) -> tuple[Floats, Floats]:
    """Torque-free rotation over t by Taylor series: quaternion and w (body axes)."""
    # all terms up to the n-th as rows; both rates are Cauchy products of them
    W, P = np.zeros((17, 3)), np.zeros((17, 4))
    W[0], P[0, 0], last = w, 1.0, 1.0
    for n in range(16):
        back, p = W[n::-1], P[: n + 1]
        a = np.einsum("ni,ni->i", W[: n + 1][:, [1, 2, 0]], back[:, [2, 0, 1]])
        dot, turned = np.einsum("ni,ni->", p[:, 1:], back), np.cross(p[:, 1:], back).sum(axis=0)
        W[n + 1] = t / (n + 1) * bend * a
        P[n + 1, 0] = -0.5 * t / (n + 1) * dot
        P[n + 1, 1:] = 0.5 * t / (n + 1) * (p[:, 0] @ back + turned)
        size = float(np.abs(P[n + 1]).sum() + np.abs(t * W[n + 1]).sum())
        # two small terms in a row: a single one may vanish by chance
        if size + last < 1e-16:
            break
        last = size
    out = times(quat, P.sum(axis=0))
    return out / np.linalg.norm(out), W.sum(axis=0)


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
