"""Camera: pictures, depths and segments, drawn by MuJoCo without a window."""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.world.log.schemas import time_message
from kinegen.world.renderer import RENDERERS, View
from kinegen.world.sensors.distance import ranges
from kinegen.world.sensors.sensor import Output, Sensor, SensorMessage

__all__ = ["Camera", "png"]

MOST_PIXELS = 4096
"""Width and height of a picture."""


class Camera(Sensor):
    """Looks along its x axis, z is up in its picture.

    ``color`` is (height, width, 3) of 0 to 255; ``depth`` the distance along its x axis [m] (inf
    where there is nothing), ``segmentation`` the number of each pixel's node in :attr:`names`, -1
    where there is nothing. :attr:`intrinsics` are those of a pinhole camera.
    """

    rate: ClassVar[float | None] = 30.0

    def prepare(self) -> Sequence[Output]:
        """Where it is, and how large its pictures are."""
        self.mount = self.stage.mount(self.parent, self.row.get("at"))
        self.width, self.height = (int(one) for one in self.numbers("pixels", (320, 240)))
        if max(self.width, self.height) > MOST_PIXELS:
            raise UsageError(
                f"sensor '{self.name}': a picture has at most {MOST_PIXELS} pixels a side"
            )
        near, far = ranges(self)
        opening = self.number("field_of_view", math.radians(45))
        if not 0 < opening < math.pi:
            raise UsageError(f"sensor '{self.name}': the field of view is between 0 and 180 deg")
        self.images: list[str] = list(self.row.get("images", ["color"]))
        self._view = View(self.width, self.height, opening, max(near, 1e-3), far)
        focal = self.height / 2 / math.tan(opening / 2)
        self.intrinsics = (focal, focal, self.width / 2, self.height / 2)
        """fx, fy, cx, cy [pixels]."""
        self.opening = opening
        """Vertical [rad]."""
        self.nearest, self.farthest = self._view.near, far
        """[m]"""
        draws = RENDERERS.named(str(self.row.get("renderer", "mujoco")))
        self._renderer = draws(self.stage, self._view, self.name) if self.stage.cameras else None
        self.names = [] if self._renderer is None else self._renderer.names
        """Of what the numbers of a segmentation stand for."""
        return [Output(one, "m" if one == "depth" else "", None) for one in self.images]

    def measure(self) -> Sequence[Any]:
        """The pictures now; none where cameras are off."""
        if self._renderer is None:
            return [None] * len(self.images)
        pictures: Sequence[Any] = self._renderer.take(self.mount, self.images)
        return pictures

    def messages(self, nanoseconds: int) -> Iterable[SensorMessage]:
        """Compressed pictures, raw depths, and the calibration."""
        head = {"timestamp": time_message(nanoseconds), "frame_id": self.name}
        topic = f"/camera/{self.name.replace('.', '/')}"
        for image, signal in zip(self.images, self.signals, strict=True):
            picture = signal.value
            if picture is None:
                continue
            if image == "depth":
                depths = np.asarray(picture, "<f4").tobytes()
                raw = {
                    "width": self.width, "height": self.height, "encoding": "32FC1",
                    "step": 4 * self.width, "data": base64.b64encode(depths).decode(),
                }  # fmt: skip
                yield SensorMessage(f"{topic}/depth", "RawImage", head | raw)
                continue
            shown = picture if image == "color" else (picture + 1).astype(np.uint8)
            data = base64.b64encode(png(shown)).decode()
            packed = head | {"data": data, "format": "png"}
            yield SensorMessage(f"{topic}/{image}", "CompressedImage", packed)
        fx, fy, cx, cy = self.intrinsics
        calibration = {
            "width": self.width, "height": self.height, "distortion_model": "", "D": [],
            "K": [fx, 0, cx, 0, fy, cy, 0, 0, 1], "R": [1, 0, 0, 0, 1, 0, 0, 0, 1],
            "P": [fx, 0, cx, 0, 0, fy, cy, 0, 0, 0, 1, 0],
        }  # fmt: skip
        yield SensorMessage(f"{topic}/calibration", "CameraCalibration", head | calibration)

    def close(self) -> None:
        """Let the renderer end."""
        if self._renderer is not None:
            self._renderer.close()


def png(picture: npt.NDArray[np.uint8], level: int = 6) -> bytes:
    """A picture (height, width) or (height, width, 3) as a PNG file.

    Args:
        picture: Its pixels.
        level: Of compression, 1 (fast) to 9 (small).
    """
    height, width = picture.shape[:2]
    kind = 2 if picture.ndim == 3 else 0
    rows = np.ascontiguousarray(picture).reshape(height, -1)
    lines = np.hstack([np.zeros((height, 1), np.uint8), rows]).tobytes()

    def chunk(name: bytes, data: bytes) -> bytes:
        whole = name + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    head = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines, level)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body
