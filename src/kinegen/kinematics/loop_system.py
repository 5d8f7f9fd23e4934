"""LoopSystem: a model's loop equations with lengths measured by the mechanism's own size."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Blocks, Floats, bind
from kinegen.kernels.layout import TRANSFORM_SIZE
from kinegen.kernels.reference.rotation import rotation_log
from kinegen.kinematics.configurations import difference
from kinegen.kinematics.jacobians import jacobian
from kinegen.mechanism.model import Model

__all__ = [
    "CLOSED",
    "HeldRotation",
    "LoopSystem",
    "link_transforms",
    "mechanism_size",
    "placed_links",
    "placed_points",
]

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
_TINY = 1e-300
"""Keeps quotients finite where everything vanishes."""


def link_transforms(model: Model, q: Floats) -> tuple[Floats, Floats]:
    """Rotations R_WL (link_count, 3, 3) and origins p_WL (link_count, 3) [m] of all links."""
    transforms = np.empty((model.link_count, TRANSFORM_SIZE))
    model.kernels.forward_links(q, transforms)
    return transforms[:, :9].reshape(-1, 3, 3), transforms[:, 9:]


def placed_links(model: Model) -> list[int]:
    """The link that each placement is on: those of joints, of landings, of frames."""
    links: list[int] = [joint.parent for joint in model.joints]
    links += [model.joints[loop.joint].child for loop in model.loops]
    return links + [frame.link for frame in model.frames]


def placed_points(model: Model, q: Floats) -> Floats:
    """Where all joints sit on their links, where the cut ones land, and all frames, (n, 3) [m]."""
    R_WL, p_WL = link_transforms(model, q)
    links = placed_links(model)
    return np.asarray(np.einsum("nij,nj->ni", R_WL[links], model.transforms[:, 9:]) + p_WL[links])


def mechanism_size(model: Model, q: Floats) -> float:
    """How far the joints lie from their middle, root mean square [m]; 1 when all are in one point.

    What is scaled by it does not depend on the unit of length.
    """
    points = placed_points(model, q)[: len(model.joints) + len(model.loops)]
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
    """Residual and Jacobian of all loops, scaled: angles by 1 rad, lengths by ``size``."""

    def __init__(self, model: Model, q: Floats, locked: Iterable[str] = ()) -> None:
        self.model = model
        self.free = np.ones(model.nv, dtype=bool)
        """Which variables may move."""
        for name in locked:
            self.free[model.joint(name).v] = False
        self.size = mechanism_size(model, q)
        """[m]"""
        self.held: HeldRotation | None = None
        self.scale = np.ones(model.nv)
        """Change of each v [rad, m] for a scaled step of 1."""
        for joint in model.joints:
            for i, (_, quantity) in enumerate(joint.type.info.variables):
                if quantity == "length":
                    self.scale[joint.v.start + i] = self.size
        self._rows = np.tile(np.repeat([1 / self.size, 1.0], 3), len(model.loops))

    def variant(self) -> LoopSystem:
        """The same with placements of its own, which may be written without touching the model."""
        other = copy.copy(self)
        other.model = copy.copy(self.model)
        other.model.blocks = Blocks(self.model.ints, self.model.reals.copy())
        other.model.kernels = bind(other.model.ints, other.model.reals)
        return other

    def residual(self, q: Floats) -> Floats:
        """Scaled phi(q), (6 · loop_count), then what a held link has turned, (3)."""
        phi = np.empty(len(self._rows))
        self.model.kernels.loop_residual(q, phi)
        phi *= self._rows
        if self.held is None:
            return phi
        R_WL = link_transforms(self.model, q)[0][self.held.link]
        return np.concatenate([phi, rotation_log(self.held.R_WL.T @ R_WL)])

    def jacobian(self, q: Floats) -> Floats:
        """Derivative of the residual by scaled steps; columns of locked variables are 0."""
        J = np.empty((len(self._rows), self.model.nv))
        self.model.kernels.loop_jacobian(q, J)
        J *= self._rows[:, None] * self.scale
        if self.held is not None:
            name = self.model.link_names[self.held.link]
            J = np.vstack([J, jacobian(self.model, q, name, axes=name)[3:] * self.scale])
        J[:, ~self.free] = 0.0
        return J

    def move(self, q: Floats, step: Floats) -> Floats:
        """q moved by a scaled step."""
        out = np.empty(self.model.nq)
        self.model.kernels.integrate(q, self.scale * step, out)
        return out

    def moved(self, q0: Floats, q1: Floats) -> Floats:
        """The scaled step from q0 to q1."""
        return np.asarray(difference(self.model, q0, q1) / self.scale)

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
            damping = caution * _DAMPING * min(gap, 1.0) ** 2
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
