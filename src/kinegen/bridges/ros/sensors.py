"""Sensors as ROS topics: images, laser scans, IMUs, ranges, wrenches, and plain numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kinegen.bridges.process.layout import Picture, SensorData, SensorSignal
from kinegen.bridges.robot import Robot
from kinegen.bridges.ros.source import Source
from kinegen.bridges.ros.values import header, pose_of, quaternion, vector
from kinegen.world.sensors.camera import png

__all__ = ["OPTICAL", "frame_of", "sensor_sources"]

OPTICAL = (0.5, -0.5, 0.5, -0.5)
"""Of a camera's optical frame in its own (wxyz): z ahead, x to the right (REP 103)."""
INFRARED = 1
UNKNOWN = [0.0] * 9
"""A covariance that nobody knows."""


def frame_of(name: str) -> str:
    """The tf frame of a sensor."""
    return name


def sensor_sources(robot: Robot) -> Iterator[Source]:
    """A topic for everything that the file's sensors measure."""
    layout = robot.layout
    for sensor in layout.sensors:
        base = "/" + sensor.name.replace(".", "/")
        signals = [one for one in layout.signals if one.sensor == sensor.name]
        pictures = [one for one in layout.pictures if one.sensor == sensor.name]
        for picture in pictures:
            yield from _picture_sources(robot, sensor, picture, base)
        if sensor.kind in _MESSAGES and signals:
            word, kind, make = _MESSAGES[sensor.kind]
            if sensor.kind == "lidar" and len(signals[0].shape) == 2:
                word, kind, make = "points", "sensor_msgs/PointCloud2", _cloud
            yield _of_signal(robot, sensor, signals[0], f"{base}/{word}", kind, make)
        else:
            for signal in signals:
                word = signal.name.removeprefix(f"{sensor.name}.")
                one = signal.shape == ()
                kind = "std_msgs/Float64" if one else "std_msgs/Float64MultiArray"
                yield _of_signal(robot, sensor, signal, f"{base}/{word}", kind, _numbers)


Make = Callable[[Robot, SensorData, SensorSignal], dict[str, Any]]


def _of_signal(
    robot: Robot, sensor: SensorData, signal: SensorSignal, topic: str, kind: str, make: Make
) -> Source:
    return Source(
        topic,
        kind,
        lambda: make(robot, sensor, signal),
        when=lambda: robot.signal(signal.name).time,
    )


def _head(robot: Robot, sensor: SensorData, signal: SensorSignal) -> dict[str, Any]:
    return header(robot.signal(signal.name).time, frame_of(sensor.name))


def _value(robot: Robot, sensor: SensorData, output: str) -> Any:
    return robot.signal(f"{sensor.name}.{output}").value


def _scan(robot: Robot, sensor: SensorData, signal: SensorSignal) -> dict[str, Any]:
    facts, rays = sensor.facts, signal.shape[0]
    return {
        "header": _head(robot, sensor, signal),
        "angle_min": facts["first"], "angle_max": facts["last"],
        "angle_increment": (facts["last"] - facts["first"]) / max(rays - 1, 1),
        "time_increment": 0.0, "scan_time": sensor.period,
        "range_min": facts["nearest"], "range_max": facts["farthest"],
        "ranges": _seen(robot, sensor, signal), "intensities": [],
    }  # fmt: skip


def _seen(robot: Robot, sensor: SensorData, signal: SensorSignal) -> Any:
    """Distances; infinite where there is nothing (REP 117)."""
    values = robot.signal(signal.name).value
    return np.where(values >= sensor.facts["farthest"], math.inf, values)


def _cloud(robot: Robot, sensor: SensorData, signal: SensorSignal) -> dict[str, Any]:
    facts, (layers, rays) = sensor.facts, signal.shape
    across = np.linspace(facts["first"], facts["last"], rays)
    up = np.linspace(facts["lowest"], facts["highest"], layers)[:, None]
    ways = np.stack(np.broadcast_arrays(
        np.cos(up) * np.cos(across), np.cos(up) * np.sin(across), np.sin(up)
    ), axis=-1)  # fmt: skip
    seen = _seen(robot, sensor, signal)
    points = np.where(np.isfinite(seen)[..., None], ways * seen[..., None], np.nan).astype("<f4")
    fields = [
        {"name": axis, "offset": 4 * i, "datatype": 7, "count": 1} for i, axis in enumerate("xyz")
    ]
    return {
        "header": _head(robot, sensor, signal), "height": layers, "width": rays, "fields": fields,
        "is_bigendian": False, "point_step": 12, "row_step": 12 * rays, "data": points.tobytes(),
        "is_dense": bool(np.isfinite(seen).all()),
    }  # fmt: skip


def _imu(robot: Robot, sensor: SensorData, signal: SensorSignal) -> dict[str, Any]:
    return {
        "header": _head(robot, sensor, signal),
        "orientation": quaternion(_value(robot, sensor, "orientation")),
        "orientation_covariance": UNKNOWN,
        "angular_velocity": vector(_value(robot, sensor, "rate")),
        "angular_velocity_covariance": UNKNOWN,
        "linear_acceleration": vector(_value(robot, sensor, "acceleration")),
        "linear_acceleration_covariance": UNKNOWN,
    }


def _range(robot: Robot, sensor: SensorData, signal: SensorSignal) -> dict[str, Any]:
    facts = sensor.facts
    return {
        "header": _head(robot, sensor, signal), "radiation_type": INFRARED, "field_of_view": 0.0,
        "min_range": facts["nearest"], "max_range": facts["farthest"],
        "range": float(_seen(robot, sensor, signal)), "variance": 0.0,
    }  # fmt: skip


def _wrench(robot: Robot, sensor: SensorData, signal: SensorSignal) -> dict[str, Any]:
    force, torque = _value(robot, sensor, "force"), _value(robot, sensor, "torque")
    wrench = {"force": vector(force), "torque": vector(torque)}
    return {"header": _head(robot, sensor, signal), "wrench": wrench}


def _numbers(robot: Robot, sensor: SensorData, signal: SensorSignal) -> dict[str, Any]:
    value = robot.signal(signal.name).value
    if signal.shape == ():
        return {"data": value}
    sizes = list(signal.shape)
    dims = [
        {"label": "", "size": size, "stride": math.prod(sizes[i:])} for i, size in enumerate(sizes)
    ]
    return {"layout": {"dim": dims, "data_offset": 0}, "data": np.ravel(value)}


_MESSAGES: dict[str, tuple[str, str, Make]] = {
    "lidar": ("scan", "sensor_msgs/LaserScan", _scan),
    "imu": ("imu", "sensor_msgs/Imu", _imu),
    "distance": ("range", "sensor_msgs/Range", _range),
    "force": ("wrench", "geometry_msgs/WrenchStamped", _wrench),
}

_ENCODINGS = {"color": "rgb8", "depth": "32FC1", "segmentation": "32SC1"}


def _picture_sources(
    robot: Robot, sensor: SensorData, picture: Picture, base: str
) -> Iterator[Source]:
    """The picture as it is, compressed where it has colours, and the calibration."""
    word = picture.name.rpartition(".")[2]
    place = f"{base}/image_raw" if word == "color" else f"{base}/{word}/image_raw"
    height, width = picture.shape[:2]

    def when() -> float:
        return robot.picture_time(picture.name)

    def head(time: float) -> dict[str, Any]:
        return header(time, f"{frame_of(sensor.name)}_optical_frame")

    def raw() -> dict[str, Any] | None:
        found = robot.picture(picture.name)
        if found is None:
            return None
        return {
            "header": head(found.time), "height": height, "width": width,
            "encoding": _ENCODINGS[word], "is_bigendian": 0,
            "step": width * found.pixels.itemsize * (3 if word == "color" else 1),
            "data": found.pixels.tobytes(),
        }  # fmt: skip

    def compressed() -> dict[str, Any] | None:
        found = robot.picture(picture.name)
        if found is None:
            return None
        return {"header": head(found.time), "format": "png", "data": png(found.pixels, 1)}

    def info() -> dict[str, Any]:
        fx, fy, cx, cy = picture.intrinsics
        return {
            "header": head(max(when(), 0.0)), "height": height, "width": width,
            "distortion_model": "plumb_bob", "d": [0.0] * 5,
            "k": [fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0], "r": np.eye(3).ravel().tolist(),
            "p": [fx, 0.0, cx, 0.0, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0],
            "binning_x": 0, "binning_y": 0,
            "roi": {"x_offset": 0, "y_offset": 0, "height": 0, "width": 0, "do_rectify": False},
        }  # fmt: skip

    yield Source(place, "sensor_msgs/Image", raw, when=when)
    if word == "color":
        yield Source(f"{place}/compressed", "sensor_msgs/CompressedImage", compressed, when=when)
    yield Source(f"{place.removesuffix('/image_raw')}/camera_info", "sensor_msgs/CameraInfo", info,
                 when=when)  # fmt: skip


def static_frames(sensor: SensorData) -> Iterator[tuple[str, str, tuple[Any, Any]]]:
    """The optical frame of a camera, on its own."""
    if sensor.kind == "camera":
        own = frame_of(sensor.name)
        yield own, f"{own}_optical_frame", pose_of(np.array([*OPTICAL, 0.0, 0.0, 0.0]))
