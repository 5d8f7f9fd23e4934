"""Forces of the impulse engine as impulses, work and energy, in NumPy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.reference.impulse_rows import NV, is_ball, log_of, rotation

__all__ = ["Loads"]


class Loads:
    """The part of a world that pushes."""

    mass: Floats
    moments: Floats
    moves: npt.NDArray[np.bool_]
    bonds: Ints
    axes: Floats
    gravity: Floats
    springs: Ints
    spring_numbers: Floats
    efforts: Floats
    loads: Ints
    load_numbers: Floats
    theta: Floats
    rotor: Floats
    poses: Floats
    twists: Floats
    q: Floats
    v: Floats
    step: float
    work: float
    spring_state: list[tuple[float, float]]

    def spread(self, J: Floats) -> Floats:
        """M⁻¹ Jᵀ."""
        raise NotImplementedError

    def axis_row(self, j: int, k: int) -> Floats:
        """The row of a joint's variable."""
        raise NotImplementedError

    def push(self, V: Floats, body: int, place: Floats, p: Floats, m: Floats) -> None:
        """An impulse at a place and a moment on a body."""
        row = np.zeros((len(self.mass), 6))
        row[body] = np.concatenate((p, m + np.cross(place - self.poses[body, 4:], p)))
        V += self.spread(row.reshape(1, -1)).reshape(-1, 6)

    def stretch(self, j: int, k: int) -> float:
        """How far a joint's spring is from where it is relaxed."""
        type_, _, _, q, v = self.bonds[j]
        rest = self.axes[v + k, 6]
        if not is_ball(type_):
            return float(self.q[q + k] - rest)
        if type_ == 7 and k < 3:
            return float(self.q[q + 4 + k] - rest)
        return float(log_of(self.q[q : q + 4])[k % 3] - rest)

    def spring(self, i: int, V: Floats) -> tuple[Floats, Floats, Floats, float, float]:
        """Ends of a point spring, its direction, length and speed."""
        ends, speeds = [], []
        for body, local in zip(
            self.springs[i], self.spring_numbers[i, :6].reshape(2, 3), strict=True
        ):
            arm = rotation(self.poses[body, :4]) @ local
            ends.append(self.poses[body, 4:] + arm)
            speeds.append(V[body, :3] + np.cross(V[body, 3:], arm))
        d = ends[1] - ends[0]
        length = float(np.linalg.norm(d))
        along = d / length if length > 1e-12 else np.zeros(3)
        return ends[0], ends[1], along, length, float(along @ (speeds[1] - speeds[0]))

    def kick(self, V: Floats, t: float, *, ends: bool) -> None:
        """Impulses of efforts, springs and loads over t; at a step's end, of dampers too."""
        for j, (type_, _, _, _, v0) in enumerate(self.bonds):
            for k in range(NV[type_]):
                v = v0 + k
                impulse = t * (self.efforts[v] - self.axes[v, 5] * self.stretch(j, k))
                if ends and self.axes[v, 1]:
                    p = -(1 - self.theta[v]) * self.step * self.axes[v, 1] * self.rotor[v]
                    self.work += p * self.rotor[v]
                    impulse += p
                if impulse:
                    row = self.axis_row(j, k).reshape(1, -1)
                    V += impulse * self.spread(row).reshape(-1, 6)
        states = []
        for i, numbers in enumerate(self.spring_numbers):
            a, b, along, length, speed = self.spring(i, V)
            if ends:
                before, old = self.spring_state[i]
                speed = 2 * (length - before) / self.step - old
            states.append((length, speed))
            self.work -= t * numbers[7] * speed * speed
            p = t * (numbers[6] * (length - numbers[8]) + numbers[7] * speed) * along
            self.push(V, int(self.springs[i, 0]), a, p, np.zeros(3))
            self.push(V, int(self.springs[i, 1]), b, -p, np.zeros(3))
        self.spring_state = states
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

    def kinetic(self) -> float:
        """Of bodies and rotors [J]."""
        out = 0.5 * float(np.sum(self.axes[:, 0] * self.rotor**2))
        for b in np.flatnonzero(self.moves):
            turn = rotation(self.poses[b, :4]).T @ self.twists[b, 3:]
            out += 0.5 * float(
                self.mass[b] * (self.twists[b, :3] @ self.twists[b, :3])
                + self.moments[b] @ (turn * turn)
            )
        return out

    def potential(self) -> float:
        """Of gravity and springs [J]."""
        out = -float(np.sum((self.mass * self.moves) * (self.poses[:, 4:] @ self.gravity)))
        for j, (type_, _, _, _, v) in enumerate(self.bonds):
            for k in range(NV[type_]):
                out += 0.5 * self.axes[v + k, 5] * self.stretch(j, k) ** 2
        for i, numbers in enumerate(self.spring_numbers):
            out += 0.5 * numbers[6] * (self.spring(i, self.twists)[3] - numbers[8]) ** 2
        return float(out)
