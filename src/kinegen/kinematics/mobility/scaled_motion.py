"""ScaledMotion: small motions of a mechanism with lengths measured by its own size."""

from __future__ import annotations

import math

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import OPEN, RANK
from kinegen.kinematics.closure import loop_gap, loop_jacobian
from kinegen.kinematics.configurations import (
    Configuration,
    configuration,
    difference,
    integrate,
)
from kinegen.kinematics.tolerances import is_closed
from kinegen.mechanism.model import Model

__all__ = [
    "ScaledMotion",
    "closed_configuration",
    "null_basis",
]


class ScaledMotion:
    """Steps x of a model: v = scale · x, so that angles and lengths compare.

    Angles are scaled by 1 rad and lengths by the mechanism's size; singular values of matrices over
    such steps do not depend on the unit of length.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.size = model.size
        """[m]"""
        self.scale = np.ones(model.nv)
        """Change of each v [rad, m] for a step of 1."""
        for joint in model.joints:
            for i, (_, quantity) in enumerate(joint.type.info.variables):
                if quantity == "length":
                    self.scale[joint.v.start + i] = self.size
        self.rows = np.tile(np.repeat([1 / self.size, 1.0], 3), model.constraint_count)

    def loops(self, q: Floats) -> Floats:
        """Scaled loop rows, (6 · loop_count, nv)."""
        return np.asarray(loop_jacobian(self.model, q) * self.rows[:, None] * self.scale)

    def move(self, q: Floats, x: Floats) -> Floats:
        """The configuration q moved by a scaled step."""
        return integrate(self.model, q, self.scale * x)

    def between(self, q0: Floats, q1: Floats) -> Floats:
        """The scaled step from q0 to q1."""
        return np.asarray(difference(self.model, q0, q1) / self.scale)

    def free(self, q: Floats, rank: int | None = None) -> Floats:
        """Orthonormal steps that keep the loops closed to first order, (nv, count).

        Args:
            q: configuration.
            rank: of the loop rows in ordinary poses nearby; where more is lost, more steps come.
        """
        return null_basis(self.loops(q), rank)


def closed_configuration(model: Model, q: Configuration) -> Floats:
    """A checked q whose loops are closed; an error that says how far they are open otherwise."""
    here = configuration(model, q)
    if not is_closed(model, here, OPEN):
        gap = loop_gap(model, here)
        raise UsageError(
            f"the loops of mechanism '{model.name}' are open by {gap.distance * 1000:.3g} mm and "
            f"{math.degrees(gap.angle):.3g}° at this q: assemble them first"
        )
    return here


def null_basis(J: Floats, rank: int | None = None) -> Floats:
    """Orthonormal columns that J maps to zero, (columns, count).

    ``rank`` bounds from above how many singular values count.
    """
    if not J.shape[0] or not J.shape[1]:
        return np.eye(J.shape[1])
    _, values, Vt = np.linalg.svd(J, full_matrices=True)
    counted = int((values > RANK * (values[0] or 1.0)).sum())
    return np.asarray(Vt[counted if rank is None else min(rank, counted) :].T)
