"""Encoder: the position and velocity of a joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinegen.errors import UsageError
from kinegen.world.sensors.sensor import Output, Sensor

__all__ = ["Encoder"]

_UNITS = {"angle": ("rad", "rad/s"), "length": ("m", "m/s")}


class Encoder(Sensor):
    """Measures the joint that it is mounted on."""

    def prepare(self) -> Sequence[Output]:
        """Its joint must have one variable."""
        name = self.parent
        self._island, self._joint = self.stage.joint(name)
        variables = self._joint.type.info.variables
        if len(variables) != 1:
            raise UsageError(
                f"sensor '{self.name}': joint '{name}' has {len(variables)} variables, an encoder "
                "measures one; use a sensor of type pose"
            )
        place, speed = _UNITS[variables[0][1]]
        return Output("position", place), Output("velocity", speed)

    def measure(self) -> Sequence[Any]:
        """Position and velocity now."""
        state = self._island.state
        return state.q[self._joint.q.start], state.v[self._joint.v.start]
