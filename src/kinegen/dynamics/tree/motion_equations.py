"""Equations of motion of the tree: H(q) vdot + bias(q, v) = tau + Jᵀ wrenches.

Cut joints are absent here: their degrees of freedom have no mass and their efforts are 0. Efforts
are what motors must give; springs and friction are separate (:func:`passive_forces`). Arrays that
are float64 and contiguous go straight to the kernels; everything else is checked and converted
first.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numpy import ndarray

from kinegen.dynamics.tree.masses import refuse_massless
from kinegen.dynamics.tree.wrenches import Wrenches, wrench_rows
from kinegen.errors import KernelError, UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, Velocity, configuration, tangent
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model

__all__ = [
    "Wrenches",
    "bias",
    "forward_dynamics",
    "gravity_forces",
    "inverse_dynamics",
    "mass_matrix",
    "mass_solve",
    "passive_forces",
]


def inverse_dynamics(
    model: AnyModel, q: Configuration, v: Velocity, vdot: Velocity, *, wrenches: Wrenches = None
) -> Floats:
    """Efforts tau [N m, N] that make the joints accelerate by vdot, (nv,).

    Args:
        model: A model or a mechanism.
        q: Configuration.
        v: Velocity.
        vdot: Acceleration [rad/s², m/s²].
        wrenches: External forces: by name of a link or frame (force [N] at its origin, moment
            [N m]; world axes), or (link_count, 6).
    """
    model = model_of(model)
    tau = model.dynamics.inverse(q, v, vdot, wrenches)
    if tau is None:
        q = configuration(model, q)
        v, vdot = tangent(model, v, "v"), tangent(model, vdot, "vdot")
        tau = _found(model.dynamics.inverse(q, v, vdot, wrench_rows(model, q, wrenches)))
    return tau


def bias(model: AnyModel, q: Configuration, v: Velocity, *, wrenches: Wrenches = None) -> Floats:
    """Efforts [N m, N] of Coriolis and centrifugal forces and gravity: tau for vdot = 0, (nv,)."""
    model = model_of(model)
    tau = model.dynamics.bias(q, v, wrenches)
    if tau is None:
        q, v = configuration(model, q), tangent(model, v, "v")
        tau = _found(model.dynamics.bias(q, v, wrench_rows(model, q, wrenches)))
    return tau


def gravity_forces(
    model: AnyModel, q: Configuration = None, *, wrenches: Wrenches = None
) -> Floats:
    """Efforts [N m, N] that hold the mechanism at rest against gravity (and wrenches), (nv,)."""
    model = model_of(model)
    tau = model.dynamics.gravity(q, wrenches)
    if tau is None:
        q = configuration(model, q)
        tau = _found(model.dynamics.gravity(q, wrench_rows(model, q, wrenches)))
    return tau


def mass_matrix(model: AnyModel, q: Configuration = None) -> Floats:
    """The mass matrix H, symmetric, rotors included, (nv, nv) [kg m², kg m, kg]."""
    model = model_of(model)
    H = model.dynamics.mass(q)
    return _found(model.dynamics.mass(configuration(model, q))) if H is None else H


def forward_dynamics(
    model: AnyModel, q: Configuration, v: Velocity, tau: Velocity, *, wrenches: Wrenches = None
) -> Floats:
    """Accelerations vdot [rad/s², m/s²] of the joints under efforts tau, (nv,).

    Args:
        model: A model or a mechanism.
        q: Configuration.
        v: Velocity.
        tau: Efforts of the motors [N m, N].
        wrenches: As in :func:`inverse_dynamics`.

    Raises:
        NumberError: A joint has no mass to move; it is named.
    """
    model = model_of(model)
    vdot = model.dynamics.forward(q, v, tau, wrenches)
    if isinstance(vdot, ndarray):
        return vdot
    if vdot is None:
        q = configuration(model, q)
        v, tau = tangent(model, v, "v"), tangent(model, tau, "tau")
        vdot = model.dynamics.forward(q, v, tau, wrench_rows(model, q, wrenches))
    if isinstance(vdot, int):
        refuse_massless(model, vdot)
    return _found(vdot)


def mass_solve(model: AnyModel, q: Configuration, rhs: npt.ArrayLike) -> Floats:
    """H(q)⁻¹ times one vector (nv,) or several (n, nv), without computing H: O(nv) each."""
    model = model_of(model)
    solved = model.dynamics.inverse_mass(q, rhs)
    if solved is None:
        solved = model.dynamics.inverse_mass(configuration(model, q), _rows(model, rhs))
    if isinstance(solved, int):
        refuse_massless(model, solved)
    return _found(solved)


def passive_forces(model: AnyModel, q: Configuration, v: Velocity) -> Floats:
    """Efforts of the joints' springs, dampers and friction, (nv,) [N m, N].

    These efforts act in addition to the motors: a motor must provide tau minus these. Dry friction
    is 0 at rest.
    """
    model = model_of(model)
    made = model.dynamics.passive(q, v)
    if made is None:
        made = model.dynamics.passive(configuration(model, q), tangent(model, v, "v"))
    return _found(made)


def _rows(model: Model, rhs: npt.ArrayLike) -> Floats:
    """A checked vector or checked rows."""
    try:
        rows = np.ascontiguousarray(rhs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"rhs takes numbers, got {rhs!r}") from error
    if np.ndim(rhs) == 1:
        return tangent(model, rows, "rhs")
    if rows.ndim != 2 or rows.shape[1] != model.nv or not np.isfinite(rows).all():
        raise UsageError(
            f"rhs of mechanism '{model.name}' has {model.nv} finite numbers in each row, got shape "
            f"{np.shape(rhs)}"
        )
    return rows


def _found(result: Floats | None) -> Floats:
    """What a kernel made of checked arguments."""
    if result is None:
        raise KernelError("the dynamics kernels rejected arguments that had been checked")
    return result
