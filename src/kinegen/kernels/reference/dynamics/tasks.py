"""Dynamics of the tree, link by link through Jacobians: tau = sum of J_cᵀ (force, moment).

The compiled kernels run recursions in the links' frames instead; the two share no formula but
Newton's and Euler's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.dynamics_protocol import DynamicsTask, Measure
from kinegen.kernels.layout import DRIVE_PARTS, INERTIA_SIZE, Blocks, Floats, Ints
from kinegen.kernels.reference.base.model import BoundModel, is_given
from kinegen.kernels.reference.base.rotation import cross, quat_log, quat_normalize
from kinegen.kernels.reference.base.steps import NQ, NV, QUATERNIONS
from kinegen.kernels.tolerances import MASSLESS


class BoundDynamics:
    """A model's blocks with the NumPy kernels of its dynamics."""

    def __init__(self, ints: Ints, reals: Floats) -> None:
        blocks = Blocks(ints, reals)
        self._model = BoundModel(ints, reals)
        self.nq, self.nv, self._links = blocks.counts.nq, blocks.counts.nv, blocks.counts.link
        self._inertia = blocks.real_part("inertia").reshape(-1, INERTIA_SIZE)
        self.gravity_W = blocks.real_part("gravity")
        self._drive = {name: blocks.real_part(name) for name in DRIVE_PARTS}
        self._type = blocks.int_part("joint_type").tolist()
        self._q = blocks.int_part("joint_q").tolist()
        self._v = blocks.int_part("joint_v").tolist()
        self.order = blocks.int_part("tree_order").tolist()
        self._child = blocks.int_part("joint_child").tolist()

    # Arguments

    def _are_given(self, q: Any, *vectors: Any, wrenches: Any = None) -> bool:
        """Whether the arguments are as the kernels want them."""
        good = self._model.is_configuration(q) and all(map(self._model.is_tangent, vectors))
        return good and (wrenches is None or is_given(wrenches, (self._links, 6)))

    # Links

    def _jacobian(self, q: Floats, link: int, point: Floats) -> tuple[Floats, Floats]:
        """Jacobian of a point of a link in world axes (6, nv), and the link's pose."""
        J, pose = np.empty((6, self.nv)), np.empty(7)
        self._model.site_jacobian(q, link, point, -1, pose, J)
        return J, pose

    def body(self, q: Floats, link: int) -> tuple[float, Floats, Floats, Floats, Floats]:
        """Mass, Jacobian at the centre, place of the centre, inertia in world axes, centre."""
        mass, *rest = self._inertia[link].tolist()
        centre = np.array(rest[:3])
        xx, yy, zz, xy, xz, yz = rest[3:]
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        J, _ = self._jacobian(q, link, centre)
        X = np.empty((self._links, 12))
        self._model.forward_links(q, X)
        R = X[link, :9].reshape(3, 3)
        return mass, J, X[link, 9:] + R @ centre, R @ tensor @ R.T, centre

    # Kernels

    def inverse(self, q: Any, v: Any, vdot: Any, wrenches: Any, /) -> Floats | None:
        if not self._are_given(q, v, vdot, wrenches=wrenches):
            return None
        tau: Floats = self._reflected() * vdot
        for link in range(1, self._links):
            mass, J, _, tensor, centre = self.body(q, link)
            J_dot = np.empty((6, self.nv))
            self._model.site_jacobian_dot(q, v, link, centre, -1, J_dot)
            motion = J @ vdot + J_dot @ v
            w = (J @ v)[3:]
            force = mass * (motion[:3] - self.gravity_W)
            moment = tensor @ motion[3:] + cross(w, tensor @ w)
            tau += J.T @ np.concatenate([force, moment])
            if wrenches is not None:
                tau -= self._jacobian(q, link, np.zeros(3))[0].T @ wrenches[link]
        return tau

    def bias(self, q: Any, v: Any, wrenches: Any, /) -> Floats | None:
        return self.inverse(q, v, np.zeros(self.nv), wrenches)

    def gravity(self, q: Any, wrenches: Any, /) -> Floats | None:
        return self.inverse(q, np.zeros(self.nv), np.zeros(self.nv), wrenches)

    def mass(self, q: Any, /) -> Floats | None:
        if not self._are_given(q):
            return None
        H = np.diag(self._reflected())
        for link in range(1, self._links):
            mass, J, _, tensor, _ = self.body(q, link)
            H += mass * J[:3].T @ J[:3] + J[3:].T @ tensor @ J[3:]
        return H

    def forward(self, q: Any, v: Any, tau: Any, wrenches: Any, /) -> Floats | int | None:
        if not self._are_given(q, v, tau, wrenches=wrenches):
            return None
        bias = self.bias(q, v, wrenches)
        assert bias is not None
        solved = self.inverse_mass(q, (tau - bias)[None])
        return solved if solved is None or isinstance(solved, int) else solved[0]

    def inverse_mass(self, q: Any, rows: Any, /) -> Floats | int | None:
        H = self.mass(q)
        shape = np.shape(rows)
        if H is None or len(shape) not in {1, 2} or shape[-1] != self.nv:
            return None
        if not is_given(rows, shape):
            return None
        massless = self.massless(H)
        if massless is not None:
            return massless
        tree = [k for joint in self.order for k in self.dof(joint)]
        out = np.zeros(shape)
        out[..., tree] = np.linalg.solve(H[np.ix_(tree, tree)], rows[..., tree].T).T
        return out

    def factored_mass(self, q: Any, rows: Any, /) -> Floats | int | None:
        return self.inverse_mass(q, rows) if np.ndim(rows) == 2 else None

    def measures(self, q: Any, v: Any, /) -> Floats | None:
        if not self._are_given(q, v):
            return None
        out = np.zeros(Measure.COUNT)
        spin = np.zeros(3)
        for link in range(1, self._links):
            mass, J, place, tensor, _ = self.body(q, link)
            velocity, w = (J @ v)[:3], (J @ v)[3:]
            out[Measure.MASS] += mass
            out[Measure.CENTRE :][:3] += mass * place
            out[Measure.LINEAR_MOMENTUM :][:3] += mass * velocity
            spin += tensor @ w + cross(place, mass * velocity)
            out[Measure.KINETIC] += 0.5 * (mass * velocity @ velocity + w @ tensor @ w)
            out[Measure.POTENTIAL] -= mass * place @ self.gravity_W
        with np.errstate(invalid="ignore"):
            out[Measure.CENTRE :][:3] /= out[Measure.MASS]
            momentum = out[Measure.LINEAR_MOMENTUM :][:3]
            out[Measure.CENTRE_VELOCITY :][:3] = momentum / out[Measure.MASS]
        spin -= cross(out[Measure.CENTRE :][:3], momentum)
        out[Measure.ANGULAR_MOMENTUM :][:3] = spin
        out[Measure.KINETIC] += 0.5 * self._reflected() @ (v * v)
        out[Measure.SPRINGS] = 0.5 * self._drive["stiffness"] @ self.stretches(q) ** 2
        return out

    def passive(self, q: Any, v: Any, /) -> Floats | None:
        if not self._are_given(q, v):
            return None
        drive = self._drive
        effort = -(drive["viscous"] + drive["spring_damping"]) * v
        effort -= drive["stiffness"] * self.stretches(q)
        more = np.maximum(drive["breakaway"] - drive["coulomb"], 0)
        slow = np.where(drive["stribeck"] > 0, drive["stribeck"], 1)
        fading = np.where(drive["stribeck"] > 0, np.exp(-((v / slow) ** 2)), 0)
        return np.asarray(effort - np.sign(v) * (drive["coulomb"] + more * fading))

    # Joints

    def dof(self, joint: int) -> range:
        return range(self._v[joint], self._v[joint] + NV[self._type[joint]])

    def _reflected(self) -> Floats:
        """Rotor inertia as each degree of freedom of the tree feels it."""
        out = np.zeros(self.nv)
        for joint in self.order:
            for k in self.dof(joint):
                out[k] = self._drive["rotor"][k] * self._drive["gear"][k] ** 2
        return out

    def stretches(self, q: Floats) -> Floats:
        """How far each variable is from where its spring is relaxed."""
        out = np.zeros(self.nv)
        for joint, kind in enumerate(self._type):
            own = q[self._q[joint] : self._q[joint] + NQ[kind]]
            if kind in QUATERNIONS:
                own = np.concatenate([own[4:], quat_log(quat_normalize(own[:4]))])
            out[self._v[joint] : self._v[joint] + NV[kind]] = own
        return out - self._drive["spring_rest"]

    def massless(self, H: Floats) -> int | None:
        """The first joint from the tips whose pivot, by elimination towards the base, is zero."""
        left, own = H.copy(), np.diag(H).copy()
        for joint in reversed(self.order):
            for k in self.dof(joint):
                if not left[k, k] > MASSLESS * own[k]:
                    return int(joint)
                left = left - np.outer(left[:, k], left[k]) / left[k, k]
        return None


def batch_dynamics(
    task: int, ints: Ints, reals: Floats, q: Floats, v: Floats | None, x: Floats | None,
    wrenches: Floats | None, out: Floats, threads: int,
) -> int:  # fmt: skip
    """One task of ``DynamicsTask`` for every row of q; 0, or 1 + a joint without mass.

    v and x (vdot or tau) have a row each as well, wrenches (n, link_count, 6) too; out has one of
    nv, nv² or 16 numbers. ``threads`` is of no use here.
    """
    bound = BoundDynamics(ints, reals)
    count, still = len(q), np.zeros(bound.nv)
    for array, width in ((q, bound.nq), (v, bound.nv), (x, bound.nv)):
        if array is not None and array.shape != (count, width):
            raise UsageError(f"an array of shape {array.shape} should have {(count, width)}")
    for n in range(count):
        vn = still if v is None else v[n]
        xn = still if x is None else x[n]
        made = _one(
            bound, DynamicsTask(task), q[n], vn, xn, None if wrenches is None else wrenches[n]
        )
        if isinstance(made, int):
            return 1 + made
        out.reshape(count, -1)[n] = np.nan if made is None else made.ravel()
    return 0


def _one(
    bound: BoundDynamics, task: DynamicsTask, q: Floats, v: Floats, x: Floats,
    wrenches: Floats | None,
) -> Floats | int | None:  # fmt: skip
    match task:
        case DynamicsTask.INVERSE:
            return bound.inverse(q, v, x, wrenches)
        case DynamicsTask.BIAS:
            return bound.bias(q, v, wrenches)
        case DynamicsTask.GRAVITY:
            return bound.gravity(q, wrenches)
        case DynamicsTask.FORWARD:
            return bound.forward(q, v, x, wrenches)
        case DynamicsTask.MASS:
            return bound.mass(q)
        case DynamicsTask.MEASURES:
            return bound.measures(q, v)
