"""Dynamics of the tree as the protocol has them, on the NumPy kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.reference.base.bound import BoundModel, is_given
from kinegen.kernels.reference.dynamics.forward import forward_dynamics
from kinegen.kernels.reference.dynamics.inverse import (
    bias_efforts,
    gravity_efforts,
    inverse_dynamics,
)
from kinegen.kernels.reference.dynamics.mass import mass_matrix, solve_mass
from kinegen.kernels.reference.dynamics.measures import measure, passive_efforts
from kinegen.kernels.reference.dynamics.spatial import bind_masses


class BoundDynamics:
    """A model's blocks with the NumPy kernels of its dynamics; see the protocol."""

    def __init__(self, ints: Ints, reals: Floats) -> None:
        self._given = BoundModel(ints, reals)
        self.masses = bind_masses(ints, reals)
        self.nq, self.nv = self._given.nq, self._given.nv

    def _are_given(self, q: Any, *vectors: Any, wrenches: Any = None) -> bool:
        """Whether the arguments are as the kernels want them."""
        good = self._given.is_configuration(q) and all(map(self._given.is_tangent, vectors))
        links = self.masses.model.blocks.counts.link
        return good and (wrenches is None or is_given(wrenches, (links, 6)))

    def inverse(self, q: Any, v: Any, vdot: Any, wrenches: Any, /) -> Floats | None:
        if not self._are_given(q, v, vdot, wrenches=wrenches):
            return None
        return inverse_dynamics(self.masses, q, v, vdot, wrenches)

    def bias(self, q: Any, v: Any, wrenches: Any, /) -> Floats | None:
        if not self._are_given(q, v, wrenches=wrenches):
            return None
        return bias_efforts(self.masses, q, v, wrenches)

    def gravity(self, q: Any, wrenches: Any, /) -> Floats | None:
        if not self._are_given(q, wrenches=wrenches):
            return None
        return gravity_efforts(self.masses, q, wrenches)

    def mass(self, q: Any, /) -> Floats | None:
        return mass_matrix(self.masses, q) if self._are_given(q) else None

    def forward(self, q: Any, v: Any, tau: Any, wrenches: Any, /) -> Floats | int | None:
        if not self._are_given(q, v, tau, wrenches=wrenches):
            return None
        return forward_dynamics(self.masses, q, v, tau, wrenches)

    def inverse_mass(self, q: Any, rows: Any, /) -> Floats | int | None:
        shape = np.shape(rows)
        fits = len(shape) in {1, 2} and shape[-1] == self.nv
        if not (fits and self._are_given(q) and is_given(rows, shape)):
            return None
        return solve_mass(self.masses, mass_matrix(self.masses, q), rows)

    def factored_mass(self, q: Any, rows: Any, /) -> Floats | int | None:
        return self.inverse_mass(q, rows) if np.ndim(rows) == 2 else None

    def measures(self, q: Any, v: Any, /) -> Floats | None:
        return measure(self.masses, q, v) if self._are_given(q, v) else None

    def passive(self, q: Any, v: Any, /) -> Floats | None:
        return passive_efforts(self.masses, q, v) if self._are_given(q, v) else None
