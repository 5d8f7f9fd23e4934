"""LoopSystem: loop equations in which lengths are measured by the mechanism's own size."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Blocks, Floats, bind
from kinegen.kernels.reference.rotation import rotation_log
from kinegen.kinematics.configurations import difference
from kinegen.kinematics.jacobians import jacobian
from kinegen.kinematics.loop_groups import LoopGroup, link_transforms, placed_points
from kinegen.mechanism.model import Model

__all__ = ["CLOSED", "HeldRotation", "LoopSystem", "mechanism_size"]

CLOSED = 1e-9
"""Loops whose scaled gap is below this are closed: far above rounding, far below what can be
made."""
_EXACT = 1e-14
"""Closing ends here: nothing is left but rounding."""
_LARGEST_STEP = 0.5
"""Scaled length of a closing step: beyond it the straight line says little about the loop."""
_DAMPING = 0.1
"""Share of the squared gap that damps a closing step: where loops lose rank, steps stay about as
short as the gap, and the damping vanishes with it (N. Yamashita, M. Fukushima, "On the rate of
convergence of the Levenberg-Marquardt method", Computing Suppl. 15, 2001)."""
_NOISE = 1e-8
"""Share of the largest singular value below which others say nothing: of a mechanism that moves
by its special dimensions, rounding makes one that hardly resists, and must not be drawn back."""
_TINY = 1e-300
"""Keeps quotients finite where everything vanishes."""


def mechanism_size(model: Model, q: Floats, group: LoopGroup | None = None) -> float:
    """How far the joints lie from their middle, root mean square [m]; 1 when all are in one point.

    What is scaled by it does not depend on the unit of length. Of a group, its own joints count.
    """
    points = placed_points(model, q)[: len(model.joints) + len(model.loops)]
    if group is not None:
        points = points[[*group.joints, *(len(model.joints) + n for n in group.loops)]]
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
        self, model: Model, group: LoopGroup, q: Floats, *, locked: Iterable[str] = ()
    ) -> None:
        self.model = model
        self.group = group
        self.size = size = mechanism_size(model, q, group)
        """Of the group at q [m]."""
        self.held: HeldRotation | None = None
        still = {model.joint_index(name) for name in locked}
        moving = [model.joints[i] for i in group.joints if i not in still]
        self.variables = np.array(
            [i for joint in moving for i in range(joint.v.start, joint.v.stop)], dtype=int
        )
        """Which of v are the steps' entries."""
        quantities = [quantity for joint in moving for _, quantity in joint.type.info.variables]
        self.scale = np.array([size if what == "length" else 1.0 for what in quantities])
        """Change of each variable [rad, m] for a scaled step of 1."""
        self._rows = np.array([6 * n + i for n in group.loops for i in range(6)], dtype=int)
        self._row_scale = np.tile(np.repeat([1 / size, 1.0], 3), len(group.loops))

    def variant(self) -> LoopSystem:
        """The same with placements of its own, which may be written without touching the model."""
        other = copy.copy(self)
        other.model = copy.copy(self.model)
        other.model.blocks = Blocks(self.model.ints, self.model.reals.copy())
        other.model.kernels = bind(other.model.ints, other.model.reals)
        return other

    def residual(self, q: Floats) -> Floats:
        """Scaled phi(q), six numbers per loop; then what a held link has turned, three."""
        phi = np.empty(6 * len(self.model.loops))
        self.model.kernels.loop_residual(q, phi)
        phi = phi[self._rows] * self._row_scale
        if self.held is None:
            return np.asarray(phi)
        R_WL = link_transforms(self.model, q)[0][self.held.link]
        return np.concatenate([phi, rotation_log(self.held.R_WL.T @ R_WL)])

    def jacobian(self, q: Floats) -> Floats:
        """Derivative of the residual by scaled steps."""
        J = np.empty((6 * len(self.model.loops), self.model.nv))
        self.model.kernels.loop_jacobian(q, J)
        J = J[np.ix_(self._rows, self.variables)] * self._row_scale[:, None]
        if self.held is not None:
            name = self.model.link_names[self.held.link]
            turning = jacobian(self.model, q, name, axes=name)[3:]
            J = np.vstack([J, turning[:, self.variables]])
        return np.asarray(J * self.scale)

    def velocity(self, step: Floats) -> Floats:
        """The v [rad, m] of a scaled step, (nv,)."""
        v = np.zeros(self.model.nv)
        v[self.variables] = self.scale * step
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
        phi = self.residual(q)
        gap = float(np.linalg.norm(phi))
        caution = 1.0
        for _ in range(iterations):
            if gap < _EXACT or caution > 1e9:
                break
            J = self.jacobian(q)
            U, s, Vt = np.linalg.svd(J if within is None else J @ within, full_matrices=False)
            damping = caution * _DAMPING * min(gap, 1.0) ** 2 + (_NOISE * s.max(initial=0.0)) ** 2
            step = -Vt.T @ (s / (s**2 + damping + _TINY) * (U.T @ phi))
            step *= min(1.0, _LARGEST_STEP / (float(np.linalg.norm(step)) + _TINY))
            tried = self.move(q, step if within is None else within @ step)
            phi_tried = self.residual(tried)
            gap_tried = float(np.linalg.norm(phi_tried))
            if gap_tried >= gap:
                caution *= 8
                continue
            standing = gap_tried > gap * (1 - 1e-6)
            q, phi, gap, caution = tried, phi_tried, gap_tried, max(caution / 4, 1e-3)
            if standing:
                break
        return q, gap

    def assemble(self, q: Floats) -> tuple[Floats, float]:
        """The same from further away: other starts are tried where q leads into a dead end."""
        here, gap = self.close(q)
        if gap > CLOSED:
            rng = np.random.default_rng(0)
            for reach in (0.1, 0.3, 0.6, 1.0):
                start = self.move(q, rng.normal(0, reach, len(self.variables)))
                tried, gap_tried = self.close(start)
                if gap_tried <= CLOSED:
                    return tried, gap_tried
                if gap_tried < 0.5 * gap:
                    here, gap = tried, gap_tried
        return here, gap
