"""Capsules: exact distances from points, and along rays, to bodies made of capsules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats

__all__ = ["Capsules"]

_SHORT = 1e-12
"""Square of a length below which a capsule is a sphere [m²]."""


@dataclass(frozen=True, slots=True, eq=False)
class Capsules:
    """Capsules in the world; one whose ends are the same is a sphere."""

    starts: Floats
    """(n, 3) [m]"""
    ends: Floats
    """(n, 3) [m]"""
    radii: Floats
    """(n,) [m]"""

    def nearest(self, point: Floats) -> tuple[Floats, Floats]:
        """The nearest point of each to a point, (n, 3), and how far it is [m], 0 inside."""
        along = self.ends - self.starts
        length = np.einsum("ij,ij->i", along, along)
        share = np.einsum("ij,ij->i", point - self.starts, along) / np.maximum(length, _SHORT)
        middle = self.starts + np.clip(share, 0.0, 1.0)[:, None] * along
        away = point - middle
        far = np.linalg.norm(away, axis=1)
        inside = far <= self.radii
        out = away / np.where(inside, 1.0, far)[:, None]
        points = np.where(inside[:, None], point, middle + self.radii[:, None] * out)
        return points, np.where(inside, 0.0, far - self.radii)

    def cast(self, origin: Floats, directions: Floats) -> Floats:
        """Distances [m] from a point along unit directions (n, 3); inf where nothing is hit."""
        found = np.full(len(directions), np.inf)
        middle, reach = self._ball()
        towards = middle - origin
        ahead = directions @ towards
        aside = towards @ towards - ahead**2
        passes = (aside <= reach**2) & (ahead >= -reach)
        if passes.any():
            found[passes] = self._cast(origin, directions[passes])
        return found

    def _ball(self) -> tuple[Floats, float]:
        """A ball around all of them: most rays miss it."""
        both = np.concatenate([self.starts, self.ends])
        middle = (both.min(axis=0) + both.max(axis=0)) / 2
        far = np.linalg.norm(both - middle, axis=1) + np.concatenate([self.radii, self.radii])
        return middle, float(far.max())

    def _cast(self, origin: Floats, directions: Floats) -> Floats:
        if (self.nearest(origin)[1] == 0).any():
            return np.zeros(len(directions))
        found = np.full(len(directions), np.inf)
        for start, end, radius in zip(self.starts, self.ends, self.radii, strict=True):
            for centre in (start, end):
                found = np.minimum(found, _to_sphere(origin, directions, centre, radius))
            found = np.minimum(found, _to_tube(origin, directions, start, end, radius))
        return found


def _to_sphere(origin: Floats, directions: Floats, centre: Floats, radius: float) -> Floats:
    away = centre - origin
    ahead = directions @ away
    rest = ahead**2 - (away @ away - radius**2)
    near = ahead - np.sqrt(np.maximum(rest, 0.0))
    return np.where((rest >= 0) & (near >= 0), near, np.inf)


def _to_tube(
    origin: Floats, directions: Floats, start: Floats, end: Floats, radius: float
) -> Floats:
    """The round side between the two ends."""
    along = end - start
    length = float(np.sqrt(along @ along))
    if length**2 < _SHORT:
        return np.full(len(directions), np.inf)
    axis = along / length
    # what is left of everything across the axis
    p = origin - start
    p_across, d_across = p - (p @ axis) * axis, directions - np.outer(directions @ axis, axis)
    a = np.einsum("ij,ij->i", d_across, d_across)
    b = d_across @ p_across
    c = p_across @ p_across - radius**2
    rest = b**2 - a * c
    near = (-b - np.sqrt(np.maximum(rest, 0.0))) / np.where(a > 0, a, 1.0)
    place = p @ axis + near * (directions @ axis)
    hits = (a > 0) & (rest >= 0) & (near >= 0) & (place >= 0) & (place <= length)
    return np.where(hits, near, np.inf)
