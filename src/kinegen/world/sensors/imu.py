"""Imu: specific force, angular velocity and orientation of the place it is mounted on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinegen.spatial.rotation import SO3
from kinegen.world.sensors.sensor import Output, Sensor

__all__ = ["Imu"]


class Imu(Sensor):
    """An inertial measurement unit, in its own axes.

    ``acceleration`` is what an accelerometer feels: acceleration minus gravity. At rest it is 1 g
    upwards, in free fall 0.
    """

    def prepare(self) -> Sequence[Output]:
        """Where it is."""
        self.mount = self.stage.mount(self.parent, self.row.get("at"))
        return (
            Output("acceleration", "m/s²", (3,)),
            Output("rate", "rad/s", (3,)),
            Output("orientation", "", (4,)),
        )

    def measure(self) -> Sequence[Any]:
        """Specific force, angular velocity, and the quaternion wxyz of its axes in the world."""
        R, _ = self.mount.place()
        _, w = self.mount.velocity()
        felt = self.mount.acceleration() - self.mount.island.model.gravity
        return R.T @ felt, R.T @ w, SO3.from_matrix(R).quat
