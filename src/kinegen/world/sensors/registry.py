"""Which type of sensor a word stands for; types are plug-ins, Kinegen's own too."""

from __future__ import annotations

from kinegen.plug_ins import PlugIns
from kinegen.world.sensors.sensor import Sensor

__all__ = ["BUILT_IN", "GROUP", "SENSORS"]

GROUP = "kinegen.sensors"
"""Entry-point group: every entry names a :class:`~kinegen.world.sensors.sensor.Sensor`."""

BUILT_IN = {
    "encoder": "kinegen.world.sensors.encoder:Encoder",
    "distance": "kinegen.world.sensors.distance:DistanceRay",
    "imu": "kinegen.world.sensors.imu:Imu",
    "pose": "kinegen.world.sensors.pose:AbsolutePose",
}
"""Kinegen's own entries, as in pyproject.toml: for a source tree that is not installed."""


def _is_sensor(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, Sensor)


SENSORS = PlugIns[type[Sensor]]("sensor type", GROUP, BUILT_IN, _is_sensor, "a Sensor class")
