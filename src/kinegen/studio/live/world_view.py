"""What a page sees of a running world: sensors with their places, nodes, pictures of cameras."""

from __future__ import annotations

from collections.abc import Set

from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.studio.wire.messages import CameraData, NodeData, PictureHead, SensorData
from kinegen.world.bodies.mount import Mount
from kinegen.world.bodies.node import Node
from kinegen.world.drawing.pictures import camera_picture, png
from kinegen.world.sensors.camera import Camera
from kinegen.world.sensors.sensor import Sensor
from kinegen.world.signalling.signal import Signal

__all__ = ["node_data", "picture_of", "sensor_data"]

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
    """A picture of a camera's signal: what it is, and its PNG file."""
    made = camera_picture(signal)
    head = PictureHead(signal.name, signal.time, made.low, made.high)
    return head, png(made.pixels, level=1)
