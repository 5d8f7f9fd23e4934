"""Sensors of motors: current and temperature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from kinegen.errors import UsageError
from kinegen.world.sensors.sensor import Output, Sensor

__all__ = ["MotorCurrent", "MotorTemperature"]


class _OfMotor(Sensor):
    """Measures the motor of the joint that it is mounted on."""

    key: ClassVar[str]
    unit: ClassVar[str]

    def prepare(self) -> Sequence[Output]:
        """Its motor must have thermal data."""
        name = self.parent
        self._island, self._joint = self.stage.joint(name)
        servos = self._island.simulation.servos
        if servos is None or not servos.heat.has[self._joint.v.start]:
            raise UsageError(
                f"sensor '{self.name}': the motor of joint '{name}' has no thermal data; add "
                "'motor: {thermal: {torque_constant: …, resistance: …, …}}'"
            )
        return (Output(self.key, self.unit),)

    def measure(self) -> Sequence[Any]:
        """The value now."""
        servos = self._island.simulation.servos
        assert servos is not None
        return (getattr(servos.heat, self.key)[self._joint.v.start],)


class MotorCurrent(_OfMotor):
    """The current through a motor's winding."""

    key, unit = "current", "A"


class MotorTemperature(_OfMotor):
    """The temperature of a motor's winding."""

    key, unit = "temperature", "°C"
