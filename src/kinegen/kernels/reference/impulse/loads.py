"""Forces of the impulse engine as impulses, work and energy."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base.rotation import cross
from kinegen.kernels.reference.impulse.joints import NV, is_ball, log_of, rotation
from kinegen.kernels.reference.impulse.rows import axis_row, inverse_mass_rows
from kinegen.kernels.reference.impulse.world import World

__all__ = [
    "add_step_work",
    "axis_stretch",
    "bodies_energy",
    "kick",
    "kinetic",
    "potential",
    "push_at",
]


def push_at(w: World, V: Floats, body: int, place: Floats, p: Floats, m: Floats) -> None:
    """An impulse at a place and a moment on a body."""
    row = np.zeros((len(w.mass), 6))
    row[body] = np.concatenate((p, m + cross(place - w.poses[body, 4:], p)))
    V += inverse_mass_rows(w, row.reshape(1, -1)).reshape(-1, 6)


def axis_stretch(w: World, j: int, k: int, own_q: Floats) -> float:
    """How far a joint's spring is from where it is relaxed, by the joint's part of q."""
    type_, _, _, _, v = w.bonds[j]
    rest = w.axes[v + k, 6]
    if not is_ball(type_):
        return float(own_q[k] - rest)
    if type_ == 7 and k < 3:
        return float(own_q[4 + k] - rest)
    return float(log_of(own_q[:4])[k % 3] - rest)


def kick(w: World, V: Floats, t: float) -> None:
    """Impulses of efforts and loads over t."""
    for j, (type_, _, _, _, v0) in enumerate(w.bonds):
        for k in range(NV[type_]):
            if w.efforts[v0 + k]:
                row = axis_row(w, j, k).reshape(1, -1)
                V += t * w.efforts[v0 + k] * inverse_mass_rows(w, row).reshape(-1, 6)
    for body, numbers in zip(w.loads, w.load_numbers, strict=True):
        place = w.poses[body, 4:] + rotation(w.poses[body, :4]) @ numbers[:3]
        push_at(w, V, int(body), place, t * numbers[3:6], t * numbers[6:])


def add_step_work(w: World, poses: Floats, twists: Floats, q: Floats, v: Floats) -> None:
    """Work of efforts and loads over a step that began at this state."""
    for type_, _, _, q0, v0 in w.bonds:
        for k in range(NV[type_]):
            by = (
                0.5 * w.step * (v[v0 + k] + w.v[v0 + k])
                if is_ball(type_)
                else w.q[q0 + k] - q[q0 + k]
            )
            w.work += w.efforts[v0 + k] * by
    for body, numbers in zip(w.loads, w.load_numbers, strict=True):
        after = w.poses[body, 4:] + rotation(w.poses[body, :4]) @ numbers[:3]
        before = poses[body, 4:] + rotation(poses[body, :4]) @ numbers[:3]
        spin = 0.5 * w.step * (twists[body, 3:] + w.twists[body, 3:])
        w.work += float(numbers[3:6] @ (after - before) + numbers[6:] @ spin)


def bodies_energy(w: World, V: Floats) -> float:
    """Kinetic energy of the bodies where they are, with twists V [J]."""
    out = 0.0
    for b in np.flatnonzero(w.moves):
        turn = rotation(w.poses[b, :4]).T @ V[b, 3:]
        out += 0.5 * float(w.mass[b] * (V[b, :3] @ V[b, :3]) + w.moments[b] @ (turn**2))
    return out


def kinetic(w: World) -> float:
    """Of bodies and rotors [J]."""
    rotors = 0.5 * float(np.sum(w.axes[:, 0] * w.rotor**2))
    return bodies_energy(w, w.twists) + rotors


def potential(w: World) -> float:
    """Of gravity and springs [J]."""
    out = -float(np.sum((w.mass * w.moves) * (w.poses[:, 4:] @ w.gravity)))
    for j, (type_, _, _, q, v) in enumerate(w.bonds):
        for k in range(NV[type_]):
            if w.axes[v + k, 5]:
                out += 0.5 * w.axes[v + k, 5] * axis_stretch(w, j, k, w.q[q:]) ** 2
    return float(out)
