"""Clearance: a design's distance from singular poses, as one goal among others."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.singular.branch_signs import BranchSigns
from kinegen.kinematics.solving.assembling.assembly import close
from kinegen.mechanism.model import Model
from kinegen.motion.crossings import signs_for

__all__ = ["Clearance"]

_STEP = 1e-4
"""Step of the differences along a parameter's range."""


class Clearance:
    """What poses lack of a wanted distance from singular ones, as lengths beside others."""

    def __init__(self, model: Model, frame: str, wanted: float) -> None:
        """Prepare; ``wanted`` is dimensionless, as the distances of singularities() are."""
        self.model, self.frame, self.wanted = model, frame, wanted
        self._signs: BranchSigns | None = None
        self._known = False

    def renew(self) -> None:
        """Forget the mechanism that was looked at: another one comes."""
        self._signs, self._known = None, False

    def distances(self, qs: Floats) -> Floats:
        """From the nearest singular pose, dimensionless, (n,); infinite where there is none."""
        if not self._known:
            point = np.zeros(3)
            self._signs = signs_for(self.model, Handle(self.frame, point), qs[0])
            self._known = True
        if self._signs is None:
            return np.full(len(qs), math.inf)
        return np.array([np.abs(self._signs.values(q)).min() for q in qs])

    def lacks(self, qs: Floats) -> Floats:
        """What is missing at each pose, times the mechanism's size [m], (n,)."""
        return np.asarray(np.maximum(0.0, self.wanted - self.distances(qs)) * self.model.size)

    def slopes(self, qs: Floats, Ds: list[Floats], names: tuple[str, ...], scale: Floats) -> Floats:
        """Their derivatives by the parameters with loops kept, times each one's scale, (n, k)."""
        found = np.zeros((len(qs), len(names)))
        if not self.lacks(qs).any():
            return found
        values, moved = self.model.parameters, np.empty_like(qs)
        for j, name in enumerate(names):
            here = values[name]
            sides = []
            for sign in (1, -1):
                step = sign * _STEP * scale[j]
                values[name] = here + step
                for i, q in enumerate(qs):
                    out = np.empty(self.model.nq)
                    self.model.kernels.integrate(q, np.ascontiguousarray(Ds[i][:, j] * step), out)
                    moved[i] = close(self.model, out, iterations=10)[0]
                sides.append(self.lacks(moved))
            values[name] = here
            found[:, j] = (sides[0] - sides[1]) / (2 * _STEP)
        return found
