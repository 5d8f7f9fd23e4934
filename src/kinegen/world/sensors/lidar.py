"""Lidar: distances along many rays, in one plane or in several layers."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.world.log.schemas import FLOAT32, pose_message, time_message
from kinegen.world.sensors.distance import ranges, rays_from
from kinegen.world.sensors.sensor import Output, Sensor, SensorMessage

__all__ = ["Lidar"]

MOST_RAYS = 1_000_000
"""Rays of one measurement."""


class Lidar(Sensor):
    """Rays in its xy plane, from right to left about its x axis; layers are tilted up and down.

    ``distances`` has a row per layer, lowest first, or one row alone: (rays,) or (layers, rays).
    """

    rate: ClassVar[float | None] = 10.0

    def prepare(self) -> Sequence[Output]:
        """Where it is, and where its rays go."""
        self.mount = self.stage.mount(self.parent, self.row.get("at"))
        self.nearest, self.farthest = ranges(self)
        rays, layers = int(self.number("rays", 360)), int(self.number("layers", 1))
        if rays * layers > MOST_RAYS:
            raise UsageError(
                f"sensor '{self.name}' has {rays * layers:,} rays: use at most {MOST_RAYS:,}"
            )
        view = self.number("field_of_view", 2 * math.pi)
        is_round = view > 2 * math.pi - 1e-9
        # all round, the last ray would be the first again
        self.azimuths: Floats = np.linspace(-view / 2, view / 2, rays, endpoint=not is_round)
        tall = self.number("vertical_field_of_view", math.radians(30)) if layers > 1 else 0.0
        self.elevations: Floats = np.linspace(-tall / 2, tall / 2, layers)
        across, up = np.meshgrid(self.azimuths, self.elevations)
        self.directions: Floats = np.stack(
            [np.cos(up) * np.cos(across), np.cos(up) * np.sin(across), np.sin(up)], axis=-1
        ).reshape(-1, 3)
        self._shape = (rays,) if layers == 1 else (layers, rays)
        return (Output("distances", "m", self._shape, (self.nearest, self.farthest)),)

    def measure(self) -> Sequence[Any]:
        """All distances now; the farthest where there is nothing."""
        found = self.stage.cast(self.mount, self.directions, self.farthest)
        return (np.clip(found, self.nearest, self.farthest).reshape(self._shape),)

    def rays(self) -> Floats:
        """All rays, as long as they were read."""
        lengths = np.ravel(self.signals[0].value)
        return rays_from(self.mount, self.directions, lengths, self.farthest)

    def messages(self, nanoseconds: int) -> Iterable[SensorMessage]:
        """A scan, or a cloud of points where there are several layers."""
        values = self.signals[0].value
        X_LS = SE3(SO3.from_matrix(self.mount.R_LS), self.mount.p_LS)
        head = {
            "timestamp": time_message(nanoseconds),
            "frame_id": self.mount.island.model.link_names[self.mount.link],
            "pose": pose_message(X_LS.pose),
        }
        topic = f"/lidar/{self.name.replace('.', '/')}"
        if values.ndim == 1:
            turn = float(self.azimuths[0]), float(self.azimuths[-1])
            scan = {"start_angle": turn[0], "end_angle": turn[1], "ranges": values.tolist(),
                    "intensities": []}  # fmt: skip
            yield SensorMessage(topic, "LaserScan", head | scan)
            return
        points = (self.directions * values.reshape(-1, 1)).astype("<f4")
        fields = [{"name": axis, "offset": 4 * i, "type": FLOAT32} for i, axis in enumerate("xyz")]
        data = base64.b64encode(points.tobytes()).decode()
        cloud = {"point_stride": 12, "fields": fields, "data": data}
        yield SensorMessage(topic, "PointCloud", head | cloud)
