"""Where the built-in plotter looks from: an eye infinitely far away, fitted to the page."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinegen.errors import UsageError, did_you_mean

__all__ = ["VIEWS", "Camera", "direction_of", "look_along", "snapped"]

Array = NDArray[np.float64]

VIEWS = {"iso": (-55.0, 24.0), "front": (-90.0, 0.0), "side": (0.0, 0.0), "top": (-90.0, 90.0)}
"""Azimuth and elevation of the eye [deg] by name."""


def snapped(points: Array) -> Array:
    """View coordinates [px] on a grid far finer than one can see.

    The last bits of a product differ from machine to machine; on a grid they no longer do, and
    the same mechanism gives the same picture everywhere.
    """
    return np.asarray(np.round(points, 6))


@dataclass(slots=True)
class Camera:
    """A parallel projection from world coordinates [m] to the page [px]."""

    R_VW: Array
    """Rows: right, up and towards the eye, in W."""
    scale: float = 1.0
    """[px/m]"""
    centre: tuple[float, float] = (0.0, 0.0)
    """Point of the view plane [m] in the middle of the drawing."""
    middle: tuple[float, float] = (0.0, 0.0)
    """Middle of the drawing on the page [px]."""

    def view(self, points_W: Array) -> Array:
        """View coordinates [px], y up, z towards the eye, shape (..., 3)."""
        points = np.asarray(points_W) @ self.R_VW.T
        return snapped((points - np.array([*self.centre, 0.0])) * self.scale)

    def page(self, points_W: Array) -> Array:
        """Page coordinates [px], y down, shape (..., 2)."""
        return self.to_page(self.view(points_W))

    def to_page(self, points_V: Array) -> Array:
        """Page coordinates of view coordinates."""
        return np.asarray(points_V[..., :2] * np.array([1.0, -1.0]) + np.array(self.middle))

    def fit(self, points_W: Array, frame: tuple[float, float, float, float]) -> None:
        """Choose scale and centre so that the points fill a frame (left, top, right, bottom)."""
        flat = (np.asarray(points_W) @ self.R_VW.T)[:, :2]
        low, high = flat.min(axis=0), flat.max(axis=0)
        left, top, right, bottom = frame
        size = np.maximum(high - low, 1e-9 * max(1.0, float(np.abs(flat).max())))
        scale = float(min((right - left) / size[0], (bottom - top) / size[1]))
        self.scale = float(f"{scale:.9g}")
        centre = (low + high) / 2
        self.centre = (float(centre[0]), float(centre[1]))
        self.middle = ((left + right) / 2, (top + bottom) / 2)


def look_along(azimuth: float, elevation: float) -> Camera:
    """A camera whose eye stands at an azimuth from x and an elevation over the floor [deg]."""
    a, e = math.radians(azimuth), math.radians(elevation)
    right = (-math.sin(a), math.cos(a), 0.0)
    up = (-math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e))
    towards = (math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e))
    return Camera(np.array([right, up, towards]))


def direction_of(
    view: str | tuple[float, float], normal: Array | None, points_W: Array
) -> tuple[float, float]:
    """Azimuth and elevation [deg] for a view by name, by numbers, or chosen for the mechanism.

    Args:
        view: 'auto', a name of `VIEWS`, or (azimuth, elevation) in degrees.
        normal: Normal of the plane a flat mechanism moves in, or None.
        points_W: Joints of the mechanism, by which 'auto' judges a direction [m].
    """
    if not isinstance(view, str):
        azimuth, elevation = (float(angle) for angle in view)
        if not (math.isfinite(azimuth) and math.isfinite(elevation)):
            raise UsageError(f"view: azimuth and elevation must be finite, not {view}")
        return azimuth, elevation
    if view in VIEWS:
        return VIEWS[view]
    if view != "auto":
        names = ["auto", *VIEWS]
        hint = did_you_mean(view, names)
        raise UsageError(f"view '{view}' is unknown{hint or ';'} views: {', '.join(names)}")
    if normal is not None:
        return _facing(normal)
    return _widest(points_W)


def _facing(normal: Array) -> tuple[float, float]:
    """Almost face-on, a little from the side, so that one still sees it is solid."""
    if abs(normal[2]) > 0.7:
        return -96.0, 60.0
    azimuth = math.degrees(math.atan2(normal[1], normal[0]))
    return azimuth + 16.0, 14.0


def _widest(points_W: Array) -> tuple[float, float]:
    """The direction, near the usual one, from which the joints spread most over the page."""
    usual = VIEWS["iso"]
    best, best_score = usual, -1.0
    for azimuth in (usual[0], -35.0, -70.0, -120.0, -145.0):
        flat = points_W @ look_along(azimuth, usual[1]).R_VW[:2].T
        flat = flat - flat.mean(axis=0)
        score = float(np.sqrt(max(np.linalg.det(flat.T @ flat), 0.0)))
        # Keep the usual view unless another one is clearly better.
        if score > 1.15 * best_score:
            best, best_score = (azimuth, usual[1]), score
    return best
