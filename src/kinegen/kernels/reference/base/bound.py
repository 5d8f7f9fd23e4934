"""The kernels of one model as the protocol has them, on the NumPy kernels."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from kinegen.kernels.layout import TRANSFORM_SIZE, Floats, Ints
from kinegen.kernels.reference.base import formula, manifold
from kinegen.kernels.reference.base.forward import (
    forward_links,
    forward_poses,
    loop_transforms,
    site_transform,
)
from kinegen.kernels.reference.base.jacobian import link_twists, site_jacobian, site_jacobian_dot
from kinegen.kernels.reference.base.joint_types import QUATERNIONS
from kinegen.kernels.reference.base.model import bind_model
from kinegen.kernels.reference.base.transform import pose_of
from kinegen.kernels.reference.loops.loops import (
    augmented_jacobian,
    loop_jacobian,
    loop_residual,
)


class BoundModel:
    """A model's blocks with the NumPy kernels; see the protocol."""

    def __init__(self, ints: Ints, reals: Floats) -> None:
        self._m = bind_model(ints, reals)
        self._blocks = self._m.blocks
        self.nq, self.nv = self._m.nq, self._m.nv

    # Numbers

    def update(self) -> int:
        return formula.update(self._blocks, list(range(self._blocks.counts.formula)))

    def set_parameter(self, index: int, value: float, /) -> int:
        return formula.set_parameter(self._blocks, index, value)

    def set_number(self, index: int, value: float, /) -> int:
        return formula.set_number(self._blocks, index, value)

    # Positions

    def forward_poses(self, q: Floats, poses: Floats, /) -> None:
        poses[...] = forward_poses(self._m, q).reshape(poses.shape)

    def site_pose(self, q: Floats, site: int, pose: Floats, /) -> None:
        pose[:] = pose_of(site_transform(self._m, forward_links(self._m, q), site))

    def forward_links(self, q: Floats, transforms: Floats, /) -> None:
        rows = transforms.reshape(-1, TRANSFORM_SIZE)
        for row, X in zip(rows, forward_links(self._m, q), strict=True):
            row[:9] = X[:3, :3].ravel()
            row[9:] = X[:3, 3]

    def loop_poses(self, q: Floats, poses: Floats, /) -> None:
        Xs_WL = forward_links(self._m, q)
        for loop in range(self._blocks.counts.loop):
            for end, X in enumerate(loop_transforms(self._m, q, Xs_WL, loop)):
                poses.reshape(-1, 2, 7)[loop, end] = pose_of(X)

    # Velocities

    def link_twists(self, q: Floats, v: Floats, twists: Floats, /) -> None:
        made = link_twists(self._m, q, v, forward_links(self._m, q))
        twists[...] = made.reshape(twists.shape)

    def site_jacobian(
        self, q: Floats, site: int, point: Floats, axes: int, pose: Floats, J: Floats, /
    ) -> None:
        Xs_WL = forward_links(self._m, q)
        pose[...] = pose_of(site_transform(self._m, Xs_WL, site))
        J[...] = site_jacobian(self._m, q, Xs_WL, site, point, axes)

    def site_jacobian_dot(
        self, q: Floats, v: Floats, site: int, point: Floats, axes: int, J_dot: Floats, /
    ) -> None:
        Xs_WL = forward_links(self._m, q)
        J_dot[...] = site_jacobian_dot(self._m, q, v, Xs_WL, site, point, axes)

    # Loops

    def loop_residual(self, q: Floats, phi: Floats, /) -> None:
        phi[...] = loop_residual(self._m, q).reshape(phi.shape)

    def loop_jacobian(self, q: Floats, J: Floats, /) -> None:
        J[...] = loop_jacobian(self._m, q).reshape(J.shape)

    def augmented_jacobian(self, q: Floats, tasks: Ints, J: Floats, /) -> None:
        J[...] = augmented_jacobian(self._m, q, tasks).reshape(J.shape)

    # Configurations

    def is_configuration(self, q: object, /) -> TypeGuard[Floats]:
        return is_given(q, (self.nq,)) and all(
            1e-12 < q[first : first + 4] @ q[first : first + 4] < 1e12
            for kind, first in zip(self._m.joint_type, self._m.joint_q, strict=True)
            if kind in QUATERNIONS
        )

    def is_tangent(self, v: object, /) -> TypeGuard[Floats]:
        return is_given(v, (self.nv,))

    def integrate(self, q: Floats, v: Floats, out: Floats, dt: float = 1.0, /) -> None:
        out[:] = manifold.integrate(self._m, q, v * dt)

    def difference(self, q0: Floats, q1: Floats, out: Floats, /) -> None:
        out[:] = manifold.difference(self._m, q0, q1)


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
