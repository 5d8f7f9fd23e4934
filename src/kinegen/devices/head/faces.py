"""Faces and eyes in pictures, by OpenCV's cascades, which are part of its wheels (version 4)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.devices.head.pinhole import Eyes
from kinegen.errors import UsageError

__all__ = ["EyeFinder", "Picture", "opencv"]

Picture = npt.NDArray[np.uint8]
"""Rows, columns, and blue, green, red; or rows and columns of brightness."""

WIDTH = 640
"""[px] Wider pictures are searched at this width: a face at arm's length keeps 130 px."""
SMALLEST = 0.05
"""Of a face, as a share of the picture's width: at 60° of view, a head 2.5 m away."""
AROUND = 0.5
"""A face is looked for around its last place, within this share of its width on each side."""
FACE, EYES_IN = 72, 144
"""[px] Widths at which a known face, and the eyes in a face, are looked for: larger is slower."""
FRESH = 30
"""Pictures after which all of it is searched again: a larger face may have come."""
EYES_OF_FACE = 0.43
"""Distance of the eyes, as a share of the width that the cascade gives a face; measured here."""


def opencv() -> Any:
    """The module cv2 with its cascades; UsageError says what to install."""
    try:
        import cv2
        import cv2.data
    except ImportError:
        raise UsageError(
            "tracking a head by webcam needs OpenCV 4: pip install 'kinegen[head]'"
        ) from None
    if not hasattr(cv2, "CascadeClassifier"):
        raise UsageError(
            f"OpenCV {cv2.__version__} has no cascades for faces any more: "
            "pip install 'opencv-python-headless<5'"
        )
    return cv2


class EyeFinder:
    """Finds the eyes of the largest face."""

    def __init__(self) -> None:
        self._cv2 = opencv()
        self._faces = self._cascade("haarcascade_frontalface_alt2.xml")
        self._eyes = self._cascade("haarcascade_eye.xml")
        self._share = EYES_OF_FACE
        """Distance of the eyes of the person at hand over the width of the face."""
        self._offset = 0.4
        """How far below the upper edge of the face their eyes are, as a share of its width."""
        self._last: tuple[int, int, int, int] | None = None
        self._age = 0
        """Pictures since all of one was searched."""

    def _cascade(self, name: str) -> Any:
        found = self._cv2.CascadeClassifier(self._cv2.data.haarcascades + name)
        if found.empty():
            raise UsageError(f"this OpenCV has no {name}: pip install 'opencv-python-headless<5'")
        return found

    def __call__(self, picture: Picture) -> Eyes | None:
        """The eyes of the largest face; None without a face."""
        cv2 = self._cv2
        gray = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        gray, factor = self._shrunk(gray, WIDTH / gray.shape[1])
        gray = cv2.equalizeHist(gray)
        face = self._face(gray)
        self._last = face
        if face is None:
            return None
        x, y, width, height = face
        upper, shrunk = self._shrunk(
            gray[y : y + int(0.6 * height), x : x + width], EYES_IN / width
        )
        small, large = int(0.14 * width * shrunk), int(0.4 * width * shrunk)
        found = self._eyes.detectMultiScale(
            upper, 1.05, 3, minSize=(small, small), maxSize=(large, large)
        )
        middles = [
            (float(x + (ex + ew / 2) / shrunk), float(y + (ey + eh / 2) / shrunk))
            for ex, ey, ew, eh in found
        ]
        eyes = _pair(middles, x + width / 2, width)
        if eyes is None:
            # closed eyes, glasses: where this person's eyes are in the face
            middle, half, level = x + width / 2, self._share * width / 2, y + self._offset * width
            eyes = Eyes((middle - half, level), (middle + half, level))
        else:
            level = (eyes.right[1] + eyes.left[1]) / 2
            self._share += 0.1 * (eyes.distance / width - self._share)
            self._offset += 0.1 * ((level - y) / width - self._offset)
        (ur, vr), (ul, vl) = eyes.right, eyes.left
        return Eyes((ur / factor, vr / factor), (ul / factor, vl / factor))

    def _face(self, gray: Picture) -> tuple[int, int, int, int] | None:
        """The largest face: x, y, width, height [px]; first where it was last."""
        self._age += 1
        if self._last is not None and self._age < FRESH:
            x, y, width, height = self._last
            edge = int(AROUND * width)
            x0, y0 = max(0, x - edge), max(0, y - edge)
            part = gray[y0 : y + height + edge, x0 : x + width + edge]
            part, shrunk = self._shrunk(part, FACE / width)
            least, most = (int(factor * width * shrunk) for factor in (0.75, 1.35))
            found = self._largest(part, least, most)
            if found is not None:
                fx, fy, fw, fh = (round(one / shrunk) for one in found)
                return fx + x0, fy + y0, fw, fh
        self._age = 0
        return self._largest(gray, max(24, int(SMALLEST * gray.shape[1])), max(gray.shape))

    def _shrunk(self, gray: Picture, factor: float) -> tuple[Picture, float]:
        """A picture made smaller by a factor, unless that would enlarge it, and the factor."""
        if factor >= 1:
            return gray, 1.0
        area = self._cv2.INTER_AREA
        return self._cv2.resize(gray, None, fx=factor, fy=factor, interpolation=area), factor

    def _largest(self, gray: Picture, least: int, most: int) -> tuple[int, int, int, int] | None:
        faces = self._faces.detectMultiScale(
            gray, 1.1, 4, minSize=(least, least), maxSize=(most, most)
        )
        if len(faces) == 0:
            return None
        x, y, width, height = max(faces, key=lambda face: int(face[2]) * int(face[3]))
        return int(x), int(y), int(width), int(height)


def _pair(places: list[tuple[float, float]], middle: float, width: float) -> Eyes | None:
    """The two places that are most like a pair of eyes on both sides of the face's middle."""
    best, eyes = 0.15, None
    for right in places:
        for left in places:
            apart = (left[0] - right[0]) / width
            if not (right[0] < middle < left[0] and 0.25 < apart < 0.65):
                continue
            skew = abs(left[1] - right[1]) / width
            side = abs((left[0] + right[0]) / 2 - middle) / width
            badness = abs(apart - EYES_OF_FACE) / 2 + skew / 2 + side
            if badness < best:
                best, eyes = badness, Eyes(right, left)
    return eyes
