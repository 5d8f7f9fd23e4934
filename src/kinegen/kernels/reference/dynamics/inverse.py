"""Inverse dynamics of the tree, link by link: tau = sum of J_cᵀ (force, moment)."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base.forward import forward_links
from kinegen.kernels.reference.base.jacobian import site_jacobian
from kinegen.kernels.reference.base.rotation import cross
from kinegen.kernels.reference.dynamics.spatial import Masses, bodies_at, rates_at


def inverse_dynamics(
    d: Masses, q: Floats, v: Floats, vdot: Floats, wrenches: Floats | None
) -> Floats:
    """Efforts tau (nv,) that make the joints accelerate by vdot."""
    tau: Floats = d.reflected() * vdot
    for body, J_dot in zip(bodies_at(d, q), rates_at(d, q, v), strict=True):
        motion = body.J @ vdot + J_dot @ v
        w = (body.J @ v)[3:]
        force = body.mass * (motion[:3] - d.gravity_W)
        moment = body.tensor @ motion[3:] + cross(w, body.tensor @ w)
        tau += body.J.T @ np.concatenate([force, moment])
    if wrenches is not None:
        Xs_WL = forward_links(d.model, q)
        for link in d.links:
            J = site_jacobian(d.model, q, Xs_WL, link, np.zeros(3), -1)
            tau -= J.T @ wrenches[link]
    return tau


def bias_efforts(d: Masses, q: Floats, v: Floats, wrenches: Floats | None) -> Floats:
    """The same for vdot = 0: Coriolis, centrifugal, gravity, wrenches."""
    return inverse_dynamics(d, q, v, np.zeros(d.model.nv), wrenches)


def gravity_efforts(d: Masses, q: Floats, wrenches: Floats | None) -> Floats:
    """The same at rest."""
    return bias_efforts(d, q, np.zeros(d.model.nv), wrenches)
