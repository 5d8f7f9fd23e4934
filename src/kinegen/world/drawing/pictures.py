"""Pictures of signals: maps and what cameras see, as PNG files."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.world.sensors.camera import png

__all__ = ["as_picture", "png"]

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
