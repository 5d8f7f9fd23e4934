"""Time-optimal timing under speeds, accelerations and efforts, by TOPP-RA (Pham and Pham, 2018)."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinegen.dynamics.tree.batch import inverse_dynamics_many
from kinegen.dynamics.tree.statics import motor_efforts
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.motion.timing.timing import TimeLaw

__all__ = ["optimal_law"]


def optimal_law(
    model: Model,
    ways: Floats,
    q: Floats,
    values: Floats,
    v_most: Floats,
    a_most: Floats,
    efforts: Floats | None = None,
) -> tuple[TimeLaw, Floats, Floats]:
    """The fastest law from rest to rest, with joint speeds and accelerations at each sample.

    Args:
        model: The compiled mechanism.
        ways: Length of the way to each sample [m], (n,), rising.
        q: Configurations there, (n, nq).
        values: Joint coordinates there, (n, nv).
        v_most: Largest joint speeds, (nv,).
        a_most: Largest joint accelerations, (nv,).
        efforts: Largest efforts of motors [N m, N], (nv,), infinite where there is none; friction
            is not counted. None: efforts do not matter.
    """
    try:
        import toppra
        from toppra import algorithm, constraint
    except ImportError:
        raise UsageError(
            "timing 'optimal' needs the package toppra: pip install 'kinegen[motion]'"
        ) from None
    # joints that stand still only cost time
    moving = np.flatnonzero(np.ptp(values, axis=0) > 1e-12)
    if not len(moving):
        raise UsageError("no joint moves along this segment, so it cannot be timed")
    speeds = np.minimum(v_most[moving], 1e6)
    curve = toppra.SplineInterpolator(ways, values[:, moving])
    slope, bend = curve(ways, 1), curve(ways, 2)
    kept = [
        constraint.JointVelocityConstraint(np.stack([-speeds, speeds], axis=1)),
        constraint.JointAccelerationConstraint(np.stack([-a_most[moving], a_most[moving]], axis=1)),
    ]
    if efforts is not None and np.isfinite(efforts).any():
        slopes, bends = np.zeros_like(values), np.zeros_like(values)
        slopes[:, moving], bends[:, moving] = slope, bend
        kept.append(_effort_constraint(model, q, slopes, bends, efforts))
    problem = algorithm.TOPPRA(kept, curve, gridpoints=ways, solver_wrapper="seidel")
    _, rates, _ = problem.compute_parameterization(0.0, 0.0)
    if rates is None or not np.isfinite(rates).all():
        raise UsageError(
            "no timing keeps these limits along the segment"
            + (": the motors may be too weak to hold it there" if efforts is not None else "")
        )
    step = np.diff(ways)
    mean = (rates[1:] + rates[:-1]) / 2
    times = np.concatenate([[0.0], np.cumsum(step / np.maximum(mean, 1e-12))])
    rise = np.diff(rates**2) / (2 * step)  # constant between samples
    rises = np.concatenate([rise, rise[-1:]])
    v, vdot = np.zeros_like(values), np.zeros_like(values)
    v[:, moving] = slope * rates[:, None]
    vdot[:, moving] = bend * rates[:, None] ** 2 + slope * rises[:, None]
    return TimeLaw(times, rates, rises), v, vdot


def _effort_constraint(
    model: Model, q: Floats, slope: Floats, bend: Floats, efforts: Floats
) -> Any:
    """Motors' efforts a sddot + b sdot² + c within their limits, at each sample."""
    from toppra.constraint import LinearConstraint

    driven = np.flatnonzero(np.isfinite(efforts))
    still = np.zeros_like(slope)
    c = _efforts(model, q, still, still)[:, driven]
    a = _efforts(model, q, still, slope)[:, driven] - c
    b = _efforts(model, q, slope, bend)[:, driven] - c
    weak = np.argwhere(np.abs(c) > efforts[driven])
    if len(weak):
        sample, motor = weak[0]
        joint = next(j for j in model.joints if j.v.start <= driven[motor] < j.v.stop)
        raise UsageError(
            f"motor '{joint.name}' supplies at most {efforts[driven[motor]]:.4g}, and needs "
            f"{abs(c[sample, motor]):.4g} to hold the mechanism still at point {sample} of the path"
        )
    both = np.vstack([np.eye(len(driven)), -np.eye(len(driven))])
    most = np.concatenate([efforts[driven], efforts[driven]])

    class MotorLimits(LinearConstraint):  # type: ignore[misc]
        """Worked out beforehand: samples are configurations, not coordinates."""

        def compute_constraint_params(self, path: Any, gridpoints: Floats) -> Any:
            rows = len(gridpoints)
            return a, b, c, np.array([both] * rows), np.array([most] * rows), None, None

    return MotorLimits()


def _efforts(model: Model, q: Floats, v: Floats, vdot: Floats) -> Floats:
    """What motors give for each state, (n, nv)."""
    if not model.constraint_count:
        return inverse_dynamics_many(model, q, v, vdot)
    return np.array(
        [motor_efforts(model, *state).efforts for state in zip(q, v, vdot, strict=True)]
    )
