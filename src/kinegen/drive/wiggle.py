"""Wiggle: backlash and friction of a joint, fitted to a small, slow motion to and fro.

The motor's effort on a joint that moves slowly is that of friction and weight,

    effort = coulomb sign(v) + viscous v + weight + slope (q - q0),

and a servo of stiffness kp leaves its joint behind the goal by effort / kp, a lag that grows with
speed, and half the backlash on the side to which the teeth push. Both are linear in what is sought.

The lag needs goals that are known at every moment: they follow a sine, and move in steps. What a
servo gives between two steps depends on its own law and grows with speed as viscous friction does;
so friction is fitted to strokes in which the servo leads itself at a constant speed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kinegen.drive.robot_drive import Drive, Each
from kinegen.errors import UsageError, unknown_name
from kinegen.kernels import Floats
from kinegen.results import Result

__all__ = ["JointFit", "Wiggle", "fit_wiggle", "record_wiggle"]

FAST = 0.35
"""Share of the greatest speed above which a joint counts as moving: nearer to a turn the teeth
change sides."""
UNSTEADY = 0.3
"""Change of a speed within a while, against itself, from which on a stroke is not a steady one."""
STILL = 0.1
"""Share of the greatest speed below which strokes have ended."""
WHILE = 0.3
"""Time over which a speed is measured [s]."""
LEAST = 12
"""Samples of a moving joint that a fit needs in each direction."""
OUTLYING = 1.5
"""Residuals beyond so many standard deviations count less: a goal was written in between."""
ROUNDS = 12
"""Of finding out what counts less."""
SETTLE = 0.5
"""More time than its way takes that a stroke gets [s]: the servo speeds up, and lags behind."""


@dataclass(frozen=True, slots=True, eq=False)
class Wiggle(Result):
    """A recorded back-and-forth motion of a joint, (n,) each."""

    joint: str
    times: Floats
    """[s]"""
    goals: Floats
    """Goals of the servo at each measurement [rad, m]; NaN in strokes."""
    positions: Floats
    """Measured positions [rad, m]."""
    efforts: Floats
    """Efforts of the motor [N m, N]."""


@dataclass(frozen=True, slots=True)
class JointFit(Result):
    """Fitted friction and backlash of a joint."""

    joint: str
    coulomb: float
    """Coulomb friction of the moving joint [N m, N]."""
    coulomb_error: float
    """Its standard error; the other errors are standard errors too."""
    viscous: float
    """Friction per speed [N m s/rad, N s/m]; NaN without strokes of different speeds."""
    viscous_error: float
    backlash: float
    """Total backlash [rad, m]; NaN where it cannot be separated from the servo's compliance."""
    backlash_error: float
    error: float
    """Root mean square of the effort that the fit does not explain [N m, N]."""

    @property
    def has_viscous(self) -> bool:
        """Whether the viscous friction is significant."""
        return self.viscous > 2 * self.viscous_error


def record_wiggle(
    drive: Drive,
    joint: str,
    *,
    amplitude: float = math.radians(8),
    period: float = 8.0,
    each: Each | None = None,
) -> Wiggle:
    """Move one joint of a real robot back and forth about its position, and record it.

    One and a half cycles of a sine, then strokes at four times its greatest speed, or as fast as
    the limits allow, and at half of that.

    Args:
        drive: The robot, with its motors on.
        joint: Name of a joint with a servo.
        amplitude: [rad, m]
        period: Duration of one cycle [s].
        each: Called in every cycle of the drive.

    Raises:
        UsageError: The speed or a limit is too low for this motion.
    """
    if joint not in drive.joints:
        raise unknown_name("servo", joint, f"'{drive.model.name}'", drive.joints)
    i = drive.joints.index(joint)
    fastest, most = 2 * math.pi / period * amplitude, float(drive.travel.speeds[i])
    if fastest > most:
        raise UsageError(
            f"wiggling '{joint}' by {amplitude:.3g} in {period:g} s requires a speed of "
            f"{fastest:.3g}, above its limit {most:.3g}: use a longer period"
        )
    here = float(drive.positions[joint])
    middle = min(
        max(here, float(drive.travel.lower[i]) + amplitude),
        float(drive.travel.upper[i]) - amplitude,
    )
    drive.move({joint: middle}, each=each)
    shaft, rows = drive.port.shafts[i], []
    last, begin = drive.sample, time.monotonic()

    def watch(until: float, goal: Callable[[float], float] | None) -> None:
        nonlocal last
        while (now := time.monotonic() - begin) < until:
            if goal is None:
                drive.heartbeat()
            else:
                drive.track({joint: goal(now)})
            if drive.sample is not last:
                last = drive.sample
                # as the servo has it
                asked = shaft.from_ticks(round(shaft.to_ticks(shaft.to_angle(last.goals[i]))))
                effort = shaft.data.largest * last.reading.loads[i]
                rows.append((last.time - begin, math.nan if goal is None else asked,
                             last.reading.positions[i], effort))  # fmt: skip
            if each is not None:
                each(drive)
            time.sleep(drive.period / 2)

    watch(1.5 * period, lambda now: middle + amplitude * math.sin(2 * math.pi * now / period))
    top = min(4 * fastest, most)
    for speed in (top / 2, top):
        for end in (middle + amplitude, middle - amplitude, middle + amplitude):
            drive.glide(joint, end, speed)
            watch(time.monotonic() - begin + 2 * amplitude / speed + SETTLE, None)
    drive.move({joint: middle}, each=each)
    return Wiggle(joint, *np.array(rows).T)


def fit_wiggle(found: Wiggle, *, stiffness: float = math.nan) -> JointFit:
    """Friction and backlash by least squares.

    Args:
        found: A motion that reverses several times, at different speeds.
        stiffness: Stiffness of the servo, kp of the file [N m/rad, N/m]; NaN if unknown: backlash
            then cannot be separated from the servo's compliance.

    Raises:
        UsageError: The joint has not moved enough.
    """
    led = np.isnan(found.goals)
    v, q, effort = _moving(found, led if led.any() else ~led)
    table = np.column_stack([np.sign(v), v, np.ones(len(v)), q - q.mean()])
    friction = _fit(table, effort)
    viscous = math.nan, math.nan
    if led.any():
        viscous = max(float(friction.values[1]), 0.0), float(friction.errors[1])
    slack = math.nan, math.nan
    if math.isfinite(stiffness) and not led.all():
        v, x, effort, goal = _moving(found, ~led, found.goals)
        # the teeth push to the side of the effort, which weight may keep on one side
        expected = np.column_stack([np.sign(v), v, np.ones(len(v)), x - q.mean()])
        pushed = np.sign(expected @ friction.values)
        if min(np.mean(pushed > 0), np.mean(pushed < 0)) > 0.1:
            lag = goal - x - effort / stiffness
            sides = _fit(np.column_stack([pushed, v, np.ones(len(v))]), lag)
            slack = 2 * max(float(sides.values[0]), 0.0), 2 * float(sides.errors[0])
    return JointFit(
        found.joint, max(float(friction.values[0]), 0.0), float(friction.errors[0]), *viscous,
        *slack, friction.rest,
    )  # fmt: skip


def _moving(found: Wiggle, part: npt.NDArray[np.bool_], *more: Floats) -> list[Floats]:
    """Speeds, positions, efforts and more of a part of a motion, where the joint moves."""
    v = _smooth_rates(found.times, found.positions)
    if len(v) < 5:
        raise UsageError(f"the wiggle of '{found.joint}' has {len(v)} samples: record a longer one")
    if np.isnan(found.goals[part]).any():
        # strokes have different speeds, constant but near their ends
        half = [_smooth_rates(found.times, found.positions, side) for side in (-1, 1)]
        steady = np.abs(half[1] - half[0]) < UNSTEADY * np.abs(v)
        moves = part & steady & (np.abs(v) > STILL * np.max(np.abs(v)))
    else:
        moves = part & (np.abs(v) > FAST * np.max(np.abs(v[part]), initial=0.0))
    ways = [int(np.sum(moves & (side * v > 0))) for side in (1, -1)]
    if min(ways) < LEAST:
        raise UsageError(
            f"the wiggle of '{found.joint}' has {min(ways)} samples in one direction and needs "
            f"{LEAST}: move it longer, or farther"
        )
    return [rows[moves] for rows in (v, found.positions, found.efforts, *more)]


class _Fit(NamedTuple):
    values: Floats
    errors: Floats
    """Standard ones."""
    rest: float
    """Root mean square of what is left."""


def _fit(table: Floats, wanted: Floats) -> _Fit:
    """Least squares in which outliers count less (Huber's weights).

    Errors count neighbours that err alike as one, and the step in which values are measured.
    """
    weights = np.ones(len(wanted))
    for _ in range(ROUNDS):
        root = np.sqrt(weights)
        values, *_ = np.linalg.lstsq(root[:, None] * table, root * wanted, rcond=None)
        left = wanted - table @ values
        spread = 1.4826 * float(np.median(np.abs(left)))  # of a normal distribution
        spread = max(spread, 0.1 * float(np.sqrt(np.mean(left**2))), 1e-12)
        weights = np.minimum(1.0, OUTLYING * spread / np.maximum(np.abs(left), 1e-300))
    counted = np.sqrt(weights) * left
    steps = np.diff(np.unique(np.round(wanted, 9)))
    step = float(steps.min()) if len(steps) else 0.0
    variance = float(counted @ counted) / max(len(left) - table.shape[1], 1) + step**2 / 12
    alike = float(counted[1:] @ counted[:-1]) / max(float(counted @ counted), 1e-300)
    alike = min(max(alike, 0.0), 0.95)
    scale = variance * (1 + alike) / (1 - alike)
    errors = np.sqrt(scale * np.diag(np.linalg.pinv(table.T @ (weights[:, None] * table))))
    return _Fit(np.asarray(values, np.float64), errors, math.sqrt(float(np.mean(left**2))))


def _smooth_rates(t: Floats, q: Floats, side: int = 0) -> Floats:
    """Speeds, by lines through the samples of a while: encoders have steps.

    Args:
        t: Times [s].
        q: Positions.
        side: -1, 1: of the half before or after each moment.
    """
    v = np.zeros(len(t))
    for i, now in enumerate(t):
        near = (np.abs(t - now) <= WHILE / 2) & (side * (t - now) >= 0)
        x, y = t[near] - t[near].mean(), q[near] - q[near].mean()
        v[i] = x @ y / max(x @ x, 1e-12)
    return v
