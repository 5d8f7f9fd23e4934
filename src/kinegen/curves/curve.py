"""Curve: a way through space that a frame can follow, as a function of the share of it gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.results import Columns, Result, plain

__all__ = ["Curve", "CurvePoints", "finite_point", "finite_points"]

MOST_POINTS = 1_000_000
"""Points of one curve: a millimetre apart they are a kilometre."""
_FINE = 8
"""Straight pieces per wanted point when a curve's length is measured, and at least this:"""
_FINE_LEAST = 2000
ENDS_MEET = 1e-9
"""Ends count as met when they are nearer than this share of the curve's extent."""


@dataclass(frozen=True, slots=True, eq=False)
class CurvePoints(Result):
    """Points of a curve, some of which may not exist (a formula has no value there)."""

    shares: Floats
    """Position of each point along the curve, 0 to 1, (n,)."""
    xyz: Floats
    """In the world [m], (n, 3); NaN where there is none."""
    normals: Floats | None = None
    """Unit normals of the surface that the curve lies on, (n, 3); None where it lies on none."""
    explain: Callable[[int], str] | None = None
    """Gives the reason why a point does not exist, by its index; None if all exist."""
    along: Floats | None = None
    """Length up to each point [m], (n,); missing parts count by the mean length per share."""

    @property
    def exist(self) -> npt.NDArray[np.bool_]:
        """Which points exist, (n,)."""
        return np.asarray(np.isfinite(self.xyz).all(axis=1))

    def reason(self, index: int) -> str:
        """Why a point does not exist; '' when it does."""
        return self.explain(index) if self.explain and not self.exist[index] else ""

    def columns(self) -> Columns:
        """A row per point: share, length, position, normal, and why a point does not exist."""
        normals = {} if self.normals is None else _named("normal {}", self.normals)
        return {
            "share": self.shares,
            "way [m]": self.ways(),
            **_named("{} [m]", self.xyz),
            **normals,
            "reason": [self.reason(i) for i in range(len(self.xyz))],
        }

    def to_dict(self) -> dict[str, Any]:
        """Shares, positions, normals and lengths; None where a point does not exist."""
        return {
            "shares": plain(self.shares),
            "xyz": plain(self.xyz),
            "normals": plain(self.normals),
            "ways": plain(self.ways()),
        }

    def ways(self) -> Floats:
        """Length of the curve up to each point [m], by chords if it is not known exactly."""
        return _along(self.xyz) if self.along is None else self.along


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A curve in the world: ``evaluate`` gives its points for shares from 0 to 1."""

    name: str
    """What it is, in words."""
    evaluate: Callable[[Floats], CurvePoints]

    def sample(self, points: int, *, even: bool = True) -> CurvePoints:
        """Points from end to end.

        Args:
            points: Number of points, including both ends.
            even: Whether they are equally far apart along the curve; otherwise in its own
                parameter.
        """
        count = whole_number(points, "the number of points", 2, MOST_POINTS)
        fine = np.linspace(0.0, 1.0, max(_FINE_LEAST, _FINE * count))
        along = _along(self.evaluate(fine).xyz)
        if even and along[-1] > 0:
            ways = np.linspace(0.0, along[-1], count)
            shares = np.interp(ways, along, fine)
            shares[0], shares[-1] = 0.0, 1.0
        else:
            shares = np.linspace(0.0, 1.0, count)
            ways = np.interp(shares, fine, along)
        return replace(self.evaluate(shares), along=ways)

    def spaced(self, step: float) -> CurvePoints:
        """Points at most ``step`` [m] apart along the curve, equally far from each other."""
        if not (np.isfinite(step) and step > 0):
            raise UsageError(f"the step along a curve must be a positive length [m], not {step}")
        wanted = self.length() / step
        if wanted > MOST_POINTS:
            raise UsageError(
                f"a step of {step:g} m gives {wanted:.3g} points; at most {MOST_POINTS:,} are "
                f"allowed: use at least {self.length() / MOST_POINTS:.2g} m"
            )
        return self.sample(max(2, int(np.ceil(wanted - 1e-9)) + 1))

    def length(self) -> float:
        """Length of the existing parts [m]."""
        xyz = self.evaluate(np.linspace(0.0, 1.0, 2 * _FINE_LEAST)).xyz
        return float(np.nansum(np.linalg.norm(np.diff(xyz, axis=0), axis=1)))

    def gap(self) -> float:
        """Distance between its two ends [m]: 0 for a closed curve, NaN if an end does not exist."""
        ends = self.evaluate(np.array([0.0, 1.0])).xyz
        return float(np.linalg.norm(ends[1] - ends[0]))

    @property
    def is_closed(self) -> bool:
        """Whether its two ends coincide."""
        xyz = self.evaluate(np.linspace(0.0, 1.0, 65)).xyz
        known = xyz[np.isfinite(xyz).all(axis=1)]
        if not len(known):
            return False
        return bool(self.gap() <= ENDS_MEET * max(float(np.ptp(known, axis=0).max()), 1e-300))

    def moved(self, offset: npt.ArrayLike) -> Curve:
        """The same curve, shifted [m]."""
        return self.placed(1.0, offset)

    def placed(self, scale: float, offset: npt.ArrayLike = (0, 0, 0)) -> Curve:
        """The same curve, scaled about the origin and then shifted [m]."""
        shift = finite_point(offset, "offset")
        if not (np.isfinite(scale) and scale > 0):
            raise UsageError(f"the scale of a curve must be positive, not {scale:g}")
        if scale == 1.0 and not shift.any():
            return self

        def evaluate(shares: Floats) -> CurvePoints:
            found = self.evaluate(shares)
            return replace(found, xyz=scale * found.xyz + shift, along=None)

        return Curve(self.name, evaluate)

    def tilted(self, angle: float) -> Curve:
        """The same curve with its normals tilted about the direction of the curve [rad].

        Curves without normals stay unchanged.
        """
        if not np.isfinite(angle):
            raise UsageError(
                f"the tilt of a curve's normals must be a finite angle [rad], not {angle}"
            )
        if not angle:
            return self

        def evaluate(shares: Floats) -> CurvePoints:
            found = self.evaluate(shares)
            if found.normals is None or len(shares) < 2:
                return found
            along = np.gradient(found.xyz, axis=0)
            length = np.linalg.norm(along, axis=1, keepdims=True)
            along = along / np.where(length > 0, length, 1.0)
            n = found.normals
            turned = np.cos(angle) * n + np.sin(angle) * np.cross(along, n)
            turned += (1 - np.cos(angle)) * np.sum(along * n, axis=1, keepdims=True) * along
            return replace(found, normals=turned)

        return Curve(self.name, evaluate)

    @property
    def is_on_surface(self) -> bool:
        """Whether it lies on a surface, whose normals a tool can follow."""
        return self.evaluate(np.array([0.0, 0.5])).normals is not None

    def lifted(self, distance: float) -> Curve:
        """The same curve at a distance from its surface [m], along the normals."""
        if not np.isfinite(distance):
            raise UsageError(
                f"the distance from a surface must be a finite length [m], not {distance}"
            )

        def evaluate(shares: Floats) -> CurvePoints:
            found = self.evaluate(shares)
            if found.normals is None:
                raise UsageError(
                    f"{self.name} does not lie on a surface: it has no normals to lift it along"
                )
            return replace(found, xyz=found.xyz + distance * found.normals, along=None)

        return Curve(self.name, evaluate)


def _named(heading: str, values: Floats) -> dict[str, Floats]:
    return dict(zip((heading.format(axis) for axis in "xyz"), values.T, strict=True))


def _along(xyz: Floats) -> Floats:
    """Length of the way to each point; missing parts count with the mean of the others."""
    chords = np.linalg.norm(np.diff(xyz, axis=0), axis=1)
    known = np.isfinite(chords)
    chords[~known] = chords[known].mean() if known.any() else 0.0
    return np.concatenate([[0.0], np.cumsum(chords)])


def finite_point(value: npt.ArrayLike, what: str) -> Floats:
    """Three finite numbers, or an error that says what they are for."""
    try:
        point = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        point = np.empty(0)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise UsageError(f"{what} takes 3 finite numbers [m], got {value!r}")
    return point


def finite_points(value: npt.ArrayLike, what: str, least: int) -> Floats:
    """At least so many points, (n, 3)."""
    try:
        points = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        points = np.empty(0)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) < least:
        raise UsageError(
            f"{what} takes at least {least} points of 3 numbers [m], got shape {points.shape}"
        )
    if not np.isfinite(points).all():
        bad = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise UsageError(f"{what}: point {bad + 1} is {points[bad].tolist()}; use finite numbers")
    return points
