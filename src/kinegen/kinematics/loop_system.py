"""LoopSystem: loop equations in which lengths are measured by the mechanism's own size."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Blocks, BoundLoops, Floats, bind, loops
from kinegen.kinematics.configurations import difference
from kinegen.kinematics.loop_groups import LoopGroup, placed_points
from kinegen.mechanism.model import Model

__all__ = ["HeldRotation", "LoopSystem", "mechanism_size"]


def mechanism_size(model: Model, q: Floats, group: LoopGroup | None = None) -> float:
    """How far the joints lie from their middle, root mean square [m]; 1 when all are in one point.

    What is scaled by it does not depend on the unit of length. Of a group, its own joints count.
    """
    joints: Iterable[int] = range(len(model.joints))
    loops: Iterable[int] = range(len(model.loops))
    if group is not None:
        joints, loops = group.joints, group.cut_loops(model)
    points = placed_points(model, q)[[*joints, *(model.counts.joint + n for n in loops)]]
    if not len(points):
        return 1.0
    size = float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()))
    return size if size > 1e-9 * float(np.abs(points).max()) else 1.0


@dataclass(frozen=True, slots=True)
class HeldRotation:
    """A link that must not turn: three more rows below those of the loops."""

    link: int
    R_WL: Floats
    """(3, 3)."""


class LoopSystem:
    """Residual and Jacobian of a group of loops, scaled: angles by 1 rad, lengths by ``size``.

    Steps are over the group's own variables, those apart that are locked; the others stay.
    """

    def __init__(
        self,
        model: Model,
        group: LoopGroup,
        q: Floats,
        *,
        locked: Iterable[str] = (),
        size: float | None = None,
    ) -> None:
        self.model = model
        self.group = group
        self.size = size = mechanism_size(model, q, group) if size is None else size
        """Of the group at q [m]."""
        still = {model.joint_index(name) for name in locked}
        moving = [model.joints[i] for i in group.joints if i not in still]
        self.variables = np.array(
            [i for joint in moving for i in range(joint.v.start, joint.v.stop)], dtype=np.int32
        )
        """Which of v are the steps' entries."""
        quantities = [quantity for joint in moving for _, quantity in joint.type.info.variables]
        self.scale = np.array([size if what == "length" else 1.0 for what in quantities])
        """Change of each variable [rad, m] for a scaled step of 1."""
        self._held: HeldRotation | None = None
        self.kernels = self._bound()

    def _bound(self) -> BoundLoops:
        which = np.array(self.group.loops, dtype=np.int32)
        return loops(self.model.ints, self.model.reals, which, self.variables, self.size)

    @property
    def held(self) -> HeldRotation | None:
        """The link that must not turn, if any."""
        return self._held

    @held.setter
    def held(self, held: HeldRotation | None) -> None:
        self._held = held
        if held is None:
            self.kernels.hold(-1, np.eye(3))
        else:
            self.kernels.hold(held.link, np.ascontiguousarray(held.R_WL))

    @property
    def row_count(self) -> int:
        """Six per loop, and three for a held link."""
        return 6 * len(self.group.loops) + (3 if self.held else 0)

    def variant(self) -> LoopSystem:
        """The same with placements of its own, which may be written without touching the model."""
        other = copy.copy(self)
        other.model = copy.copy(self.model)
        other.model.blocks = Blocks(self.model.ints, self.model.reals.copy())
        other.model.kernels = bind(other.model.ints, other.model.reals)
        other.kernels = other._bound()
        other.held = self.held
        return other

    def residual(self, q: Floats) -> Floats:
        """Scaled phi(q), six numbers per loop; then what a held link has turned, three."""
        phi = np.empty(self.row_count)
        self.kernels.residual(q, phi)
        return phi

    def jacobian(self, q: Floats) -> Floats:
        """Derivative of the residual by scaled steps."""
        J = np.empty((self.row_count, len(self.variables)))
        self.kernels.jacobian(q, J)
        return J

    def velocity(self, step: Floats) -> Floats:
        """The v [rad, m] of a scaled step, (nv,)."""
        v = np.zeros(self.model.nv)
        v[self.variables] = self.scale * step
        return v

    def velocities(self, steps: Floats) -> Floats:
        """The same of several steps by columns, (nv, count)."""
        v = np.zeros((self.model.nv, steps.shape[1]))
        v[self.variables] = self.scale[:, None] * steps
        return v

    def move(self, q: Floats, step: Floats) -> Floats:
        """The configuration q moved by a scaled step."""
        out = np.empty(self.model.nq)
        self.model.kernels.integrate(q, self.velocity(step), out)
        return out

    def moved(self, q0: Floats, q1: Floats) -> Floats:
        """The scaled step from q0 to q1."""
        return np.asarray(difference(self.model, q0, q1)[self.variables] / self.scale)

    def close(
        self, q: Floats, within: Floats | None = None, *, iterations: int = 60
    ) -> tuple[Floats, float]:
        """The nearest pose where the loops are closed, or as closed as they get, and its gap.

        Args:
            q: where to begin.
            within: orthonormal columns of scaled steps; closing moves only along them.
            iterations: steps at most.
        """
        here = q.copy()
        space = None if within is None else np.ascontiguousarray(within)
        return here, self.kernels.close(here, space, iterations)

    def assemble(self, q: Floats) -> tuple[Floats, float]:
        """The same from further away: other starts are tried where q leads into a dead end."""
        here = q.copy()
        return here, self.kernels.assemble(here)
