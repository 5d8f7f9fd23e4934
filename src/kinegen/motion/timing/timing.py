"""Timing: when each point of a path is passed: at constant speed, as fast as can be, or gently."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.motion.path import Path
from kinegen.motion.rates import unrolled

__all__ = ["JointLimits", "TimeLaw", "Timing", "retime"]

Timing: TypeAlias = Literal["constant", "optimal", "smooth"]
"""'constant': the tool's speed; 'optimal': shortest time under speeds, accelerations and efforts
(TOPP-RA);
'smooth': under jerks too (Ruckig)."""
JointLimits: TypeAlias = float | Mapping[str, float]
"""One number for all joints, or by joint name; joints that are not named have none."""

_ENDLESS = 1e6
"""Stands for no limit where a library wants a number."""


@dataclass(frozen=True, slots=True, eq=False)
class TimeLaw:
    """How a way is gone: for each sample of it when, how fast, and how speed changes there."""

    times: Floats
    """[s], (n,)"""
    rates: Floats
    """Speed along the way [m/s], (n,)."""
    rises: Floats
    """Acceleration along the way [m/s²], (n,)."""


def retime(
    path: Path,
    timing: Timing = "optimal",
    *,
    run: int = 0,
    speed: float | None = None,
    speeds: JointLimits | None = None,
    accelerations: JointLimits | None = None,
    jerks: JointLimits | None = None,
    efforts: JointLimits | Literal["motors"] | None = None,
) -> Path:
    """One unbroken segment of a path with new timing; it begins and ends at rest unless constant.

    Args:
        path: The path.
        timing: The rule.
        run: Index of the unbroken segment.
        speed: Of the tool [m/s], for 'constant'.
        speeds: Limits of joint speeds [rad/s, m/s]; default: those of the file's motors.
        accelerations: Limits of joint accelerations [rad/s², m/s²]; needed unless constant, or
            efforts are given.
        jerks: Limits of the jerk [rad/s³, m/s³]; needed for 'smooth'.
        efforts: Limits of motors' efforts [N m, N], for 'optimal'; 'motors': the file's.

    Raises:
        UsageError: A limit is missing, or the package for the rule is not installed.
    """
    part = path.stretch(run)
    ways = path.ways[part] - path.ways[part.start]
    if len(ways) < 5:
        raise UsageError(f"a segment needs at least 5 points to be timed, this one has {len(ways)}")
    if np.any(np.diff(ways) <= 0):
        raise UsageError("points of the path coincide: it cannot be timed")
    model, q = path.model, path.q[part]
    if timing == "constant":
        pace = path.speed if speed is None else speed
        if not (math.isfinite(pace) and pace > 0):
            raise UsageError(
                f"the speed along a curve must be positive and finite [m/s], not {pace}"
            )
        share = path.speed / pace
        v, vdot = path.v[part] / share, path.vdot[part] / share**2
        return _timed(path, part, ways / pace, v, vdot, pace)
    v_most = model.speed.copy() if speeds is None else _limits(model, speeds, "speeds")
    if accelerations is None and (timing != "optimal" or efforts is None):
        ways = "accelerations= (--acceleration)"
        if timing == "optimal":
            ways += ", or effort limits of the motors: efforts= (--effort)"
        raise UsageError(f"timing '{timing}' needs acceleration limits of the joints: {ways}")
    a_most = _limits(model, accelerations or {}, "accelerations")
    values = unrolled(model, q)
    if timing == "optimal":
        from kinegen.motion.timing.optimal import optimal_law

        strong = None if efforts is None else _strengths(model, efforts)
        law, v, vdot = optimal_law(model, ways, q, values, v_most, a_most, strong)
    elif timing == "smooth":
        if jerks is None:
            raise UsageError("timing 'smooth' needs jerk limits of the joints: jerks= (--jerk)")
        from kinegen.motion.timing.smooth import smooth_law

        j_most = _limits(model, jerks, "jerks")
        law, v, vdot = smooth_law(ways, values, v_most, a_most, j_most)
    else:
        raise UsageError(f"timing must be 'constant', 'optimal' or 'smooth', not '{timing}'")
    return _timed(path, part, law.times, v, vdot, math.nan)


def _timed(path: Path, part: slice, times: Floats, v: Floats, vdot: Floats, speed: float) -> Path:
    first, count = part.start, part.stop - part.start
    inside = [c for c in path.crossings if part.start <= c.index < part.stop]
    return replace(
        path,
        times=times,
        ways=path.ways[part] - path.ways[first],
        xyz=path.xyz[part],
        q=path.q[part],
        v=v,
        vdot=vdot,
        reachable=path.reachable[part],
        reasons={},
        runs=(slice(0, count),),
        singular=path.singular[part],
        crossings=tuple(
            replace(c, index=c.index - first, time=float(times[c.index - first])) for c in inside
        ),
        speed=speed,
    )


def _strengths(model: Model, given: JointLimits | Literal["motors"]) -> Floats:
    """The largest effort per v, infinite where there is no limit."""
    if given == "motors":
        if not np.isfinite(model.effort).any():
            raise UsageError(
                f"no motor of mechanism '{model.name}' has a torque or force: specify them in the "
                "file (motor: {torque: 2 N m}) or as efforts"
            )
        return model.effort.copy()
    found = _limits(model, given, "efforts")
    return np.where(found >= _ENDLESS, np.inf, found)


def _limits(model: Model, given: JointLimits, what: str) -> Floats:
    """A limit per v."""
    if not isinstance(given, Mapping):
        found = np.full(model.nv, float(given))
    else:
        found = np.full(model.nv, _ENDLESS)
        for name, value in given.items():
            found[model.joint(name).v] = value
    if not (found > 0).all():
        raise UsageError(f"{what} must be positive numbers, got {given!r}")
    return np.asarray(np.minimum(found, _ENDLESS))
