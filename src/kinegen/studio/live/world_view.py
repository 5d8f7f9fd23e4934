"""What a page sees of a running world: sensors with their places, nodes, pictures of cameras."""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import numpy.typing as npt

from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.studio.wire.messages import CameraData, NodeData, PictureHead, SensorData
from kinegen.world.bodies.mount import Mount
from kinegen.world.bodies.node import Node
from kinegen.world.sensors.camera import Camera, png
from kinegen.world.sensors.sensor import Sensor
from kinegen.world.signalling.signal import Signal

__all__ = ["node_data", "picture_of", "sensor_data"]

NEAR, FAR, NOTHING = (252, 236, 130), (38, 22, 66), (16, 16, 20)
"""Colours of depths, and of where there is nothing."""
MIDDLE = (222, 73, 104)
LONGEST = 60
"""Characters of an attribute that are shown."""


def sensor_data(sensor: Sensor, *, is_drawn: bool, read: Set[str]) -> SensorData:
    """A sensor, as a page draws it; `read`: signals that agents have read."""
    mount: Mount | None = getattr(sensor, "mount", None)
    node, place = "", SE3.identity()
    if mount is not None:
        node = mount.island.model.link_names[mount.link]
        place = SE3(SO3.from_matrix(mount.R_LS), mount.p_LS)
    camera = None
    if isinstance(sensor, Camera):
        camera = CameraData(
            sensor.width, sensor.height, sensor.opening, sensor.nearest, sensor.farthest,
            sensor.images, is_drawn,
        )  # fmt: skip
    signals = [one.name for one in sensor.signals]
    return SensorData(
        sensor.name, sensor.kind, node, place.pose.tolist(), signals,
        float(getattr(sensor, "farthest", 0.0)), camera, [one for one in signals if one in read],
    )  # fmt: skip


def node_data(node: Node) -> NodeData:
    """A node with its attributes."""
    attributes = {name: f"{value}"[:LONGEST] for name, value in node.items()}
    return NodeData(node.name, node.kind, node.parent, attributes)


def picture_of(signal: Signal) -> tuple[PictureHead, bytes]:
    """A picture of a camera's signal: colours as they are, depths and segments in colours."""
    value = np.asarray(signal.value)
    low = high = 0.0
    if signal.name.endswith(".depth"):
        seen = value[np.isfinite(value)]
        low, high = (float(seen.min()), float(seen.max())) if seen.size else (0.0, 0.0)
        shown = _depths(value, low, high)
    elif signal.name.endswith(".segmentation"):
        shown = _segments(value)
    else:
        shown = value.astype(np.uint8)
    return PictureHead(signal.name, signal.time, low, high), png(shown, level=1)


def _depths(depth: npt.NDArray[np.float32], low: float, high: float) -> npt.NDArray[np.uint8]:
    share = np.clip((depth - low) / max(high - low, 1e-9), 0.0, 1.0)
    stops = np.array([NEAR, MIDDLE, FAR], dtype=np.float64)
    shown = np.stack([np.interp(share, (0, 0.5, 1), stops[:, i]) for i in range(3)], axis=-1)
    shown[~np.isfinite(depth)] = NOTHING
    return shown.astype(np.uint8)


def _segments(numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.uint8]:
    """Neighbouring numbers get colours that differ: hues by the golden ratio."""
    hue = (np.arange(max(int(numbers.max()), 0) + 1) * 0.618034) % 1.0
    waves = np.stack([np.cos(2 * np.pi * (hue - third / 3)) for third in range(3)], axis=-1)
    table = np.vstack([128 + 100 * waves, NOTHING]).astype(np.uint8)
    return table[numbers]
