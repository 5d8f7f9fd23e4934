"""Places for curves: a circle near the tool that the mechanism can go round."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegen.curves.curve import Curve, finite_point
from kinegen.curves.ellipses import circle, plane_axes
from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.positions import pose
from kinegen.kinematics.solving.inverse import solve
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.skeleton import read_skeleton
from kinegen.motion.follow import follow
from kinegen.results import Result

__all__ = ["CurveFit", "Place", "find_place", "fit_curve"]

_SMALLER = 0.78
_SIZES = 12
"""Radii that are tried, each so much smaller than the one before."""
_LARGEST = 0.6
"""Radius that is tried first, in sizes of the mechanism."""
_ROOM = 1.15
"""The circle that is tried is larger by this much, so that other curves fit as well."""
_ROUND = 8
"""Points of a circle that are tried before it is followed."""
_FINE = 400
"""Points by which the extent of a curve is measured."""
_FILL = 0.85
"""Share of the room within reach that a curve is made to fill."""
_CLEAR = 0.04
"""Distance from singular poses that a place should keep."""


@dataclass(frozen=True, slots=True, eq=False)
class Place(Result):
    """A good place for a curve of a frame."""

    centre: Floats
    """[m]"""
    normal: Floats
    """Normal of the plane to draw in: that of the mechanism if it is planar, else the vertical."""
    radius: float
    """Radius of a circle there [m]."""
    is_reached: bool
    """Whether the frame can follow that circle."""
    is_flat: bool
    """Whether the mechanism moves in that plane only."""

    @property
    def across(self) -> Floats:
        """A unit vector in the plane."""
        return plane_axes(self.normal)[0]

    @property
    def along(self) -> Floats:
        """A second unit vector in the plane, right-handed with the first and the normal."""
        return plane_axes(self.normal)[1]


@dataclass(frozen=True, slots=True, eq=False)
class CurveFit(Result):
    """The scale and offset that place a curve, for :meth:`Curve.placed`."""

    scale: float
    offset: Floats
    """[m], (3,)"""


def fit_curve(curve: Curve, centre: npt.ArrayLike, radius: float) -> CurveFit:
    """The scale and offset with which a curve nearly fills a sphere.

    Args:
        curve: The original curve.
        centre: Centre of the sphere [m].
        radius: Its radius [m], such as that of a :class:`Place`.

    Raises:
        UsageError: The curve has no point or no extent.
    """
    if not (math.isfinite(radius) and radius > 0):
        raise UsageError(f"the radius of a place must be a positive length [m], not {radius}")
    xyz = curve.evaluate(np.linspace(0.0, 1.0, _FINE)).xyz
    known = xyz[np.isfinite(xyz).all(axis=1)]
    if not len(known):
        raise UsageError("the curve has no points: check its formulas")
    low, high = known.min(axis=0), known.max(axis=0)
    extent = float((high - low).max())
    if extent <= 0:
        raise UsageError("the curve is a single point: check its formulas")
    scale = float(f"{_FILL * 2 * radius / extent:.2g}")
    return CurveFit(scale, finite_point(centre, "centre") - scale * (low + high) / 2)


def find_place(model: AnyModel, q: Configuration = None, frame: str | None = None) -> Place:
    """The largest of several circles around a frame that it can follow away from singular poses.

    If there is none, a small circle about the frame.

    Args:
        model: The mechanism or its model.
        q: Its pose, loops closed; default: the file's start.
        frame: A frame or link; default: the last.
    """
    model = model_of(model)
    q, frame = configuration(model, q), frame or model.site_names[-1]
    at = pose(model, q, frame).translation
    plane = read_skeleton(model, {}).plane
    normal = np.array([0.0, 0.0, 1.0]) if plane is None else np.asarray(plane.normal, dtype=float)
    flat = plane is not None
    second: Place | None = None
    for wanted, radius in _candidates(model, at, normal, flat=flat):
        centre = _rounded(wanted, radius, normal if flat else None)
        clear = _clearance(model, q, frame, centre, _ROOM * radius, normal)
        if clear is None:
            continue
        found = Place(centre, normal, _neat(radius), True, flat)
        if clear >= _CLEAR:
            return found
        second = second or found
    return second or Place(at, normal, _neat(0.15 * model.size), False, flat)


def _candidates(
    model: Model, at: Floats, normal: Floats, *, flat: bool
) -> Iterator[tuple[Floats, float]]:
    across, along = plane_axes(normal)
    sides = [np.zeros(3), -along, along, -across, across]
    if not flat:
        sides += [-normal, normal]
    # towards the base there is most often room
    inwards = -at - (-at @ normal) * normal
    if np.linalg.norm(inwards) > 1e-6 * model.size:
        sides.insert(1, inwards / np.linalg.norm(inwards))
    for k in range(_SIZES):
        radius = _LARGEST * model.size * _SMALLER**k
        for side in sides:
            yield at + 1.1 * radius * side, radius


def _clearance(
    model: Model, q: Floats, frame: str, centre: Floats, radius: float, normal: Floats
) -> float | None:
    """How far from singular poses the frame stays on a circle; None where it cannot go round."""
    curve = circle(centre, radius, normal=normal)
    here = q
    try:
        for xyz in curve.evaluate(np.arange(_ROUND) / _ROUND).xyz:
            found = solve(model, Handle(frame, xyz), start=here, attempts=1)
            if not found.reached:
                return None
            here = found.q
        path = follow(model, curve=curve, frame=frame, points=4 * _ROUND, start=q)
    except KinegenError:
        return None
    if not path.is_complete:
        return None
    known = path.singular[np.isfinite(path.singular)]
    return float(known.min()) if len(known) else math.inf


def _neat(value: float) -> float:
    """A length with two digits, not longer."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1) if value > 0 else 1.0
    return float(math.floor(value / step + 1e-9) * step)


def _rounded(centre: Floats, radius: float, normal: Floats | None) -> Floats:
    """A centre with as few digits as a twentieth of the radius needs; it stays in a flat plane."""
    step = 10.0 ** math.floor(math.log10(radius / 20))
    moved = np.round(centre / step) * step
    if normal is not None:
        moved = moved + ((centre - moved) @ normal) * normal
    return np.asarray(moved)
