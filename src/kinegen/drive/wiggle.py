"""Wiggle: backlash and dry friction of a joint, fitted to a small, slow motion to and fro.

The motor's effort on a joint that moves slowly is that of friction and weight,

    effort = coulomb sign(v) + rate v + weight + slope (q - q0),

and a servo of stiffness kp leaves its joint behind the goal by effort / kp, a lag that grows with
speed, and half the backlash on the side to which the teeth push. Both are linear in what is sought.
Viscous friction is not reported: goals move in steps, and what a servo gives between two of them
grows with speed just as viscous friction does.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from kinegen.drive.robot_drive import Drive, Each
from kinegen.errors import UsageError, unknown_name
from kinegen.kernels import Floats
from kinegen.results import Result

__all__ = ["JointFit", "Wiggle", "fit_wiggle", "record_wiggle"]

FAST = 0.35
"""Share of the greatest speed above which a joint counts as moving: nearer to a turn the teeth
change sides."""
WHILE = 0.3
"""Time over which a speed is measured [s]."""
LEAST = 12
"""Samples of a moving joint that a fit needs in each direction."""


@dataclass(frozen=True, slots=True, eq=False)
class Wiggle(Result):
    """A joint moved to and fro, (n,) each."""

    joint: str
    times: Floats
    """[s]"""
    goals: Floats
    """[rad, m]"""
    positions: Floats
    """Measured [rad, m]."""
    efforts: Floats
    """Of the motor [N m, N]."""


@dataclass(frozen=True, slots=True)
class JointFit:
    """What was fitted."""

    joint: str
    coulomb: float
    """Friction of a moving joint [N m, N]."""
    backlash: float
    """From end to end [rad, m]; NaN where it cannot be separated from the servo's yielding."""
    error: float
    """Root mean square of what the fit leaves of the effort [N m, N]."""


def record_wiggle(
    drive: Drive,
    joint: str,
    *,
    amplitude: float = math.radians(8),
    period: float = 8.0,
    cycles: int = 2,
    each: Each | None = None,
) -> Wiggle:
    """Move one joint of a real robot to and fro from where it is, and record it.

    Args:
        drive: The robot, on.
        joint: Name of a joint with a servo.
        amplitude: [rad, m]
        period: Of one cycle [s].
        cycles: How many.
        each: Called in every cycle of the drive.

    Raises:
        UsageError: The speed or a limit is too low for this motion.
    """
    if joint not in drive.joints:
        raise unknown_name("servo", joint, f"'{drive.model.name}'", drive.joints)
    i = drive.joints.index(joint)
    fastest = 2 * math.pi / period * amplitude
    if fastest > drive.travel.speeds[i]:
        raise UsageError(
            f"wiggling '{joint}' by {amplitude:.3g} in {period:g} s takes a speed of "
            f"{fastest:.3g}, above its limit {drive.travel.speeds[i]:.3g}: give a longer period"
        )
    here = float(drive.positions[joint])
    middle = min(
        max(here, float(drive.travel.lower[i]) + amplitude),
        float(drive.travel.upper[i]) - amplitude,
    )
    drive.move({joint: middle}, each=each)
    largest = drive.port.shafts[i].data.largest
    rows: list[tuple[float, float, float, float]] = []
    begin = time.monotonic()
    while (now := time.monotonic() - begin) < cycles * period:
        drive.track({joint: middle + amplitude * math.sin(2 * math.pi * now / period)})
        reading = drive.reading
        effort = float(reading.loads[i]) * largest
        rows.append((now, drive.goals[joint], float(reading.positions[i]), effort))
        if each is not None:
            each(drive)
        time.sleep(drive.period)
    drive.move({joint: middle}, each=each)
    return Wiggle(joint, *np.array(rows).T)


def fit_wiggle(found: Wiggle, *, stiffness: float = math.nan) -> JointFit:
    """Friction and backlash by least squares.

    Args:
        found: A motion that has reversed several times, with different speeds.
        stiffness: Of the servo, kp of the file [N m/rad, N/m]; NaN: unknown, then backlash cannot
            be separated from its yielding.

    Raises:
        UsageError: The joint has not moved enough.
    """
    t, q = found.times, found.positions
    if len(t) < 5:
        raise UsageError(f"the wiggle of '{found.joint}' has {len(t)} samples: record a longer one")
    v = _smooth_rates(t, q)
    moves = np.abs(v) > FAST * np.max(np.abs(v), initial=0.0)
    ways = [int(np.sum(moves & (side * v > 0))) for side in (1, -1)]
    if min(ways) < LEAST:
        raise UsageError(
            f"the wiggle of '{found.joint}' has {min(ways)} samples of one direction, and needs "
            f"{LEAST}: move it longer, or farther"
        )
    v, q, effort = v[moves], q[moves], found.efforts[moves]
    side, one = np.sign(v), np.ones(len(v))
    table = np.column_stack([side, v, one, q - q.mean()])
    values, *_ = np.linalg.lstsq(table, effort, rcond=None)
    error = float(np.sqrt(np.mean((table @ values - effort) ** 2)))
    lag = found.goals[moves] - q - effort / stiffness
    backlash = math.nan
    if math.isfinite(stiffness):
        # the teeth push to the side of the effort, which weight may keep on one side
        pushed = np.sign(effort)
        if min(np.mean(pushed > 0), np.mean(pushed < 0)) > 0.1:
            sides, *_ = np.linalg.lstsq(np.column_stack([pushed, v, one]), lag, rcond=None)
            backlash = 2 * max(float(sides[0]), 0.0)
    return JointFit(found.joint, max(float(values[0]), 0.0), backlash, error)


def _smooth_rates(t: Floats, q: Floats) -> Floats:
    """Speeds, by lines through the samples of a while: encoders have steps."""
    v = np.zeros(len(t))
    for i, now in enumerate(t):
        near = np.abs(t - now) <= WHILE / 2
        x, y = t[near] - t[near].mean(), q[near] - q[near].mean()
        v[i] = x @ y / max(x @ x, 1e-12)
    return v
