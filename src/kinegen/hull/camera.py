"""Pinhole camera: how points of the world appear in a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["PinholeCamera", "camera_ring", "finite_numbers", "half_height"]

MOST_PIXELS = 4096
"""Of a side of a picture, as for camera sensors."""
MOST_CAMERAS = 256


@dataclass(frozen=True, eq=False)
class PinholeCamera:
    """A camera without distortion; it looks along its x axis, z is up in its picture."""

    name: str
    width: int
    height: int
    """[pixels]"""
    focal: tuple[float, float]
    """fx, fy [pixels]."""
    centre: tuple[float, float]
    """cx, cy: where its axis meets the picture [pixels], from the upper left corner."""
    X_WC: SE3
    """Pose in the world."""

    def __post_init__(self) -> None:
        for side in (self.width, self.height):
            whole_number(side, f"camera '{self.name}': a side of a picture", 1, MOST_PIXELS)
        numbers = finite_numbers([self.focal, self.centre], (2, 2))
        if numbers is None or numbers[0].min() <= 0:
            raise UsageError(
                f"camera '{self.name}': two focal lengths must be greater than 0 and the centre "
                f"finite [pixels], got {self.focal} and {self.centre}"
            )
        if not isinstance(self.X_WC, SE3):
            raise UsageError(
                f"camera '{self.name}': its pose must be a kinegen.SE3, got "
                f"{type(self.X_WC).__name__}"
            )

    @classmethod
    def looking_at(
        cls,
        name: str,
        position: npt.ArrayLike,
        target: npt.ArrayLike,
        *,
        pixels: tuple[int, int] = (320, 240),
        field_of_view: float = math.radians(45),
    ) -> PinholeCamera:
        """A camera at a position that looks at a target, upright.

        Args:
            name: Its name.
            position: [m], (3,)
            target: [m], (3,)
            pixels: Width and height of its picture.
            field_of_view: Vertical opening angle [rad].
        """
        width, height = pixels
        focal = height / 2 / half_height(name, field_of_view)
        turn = _turn_to(name, position, target)
        pose = SE3(turn, np.asarray(position, dtype=float))
        return cls(name, width, height, (focal, focal), (width / 2, height / 2), pose)

    @cached_property
    def projection(self) -> Floats:
        """World points [m] to column and row times depth, and depth [m]: (3, 4)."""
        (fx, fy), (cx, cy) = self.focal, self.centre
        R, p = self.X_WC.rotation, self.X_WC.translation
        R_PW = np.stack([-R[:, 1], -R[:, 2], R[:, 0]])  # right, down, forwards
        K = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1.0]])
        return np.ascontiguousarray(K @ np.column_stack([R_PW, -R_PW @ p]))


def half_height(name: str, field_of_view: float) -> float:
    """Half of the height of what a camera sees at a distance of 1."""
    if not 0 < field_of_view < math.pi:
        raise UsageError(
            f"camera '{name}': the field of view must be between 0 and 180°, got "
            f"{math.degrees(field_of_view):.6g}°"
        )
    return math.tan(field_of_view / 2)


def finite_numbers(given: npt.ArrayLike, shape: tuple[int, ...]) -> Floats | None:
    """An array of a shape, of finite numbers; None where it is anything else."""
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError):
        return None
    return found if found.shape == shape and np.isfinite(found).all() else None


def _turn_to(name: str, position: npt.ArrayLike, target: npt.ArrayLike) -> SO3:
    here, there = finite_numbers(position, (3,)), finite_numbers(target, (3,))
    if here is None or there is None:
        raise UsageError(f"camera '{name}': its position and target must be three finite numbers")
    ahead = there - here
    distance = float(np.linalg.norm(ahead))
    if distance < 1e-9:
        raise UsageError(f"camera '{name}' is at its own target: move the camera or the target")
    ahead /= distance
    # straight up or down, the upper edge of the picture is towards x
    up = np.array([0.0, 0.0, 1.0]) if abs(ahead[2]) < 1 - 1e-9 else np.array([1.0, 0.0, 0.0])
    side = np.cross(up, ahead)
    side /= np.linalg.norm(side)
    return SO3.from_matrix(np.column_stack([ahead, side, np.cross(ahead, side)]))


def camera_ring(
    target: Sequence[float] | Floats,
    distance: float,
    count: SupportsIndex = 8,
    *,
    pixels: tuple[int, int] = (320, 240),
    field_of_view: float = math.radians(45),
) -> tuple[PinholeCamera, ...]:
    """Cameras in a ring around a point, alternately 15° below and 35° above it.

    Args:
        target: What they look at [m].
        distance: From there [m].
        count: Of the cameras.
        pixels: Width and height of their pictures.
        field_of_view: Vertical opening angle [rad].
    """
    number = whole_number(count, "the number of cameras", 1, MOST_CAMERAS)
    if not 0 < distance < math.inf:
        raise UsageError(f"the distance of cameras must be greater than 0 m, got {distance}")
    middle = finite_numbers(target, (3,))
    if middle is None:
        raise UsageError(f"cameras look at three finite numbers x, y, z [m], not {target!r}")
    ring = []
    for i in range(number):
        turn, lift = 2 * math.pi * i / number, math.radians(35 if i % 2 else -15)
        level = math.cos(lift)
        away = np.array([math.cos(turn) * level, math.sin(turn) * level, math.sin(lift)])
        position = middle + distance * away
        ring.append(
            PinholeCamera.looking_at(
                f"camera{i + 1}", position, middle, pixels=pixels, field_of_view=field_of_view
            )
        )
    return tuple(ring)
