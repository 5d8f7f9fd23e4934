"""From eyes in a picture to a head before the camera, in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen.devices.head.pinhole import Eyes, Pinhole
from kinegen.errors import UsageError


def projected(camera: Pinhole, place: np.ndarray) -> tuple[float, float]:
    x, y, z = place
    u, v = camera.focal * x / y, -camera.focal * z / y
    return (camera.width / 2 + u, camera.height / 2 + v)


@pytest.mark.parametrize("roll", [0.0, 0.3, -0.5])
@pytest.mark.parametrize("place", [(0.0, 0.6, 0.0), (0.2, 1.1, -0.1), (-0.4, 0.8, 0.25)])
def test_a_projected_pair_of_eyes_gives_the_head_back(
    place: tuple[float, float, float], roll: float
) -> None:
    camera = Pinhole(640, 480, math.radians(60))
    middle = np.array(place)
    to_right = np.array([-math.cos(roll), 0.0, math.sin(roll)])  # of a person who faces it
    eyes = Eyes(
        projected(camera, middle + 0.0315 * to_right), projected(camera, middle - 0.0315 * to_right)
    )
    X_TH = camera.head(eyes, 0.063)
    assert X_TH.translation == pytest.approx(middle, abs=1e-12)
    assert X_TH.rotation[:, 0] == pytest.approx(to_right, abs=1e-12)
    assert X_TH.rotation[:, 1] == pytest.approx([0, -1, 0], abs=1e-12)
    assert np.linalg.det(X_TH.rotation) == pytest.approx(1)


def test_an_opening_that_no_camera_has_is_refused() -> None:
    with pytest.raises(UsageError, match="field of view"):
        Pinhole(640, 480, math.radians(190))
