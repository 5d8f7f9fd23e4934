"""Background subtraction: silhouettes are where a picture differs from its background."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError

__all__ = ["silhouettes"]


def silhouettes(
    pictures: npt.ArrayLike, backgrounds: npt.ArrayLike, *, threshold: float = 30.0
) -> npt.NDArray[np.bool_]:
    """Where pictures differ from their backgrounds, (…, height, width).

    A pixel belongs to the body if red, green or blue differs by more than the threshold. Single
    pixels are then changed to what most of their 3 × 3 neighbourhood is, which removes noise.

    Args:
        pictures: (…, height, width, 3) of 0 to 255.
        backgrounds: The same views without the body, of the same shape; or one colour, (3,).
        threshold: Difference of a colour, 0 to 255.
    """
    seen, empty = np.asarray(pictures), np.asarray(backgrounds)
    if seen.ndim < 3 or seen.shape[-1] != 3:
        raise UsageError(f"pictures must be (…, height, width, 3), got {seen.shape}")
    if empty.shape not in (seen.shape, (3,)):
        raise UsageError(
            f"backgrounds must have the shape of the pictures, {seen.shape}, or be one colour of "
            f"three numbers; got {empty.shape}"
        )
    if not 0 <= threshold <= 255:
        raise UsageError(f"a threshold must be from 0 to 255, got {threshold}")
    for what, given in (("pictures", seen), ("backgrounds", empty)):
        if not np.isfinite(given).all():
            raise UsageError(f"{what} must have finite colours")
    differs = (np.abs(seen.astype(np.float32) - empty).max(axis=-1) > threshold).astype(np.uint8)
    return _majority(differs)


def _majority(mask: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """What five or more of the nine pixels around each pixel are."""
    edges = [(0, 0)] * (mask.ndim - 2) + [(1, 1), (1, 1)]
    padded = np.pad(mask, edges, mode="edge")
    height, width = mask.shape[-2:]
    count = np.zeros_like(mask)
    for row in range(3):
        for column in range(3):
            count += padded[..., row : row + height, column : column + width]
    return np.asarray(count >= 5)
