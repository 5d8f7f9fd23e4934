"""Silhouettes by background subtraction."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.errors import UsageError
from kinegen.hull import silhouettes


def test_noise_is_removed_and_the_body_stays() -> None:
    rng = np.random.default_rng(0)
    empty = rng.integers(80, 120, (2, 40, 50, 3)).astype(np.uint8)
    seen = empty.astype(int) + rng.integers(-20, 21, empty.shape)
    body = np.zeros((2, 40, 50), bool)
    body[:, 10:30, 15:35] = True
    seen[body] = (200, 100, 100)
    seen[:, 3, 3] = 255  # a pixel that is broken
    found = silhouettes(seen.clip(0, 255).astype(np.uint8), empty)
    # majority of 3 × 3 cuts the four corners off
    wrong = found != body
    assert wrong.sum() == 8 and not found[:, 3, 3].any()


def test_one_colour_as_background_and_what_is_refused() -> None:
    picture = np.zeros((8, 8, 3), np.uint8)
    picture[2:6, 2:6] = (0, 255, 0)
    assert silhouettes(picture, (0, 255, 0)).sum() > 30
    with pytest.raises(UsageError, match=r"shape of the pictures, \(8, 8, 3\)"):
        silhouettes(picture, picture[1:])
    with pytest.raises(UsageError, match="threshold must be from 0 to 255, got 300"):
        silhouettes(picture, picture, threshold=300)
    with pytest.raises(UsageError, match="backgrounds must have finite colours"):
        silhouettes(picture, (np.nan, 0, 0))
