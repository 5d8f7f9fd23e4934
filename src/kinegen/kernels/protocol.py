"""What every set of kernels offers: the signatures that the compiled and NumPy ones share.

q has nq numbers, v nv, both float64 and contiguous. A *site* is a link (its index) or a named frame
(link count + its index); *axes* is the site whose axes a result is expressed in, -1 for the
world's. Twists and Jacobian rows are linear first, then angular. Results go into the last argument.

These kernels start no threads. A bound model and an evaluator each hold scratch memory, so that two
threads may not be in the same one at once; Python's lock sees to that unless it is switched off.
"""

from __future__ import annotations

import enum
from typing import Protocol, TypeAlias, TypeGuard

from kinegen.kernels.layout import Floats, Ints

__all__ = [
    "BoundLoops",
    "BoundModel",
    "BoundMotion",
    "BoundSolver",
    "Evaluator",
    "HandleKind",
    "MobilityReport",
    "Outcome",
    "RawReport",
    "TaskKind",
    "Ticker",
]

RawReport: TypeAlias = tuple[
    int, int, int, int, float, float, float, float, float, float, float, float, int
]
"""The numbers of a :class:`~kinegen.kernels.call_records.SolverReport`, in order."""


MobilityReport: TypeAlias = tuple[int, int, int, int, int, int, int, int, float, float, float]
"""Instantaneous and finite mobility, Grübler's count, redundant rows, idle degrees of freedom,
whether the loops are closed, groups of loops, singular values; how clear the rank is; widest gap
[m], [rad]."""


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


class HandleKind(enum.IntEnum):
    """What a handle asks of its site."""

    POINT = 0
    """A point of the site comes to a place."""
    POSE = 1
    """The point, and the site's rotation."""
    DIRECTION = 2
    """The point, and an axis of the site along a direction."""
    ROTATION = 3
    """The site's rotation alone."""


class Outcome(enum.IntEnum):
    """Why the solver stopped."""

    REACHED = 0
    """Handles met, loops closed."""
    NEAREST = 1
    """No better pose in reach: the handles are as near as they can be."""
    MOVING = 2
    """The bounds of the call ended it: call again to continue."""
    STUCK = 3
    """Loops or pins cannot be closed; q is the last good one."""


class BoundSolver(Protocol):
    """A model's solver. Handles and options are rows of ``call_records``."""

    def run(
        self,
        q: Floats,
        handle_ints: Ints,
        handle_reals: Floats,
        options: Floats,
        bounds: Floats | None,
        weights: Floats | None,
        posture: Floats | None,
        locked: Ints | None,
        held: Ints,
    ) -> RawReport:
        """Move q in place towards the handles; held: -1 or 1 where a limit held a variable."""
        ...

    def search(
        self,
        q: Floats,
        handle_ints: Ints,
        handle_reals: Floats,
        options: Floats,
        weights: Floats | None,
        posture: Floats | None,
        locked: Ints | None,
        attempts: int,
        seed: int,
        held: Ints,
    ) -> tuple[int, RawReport]:
        """Solve from q, then from random starts; attempts made and the best answer's report."""
        ...

    def enumerate(
        self,
        q: Floats,
        handle_ints: Ints,
        handle_reals: Floats,
        options: Floats,
        locked: Ints | None,
        attempts: int,
        seed: int,
        distinct: float,
        by_variables: bool,
        capacity: int,
    ) -> Floats:
        """Different answers that random starts lead to, (count, nq)."""
        ...

    def close_many(
        self, qs: Floats, options: Floats, locked: Ints | None, gaps: Floats, threads: int
    ) -> None:
        """Close the loops of many configurations (n, nq) in place; scaled gaps (n)."""
        ...

    def meet_many(
        self,
        qs: Floats,
        handle_ints: Ints,
        handle_reals: Floats,
        options: Floats,
        locked: Ints | None,
        follow: bool,
        outcomes: Ints,
        gaps: Floats,
        threads: int,
    ) -> None:
        """Meet many targets of the same handles, (n, 15 per handle), each from its row of qs.

        With ``follow`` from the answer before it, where that was met. Outcomes and scaled gaps (n).
        """
        ...


class BoundLoops(Protocol):
    """Some loops of a model as equations over some of v; angles by 1 rad, lengths by a size.

    Rows: six per loop, then three for a link that must not turn, if there is one.
    """

    def hold(self, link: int, R: Floats, /) -> None:
        """Let a link keep the rotation R_WL (3, 3); -1 for none."""
        ...

    def residual(self, q: Floats, phi: Floats, /) -> None:
        """What is missing, scaled, (rows)."""
        ...

    def jacobian(self, q: Floats, J: Floats, /) -> None:
        """Its derivative by scaled steps, (rows, variables)."""
        ...

    def close(self, q: Floats, within: Floats | None, iterations: int) -> float:
        """Move q in place to where the loops are closed, or nearly; the scaled gap there.

        Steps stay within orthonormal columns, (variables, count), if there are any given.
        """
        ...

    def assemble(self, q: Floats, /) -> float:
        """The same from further away: other starts are tried where q leads into a dead end."""
        ...

    def finite_mobility(self, q: Floats, basis: Floats, tolerance: float, /) -> int:
        """How many of the free motions, (count, variables), survive a small finite motion."""
        ...


class BoundMotion(Protocol):
    """A model's mobility, velocities and accelerations."""

    def mobility(
        self,
        q: Floats,
        locked: Ints | None,
        motors: Ints | None,
        tolerance: float,
        values: Floats,
        directions: Floats,
        groups: Ints,
        reports: Floats,
    ) -> MobilityReport:
        """The degrees of freedom at q, which is moved in place to where the loops are closed.

        ``locked`` and ``motors`` have an int per v. Results: singular values (room for 6 per loop),
        motions (nv, nv) of which the first are filled, the group of each loop, and per group its
        size [m], scaled gap, instantaneous and finite mobility, number of singular values, how
        clear its rank is (loop_count, 6).
        """
        ...

    def motion(
        self,
        q: Floats,
        v: Floats | None,
        driven: Ints,
        values: Floats,
        frames: Ints,
        frame_values: Floats,
        size: float,
        out: Floats,
        missed: Floats,
        free_motion: Floats,
    ) -> tuple[float, float, int]:
        """Velocities of all joints for given ones, or accelerations where v is given.

        ``driven``: 1 per v that ``values`` gives; ``frames``: site and rows (3 or 6) each, with six
        ``frame_values``. ``missed`` has a number per input row, scaled by ``size``; the first rows
        of ``free_motion`` (nv, nv) are what is left open. Returns residual, smallest singular
        value, number of motions left open.
        """
        ...

    def loop_bias(self, q: Floats, v: Floats, bias: Floats, /) -> None:
        """d(J_phi)/dt · v, (6 · loop_count)."""
        ...

    def site_motions(
        self, q: Floats, v: Floats, vdot: Floats, twists: Floats, accelerations: Floats, /
    ) -> None:
        """Twists and accelerations of all sites, (site_count, 6) each, world axes."""
        ...


class Ticker(Protocol):
    """One call of a solver's ``run`` again and again, its arrays checked once.

    Numbers in q and in the handles may change between calls; which handles there are may not.
    """

    def __call__(self) -> RawReport:
        """Move q in place towards the handles."""
        ...
