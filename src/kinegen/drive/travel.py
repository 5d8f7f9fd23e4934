"""Travel: how far and how fast the joints of a real robot may move."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.bridges.servos.wiring import Shaft
from kinegen.errors import UsageError, unknown_name
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import configuration
from kinegen.mechanism.model import Model
from kinegen.motion.recording import Recording

__all__ = ["Limits", "Travel"]

CAUTIOUS = (1.0, 0.1)
"""Speed of a motor whose file gives none [rad/s, m/s]."""
SLACK = (0.01, 0.001)
"""By which a target may be beyond a limit [rad, m]: it is moved to the limit. Encoders have steps,
and stops give way, so a pose that was measured at a stop may be a little beyond it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a user allows."""

    speed: float = 0.25
    """Share of the motors' speeds."""
    fastest: float = math.inf
    """Of joints that turn [rad/s]."""
    torque: float = 1.0
    """Share of the largest effort."""

    def __post_init__(self) -> None:
        for what, value in (("speed", self.speed), ("torque", self.torque)):
            if not 0 < value <= 1:
                raise UsageError(f"{what} must be above 0 and at most 1, not {value:g}")
        if not self.fastest > 0:
            raise UsageError(f"the fastest speed must be positive, not {self.fastest:g} rad/s")


class Travel:
    """The joints of a robot that have servos, with their limits."""

    def __init__(self, model: Model, shafts: Sequence[Shaft], limits: Limits) -> None:
        self.model = model
        servos = [one.data for one in shafts]
        self.names = tuple(one.name for one in servos)
        self.ids = tuple(one.id for one in shafts)
        self.units = tuple("m" if one.is_slide else "rad" for one in servos)
        self.lower: Floats = np.array([one.lower for one in servos])
        self.upper: Floats = np.array([one.upper for one in servos])
        self._servos = servos
        self.limit(limits)
        self._joints = [one.joint for one in servos]
        self._places = [one.index for one in servos]

    def limit(self, limits: Limits) -> None:
        """Allow other speeds."""
        rated = [
            one.fastest if math.isfinite(one.fastest) else CAUTIOUS[one.is_slide]
            for one in self._servos
        ]
        most = [math.inf if one.is_slide else limits.fastest for one in self._servos]
        self.speeds: Floats = np.minimum(limits.speed * np.array(rated), most)
        """[rad/s, m/s]"""

    @property
    def middle(self) -> Floats:
        """Values that are within all limits."""
        return self.clipped(np.zeros(len(self.names)))

    def configuration(self, values: Floats) -> Floats:
        """A configuration with the values of the joints; others as in the file."""
        q = self.model.start().copy()
        q[self._places] = values
        return q

    def values(
        self, given: npt.ArrayLike | Mapping[str, Any], others: Floats | None = None
    ) -> Floats:
        """Values of all joints, from a configuration or from values by name.

        Args:
            given: nq numbers, or values by name.
            others: Values of joints that are not named; None: those of the file's start.
        """
        if not isinstance(given, Mapping):
            return np.asarray(configuration(self.model, given)[self._places], float)
        found = self.model.start()[self._places] if others is None else others.copy()
        for name, value in given.items():
            if name not in self.names:
                raise unknown_name("servo", name, f"'{self.model.name}'", self.names)
            number = np.asarray(value, float)
            if number.size != 1:
                raise UsageError(f"'{name}' takes one number, got {value!r}")
            found[self.names.index(name)] = float(number.reshape(()))
        return np.asarray(found, float)

    def named(self, q: Floats, joints: Sequence[str] | None) -> dict[str, float]:
        """Values by name of those joints of a configuration that were named; None: of all.

        Raises:
            UsageError: A joint that was named has no servo.
        """
        owners = self._joints
        chosen = set(owners if joints is None else joints)
        idle = chosen - set(owners)
        if idle:
            raise UsageError(
                f"joint '{sorted(idle)[0]}' has no servo here; servos: {', '.join(self.names)}"
            )
        values = q[self._places].tolist()
        rows = zip(self.names, owners, values, strict=True)
        return {name: value for name, owner, value in rows if owner in chosen}

    def checked(self, values: Floats) -> Floats:
        """The same values, if all are within the limits.

        Raises:
            UsageError: One is not, or is no number.
        """
        for i, value in enumerate(values):
            if not math.isfinite(value):
                raise UsageError(f"the target of '{self.names[i]}' is {value}: use a number")
            slack = SLACK[self.units[i] == "m"]
            if not self.lower[i] - slack <= value <= self.upper[i] + slack:
                raise UsageError(f"the target of {self.beyond(i, float(value))}")
        return self.clipped(values)

    def clipped(self, values: Floats) -> Floats:
        """The nearest values within the limits."""
        return np.asarray(np.clip(values, self.lower, self.upper))

    def beyond(self, i: int, value: float) -> str:
        """A joint's value beyond its limits, in words."""
        unit = self.units[i]
        return (
            f"'{self.names[i]}' is {value:.4g} {unit}, beyond its limits {self.lower[i]:.4g} to "
            f"{self.upper[i]:.4g} {unit}"
        )

    def fitted(self, motion: Recording) -> tuple[Floats, float]:
        """Values of the joints at all times of a motion, and how much slower it has to be.

        Raises:
            UsageError: It has none of the joints, or goes beyond a limit.
        """
        rows = motion.configurations()[:, self._places]
        for row, now in zip(rows, motion.times, strict=True):
            try:
                self.checked(row)
            except UsageError as error:
                raise UsageError(f"motion '{motion.name}' at {now:g} s: {error}") from None
        if len(rows) < 2:
            return rows, 1.0
        rates = np.abs(np.diff(rows, axis=0)) / np.diff(motion.times)[:, None]
        excess = float(np.max(rates / self.speeds, initial=0.0))
        return self.clipped(rows), 1.0 if excess <= 1 else 1 / excess

    def rows(self, positions: Floats) -> list[dict[str, Any]]:
        """A row per joint for a summary: id, joint, unit, limits, speed, position."""
        return [
            {
                "id": self.ids[i], "joint": name, "unit": self.units[i],
                "lower": float(self.lower[i]), "upper": float(self.upper[i]),
                "speed": float(self.speeds[i]), "position": float(positions[i]),
            }
            for i, name in enumerate(self.names)
        ]  # fmt: skip
