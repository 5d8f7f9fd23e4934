"""Trajectory: what joints do over time, between points of a JointTrajectory message.

As ros2_control's joint_trajectory_controller has it: linear between positions, cubic where
velocities are given, quintic with accelerations too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegen.bridges.ros.values import list_of, numbers, seconds_of
from kinegen.bridges.servos.servo import Servo
from kinegen.errors import UsageError, did_you_mean
from kinegen.kernels import Floats

__all__ = ["INVALID_GOAL", "INVALID_JOINTS", "OLD_TIME", "Trajectory", "TrajectoryError"]

INVALID_GOAL, INVALID_JOINTS, OLD_TIME = -1, -2, -3
"""Error codes of FollowJointTrajectory."""
SLACK = 1e-3
"""How far beyond a limit a goal may be, for rounding; it is brought to the limit [rad, m]."""
MOST_POINTS = 100_000


class TrajectoryError(UsageError):
    """A trajectory that cannot be followed, with the error code of the action."""

    def __init__(self, message: str, code: int = INVALID_GOAL) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """Points of some servos, from a state at a time."""

    servos: tuple[Servo, ...]
    start: float
    """When it begins [s]."""
    times: Floats
    """Of all points from the start, the first is 0: where the joints were (n,) [s]."""
    positions: Floats
    """(n, joints)"""
    velocities: Floats | None
    accelerations: Floats | None

    @property
    def end(self) -> float:
        """When the last point is reached [s]."""
        return self.start + float(self.times[-1])

    def sample(self, time: float) -> tuple[Floats, Floats, Floats]:
        """Positions, velocities and accelerations at a time."""
        t = time - self.start
        zero = np.zeros(len(self.servos))
        if t <= 0:
            return self.positions[0], zero, zero
        if t >= self.times[-1]:
            return self.positions[-1], zero, zero
        i = int(np.searchsorted(self.times, t, side="right")) - 1
        span = float(self.times[i + 1] - self.times[i])
        p0, p1 = self.positions[i : i + 2]
        if self.velocities is None:
            rate = (p1 - p0) / span
            return p0 + rate * (t - self.times[i]), rate, zero
        v0, v1 = self.velocities[i : i + 2]
        a = (zero, zero) if self.accelerations is None else self.accelerations[i : i + 2]
        power = _cubic(p0, p1, v0, v1, span)
        if self.accelerations is not None:
            power = _quintic(p0, p1, v0, v1, a[0], a[1], span)
        return _evaluate(power, float(t - self.times[i]))

    @staticmethod
    def read(
        message: Any,
        names: Mapping[str, Servo],
        now: float,
        before: Mapping[str, tuple[float, ...]],
    ) -> Trajectory | None:
        """Of a JointTrajectory message; None where it has no points, which stops the joints.

        Args:
            message: As a client sent it.
            names: Servos by all names that clients may use.
            now: Simulated time [s].
            before: Position, velocity and acceleration of each servo that are commanded now.
        """
        if not isinstance(message, Mapping):
            raise TrajectoryError(f"a trajectory must be an object, not {type(message).__name__}")
        rows = list_of(message.get("points"), "points")
        servos = _servos(list_of(message.get("joint_names"), "joint_names"), names, bool(rows))
        if not rows:
            return None
        if len(rows) > MOST_POINTS:
            raise TrajectoryError(f"a trajectory has at most {MOST_POINTS:,} points")
        stamp = seconds_of((message.get("header") or {}).get("stamp"), "header.stamp")
        start = stamp if stamp > 0 else now
        times, positions, velocities, accelerations = _points(rows, servos)
        if start + times[-1] < now:
            raise TrajectoryError(
                f"the trajectory ends at {start + times[-1]:.3f} s, before the present time "
                f"{now:.3f} s: a stamp of 0 means now",
                OLD_TIME,
            )
        first = np.array([before[one.name] for one in servos]).T
        if times[0] > 0:
            times, positions = np.r_[0.0, times], np.vstack([first[0], positions])
            if velocities is not None:
                velocities = np.vstack([first[1], velocities])
            if accelerations is not None:
                accelerations = np.vstack([first[2], accelerations])
        return Trajectory(servos, start, times, positions, velocities, accelerations)


def _servos(given: Sequence[Any], names: Mapping[str, Servo], needed: bool) -> tuple[Servo, ...]:
    known = sorted({one.name for one in names.values()})
    found: list[Servo] = []
    for name in given:
        if name not in names:
            hint = did_you_mean(str(name), known) or ";"
            raise TrajectoryError(
                f"joint {name!r} has no motor here{hint} joints: {', '.join(known)}", INVALID_JOINTS
            )
        if names[name] in found:
            raise TrajectoryError(f"joint '{name}' is named twice", INVALID_JOINTS)
        found.append(names[name])
    if needed and not found:
        raise TrajectoryError(
            f"joint_names is empty: name the joints of the points: {', '.join(known)}",
            INVALID_JOINTS,
        )
    return tuple(found)


def _points(
    rows: list[Any], servos: tuple[Servo, ...]
) -> tuple[Floats, Floats, Floats | None, Floats | None]:
    """Times, positions, and the derivatives that all points have."""
    times, parts = [], {"positions": [], "velocities": [], "accelerations": []}  # type: ignore[var-annotated]
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TrajectoryError(f"point {i} is not an object")
        time = seconds_of(row.get("time_from_start"), f"time_from_start of point {i}")
        if time < 0 or (times and time <= times[-1]):
            raise TrajectoryError(
                f"time_from_start of point {i} is {time:g} s: it must be greater than that of the "
                "point before"
            )
        times.append(time)
        for key, found in parts.items():
            values = numbers(row.get(key), f"{key} of point {i}")
            if values or key == "positions":
                if len(values) != len(servos):
                    raise TrajectoryError(
                        f"point {i} has {len(values)} {key} for {len(servos)} joints"
                    )
                found.append(values)
        parts["positions"][-1] = [
            _within(servo, value, i)
            for servo, value in zip(servos, parts["positions"][-1], strict=True)
        ]
    made = {k: np.array(v) if len(v) == len(rows) else None for k, v in parts.items()}
    positions = made["positions"]
    assert positions is not None
    speeds = made["velocities"]
    return np.array(times), positions, speeds, made["accelerations"] if speeds is not None else None


def _within(servo: Servo, value: float, point: int) -> float:
    low, high = servo.data.lower, servo.data.upper
    if not low - SLACK <= value <= high + SLACK:
        unit = "m" if servo.data.is_slide else "rad"
        raise TrajectoryError(
            f"point {point} moves joint '{servo.name}' to {value:g} {unit}: its limits are "
            f"{low:g} and {high:g} {unit}"
        )
    return min(max(value, low), high)


def _cubic(p0: Floats, p1: Floats, v0: Floats, v1: Floats, T: float) -> list[Floats]:
    rise = (p1 - p0) / T
    return [p0, v0, (3 * rise - 2 * v0 - v1) / T, (v0 + v1 - 2 * rise) / T**2]


def _quintic(
    p0: Floats, p1: Floats, v0: Floats, v1: Floats, a0: Floats, a1: Floats, T: float
) -> list[Floats]:
    d = p1 - p0
    return [
        p0, v0, a0 / 2,
        (20 * d - (8 * v1 + 12 * v0) * T - (3 * a0 - a1) * T**2) / (2 * T**3),
        (-30 * d + (14 * v1 + 16 * v0) * T + (3 * a0 - 2 * a1) * T**2) / (2 * T**4),
        (12 * d - 6 * (v1 + v0) * T + (a1 - a0) * T**2) / (2 * T**5),
    ]  # fmt: skip


def _evaluate(power: list[Floats], t: float) -> tuple[Floats, Floats, Floats]:
    """A polynomial and its two derivatives."""
    p, v, a = (np.zeros(len(power[0])) for _ in range(3))
    for k, c in enumerate(power):
        p = p + c * t**k
        v = v + (k * c * t ** (k - 1) if k else 0)
        a = a + (k * (k - 1) * c * t ** (k - 2) if k > 1 else 0)
    return p, v, a
