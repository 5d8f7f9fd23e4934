"""The NumPy kernels of one model, with the signatures of ``kinegen.kernels.protocol``.

Velocities here are body twists pushed through adjoints; the compiled kernels work with axes and
points in the world instead, so that the two can find each other's mistakes.
"""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from kinegen.kernels.layout import TRANSFORM_SIZE, Blocks, Floats, Ints
from kinegen.kernels.protocol import TaskKind
from kinegen.kernels.reference.base import formula
from kinegen.kernels.reference.base.rotation import (
    adjoint,
    cross_matrix,
    inverse,
    left_jacobian,
    pose_of,
    quat_exp,
    quat_log,
    quat_multiply,
    quat_normalize,
    quat_to_matrix,
    right_jacobian_inverse,
    rotation_log,
    transform,
    twist_bracket,
)
from kinegen.kernels.reference.base.steps import FREE, NQ, NV, QUATERNIONS, joint_steps
from kinegen.kernels.reference.loops.coupling import coupling_residual, coupling_row


class BoundModel:
    """A model's blocks with the NumPy kernels."""

    def __init__(self, ints: Ints, reals: Floats) -> None:
        self._blocks = blocks = Blocks(ints, reals)
        self._type = blocks.int_part("joint_type").tolist()
        self._parent = blocks.int_part("joint_parent").tolist()
        self._child = blocks.int_part("joint_child").tolist()
        self._q = blocks.int_part("joint_q").tolist()
        self._v = blocks.int_part("joint_v").tolist()
        self._order = blocks.int_part("tree_order").tolist()
        self._link_joint = blocks.int_part("link_joint").tolist()
        self._loop_joint = blocks.int_part("loop_joint").tolist()
        self._frame_link = blocks.int_part("frame_link").tolist()
        self._pitch = blocks.real_part("pitch")
        self._transforms = blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE)
        self.nq, self.nv = blocks.counts.nq, blocks.counts.nv

    # Numbers

    def update(self) -> int:
        return formula.update(self._blocks, list(range(self._blocks.counts.formula)))

    def set_parameter(self, index: int, value: float, /) -> int:
        return formula.set_parameter(self._blocks, index, value)

    def set_number(self, index: int, value: float, /) -> int:
        return formula.set_number(self._blocks, index, value)

    # Positions

    def _placement(self, index: int) -> Floats:
        row = self._transforms[index]
        return transform(row[:9].reshape(3, 3), row[9:])

    def _motion(self, joint: int, q: Floats) -> Floats:
        """X_PM of a joint: its placement on the parent, then its steps."""
        X = self._placement(joint)
        first = self._q[joint]
        variables = q[first : first + NQ[self._type[joint]]]
        for step in joint_steps(self._type[joint], variables, float(self._pitch[joint])):
            X = X @ step.transform
        return X

    def _links(self, q: Floats) -> list[Floats]:
        Xs_WL = [np.eye(4)] * self._blocks.counts.link
        for joint in self._order:
            Xs_WL[self._child[joint]] = Xs_WL[self._parent[joint]] @ self._motion(joint, q)
        return Xs_WL

    def _site_link(self, site: int) -> int:
        links = self._blocks.counts.link
        return site if site < links else int(self._frame_link[site - links])

    def _site(self, Xs_WL: list[Floats], site: int) -> Floats:
        links = self._blocks.counts.link
        X = Xs_WL[self._site_link(site)]
        if site < links:
            return X
        counts = self._blocks.counts
        return np.asarray(X @ self._placement(counts.joint + counts.loop + site - links))

    def _loop_ends(self, q: Floats, Xs_WL: list[Floats], loop: int) -> tuple[Floats, Floats]:
        """X_WM and X_WK of a loop's cut joint."""
        cut = self._loop_joint[loop]
        X_WM = Xs_WL[self._parent[cut]] @ self._motion(cut, q)
        X_WK = Xs_WL[self._child[cut]] @ self._placement(self._blocks.counts.joint + loop)
        return X_WM, X_WK

    def forward_poses(self, q: Floats, poses: Floats, /) -> None:
        Xs_WL = self._links(q)
        counts = self._blocks.counts
        for site in range(counts.link + counts.frame):
            poses.reshape(-1, 7)[site] = pose_of(self._site(Xs_WL, site))

    def site_pose(self, q: Floats, site: int, pose: Floats, /) -> None:
        pose[:] = pose_of(self._site(self._links(q), site))

    def forward_links(self, q: Floats, transforms: Floats, /) -> None:
        for row, X in zip(transforms.reshape(-1, TRANSFORM_SIZE), self._links(q), strict=True):
            row[:9] = X[:3, :3].ravel()
            row[9:] = X[:3, 3]

    def loop_poses(self, q: Floats, poses: Floats, /) -> None:
        Xs_WL = self._links(q)
        for loop in range(self._blocks.counts.loop):
            for end, X in enumerate(self._loop_ends(q, Xs_WL, loop)):
                poses.reshape(-1, 2, 7)[loop, end] = pose_of(X)

    # Velocities

    def _columns(self, q: Floats, joint: int, X_MS: Floats) -> tuple[slice, Floats]:
        """A joint's columns of the body Jacobian at S, given S in the joint's moving frame."""
        kind, first = self._type[joint], self._q[joint]
        steps = joint_steps(kind, q[first : first + NQ[kind]], float(self._pitch[joint]))
        X_step_S, parts = X_MS, []
        for step in reversed(steps):
            parts.append(adjoint(inverse(X_step_S)) @ step.subspace)
            X_step_S = step.transform @ X_step_S
        columns = np.hstack(parts[::-1]) if parts else np.zeros((6, 0))
        return slice(self._v[joint], self._v[joint] + NV[kind]), columns

    def _body_jacobian(self, q: Floats, Xs_WL: list[Floats], link: int, X_WS: Floats) -> Floats:
        """Body Jacobian at S (fixed on a link): twists at S in S's axes, (6, nv)."""
        J = np.zeros((6, self.nv))
        joint = self._link_joint[link]
        while joint >= 0:
            where, columns = self._columns(q, joint, inverse(Xs_WL[self._child[joint]]) @ X_WS)
            J[:, where] = columns
            joint = self._link_joint[self._parent[joint]]
        return J

    def link_twists(self, q: Floats, v: Floats, twists: Floats, /) -> None:
        Xs_WL = self._links(q)
        for link, X_WL in enumerate(Xs_WL):
            V = self._body_jacobian(q, Xs_WL, link, X_WL) @ v
            R = X_WL[:3, :3]
            twists.reshape(-1, 6)[link] = np.concatenate([R @ V[:3], R @ V[3:]])

    def site_jacobian(
        self, q: Floats, site: int, point: Floats, axes: int, pose: Floats, J: Floats, /
    ) -> None:
        Xs_WL = self._links(q)
        X_WS = self._site(Xs_WL, site)
        X_WT = X_WS @ transform(p=point)
        R_ET = self._axes(Xs_WL, axes).T @ X_WT[:3, :3]
        pose[...] = pose_of(X_WS)
        J[...] = np.kron(np.eye(2), R_ET) @ self._body_jacobian(
            q, Xs_WL, self._site_link(site), X_WT
        )

    def _axes(self, Xs_WL: list[Floats], axes: int) -> Floats:
        return np.eye(3) if axes < 0 else self._site(Xs_WL, axes)[:3, :3]

    def site_jacobian_dot(
        self, q: Floats, v: Floats, site: int, point: Floats, axes: int, J_dot: Floats, /
    ) -> None:
        # d/dt Ad(X_SM) = Ad(X_SM) ad(V_M - Ad(X_MS) V_S), applied step by step along the chain.
        Xs_WL = self._links(q)
        X_WT = self._site(Xs_WL, site) @ transform(p=point)
        link = self._site_link(site)
        J = self._body_jacobian(q, Xs_WL, link, X_WT)
        dJ = np.zeros_like(J)
        V_beyond = np.zeros(6)  # twist of T relative to the step's frame, at T in T's axes
        joint = self._link_joint[link]
        while joint >= 0:
            kind, first = self._type[joint], self._q[joint]
            steps = joint_steps(kind, q[first : first + NQ[kind]], float(self._pitch[joint]))
            last = self._v[joint] + NV[kind]
            for step in reversed(steps):
                where = slice(last - step.subspace.shape[1], last)
                dJ[:, where] = -twist_bracket(V_beyond) @ J[:, where]
                V_beyond = V_beyond + J[:, where] @ v[where]
                last = where.start
            joint = self._link_joint[self._parent[joint]]
        # from T's own axes to the axes asked for, which turn as well
        R_E = self._axes(Xs_WL, axes)
        w_T = X_WT[:3, :3] @ (J @ v)[3:]
        w_E = np.zeros(3)
        if axes >= 0:
            X_WE = self._site(Xs_WL, axes)
            J_E = self._body_jacobian(q, Xs_WL, self._site_link(axes), X_WE)
            w_E = X_WE[:3, :3] @ (J_E @ v)[3:]
        R_ET = R_E.T @ X_WT[:3, :3]
        R_ET_dot = R_E.T @ cross_matrix(w_T - w_E) @ X_WT[:3, :3]
        J_dot[...] = np.kron(np.eye(2), R_ET) @ dJ + np.kron(np.eye(2), R_ET_dot) @ J

    # Loops

    def loop_residual(self, q: Floats, phi: Floats, /) -> None:
        Xs_WL, cut_count = self._links(q), self._blocks.counts.cut
        for loop in range(self._blocks.counts.loop):
            if loop >= cut_count:
                phi.reshape(-1, 6)[loop] = coupling_residual(self._blocks, q, loop - cut_count)
                continue
            X_WM, X_WK = self._loop_ends(q, Xs_WL, loop)
            X_KM = inverse(X_WK) @ X_WM
            phi.reshape(-1, 6)[loop] = np.concatenate([X_KM[:3, 3], rotation_log(X_KM[:3, :3])])

    def loop_jacobian(self, q: Floats, J: Floats, /) -> None:
        Xs_WL, cut_count = self._links(q), self._blocks.counts.cut
        rows = J.reshape(self._blocks.counts.loop, 6, self.nv)
        for loop in range(self._blocks.counts.loop):
            if loop >= cut_count:
                rows[loop] = coupling_row(self._blocks, q, loop - cut_count)
                continue
            cut = self._loop_joint[loop]
            X_WM, X_WK = self._loop_ends(q, Xs_WL, loop)
            X_KM = inverse(X_WK) @ X_WM
            J_M = self._body_jacobian(q, Xs_WL, self._parent[cut], X_WM)
            where, columns = self._columns(q, cut, np.eye(4))
            J_M[:, where] = columns
            J_K = self._body_jacobian(q, Xs_WL, self._child[cut], X_WK)
            V_KM = J_M - adjoint(inverse(X_KM)) @ J_K  # M relative to K, at M in M's axes
            rows[loop, :3] = X_KM[:3, :3] @ V_KM[:3]
            rows[loop, 3:] = right_jacobian_inverse(rotation_log(X_KM[:3, :3])) @ V_KM[3:]

    def augmented_jacobian(self, q: Floats, tasks: Ints, J: Floats, /) -> None:
        pairs = [(site, TaskKind(kind)) for site, kind in np.reshape(tasks, (-1, 2)).tolist()]
        task_rows = sum(kind.row_count for _, kind in pairs)
        rows = J.reshape(task_rows + 6 * self._blocks.counts.loop, self.nv)
        at = 0
        for site, kind in pairs:
            full = np.zeros((6, self.nv))
            self.site_jacobian(q, site, np.zeros(3), -1, np.zeros(7), full)
            wanted = {TaskKind.POSE: full, TaskKind.POINT: full[:3], TaskKind.ROTATION: full[3:]}
            rows[at : at + kind.row_count] = wanted[kind]
            at += kind.row_count
        self.loop_jacobian(q, rows[at:])

    # Configurations

    def is_configuration(self, q: object, /) -> TypeGuard[Floats]:
        return is_given(q, (self.nq,)) and all(
            1e-12 < q[first : first + 4] @ q[first : first + 4] < 1e12
            for kind, first in zip(self._type, self._q, strict=True)
            if kind in QUATERNIONS
        )

    def is_tangent(self, v: object, /) -> TypeGuard[Floats]:
        return is_given(v, (self.nv,))

    def integrate(self, q: Floats, v: Floats, out: Floats, dt: float = 1.0, /) -> None:
        step = v * dt
        for joint, kind in enumerate(self._type):
            a = q[self._q[joint] : self._q[joint] + NQ[kind]]
            d = step[self._v[joint] : self._v[joint] + NV[kind]]
            o = out[self._q[joint] : self._q[joint] + NQ[kind]]
            if kind == FREE:
                o[4:] = a[4:] + quat_to_matrix(a[:4]) @ left_jacobian(d[3:]) @ d[:3]
            if kind in QUATERNIONS:
                o[:4] = quat_normalize(quat_multiply(quat_normalize(a[:4]), quat_exp(d[-3:])))
            else:
                o[:] = a + d

    def difference(self, q0: Floats, q1: Floats, out: Floats, /) -> None:
        for joint, kind in enumerate(self._type):
            a = q0[self._q[joint] : self._q[joint] + NQ[kind]]
            b = q1[self._q[joint] : self._q[joint] + NQ[kind]]
            o = out[self._v[joint] : self._v[joint] + NV[kind]]
            if kind in QUATERNIONS:
                relative = quat_multiply(a[:4] * [1, -1, -1, -1], b[:4])
                o[-3:] = quat_log(quat_normalize(relative))
                if kind == FREE:
                    p = quat_to_matrix(a[:4]).T @ (b[4:] - a[4:])
                    o[:3] = np.linalg.solve(left_jacobian(o[3:]), p)
            else:
                o[:] = b - a


def is_given(array: object, shape: tuple[int, ...]) -> TypeGuard[Floats]:
    """Whether it is a contiguous array of finite float64 numbers of this shape."""
    return (
        type(array) is np.ndarray
        and array.dtype == np.float64
        and array.shape == shape
        and array.flags.c_contiguous
        and bool(np.isfinite(array).all())
    )


def check_numbers(array: Floats, size: int, name: str) -> None:
    """Refuse what the compiled kernels refuse: other than ``size`` contiguous float64 numbers."""
    fits = isinstance(array, np.ndarray) and array.dtype == np.float64 and array.size == size
    if not (fits and array.flags.c_contiguous):
        raise ValueError(f"{name}: expected {size} contiguous float64 numbers, got {array!r}")


class Evaluator:
    """Pose and Jacobian of one site into the same two arrays at every call."""

    def __init__(self, bound: BoundModel, site: int, axes: int, pose: Floats, J: Floats) -> None:
        self._bound, self._site, self._axes = bound, site, axes
        self._result = (pose, J)

    def __call__(self, q: Floats, /) -> tuple[Floats, Floats]:
        check_numbers(q, self._bound.nq, "q")
        pose, J = self._result
        self._bound.site_jacobian(q, self._site, np.zeros(3), self._axes, pose, J)
        return self._result
