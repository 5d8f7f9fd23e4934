"""Pictures of signals: maps and what cameras see, as PNG files."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegen.world.sensors.camera import png
from kinegen.world.signalling.signal import Signal

__all__ = ["CameraPicture", "as_picture", "camera_picture", "png"]

NEAR, MIDDLE, FAR, NOTHING = (252, 236, 130), (222, 73, 104), (38, 22, 66), (16, 16, 20)
"""Colours of depths, and of where there is nothing."""

LARGEST = 8
"""Pixels a side of one cell of a map."""


def as_picture(values: npt.NDArray[np.generic]) -> npt.NDArray[np.uint8]:
    """A picture of a signal: of a camera as it is, of other numbers in shades of grey.

    Maps have x to the right and y up; their largest values are dark.
    """
    if values.dtype == np.uint8:
        return np.asarray(values, np.uint8)
    numbers = np.asarray(values, np.float64)
    known = np.isfinite(numbers)
    low, high = (numbers[known].min(), numbers[known].max()) if known.any() else (0.0, 1.0)
    share = np.where(known, (numbers - low) / max(high - low, 1e-12), 1.0)
    shades = np.round(255 * (1 - share)).astype(np.uint8)
    return np.kron(shades[::-1], np.ones((LARGEST, LARGEST), np.uint8))


@dataclass(frozen=True, slots=True, eq=False)
class CameraPicture:
    """A picture of a camera, as people look at it."""

    pixels: npt.NDArray[np.uint8]
    """(height, width, 3)."""
    low: float
    high: float
    """The least and greatest depth in it [m]; 0 where it has none."""


def camera_picture(signal: Signal) -> CameraPicture:
    """A picture of a camera's signal: colours as they are, depths and segments in colours."""
    value = np.asarray(signal.value)
    if signal.name.endswith(".depth"):
        seen = value[np.isfinite(value)]
        low, high = (float(seen.min()), float(seen.max())) if seen.size else (0.0, 0.0)
        return CameraPicture(_depths(value, low, high), low, high)
    shown = _segments(value) if signal.name.endswith(".segmentation") else value.astype(np.uint8)
    return CameraPicture(shown, 0.0, 0.0)


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
