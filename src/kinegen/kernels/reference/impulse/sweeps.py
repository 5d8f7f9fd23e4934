"""The anytime mode of the impulse engine: joints closed one by one, in NumPy."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.impulse.ahead import Ahead, Look
from kinegen.kernels.reference.impulse.joints import side_row
from kinegen.kernels.reference.impulse.rows import HELD, times
from kinegen.kernels.reference.impulse.soft import SOFTNESS

__all__ = ["FAST_TURN", "Sweeps"]

FAST_TURN, MOST_FORESEEN, BRAKE, FORGETTING = 0.02, 0.5, 10.0, 0.05


class Sweeps(Ahead):
    """The part of a world that sweeps."""

    balance: float

    def foresee(self, V: Floats) -> None:
        """Impulses at the start against all that the flight would open, within bounds."""
        respond = self.responses()
        poses, speeds = self.flight(V)
        rho, _, _, _ = self.ahead(poses)
        held = self.row_v < 0
        rho[held] -= self.gaps(self.poses)[0] / self.step
        look = self.look_at_limits(poses) - self.limit_speeds(V)
        by = -np.linalg.solve(self.A, rho)
        give = (self.Y[:, ~held] @ by[~held]).reshape(-1, 6)
        hold = (self.Y[:, held] @ by[held]).reshape(-1, 6)
        most = MOST_FORESEEN * self.bodies_energy(speeds + give)
        spent = self.bodies_energy(hold)
        by[held] *= np.sqrt(most / spent) if spent > most else 1.0
        self.lam += by
        V += (self.Y @ by).reshape(-1, 6)
        self.lam += self.meet_limits(look + self.limit_speeds(V), respond, V)

    def close_by_sweeps(self, V: Floats) -> Look:
        """Impulses at the start, joint by joint, each by itself."""
        sweep = 0
        while sweep < self.sweeps:
            sweep += 1
            widest = np.zeros(3)
            for j in self.order:
                rows = np.flatnonzero(self.row_bond == j)
                rho, *open_ = self.joint_residuals(j, self.flight(V)[0])
                widest = np.maximum(widest, open_)
                by = -np.linalg.solve(self.A[np.ix_(rows, rows)], rho)
                self.lam[rows] += by
                V += (self.Y[:, rows] @ by).reshape(-1, 6)
            for i, limit in enumerate(self.limits):
                change = self.spread(limit.row[None]).ravel()
                own = float(limit.row @ change)
                if own <= 0:
                    continue
                p = limit.p + (limit.aim - self.look_at_limits(self.flight(V)[0])[i]) / own
                low, high = limit.low, limit.high
                if limit.kind == "slide":
                    high = limit.friction * self.limits[limit.normal].p
                    low = -high
                p = max(low, min(high, p))
                V += (p - limit.p) * change.reshape(-1, 6)
                limit.p = p
            if widest.max() <= self.gap_limit:
                break
        poses, speeds = self.flight(V)
        return poses, speeds, *self.ahead(poses)[1:], sweep

    def close_at_end(self, V: Floats) -> Look:
        """Bodies moved at the step's end, from the held ones outward."""
        poses, speeds = self.flight(V)
        sweep = 0
        while sweep < self.sweeps:
            sweep += 1
            for j, outer, in_loop in self.outward:
                if not HELD[self.bonds[j, 0]]:
                    continue
                if in_loop:
                    self._share_gap(j, poses)
                else:
                    self._place_outer(j, outer, poses)
            _, gap, angle, miss = self.ahead(poses)
            if max(gap, angle, miss) <= self.gap_limit:
                break
        return poses, speeds, gap, angle, miss, sweep

    def _shift(self, poses: Floats, body: int, by: Floats) -> None:
        if not self.moves[body]:
            return
        poses[body, 4:] += by[:3]
        angle = float(np.linalg.norm(by[3:]))
        turn = np.concatenate(([np.cos(angle / 2)], 0.5 * np.sinc(angle / 2 / np.pi) * by[3:]))
        quat = times(turn, poses[body, :4])
        poses[body, :4] = quat / np.linalg.norm(quat)

    def _place_outer(self, j: int, outer: int, poses: Floats) -> None:
        """Put the outer body of a tree's joint where the inner one wants it: turned, then moved."""
        body, sign = self.bonds[j, 1 + outer], -1.0 if outer else 1.0
        for angular in (True, False):
            g, _, _ = self.gap(j, poses)
            by = np.zeros(6)
            for size, (kind, axis, _) in zip(g, self.joint_rows(j, poses), strict=False):
                if (kind == "about") == angular:
                    by[3 if angular else 0 :][:3] += sign * size / (axis @ axis) * axis
            self._shift(poses, body, by)

    def _share_gap(self, j: int, poses: Floats) -> None:
        """Close a joint of a loop: both bodies give way as their masses say."""
        _, a, b, _, _ = self.bonds[j]
        g, _, _ = self.gap(j, poses)
        at, turns = self.ends(j, poses)[1][:3, 3], self.turned(poses)
        held = self.joint_rows(j, poses)[: len(g)]
        J, Y = [], []
        for body, sign in ((a, -1.0), (b, 1.0)):
            arm = at - poses[body, 4:]
            own = sign * np.array([side_row(kind, x, arm, self.leads[j]) for kind, x, _ in held])
            J.append(own)
            Y.append(np.hstack((self.inverse[body, 0] * own[:, :3], own[:, 3:] @ turns[body])))
        A = J[0] @ Y[0].T + J[1] @ Y[1].T
        p = -np.linalg.solve(A + SOFTNESS * np.diag(np.diag(A)), g)
        for body, own in ((a, Y[0]), (b, Y[1])):
            self._shift(poses, body, p @ own)

    def slow_down(self, gap: float) -> None:
        """Where sweeps cannot keep up, the motion slows down."""
        way = self.step * float(np.linalg.norm(self.twists[:, :3], axis=1).max())
        if gap > self.gap_limit:
            self.scale_speeds(way / (way + BRAKE * gap))

    def scale_speeds(self, share: float) -> None:
        """Slow all bodies and rotors down alike."""
        self.twists *= share
        self.rotor *= share

    def keep_passive(self) -> bool:
        """Take back energy that came of moving bodies; whether that could be done."""
        motion = self.kinetic()
        balance = motion + self.potential() - self.work
        excess = balance - self.balance
        if excess > 0 and motion > 0:
            self.scale_speeds(np.sqrt(1 - excess / motion) if excess < motion else 0.0)
        if excess < 0:
            self.balance += FORGETTING * excess
        else:
            self.balance = max(self.balance, balance - motion)
        return excess <= 0 or excess < motion
