"""Solids whose surfaces are known exactly: planes, balls and pipes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from kinegen.curves.curve import finite_point
from kinegen.errors import UsageError
from kinegen.kernels import Floats

__all__ = ["Cylinder", "Plane", "Solid", "Sphere"]


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """The plane through a point, perpendicular to a normal."""

    point: npt.ArrayLike = (0, 0, 0)
    normal: npt.ArrayLike = (0, 0, 1)
    quadric: tuple[Floats, Floats, float] = field(init=False, repr=False)
    """M, b, c of its surface p·M p + b·p + c = 0, increasing outwards."""

    def __post_init__(self) -> None:
        p, n = finite_point(self.point, "point"), _unit(self.normal, "normal")
        object.__setattr__(self, "quadric", (np.zeros((3, 3)), n, -float(n @ p)))


@dataclass(frozen=True, slots=True, eq=False)
class Sphere:
    """The sphere about a centre [m]."""

    centre: npt.ArrayLike
    radius: float
    quadric: tuple[Floats, Floats, float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        c, r = finite_point(self.centre, "centre"), _radius(self.radius)
        object.__setattr__(self, "quadric", (np.eye(3), -2 * c, float(c @ c) - r * r))


@dataclass(frozen=True, slots=True, eq=False)
class Cylinder:
    """The infinite cylinder about an axis through a point [m]."""

    point: npt.ArrayLike
    axis: npt.ArrayLike
    radius: float
    quadric: tuple[Floats, Floats, float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        p, a, r = finite_point(self.point, "point"), _unit(self.axis, "axis"), _radius(self.radius)
        M = np.eye(3) - np.outer(a, a)
        object.__setattr__(self, "quadric", (M, -2 * M @ p, float(p @ M @ p) - r * r))


Solid = Plane | Sphere | Cylinder


def value_of(solid: Solid, xyz: Floats) -> Floats:
    """The surface's function at points (n, 3): 0 on it, positive outside."""
    M, b, c = solid.quadric
    return np.asarray(np.einsum("ni,ij,nj->n", xyz, M, xyz) + xyz @ b + c)


def normals_of(solid: Solid, xyz: Floats) -> Floats:
    """Unit normals at points of the surface, pointing out, (n, 3)."""
    M, b, _ = solid.quadric
    slope = 2 * xyz @ M + b
    return np.asarray(slope / np.linalg.norm(slope, axis=1, keepdims=True))


def _unit(value: npt.ArrayLike, what: str) -> Floats:
    vector = finite_point(value, what)
    length = float(np.linalg.norm(vector))
    if length == 0:
        raise UsageError(f"{what} has zero length: specify a direction")
    return np.asarray(vector / length)


def _radius(value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"a radius must be a positive length [m], not {value}")
    return float(value)
