"""Coordinates around a configuration in which an integrator may add; tree joints only."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.reference.base.joint_types import FREE, NV, SPHERICAL
from kinegen.kernels.reference.base.rotation import (
    cross,
    left_jacobian,
    quat_exp,
    quat_multiply,
    quat_normalize,
    quat_to_matrix,
    right_jacobian_inverse,
)

__all__ = ["Chart"]


class Chart:
    """A turning vector per quaternion, a free joint's place in the world, else the variable."""

    def __init__(self, ints: Ints, reals: Floats) -> None:
        blocks = Blocks(ints, reals)
        kinds = blocks.int_part("joint_type").tolist()
        firsts = blocks.int_part("joint_q").tolist()
        speeds = blocks.int_part("joint_v").tolist()
        self._joints = [
            (kinds[j], firsts[j], speeds[j]) for j in blocks.int_part("tree_order").tolist()
        ]

    def enter(self, q: Floats, v: Floats) -> Floats:
        """Rates of the coordinates at q itself."""
        p = np.zeros(len(v))
        for kind, first, at in self._joints:
            p[at : at + NV[kind]] = v[at : at + NV[kind]]
            if kind == FREE:
                p[at : at + 3] = quat_to_matrix(q[first : first + 4]) @ v[at : at + 3]
        return p

    def leave(self, q0: Floats, xi: Floats, p: Floats) -> tuple[Floats, Floats]:
        """The state at coordinates xi and their rates p."""
        q, v = q0.copy(), np.zeros(len(xi))
        for kind, first, at in self._joints:
            if kind not in {SPHERICAL, FREE}:
                q[first : first + NV[kind]] += xi[at : at + NV[kind]]
                v[at : at + NV[kind]] = p[at : at + NV[kind]]
                continue
            turn = slice(at + 3, at + 6) if kind == FREE else slice(at, at + 3)
            quat = quat_normalize(quat_multiply(q0[first : first + 4], quat_exp(xi[turn])))
            q[first : first + 4] = quat
            v[turn] = left_jacobian(-xi[turn]) @ p[turn]
            if kind == FREE:
                v[at : at + 3] = quat_to_matrix(quat).T @ p[at : at + 3]
                q[first + 4 : first + 7] += xi[at : at + 3]
        return q, v

    def accelerations(self, q: Floats, v: Floats, xi: Floats, p: Floats, vdot: Floats) -> Floats:
        """Second derivatives of the coordinates from the joints' accelerations."""
        a = vdot.copy()
        for kind, first, at in self._joints:
            if kind not in {SPHERICAL, FREE}:
                continue
            turn = slice(at + 3, at + 6) if kind == FREE else slice(at, at + 3)
            if kind == FREE:
                R = quat_to_matrix(q[first : first + 4])
                a[at : at + 3] = R @ (vdot[at : at + 3] + cross(v[turn], v[at : at + 3]))
            a[turn] = right_jacobian_inverse(xi[turn]) @ (vdot[turn] - _rate(xi[turn], p[turn]))
        return a

    def turned(self, v: Floats, xi: Floats) -> Floats:
        """Speeds that keep their world axes while the joints move by xi."""
        out = v.copy()
        for kind, _, at in self._joints:
            if kind in {SPHERICAL, FREE}:
                turn = slice(at + 3, at + 6) if kind == FREE else slice(at, at + 3)
                R = quat_to_matrix(quat_exp(xi[turn]))
                for part in range(at, at + NV[kind], 3):
                    out[part : part + 3] = R.T @ v[part : part + 3]
        return out


def _rate(xi: Floats, p: Floats) -> Floats:
    """Rate of the right Jacobian times p when xi changes by p, to the third order in xi."""
    c1 = cross(xi, p)
    c2 = cross(xi, c1)
    c3 = cross(xi, c2)
    second = cross(p, c1)
    third = cross(p, c2) + cross(xi, second)
    fourth = cross(p, c3) + cross(xi, cross(p, c2)) + cross(xi, cross(xi, second))
    return np.asarray(second / 6 - third / 24 + fourth / 120)
