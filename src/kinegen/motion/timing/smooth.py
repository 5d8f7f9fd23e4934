"""Jerk-limited timing: Ruckig's law along the way, bounded so that every joint keeps its limits.

The joints go q(s), and s goes from rest to rest with speed, acceleration and jerk below V, A, J.
Then |q'| V, |q''| V² + |q'| A and |q'''| V³ + 3 |q''| V A + |q'| J bound the joints. Of the triples
that keep all limits everywhere, the fastest of a grid is taken: not the optimum, but never beyond a
limit, and exactly on the path.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinegen.curves.splines import CubicSpline
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.motion.timing.timing import TimeLaw

__all__ = ["smooth_law"]

_SPEEDS = np.geomspace(0.02, 1.0, 40)
"""Shares of the fastest speed that are tried."""
_SLOWER = 5
"""Times that a grid as much slower is tried where none of its speeds keeps the limits: motors
without a speed limit, or sharp bends."""
_SHARES = (1.0, 0.7, 0.5, 0.35, 0.2)
"""Shares of the acceleration that are tried; less of it leaves more for the jerk."""
_FINE = 20
"""Samples of the law per sample of the way."""


def smooth_law(
    ways: Floats, values: Floats, v_most: Floats, a_most: Floats, j_most: Floats
) -> tuple[TimeLaw, Floats, Floats]:
    """A jerk-limited law from rest to rest, with joint speeds and accelerations at each sample."""
    try:
        import ruckig
    except ImportError:
        raise UsageError(
            "timing 'smooth' needs the package ruckig: pip install 'kinegen[motion]'"
        ) from None
    slope, bend, twist = _derivatives(ways, values)
    best: tuple[float, Any] | None = None
    with np.errstate(divide="ignore", invalid="ignore"):
        fastest = float(np.min(v_most / np.abs(slope).max(axis=0)))
    fastest = min(fastest, 1e6 * float(ways[-1]))
    for slower in range(_SLOWER):
        for speed in fastest * _SPEEDS * _SPEEDS[0] ** slower:
            rise = _room(a_most, np.abs(bend) * speed**2, slope)
            for share in _SHARES if rise > 0 else ():
                used = np.abs(twist) * speed**3 + 3 * np.abs(bend) * speed * share * rise
                jerk = _room(j_most, used, slope)
                if jerk <= 0:
                    continue
                found = _law(ruckig, float(ways[-1]), speed, share * rise, jerk)
                if best is None or found.duration < best[0]:
                    best = found.duration, found
        if best is not None:
            break  # slower ones take longer
    if best is None:
        raise UsageError(
            "no jerk-limited timing keeps these limits: the path bends too sharply; raise the "
            "limits or smooth the path"
        )
    duration, law = best
    fine = np.linspace(0.0, duration, _FINE * len(ways))
    gone = np.maximum.accumulate([law.at_time(float(t))[0][0] for t in fine])
    times = np.interp(ways, gone, fine)
    times[0], times[-1] = 0.0, duration
    rates, rises = np.array([[x[0] for x in law.at_time(float(t))[1:3]] for t in times]).T
    v = slope * rates[:, None]
    vdot = bend * rates[:, None] ** 2 + slope * rises[:, None]
    return TimeLaw(times, rates, rises), v, vdot


def _derivatives(ways: Floats, values: Floats) -> tuple[Floats, Floats, Floats]:
    """First, second and third derivative by the way."""
    if len(ways) > 2000:
        raise UsageError(
            "smooth timing takes at most 2000 points: specify fewer points or a larger step"
        )
    _, slope, bend = CubicSpline(ways, values)(ways)
    return slope, bend, np.gradient(bend, ways, axis=0)


def _room(most: Floats, used: Floats, slope: Floats) -> float:
    """What is left of a limit everywhere, per unit of |q'|."""
    size = np.maximum(np.abs(slope), 1e-12)
    return float(((most - used) / size).min())


def _law(ruckig: Any, length: float, speed: float, rise: float, jerk: float) -> Any:
    motion = ruckig.InputParameter(1)
    motion.current_position, motion.target_position = [0.0], [length]
    motion.max_velocity, motion.max_acceleration, motion.max_jerk = [speed], [rise], [jerk]
    trajectory = ruckig.Trajectory(1)
    ruckig.Ruckig(1).calculate(motion, trajectory)
    return trajectory
