"""Time-optimal timing under speeds and accelerations, by TOPP-RA (Pham and Pham, 2018)."""

from __future__ import annotations

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.motion.timing import TimeLaw

__all__ = ["optimal_law"]


def optimal_law(
    ways: Floats, values: Floats, v_most: Floats, a_most: Floats
) -> tuple[TimeLaw, Floats, Floats]:
    """The fastest law from rest to rest, with joint speeds and accelerations at each sample.

    Args:
        ways: Length of the way to each sample [m], (n,), rising.
        values: Joint coordinates there, (n, nv).
        v_most: Largest joint speeds, (nv,).
        a_most: Largest joint accelerations, (nv,).
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
        raise UsageError("no joint moves along this stretch: there is nothing to time")
    speeds = np.minimum(v_most[moving], 1e6)
    curve = toppra.SplineInterpolator(ways, values[:, moving])
    problem = algorithm.TOPPRA(
        [
            constraint.JointVelocityConstraint(np.stack([-speeds, speeds], axis=1)),
            constraint.JointAccelerationConstraint(
                np.stack([-a_most[moving], a_most[moving]], axis=1)
            ),
        ],
        curve,
        gridpoints=ways,
        solver_wrapper="seidel",
    )
    _, rates, _ = problem.compute_parameterization(0.0, 0.0)
    if rates is None or not np.isfinite(rates).all():
        raise UsageError("no time law keeps these limits along the stretch")
    step = np.diff(ways)
    mean = (rates[1:] + rates[:-1]) / 2
    times = np.concatenate([[0.0], np.cumsum(step / np.maximum(mean, 1e-12))])
    rise = np.diff(rates**2) / (2 * step)  # constant between samples
    rises = np.concatenate([rise, rise[-1:]])
    slope, bend = curve(ways, 1), curve(ways, 2)
    v, vdot = np.zeros_like(values), np.zeros_like(values)
    v[:, moving] = slope * rates[:, None]
    vdot[:, moving] = bend * rates[:, None] ** 2 + slope * rises[:, None]
    return TimeLaw(times, rates, rises), v, vdot
