"""A real face in pictures, moved and scaled: the head that is found moves with it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinegen.devices.head.faces import EyeFinder
from kinegen.devices.head.sources import CameraHeads

cv2 = pytest.importorskip("cv2")
skimage = pytest.importorskip("skimage")
EYES = (222.0, 101.0)
"""Between the eyes of Eileen Collins, in the picture that scikit-image contains [px]."""


@pytest.fixture(scope="module")
def face() -> Any:
    return cv2.imread(str(Path(skimage.__file__).parent / "data" / "astronaut.png"))


def shown(face: Any, scale: float, u: float, v: float) -> Any:
    """A picture of 640 × 480 with the eyes at a place [px]; the person alone, nothing around."""
    M = np.array([[scale, 0, u - scale * EYES[0]], [0, scale, v - scale * EYES[1]]])
    return cv2.warpAffine(face, M, (640, 480), borderValue=(90, 90, 90))


class Pictures:
    """A camera that shows given pictures."""

    name = "pictures"

    def __init__(self, *pictures: Any) -> None:
        self._pictures = list(pictures)
        self.is_closed = False

    def read(self) -> Any:
        return self._pictures.pop(0) if self._pictures else None

    def close(self) -> None:
        self.is_closed = True


def test_the_head_moves_with_the_face(face: Any) -> None:
    places = [(1.0, 320, 240), (1.0, 420, 240), (1.0, 320, 300), (2.0, 320, 240), (0.75, 250, 200)]
    camera = Pictures(*(shown(face, *one) for one in places), np.full((480, 640, 3), 90, np.uint8))
    heads = CameraHeads(camera, math.radians(60), clock=iter(range(9)).__next__)  # type: ignore[arg-type]
    found = []
    for _ in places:
        sight = heads.read()
        assert sight is not None and sight.head is not None
        found.append(sight.head.translation)
    focal = 320 / math.tan(math.radians(30))
    first = found[0]
    for (scale, u, v), place in zip(places, found, strict=True):
        x, depth, z = place
        # the cascades place eyes to a few pixels, of the 45 px between them: 5 % of the distance
        assert depth == pytest.approx(first[1] / scale, rel=0.06)
        assert focal * x / depth == pytest.approx(u - 320, abs=5 * scale)
        assert focal * z / depth == pytest.approx(240 - v, abs=5 * scale)
    assert 0.7 < first[1] < 0.9  # 63 mm are 45 px: 0.78 m
    blank = heads.read()
    assert blank is not None and blank.head is None
    assert heads.read() is None
    heads.close()
    assert camera.is_closed


def test_of_two_faces_the_larger_one_counts(face: Any) -> None:
    picture = shown(face, 0.75, 150, 150)
    near = shown(face, 1.25, 470, 240)
    picture[:, 330:] = near[:, 330:]
    eyes = EyeFinder()(picture)
    assert eyes is not None
    assert (eyes.right[0] + eyes.left[0]) / 2 == pytest.approx(470, abs=10)
