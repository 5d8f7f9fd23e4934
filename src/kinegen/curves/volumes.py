"""Volumes: x, y, z as formulas of u and v, from which curves are chosen (3D-RAS, section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from kinegen.curves.curve import MOST_POINTS, Curve, CurvePoints
from kinegen.curves.formula import (
    Range,
    columns,
    range_of,
    read_formula,
    values_of,
)
from kinegen.errors import UsageError, unknown_name, whole_number
from kinegen.kernels import Floats
from kinegen.raff.formulas.formula import Formula

__all__ = ["VOLUMES", "Volume", "volume"]

_SLOPE = 1e-6
"""Step of the differences that give normals, as a share of each range."""


@dataclass(frozen=True, slots=True, eq=False)
class Volume:
    """A parametric surface, as a family of curves along u (or v)."""

    x: str
    """Formula of u and v [m]."""
    y: str
    z: str
    u: Range = (0.0, "360 deg")
    """Range of u; plain numbers or units."""
    v: Range = (0.0, 1.0)
    curves: int = 28
    """Number of its curves."""
    name: str = "volume"
    note: str = ""
    parameters: Mapping[str, float] = field(default_factory=dict)
    """More names for the formulas."""
    _formulas: tuple[Formula, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = ("u", "v", *self.parameters)
        formulas = tuple(read_formula(getattr(self, what), names, what) for what in "xyz")
        object.__setattr__(self, "_formulas", formulas)
        whole_number(self.curves, "curves", 1, 100_000)
        range_of(self.u, "u")
        range_of(self.v, "v")

    def curve(self, index: int, *, along: Literal["u", "v"] = "u") -> Curve:
        """One of its curves: the other variable has the value ``index`` of ``curves`` values."""
        if along not in ("u", "v"):
            raise UsageError(f"a curve must run along u or v, not {along!r}")
        index = whole_number(index, f"a curve of {self.name}", 0, self.curves - 1)
        run, held = (self.u, self.v) if along == "u" else (self.v, self.u)
        (first, last), ends = range_of(run, along), range_of(held, "the other")
        share = index / (self.curves - 1) if self.curves > 1 else 0.0
        fixed = ends[0] + share * (ends[1] - ends[0])

        def evaluate(shares: Floats) -> CurvePoints:
            running = first + shares * (last - first)
            still = np.full(len(shares), fixed)
            return self._points(shares, *((running, still) if along == "u" else (still, running)))

        return Curve(f"curve {index} of {self.name}", evaluate)

    def grid(self, points: int) -> Floats:
        """All its curves, (curves, points, 3) [m], for a picture; NaN where it does not exist."""
        shares = np.linspace(0.0, 1.0, whole_number(points, "the number of points", 2, MOST_POINTS))
        return np.stack([self.curve(i).evaluate(shares).xyz for i in range(self.curves)])

    def gaps(self) -> Floats:
        """Distance between the ends of each curve [m], (curves,): 0 where it is closed.

        The paper requires that the points of u = a and u = b coincide. As printed, this does not
        hold for all of its own examples, whose ranges end a little before or after a whole turn.
        """
        return np.array([self.curve(i).gap() for i in range(self.curves)])

    def _points(self, shares: Floats, u: Floats, v: Floats) -> CurvePoints:
        values: dict[str, Floats | float] = {**self.parameters, "u": u, "v": v}
        formulas = dict(zip("xyz", self._formulas, strict=True))
        xyz, reason = columns(formulas, values, len(shares))
        return CurvePoints(shares, xyz, self._normals(u, v), explain=reason)

    def _normals(self, u: Floats, v: Floats) -> Floats:
        """Unit normals, along the slope by u times that by v; NaN where there is none."""
        slopes = []
        for what in "uv":
            ends = range_of(getattr(self, what), what)
            h = _SLOPE * (abs(ends[1] - ends[0]) or 1.0)
            sides = []
            for sign in (1, -1):
                here: dict[str, Floats | float] = {**self.parameters, "u": u, "v": v}
                here[what] = (u if what == "u" else v) + sign * h
                sides.append(np.stack([values_of(f, here, len(u)) for f in self._formulas], axis=1))
            slopes.append((sides[0] - sides[1]) / (2 * h))
        across = np.cross(slopes[0], slopes[1])
        length = np.linalg.norm(across, axis=1, keepdims=True)
        with np.errstate(all="ignore"):
            return np.asarray(np.where(length > 0, across / length, np.nan))


def _named(**rows: Volume) -> dict[str, Volume]:
    return {volume.name: volume for volume in rows.values()}


VOLUMES = _named(
    paraboloid=Volume(
        "30 cm + 10 cm*sin(u)", "30 cm + 10 cm*cos(u + v)", "18 cm*exp(-v)",
        u=(0, 6), v=(0, 1), curves=25, name="hyperbolic-paraboloid",
        note="3D-RAS eq. 25-27, figure 7a; its u of 0 to 6 stops short of a full turn",
    ),
    epicycloid=Volume(
        "20 cm + 20 cm*sin(u)*cos(u)", "20 cm + 20 cm*sin(3*u)*sin(u)", "20 cm + v*1 cm",
        u=(0, 30), v=(0, 0), curves=70, name="epicycloid",
        note="3D-RAS eq. 28-30, figure 7b; v is 0 to 0, so all curves are the same",
    ),
    moebius=Volume(
        "20 cm + (5 cm + 0.5 cm*v*cos(0.5*u))*cos(u)",
        "20 cm + (5 cm + 0.5 cm*v*cos(0.5*u))*sin(u)",
        "20 cm + 0.5 cm*v*sin(0.5*u)",
        u=(0, "360 deg"), v=(0, "360 deg"), curves=28, name="moebius-belt",
        note="3D-RAS eq. 31-33, figure 7c; eq. 32 is printed as x and means y",
    ),
    sphere=Volume(
        "20 cm + 10 cm*cos(u)*cos(v)", "20 cm + 10 cm*sin(u)*cos(v)", "15 cm + 15 cm*sin(v)",
        u=(0, "360 deg"), v=(0, "360 deg"), curves=28, name="latitudinal-sphere",
        note="3D-RAS eq. 34-36, figure 7d",
    ),
)  # fmt: skip
"""The four examples of the 3D-RAS paper, its numbers as centimetres, by name."""


def volume(name: str) -> Volume:
    """A named volume: one of the paper's four examples."""
    try:
        return VOLUMES[name]
    except KeyError:
        raise unknown_name("volume", name, "the menu", VOLUMES) from None
