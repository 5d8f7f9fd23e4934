"""Forces of the impulse engine as impulses, work and energy, in NumPy."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.impulse.joints import Joints
from kinegen.kernels.reference.impulse.rows import NV, is_ball, log_of, rotation

__all__ = ["Loads"]


class Loads(Joints):
    """The part of a world that pushes."""

    def push(self, V: Floats, body: int, place: Floats, p: Floats, m: Floats) -> None:
        """An impulse at a place and a moment on a body."""
        row = np.zeros((len(self.mass), 6))
        row[body] = np.concatenate((p, m + np.cross(place - self.poses[body, 4:], p)))
        V += self.spread(row.reshape(1, -1)).reshape(-1, 6)

    def stretch(self, j: int, k: int, own_q: Floats) -> float:
        """How far a joint's spring is from where it is relaxed, by the joint's part of q."""
        type_, _, _, _, v = self.bonds[j]
        rest = self.axes[v + k, 6]
        if not is_ball(type_):
            return float(own_q[k] - rest)
        if type_ == 7 and k < 3:
            return float(own_q[4 + k] - rest)
        return float(log_of(own_q[:4])[k % 3] - rest)

    def kick(self, V: Floats, t: float) -> None:
        """Impulses of efforts and loads over t."""
        for j, (type_, _, _, _, v0) in enumerate(self.bonds):
            for k in range(NV[type_]):
                if self.efforts[v0 + k]:
                    row = self.axis_row(j, k).reshape(1, -1)
                    V += t * self.efforts[v0 + k] * self.spread(row).reshape(-1, 6)
        for body, numbers in zip(self.loads, self.load_numbers, strict=True):
            place = self.poses[body, 4:] + rotation(self.poses[body, :4]) @ numbers[:3]
            self.push(V, int(body), place, t * numbers[3:6], t * numbers[6:])

    def add_work(self, poses: Floats, twists: Floats, q: Floats, v: Floats) -> None:
        """Work of efforts and loads over a step that began at this state."""
        for type_, _, _, q0, v0 in self.bonds:
            for k in range(NV[type_]):
                by = (
                    0.5 * self.step * (v[v0 + k] + self.v[v0 + k])
                    if is_ball(type_)
                    else self.q[q0 + k] - q[q0 + k]
                )
                self.work += self.efforts[v0 + k] * by
        for body, numbers in zip(self.loads, self.load_numbers, strict=True):
            after = self.poses[body, 4:] + rotation(self.poses[body, :4]) @ numbers[:3]
            before = poses[body, 4:] + rotation(poses[body, :4]) @ numbers[:3]
            spin = 0.5 * self.step * (twists[body, 3:] + self.twists[body, 3:])
            self.work += float(numbers[3:6] @ (after - before) + numbers[6:] @ spin)

    def bodies_energy(self, V: Floats) -> float:
        """Kinetic energy of the bodies where they are, with twists V [J]."""
        out = 0.0
        for b in np.flatnonzero(self.moves):
            turn = rotation(self.poses[b, :4]).T @ V[b, 3:]
            out += 0.5 * float(self.mass[b] * (V[b, :3] @ V[b, :3]) + self.moments[b] @ (turn**2))
        return out

    def kinetic(self) -> float:
        """Of bodies and rotors [J]."""
        rotors = 0.5 * float(np.sum(self.axes[:, 0] * self.rotor**2))
        return self.bodies_energy(self.twists) + rotors

    def potential(self) -> float:
        """Of gravity and springs [J]."""
        out = -float(np.sum((self.mass * self.moves) * (self.poses[:, 4:] @ self.gravity)))
        for j, (type_, _, _, q, v) in enumerate(self.bonds):
            for k in range(NV[type_]):
                if self.axes[v + k, 5]:
                    out += 0.5 * self.axes[v + k, 5] * self.stretch(j, k, self.q[q:]) ** 2
        return float(out)
