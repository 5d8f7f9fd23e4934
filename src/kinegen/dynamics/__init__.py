"""Dynamics of a mechanism: forces and torques for motions, motions for forces, energy."""

from typing import TYPE_CHECKING

from kinegen.lazy import fetcher

if TYPE_CHECKING:
    from kinegen.dynamics.tree.batch import (
        bias_many,
        energy_many,
        forward_dynamics_many,
        gravity_forces_many,
        inverse_dynamics_many,
        mass_matrix_many,
    )
    from kinegen.dynamics.tree.masses import check_masses
    from kinegen.dynamics.tree.measures import Energy, Momentum, centre_of_mass, energy, momentum
    from kinegen.dynamics.tree.motion_equations import (
        Wrenches,
        bias,
        forward_dynamics,
        gravity_forces,
        inverse_dynamics,
        mass_matrix,
        mass_solve,
        passive_forces,
    )

_HOMES = {
    "tree.batch": "bias_many energy_many forward_dynamics_many gravity_forces_many "
    "inverse_dynamics_many mass_matrix_many",
    "tree.masses": "check_masses",
    "tree.measures": "Energy Momentum centre_of_mass energy momentum",
    "tree.motion_equations": "Wrenches bias forward_dynamics gravity_forces inverse_dynamics "
    "mass_matrix mass_solve passive_forces",
}

__all__ = [
    "Energy",
    "Momentum",
    "Wrenches",
    "bias",
    "bias_many",
    "centre_of_mass",
    "check_masses",
    "energy",
    "energy_many",
    "forward_dynamics",
    "forward_dynamics_many",
    "gravity_forces",
    "gravity_forces_many",
    "inverse_dynamics",
    "inverse_dynamics_many",
    "mass_matrix",
    "mass_matrix_many",
    "mass_solve",
    "momentum",
    "passive_forces",
]

if not TYPE_CHECKING:  # type checkers see the names themselves
    __getattr__ = fetcher(__name__, _HOMES)
