"""AbsolutePose: where something is in the world, as a tracking system measures it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinegen.spatial.rotation import SO3
from kinegen.world.sensors.sensor import Output, Sensor

__all__ = ["AbsolutePose"]


class AbsolutePose(Sensor):
    """Position and orientation (quaternion wxyz) in the world."""

    def prepare(self) -> Sequence[Output]:
        """Where it is."""
        self.mount = self.stage.mount(self.parent, self.row.get("at"))
        return Output("position", "m", (3,)), Output("orientation", "", (4,))

    def measure(self) -> Sequence[Any]:
        """Where it is now."""
        R, p = self.mount.place()
        return p, SO3.from_matrix(R).quat
