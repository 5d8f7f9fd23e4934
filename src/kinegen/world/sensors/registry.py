"""Which type of sensor a word stands for; types are plug-ins, Kinegen's own too."""

from __future__ import annotations

from kinegen.plug_ins import PlugIns
from kinegen.world.sensors.sensor import Sensor

__all__ = ["BUILT_IN", "GROUP", "SENSORS"]

GROUP = "kinegen.sensors"
"""Entry-point group: every entry names a :class:`~kinegen.world.sensors.sensor.Sensor`."""

BUILT_IN = {
    "bumper": "kinegen.world.sensors.touch:Bumper",
    "camera": "kinegen.world.sensors.camera:Camera",
    "contact": "kinegen.world.sensors.touch:ContactList",
    "current": "kinegen.world.sensors.motor:MotorCurrent",
    "distance": "kinegen.world.sensors.distance:DistanceRay",
    "encoder": "kinegen.world.sensors.encoder:Encoder",
    "force": "kinegen.world.sensors.force:ForceTorque",
    "imu": "kinegen.world.sensors.imu:Imu",
    "lidar": "kinegen.world.sensors.lidar:Lidar",
    "person": "kinegen.world.sensors.person:PersonSensor",
    "pose": "kinegen.world.sensors.pose:AbsolutePose",
    "temperature": "kinegen.world.sensors.motor:MotorTemperature",
    "touch": "kinegen.world.sensors.touch:TouchPad",
}
"""Kinegen's own entries, as in pyproject.toml: for a source tree that is not installed."""


def _is_sensor(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, Sensor)


SENSORS = PlugIns[type[Sensor]]("sensor type", GROUP, BUILT_IN, _is_sensor, "a Sensor class")
