"""A cam as a polynomial of its variable, where it is one that MuJoCo can hold."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.closure import loop_residual
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelCoupling

__all__ = ["DEGREE", "cam_polynomial"]

DEGREE = 4
"""Of MuJoCo's equations between two joints, at most."""
_SAMPLES = 48
"""Enough that a table of many arcs is no polynomial."""
_EXACT = 1e-11
"""What rounding may add, as a share of the lift."""


def cam_polynomial(model: Model, coupling: ModelCoupling, q: Floats) -> tuple[float, ...]:
    """Factors of the powers 0 to 4 of a cam's turn from q: the follower's lift; empty: it is none.

    The profile is sampled over the cam's whole range, or a turn to either side where it has no
    limits: at a polynomial's samples the fit leaves nothing but rounding.
    """
    terms = model.coupling_terms(coupling)
    if coupling.kind != "cam" or len(terms) != 2:
        return ()
    follower, cam = terms
    at, v = cam.joint.q.start + cam.variable, cam.joint.v.start + cam.variable
    reach = math.tau * (model.size if cam.joint.type.info.is_length[cam.variable] else 1.0)
    low, high = float(model.lower[v]) - q[at], float(model.upper[v]) - q[at]
    low, high = max(low, -reach), min(high, reach)
    if not low < high:
        return ()
    turns = (low + high) / 2 + (high - low) / 2 * np.cos(np.linspace(0, math.pi, _SAMPLES))
    lifts = np.empty(_SAMPLES)
    here = loop_residual(model, q)[coupling.row]
    for k, turn in enumerate(turns):
        moved = q.copy()
        moved[at] += turn
        lifts[k] = (here - loop_residual(model, moved)[coupling.row]) / follower.ratio
    if not np.isfinite(lifts).all():
        return ()
    fit = np.polynomial.Polynomial.fit(turns, lifts, DEGREE)
    lift = float(np.ptp(lifts))
    if np.abs(fit(turns) - lifts).max() > _EXACT * max(lift, 1e-12):
        return ()
    factors = np.zeros(DEGREE + 1)
    found = fit.convert().coef
    factors[: len(found)] = found
    factors[0] = 0.0  # the cam holds in this pose
    widest = max(abs(low), abs(high))
    factors[np.abs(factors) * widest ** np.arange(DEGREE + 1) < _EXACT * lift] = 0.0
    return tuple(factors.tolist())
