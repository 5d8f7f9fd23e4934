"""ScaledMotion: small motions of a mechanism with lengths measured by its own size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from kinegen.errors import AssemblyError, UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.closure import loop_gap, loop_jacobian, loop_residual
from kinegen.kinematics.configurations import (
    Configuration,
    configuration,
    difference,
    integrate,
)
from kinegen.mechanism.model import Model

__all__ = [
    "Condition",
    "ScaledMotion",
    "beyond_limits",
    "closed_configuration",
    "fresh_part",
    "null_basis",
]

GAP = 1e-9
"""Loops count as closed below this gap [m, rad]."""
OPEN = 1e-6
"""Loops wider than this [m, rad] are open: what is said about their motion means nothing."""
RANK = 1e-6
"""Singular values below this share of the largest count as zero: closing a loop in a singular pose
leaves errors of about the root of rounding, 1e-8."""
_EXACT = 1e-13
"""Closing ends here, scaled: nothing is left but rounding."""
_DIFFERENCE = 1e-5
"""Step of central differences: their error is its square."""
_LARGEST = 0.3
"""Largest scaled closing step: linear pictures hold this far."""


class Condition(Protocol):
    """Equations that a motion keeps besides the loops."""

    def error(self, q: Floats, /) -> Floats:
        """What is missing at q, scaled; 0 where the condition holds."""
        ...

    def jacobian(self, q: Floats, /) -> Floats:
        """Its derivative by scaled steps, (rows, nv)."""
        ...


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
        self.rows = np.tile(np.repeat([1 / self.size, 1.0], 3), len(model.loops))

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

    def close(self, q: Floats, *, keep: Condition | None = None, iterations: int = 60) -> Floats:
        """The nearest pose where loops and condition hold, by damped Newton steps.

        Raises:
            AssemblyError: When there is none nearby.
        """
        error = self._error(q, keep)
        size = float(np.linalg.norm(error))
        caution = 1.0
        for _ in range(iterations):
            if size < _EXACT or caution > 1e9:
                break
            J = self.loops(q) if keep is None else np.vstack([self.loops(q), keep.jacobian(q)])
            U, s, Vt = np.linalg.svd(J, full_matrices=False)
            # damping of the order of the squared error vanishes as it does, and keeps steps short
            # where rank is lost (Yamashita and Fukushima 2001)
            x = -Vt.T @ (s / (s**2 + 0.1 * caution * min(size, 1.0) ** 2 + 1e-300) * (U.T @ error))
            x *= min(1.0, _LARGEST / (float(np.abs(x).max(initial=0.0)) + 1e-300))
            tried = self.move(q, x)
            error_tried = self._error(tried, keep)
            size_tried = float(np.linalg.norm(error_tried))
            if size_tried >= size:
                caution *= 8
                continue
            standing = size_tried > size * (1 - 1e-3) and size_tried < 1e-11
            q, error, size, caution = tried, error_tried, size_tried, max(caution / 4, 1e-3)
            if standing:
                break
        gap = max(loop_gap(self.model, q))
        if gap > GAP or size > 100 * GAP:
            raise AssemblyError(
                f"the loops of mechanism '{self.model.name}' cannot be kept closed here (open by "
                f"{gap:.3g} m or rad)",
                gap=gap,
            )
        return q

    def _error(self, q: Floats, keep: Condition | None) -> Floats:
        phi = loop_residual(self.model, q) * self.rows
        return phi if keep is None else np.concatenate([phi, keep.error(q)])

    def neighbours(self, q: Floats, reach: float, count: int) -> list[Floats]:
        """Closed poses at random about ``reach`` away, for comparison with what is usual."""
        rng = np.random.default_rng(0)
        basis = self.free(q)
        found: list[Floats] = []
        for _ in range(4 * count):
            if len(found) == count or not basis.shape[1]:
                break
            x = basis @ rng.normal(size=basis.shape[1])
            x *= reach * rng.uniform(0.5, 1.0) / np.abs(x).max()
            try:
                found.append(self.close(self.move(q, x)))
            except AssemblyError:
                continue
        return found or [q]

    def gradient(self, q: Floats, measure: Callable[[Floats], float], rank: int) -> Floats:
        """Derivative of a measure over the free motion, (nv,), by central differences."""
        total = np.zeros(self.model.nv)
        for x in self.free(q, rank).T:
            ahead = measure(self.close(self.move(q, _DIFFERENCE * x)))
            behind = measure(self.close(self.move(q, -_DIFFERENCE * x)))
            total += (ahead - behind) / (2 * _DIFFERENCE) * x
        return total


def closed_configuration(model: Model, q: Configuration) -> Floats:
    """A checked q whose loops are closed; an error that says how far they are open otherwise."""
    here = configuration(model, q)
    gap = max(loop_gap(model, here))
    if gap > OPEN:
        raise UsageError(
            f"the loops of mechanism '{model.name}' are open by {gap:.3g} m or rad at this q: "
            "assemble them first"
        )
    return here


def beyond_limits(model: Model, q: Floats) -> list[str]:
    """Joints outside their limits at q; joints with quaternions are not looked at."""
    names = []
    for joint in model.joints:
        if joint.q.stop - joint.q.start == joint.v.stop - joint.v.start:
            low, high = model.lower[joint.v] - GAP, model.upper[joint.v] + GAP
            if ((q[joint.q] < low) | (q[joint.q] > high)).any():
                names.append(joint.name)
    return names


def null_basis(J: Floats, rank: int | None = None) -> Floats:
    """Orthonormal columns that J maps to zero, (columns, count).

    ``rank`` bounds from above how many singular values count.
    """
    if not J.shape[0] or not J.shape[1]:
        return np.eye(J.shape[1])
    _, values, Vt = np.linalg.svd(J, full_matrices=True)
    counted = int((values > RANK * (values[0] or 1.0)).sum())
    return np.asarray(Vt[counted if rank is None else min(rank, counted) :].T)


def fresh_part(here: Floats, usual: Floats, count: int) -> Floats:
    """What a null space has here and not in a usual pose nearby: ``count`` columns of its span.

    At a singular pose the new direction is mixed with those that are always there; what the usual
    null space lacks tells them apart.
    """
    if here.shape[1] <= count:
        return here
    _, _, Vt = np.linalg.svd(here - usual @ (usual.T @ here))
    return np.asarray(here @ Vt[:count].T)
