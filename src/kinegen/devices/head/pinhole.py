"""From the eyes in a picture to the head before the camera: the pinhole camera."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kinegen.errors import UsageError
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["EYE_DISTANCE", "Eyes", "Pinhole"]

EYE_DISTANCE = 0.063
"""Mean distance between the pupils of adults [m] (Dodgson 2004); it scales all distances."""


@dataclass(frozen=True, slots=True)
class Eyes:
    """The eyes of a face in a picture [px, from its upper left corner]."""

    right: tuple[float, float]
    """The person's right eye, on the left of the picture."""
    left: tuple[float, float]

    @property
    def distance(self) -> float:
        """Between them [px]."""
        return math.dist(self.right, self.left)


@dataclass(frozen=True, slots=True)
class Pinhole:
    """A camera by the size of its pictures and its opening."""

    width: int
    height: int
    """[px]"""
    opening: float
    """Horizontal field of view [rad]."""

    def __post_init__(self) -> None:
        """UsageError for an opening that no such camera has."""
        if not 0.1 < self.opening < 3.0:
            raise UsageError(
                f"the field of view of a camera must be from 6 to 170 deg, got "
                f"{math.degrees(self.opening):g} deg"
            )

    @property
    def focal(self) -> float:
        """Focal length [px]."""
        return self.width / 2 / math.tan(self.opening / 2)

    def head(self, eyes: Eyes, eye_distance: float = EYE_DISTANCE) -> SE3:
        """X_TH of a head that faces the camera.

        Args:
            eyes: Where its eyes are in the picture.
            eye_distance: Of the person [m].

        Returns:
            The frame between the eyes (x to the right eye, y along the view) in the camera's frame
            (x right, y along its view, z up) [m].
        """
        (ur, vr), (ul, vl) = eyes.right, eyes.left
        depth = self.focal * eye_distance / eyes.distance
        u, v = (ur + ul) / 2 - self.width / 2, (vr + vl) / 2 - self.height / 2
        place = np.array([u, self.focal, -v]) * depth / self.focal
        x = np.array([ur - ul, 0.0, vl - vr]) / eyes.distance
        y = np.array([0.0, -1.0, 0.0])
        return SE3(SO3.from_matrix(np.column_stack([x, y, np.cross(x, y)])), place)
