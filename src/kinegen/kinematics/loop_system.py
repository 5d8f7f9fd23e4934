"""LoopSystem: a model's loop equations with lengths measured by the mechanism's own size."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Blocks, Floats, bind
from kinegen.kinematics.closure import loop_jacobian, loop_poses, loop_residual
from kinegen.kinematics.configurations import integrate
from kinegen.kinematics.jacobians import jacobian
from kinegen.kinematics.positions import forward
from kinegen.mechanism.model import Model
from kinegen.spatial import SO3

__all__ = ["CLOSED", "HeldRotation", "LoopSystem", "mechanism_size", "placed_points"]

CLOSED = 1e-9
"""Loops whose scaled gap is below this are closed: far above rounding, far below any tolerance of
manufacture."""
_EXACT = 1e-14
"""Closing ends here: nothing is left but rounding."""
_LARGEST_STEP = 0.5
"""Scaled length of a closing step: beyond it the straight line says little about the loop."""
_DAMPING = 0.1
"""Share of the squared gap that damps a closing step: where a loop loses rank, steps stay as short
as the gap, and the damping vanishes with it (Yamashita, Fukushima 2001)."""


def placed_points(model: Model, q: Floats) -> Floats:
    """Where all joints sit on their links, where the cut ones land, and all frames, (n, 3) [m]."""
    at = forward(model, q)
    links = [joint.parent for joint in model.joints]
    links += [model.joints[loop.joint].child for loop in model.loops]
    links += [frame.link for frame in model.frames]
    rotations = np.array([SO3(row[:4]).matrix for row in at[: model.link_count]])
    points = model.transforms[:, 9:]
    return np.asarray(np.einsum("nij,nj->ni", rotations[links], points) + at[links, 4:])


def mechanism_size(model: Model, q: Floats) -> float:
    """How far the joints lie from their middle, root mean square [m]; 1 when all are in one point.

    What is scaled by it does not depend on the unit of length.
    """
    points = placed_points(model, q)[: len(model.joints) + len(model.loops)]
    if not len(points):
        return 1.0
    apart = points - points.mean(axis=0)
    size = float(np.sqrt((apart**2).sum(axis=1).mean()))
    return size if size > 1e-9 * (1e-300 + float(np.abs(points).max())) else 1.0


@dataclass(frozen=True, slots=True)
class HeldRotation:
    """A link that must not turn: three more rows below those of the loops."""

    link: int
    R_WL: SO3


class LoopSystem:
    """Residual and Jacobian of all loops, scaled: angles by 1 rad, lengths by ``size``."""

    def __init__(
        self, model: Model, q: Floats, *, size: float | None = None, held: HeldRotation | None = None
    ) -> None:
        self.model = model
        self.size = mechanism_size(model, q) if size is None else size
        self.held = held
        self.scale = np.ones(model.nv)
        """Change of each v for a scaled step of 1."""
        for joint in model.joints:
            for i, (_, quantity) in enumerate(joint.type.info.variables):
                if quantity == "length":
                    self.scale[joint.v.start + i] = self.size
        self._rows = np.tile(np.repeat([1 / self.size, 1.0], 3), len(model.loops))

    def variant(self) -> LoopSystem:
        """The same with placements of its own, which may be written without touching the model."""
        model = copy.copy(self.model)
        model.blocks = Blocks(self.model.ints, self.model.reals.copy())
        model.kernels = bind(model.ints, model.reals)
        other = copy.copy(self)
        other.model = model
        return other

    def residual(self, q: Floats) -> Floats:
        """Scaled phi(q)."""
        phi = loop_residual(self.model, q) * self._rows
        if self.held is None:
            return phi
        quat_WL = forward(self.model, q)[self.held.link, :4]
        return np.concatenate([phi, SO3(quat_WL).minus(self.held.R_WL)])

    def jacobian(self, q: Floats) -> Floats:
        """Scaled derivative of the residual by scaled steps."""
        J = loop_jacobian(self.model, q) * self._rows[:, None] * self.scale
        if self.held is None:
            return J
        name = self.model.link_names[self.held.link]
        turning = jacobian(self.model, q, name, axes=name)[3:] * self.scale
        return np.vstack([J, turning])

    def move(self, q: Floats, step: Floats) -> Floats:
        """q moved by a scaled step."""
        return integrate(self.model, q, self.scale * step)

    def gap(self, q: Floats) -> float:
        """Length of the scaled residual."""
        return float(np.linalg.norm(self.residual(q)))

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
        damping = 1.0
        for _ in range(iterations):
            if gap < _EXACT:
                break
            J = self.jacobian(q)
            U, s, Vt = np.linalg.svd(J if within is None else J @ within, full_matrices=False)
            mu = damping * _DAMPING * min(gap, 1.0) ** 2
            step = -Vt.T @ (s / (s**2 + mu + 1e-300) * (U.T @ phi))
            step *= min(1.0, _LARGEST_STEP / (1e-300 + float(np.linalg.norm(step))))
            tried = self.move(q, step if within is None else within @ step)
            phi_tried = self.residual(tried)
            gap_tried = float(np.linalg.norm(phi_tried))
            if gap_tried < gap:
                slow = gap_tried > gap * (1 - 1e-6)
                q, phi, gap = tried, phi_tried, gap_tried
                damping = max(damping / 4, 1e-3)
                if slow:
                    break
            else:
                damping *= 8
                if damping > 1e12:
                    break
        return q, gap

    def gaps(self, q: Floats) -> tuple[Floats, Floats]:
        """Per loop: how far it is open [m] and by what angle [rad]."""
        phi = loop_residual(self.model, q).reshape(-1, 2, 3)
        return np.linalg.norm(phi[:, 0], axis=1), np.linalg.norm(phi[:, 1], axis=1)


_ = loop_poses
