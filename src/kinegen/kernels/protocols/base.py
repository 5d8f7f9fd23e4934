"""What every set of kernels offers for a model: poses, Jacobians, configurations, its numbers.

q has nq numbers, v nv, both float64 and contiguous. A *site* is a link (its index) or a named frame
(link count + its index); *axes* is the site whose axes a result is expressed in, -1 for the
world's. Twists and Jacobian rows are linear first, then angular. Results go into the last argument.

These kernels start no threads. A bound model and an evaluator each hold scratch memory, so that two
threads may not be in the same one at once; Python's lock sees to that unless it is switched off.
"""

from __future__ import annotations

import enum
from typing import Protocol, TypeGuard

from kinegen.kernels.layout import Floats, Ints

__all__ = ["BoundModel", "Evaluator", "TaskKind"]


class TaskKind(enum.IntEnum):
    """Which rows a task has in the augmented Jacobian."""

    POSE = 0
    POINT = 1
    ROTATION = 2

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return 6 if self is TaskKind.POSE else 3


class BoundModel(Protocol):
    """A model's blocks with its kernels."""

    def update(self) -> int:
        """Run every formula and place every frame; 0, or 1 + a formula that is not finite."""
        ...

    def set_parameter(self, index: int, value: float, /) -> int:
        """Set a parameter and all that follows; 0, or 1 + the formula that refused it."""
        ...

    def set_number(self, index: int, value: float, /) -> int:
        """Set one of the values behind the parameters and place its frame; 0, or negative."""
        ...

    def is_configuration(self, q: object, /) -> TypeGuard[Floats]:
        """Whether it is an array (nq) as kernels take it: finite, its quaternions rotations."""
        ...

    def is_tangent(self, v: object, /) -> TypeGuard[Floats]:
        """Whether it is an array (nv) as kernels take it: finite."""
        ...

    def forward_poses(self, q: Floats, poses: Floats, /) -> None:
        """Poses X_WS of all sites, (site_count, 7): quaternion wxyz, translation [m]."""
        ...

    def site_pose(self, q: Floats, site: int, pose: Floats, /) -> None:
        """Pose X_WS of one site, (7): quaternion wxyz, translation [m]."""
        ...

    def forward_links(self, q: Floats, transforms: Floats, /) -> None:
        """Transforms X_WL of all links, (link_count, 12): rotation by rows, translation."""
        ...

    def link_twists(self, q: Floats, v: Floats, twists: Floats, /) -> None:
        """Twists V_WL_W of all links at their origins, (link_count, 6)."""
        ...

    def loop_poses(self, q: Floats, poses: Floats, /) -> None:
        """Poses X_WM and X_WK of each cut joint's two ends, (loop_count, 2, 7)."""
        ...

    def site_jacobian(
        self, q: Floats, site: int, point: Floats, axes: int, pose: Floats, J: Floats, /
    ) -> None:
        """Pose of a site (7) and Jacobian (6, nv) of a point given in the site's frame (3)."""
        ...

    def site_jacobian_dot(
        self, q: Floats, v: Floats, site: int, point: Floats, axes: int, J_dot: Floats, /
    ) -> None:
        """Time derivative (6, nv) of the same Jacobian when the joints move with v."""
        ...

    def loop_residual(self, q: Floats, phi: Floats, /) -> None:
        """How far the loops are open, (6 · loop_count): p_KM_K [m], log R_KM [rad] per loop."""
        ...

    def loop_jacobian(self, q: Floats, J: Floats, /) -> None:
        """Derivative of the residual, (6 · loop_count, nv)."""
        ...

    def augmented_jacobian(self, q: Floats, tasks: Ints, J: Floats, /) -> None:
        """Rows of (site, kind) tasks in world axes, then the loops' rows."""
        ...

    def integrate(self, q: Floats, v: Floats, out: Floats, dt: float = 1.0, /) -> None:
        """The configuration q moved by the tangent vector v · dt (nq)."""
        ...

    def difference(self, q0: Floats, q1: Floats, out: Floats, /) -> None:
        """The tangent vector from q0 to q1 (nv)."""
        ...


class Evaluator(Protocol):
    """Pose and Jacobian of one site into the same two arrays at every call."""

    def __call__(self, q: Floats, /) -> tuple[Floats, Floats]:
        """The two arrays, filled for q."""
        ...
