"""DistanceRay: how far it is to the nearest body straight ahead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.world.bodies.mount import Mount
from kinegen.world.log.markers import ray_lines
from kinegen.world.sensors.sensor import Output, Sensor, SensorMessage

__all__ = ["DistanceRay", "ranges", "rays_from"]

FARTHEST = 10.0
"""Range of a sensor whose file gives none [m]."""


def ranges(sensor: Sensor) -> tuple[float, float]:
    """Nearest and farthest distance that a sensor measures [m]."""
    nearest, farthest = sensor.numbers("range", (0.0, FARTHEST))
    if not 0 <= nearest < farthest:
        raise UsageError(
            f"the range of sensor '{sensor.name}' is [{nearest:g}, {farthest:g}] m: it must begin "
            "at 0 or more and have a length"
        )
    return nearest, farthest


def rays_from(mount: Mount, directions_S: Floats, lengths: Floats, farthest: float) -> Floats:
    """Rays of given lengths [m] as views show them, (n, 7); none where there is no number."""
    R, p = mount.place()
    known = np.isfinite(lengths)
    ends = p + lengths[known, None] * (directions_S[known] @ R.T)
    starts = np.broadcast_to(p, ends.shape)
    return np.column_stack([starts, ends, np.clip(lengths[known] / farthest, 0.0, 1.0)])


class DistanceRay(Sensor):
    """One ray along its x axis; it passes through the link that it is mounted on.

    It reports its farthest distance where there is nothing, and its nearest where that is less.
    """

    def prepare(self) -> Sequence[Output]:
        """Where it is and how far it sees."""
        self.mount = self.stage.mount(self.parent, self.row.get("at"))
        self.nearest, self.farthest = ranges(self)
        return (Output("distance", "m", span=(self.nearest, self.farthest)),)

    def measure(self) -> Sequence[Any]:
        """The distance now."""
        ahead = np.array([[1.0, 0.0, 0.0]])
        found = self.stage.cast(self.mount, ahead, self.farthest)[0]
        return (min(max(found, self.nearest), self.farthest),)

    def messages(self, nanoseconds: int) -> Iterable[SensorMessage]:
        """The ray, as long as it was read."""
        for ray in self.rays():
            lines = ray_lines(self.name, nanoseconds, ray[None, :3], ray[None, 3:6])
            yield SensorMessage(f"/rays/{self.name.replace('.', '/')}", "SceneUpdate", lines)

    def rays(self) -> Floats:
        """The ray, as long as it was read."""
        ahead = np.array([[1.0, 0.0, 0.0]])
        return rays_from(self.mount, ahead, np.atleast_1d(self.signals[0].value), self.farthest)
