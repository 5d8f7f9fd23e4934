"""Forward dynamics of the tree: H vdot = tau - bias."""

from __future__ import annotations

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.dynamics.inverse import bias_efforts
from kinegen.kernels.reference.dynamics.mass import mass_matrix, solve_mass
from kinegen.kernels.reference.dynamics.spatial import Masses


def forward_dynamics(
    d: Masses, q: Floats, v: Floats, tau: Floats, wrenches: Floats | None
) -> Floats | int:
    """Accelerations vdot (nv,) under efforts tau, or the joint that has no mass to move."""
    return solve_mass(d, mass_matrix(d, q), tau - bias_efforts(d, q, v, wrenches))
