"""Profiles: targets that jump become motions within speed, acceleration and jerk."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinegen.dynamics.motors.motor import Mode
from kinegen.dynamics.motors.targets import Targets
from kinegen.errors import NumberError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model

__all__ = ["Profiles"]


class Profiles:
    """The profiles inside servos: a target position is reached by a trapezoid of speed.

    ``trapezoidal`` keeps speed and acceleration; it is computed step by step, so that a target may
    change at any time. ``jerk-limited`` takes the mean of the trapezoid over acceleration / jerk
    seconds: its speed and acceleration stay within the same limits, its jerk within that of the
    file, and it ends exactly at the target.
    """

    def __init__(
        self,
        model: Model,
        rows: Sequence[Mapping[str, Any] | None],
        modes: Sequence[Mode],
        speed: Floats,
        step: float,
    ) -> None:
        """Read the data.

        Args:
            model: The model.
            rows: The motor's keys of each v, None where there is none.
            modes: Of the motors, by v; a torque has no profile.
            speed: Largest speeds, (nv,), inf where not given.
            step: Of the servos [s].
        """
        self._step = step
        self._model = model
        self.profiles: list[_Profile] = []
        self._counts: dict[int, int] = {}
        """Steps over which the profiles of the file take their means, by v."""
        values = dict(model.parameters)
        for joint in model.joints:
            for k, v in enumerate(range(joint.v.start, joint.v.stop)):
                kind = (rows[v] or {}).get("profile", "none")
                if kind == "none" or modes[v] is Mode.TORQUE:
                    continue
                row = rows[v]
                assert row is not None
                numbers = {
                    key: float(row[key].evaluate(values)) if key in row else np.inf
                    for key in ("acceleration", "jerk")
                }
                if joint.type.info.has_quaternion:
                    raise NumberError(f"joint '{joint.name}' turns freely and has no profile")
                count = 1
                if kind == "jerk-limited":
                    count = max(1, round(numbers["acceleration"] / numbers["jerk"] / step))
                q = joint.q.start + k
                by_speed = modes[v] is Mode.VELOCITY
                self._counts[v] = count
                self.profiles.append(
                    _Profile(q, v, float(speed[v]), numbers["acceleration"], count, by_speed)
                )

    def limits(self, v: int) -> tuple[float, float]:
        """Largest speed and acceleration of a motor's profile; inf where it has none."""
        found = next((one for one in self.profiles if one.v == v), None)
        return (math.inf, math.inf) if found is None else (found.speed, found.acceleration)

    def reset(self, q: Floats) -> None:
        """Begin at rest at a configuration."""
        for one in self.profiles:
            one.reset(float(q[one.q]))

    def change(
        self, v: int, speed: float, acceleration: float, mode: Mode, at: tuple[float, float]
    ) -> None:
        """Give a motor another trapezoid while it runs, which begins where the last one is.

        Args:
            v: Its place in v.
            speed: Largest [rad/s, m/s]; inf: none.
            acceleration: Largest [rad/s², m/s²]; inf: none.
            mode: Of the motor now.
            at: Position and speed that it begins at where there was none.
        """
        before = next((one for one in self.profiles if one.v == v), None)
        if before is not None and before.by_speed == (mode is Mode.VELOCITY):
            at = before.state
        self.profiles = [one for one in self.profiles if one.v != v]
        if mode is Mode.TORQUE or (math.isinf(speed) and math.isinf(acceleration)):
            return
        joint = next(one for one in self._model.joints if one.v.start <= v < one.v.stop)
        q = joint.q.start + v - joint.v.start
        made = _Profile(q, v, speed, acceleration, self._counts.get(v, 1), mode is Mode.VELOCITY)
        made.reset(*at)
        self.profiles.append(made)

    def shaped(self, aim: Targets) -> Targets:
        """Targets (all modes but torque) as they are one step further along the profiles."""
        if not self.profiles:
            return aim
        made = replace(aim, q=aim.q.copy(), v=aim.v.copy(), vdot=aim.vdot.copy())
        for one in self.profiles:
            place, speed, rate = one.advance(float(aim.q[one.q]), float(aim.v[one.v]), self._step)
            made.v[one.v], made.vdot[one.v] = speed, rate
            if not one.by_speed:
                made.q[one.q] = place
        return made


class _Profile:
    """Of one motor."""

    def __init__(
        self, q: int, v: int, speed: float, acceleration: float, count: int, by_speed: bool
    ) -> None:
        self.q, self.v, self.by_speed = q, v, by_speed
        self.speed, self.acceleration, self._count = speed, acceleration, count
        self.reset(0.0)

    def reset(self, place: float, rate: float = 0.0) -> None:
        self._place, self._rate, self._last = place, rate, rate
        self._means = deque([(place, rate)] * self._count, maxlen=self._count)

    @property
    def state(self) -> tuple[float, float]:
        """Position and speed of the trapezoid now."""
        return self._place, self._rate

    def advance(self, target: float, wanted: float, h: float) -> tuple[float, float, float]:
        """Position, speed and acceleration a step of h further towards a position or a speed."""
        a = self.acceleration
        if self.by_speed:
            goal = min(max(wanted, -self.speed), self.speed)
        else:
            left = target - self._place
            # fastest speed from which whole steps of braking end at the target
            fastest = math.inf
            if math.isfinite(a):
                fastest = -a * h / 2 + math.sqrt(a * a * h * h / 4 + 2 * a * abs(left))
            goal = math.copysign(min(self.speed, fastest, abs(left) / h), left)
        self._rate = min(max(goal, self._rate - a * h), self._rate + a * h)
        self._place += self._rate * h
        self._means.append((self._place, self._rate))
        place = sum(one for one, _ in self._means) / self._count
        rate = sum(one for _, one in self._means) / self._count
        change, self._last = (rate - self._last) / h, rate
        return place, rate, change
