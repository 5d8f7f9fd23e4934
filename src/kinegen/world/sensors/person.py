"""PersonSensor: how near people are, and what their hands show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from kinegen.kernels import Floats
from kinegen.world.log.markers import ray_lines
from kinegen.world.people.person import GESTURES, STRENGTH
from kinegen.world.sensors.distance import ranges
from kinegen.world.sensors.sensor import Output, Sensor, SensorMessage

__all__ = ["PersonSensor"]


class PersonSensor(Sensor):
    """The nearest point of the nearest person, the strongest gesture, and how many there are.

    ``position`` is in the sensor's axes and NaN where nobody is detected; ``distance`` is then the
    farthest one. ``gesture`` is a code: 0 none, 1 point, 2 stop, 3 grasp; of several people, stop
    counts before grasp, grasp before point. Nothing hides a person: the sensor stands for several
    scanners or cameras around its place.
    """

    rate: ClassVar[float | None] = 50.0

    def prepare(self) -> Sequence[Output]:
        """Where it is, and how far and wide it sees."""
        self.mount = self.stage.mount(self.parent, self.row.get("at"))
        self.nearest, self.farthest = ranges(self)
        # from half a turn to each side on, it sees all around
        self._widest = min(self.number("field_of_view", math.tau) / 2, math.pi)
        return (
            Output("distance", "m", span=(self.nearest, self.farthest)),
            Output("position", "m", (3,)),
            Output("gesture", is_code=True),
            Output("count", is_code=True),
        )

    def measure(self) -> Sequence[Any]:
        """What it detects now."""
        R, p = self.mount.place()
        distance, place = self.farthest, np.full(3, np.nan)
        count, strongest = 0, 0
        for one in self.stage.people.found():
            points, far = one.body.surface.nearest(p)
            seen = self._seen((points - p) @ R, far)
            if not seen.any():
                continue
            count += 1
            strongest = max(strongest, STRENGTH.index(one.person.gesture))
            i = int(np.argmin(np.where(seen, far, np.inf)))
            if far[i] < distance:
                distance, place = float(far[i]), (points[i] - p) @ R
        code = GESTURES.index(STRENGTH[strongest])
        return max(distance, self.nearest), place, float(code), float(count)

    def _seen(self, points_S: Floats, far: Floats) -> Floats:
        """Which parts of a body are within range and field of view."""
        seen: Any = far < self.farthest
        if self._widest < math.pi:
            aside = np.arctan2(np.hypot(points_S[:, 1], points_S[:, 2]), points_S[:, 0])
            seen = seen & ((aside <= self._widest) | (far == 0))
        return np.asarray(seen)

    def rays(self) -> Floats:
        """A line to the nearest person, as it was read."""
        place, distance = np.asarray(self.signals[1].value), float(self.signals[0].value)
        if not np.isfinite(place).all() or not math.isfinite(distance):
            return np.zeros((0, 7))
        R, p = self.mount.place()
        share = min(max(distance / self.farthest, 0.0), 1.0)
        return np.concatenate([p, p + R @ place, [share]])[None]

    def messages(self, nanoseconds: int) -> Iterable[SensorMessage]:
        """The line to the nearest person."""
        rays = self.rays()
        lines = ray_lines(self.name, nanoseconds, rays[:, :3], rays[:, 3:6])
        yield SensorMessage(f"/rays/{self.name.replace('.', '/')}", "SceneUpdate", lines)
