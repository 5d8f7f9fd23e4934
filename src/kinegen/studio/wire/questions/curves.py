"""Curves as a page describes them, distinguished by their ``kind``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from kinegen.studio.wire.message import Length, Range, Vec3

__all__ = [
    "BezierCurve",
    "CurveData",
    "EllipseCurve",
    "FittedCurve",
    "FormulaCurve",
    "PicksCurve",
    "SeamCurve",
    "SegmentCurve",
    "SplineCurve",
    "SurfaceCurve",
    "VolumeCurve",
]

MOST_CURVES = 200
"""Curves of a surface or volume that a page draws."""
TwoPoints = Annotated[list[Vec3], Length(2, 2)]
Ends = tuple[str, str]
"""First and last value of a letter, with units."""
Curves = Annotated[int, Range(1, MOST_CURVES)]
Index = Annotated[int, Range(0, 9999)]
Scale = Annotated[float, Range(1e-9, 1e9)]


@dataclass(slots=True)
class SegmentCurve:
    """A straight line."""

    kind: Literal["segment"]
    points: TwoPoints
    """[m]"""


@dataclass(slots=True)
class EllipseCurve:
    """An ellipse, by two corners of the rectangle around it or by its foci."""

    kind: Literal["ellipse"]
    by: Literal["corners", "foci"]
    points: TwoPoints
    """[m]"""
    radius: float
    """Longer half-axis, for foci [m]."""
    normal: Vec3


@dataclass(slots=True)
class BezierCurve:
    """A Bézier curve."""

    kind: Literal["bezier"]
    points: Annotated[list[Vec3], Length(2, 64)]
    """Control points [m]."""


@dataclass(slots=True)
class SplineCurve:
    """A spline through points."""

    kind: Literal["spline"]
    points: Annotated[list[Vec3], Length(2, 500)]
    """[m]"""
    closed: bool


@dataclass(slots=True)
class PicksCurve:
    """Straight lines through points that were picked on surfaces."""

    kind: Literal["picks"]
    points: Annotated[list[Vec3], Length(2, 500)]
    """[m]"""
    normals: Annotated[list[Vec3], Length(2, 500)]
    """Of the surface at each point."""
    closed: bool


@dataclass(slots=True)
class FormulaCurve:
    """Three formulas of t [m]."""

    kind: Literal["formula"]
    x: str
    y: str
    z: str
    t: Ends
    scale: Scale
    offset: Vec3
    """It lies at scale times the formulas plus this [m]."""


@dataclass(slots=True)
class SurfaceCurve:
    """One of the curves of a surface: one coordinate as a formula of the others, x1 and x2 [m]."""

    kind: Literal["surface"]
    name: str | None
    """Of the menu; None for a formula of one's own."""
    formula: str
    gives: Literal["x", "y", "z"]
    x1: Ends
    x2: Ends
    curves: Curves
    index: Index
    """Which of them."""
    scale: Scale
    offset: Vec3
    """It lies at scale times the formula plus this [m]."""


@dataclass(slots=True)
class VolumeCurve:
    """One of the curves of a body: three formulas of u and v [m]."""

    kind: Literal["volume"]
    name: str | None
    """Of the menu; None for formulas of one's own."""
    x: str
    y: str
    z: str
    u: Ends
    v: Ends
    curves: Curves
    index: Index
    """Which of them."""
    scale: Scale
    offset: Vec3
    """It lies at scale times the formulas plus this [m]."""


@dataclass(slots=True)
class SeamCurve:
    """Where two pipes, or two objects of the scene, meet."""

    kind: Literal["seam"]
    of: Literal["pipes", "objects"]
    radii: tuple[float, float]
    """Of the standing and the lying pipe [m]."""
    at: Vec3
    """Where the axes of the pipes cross [m]."""
    objects: tuple[str, str]
    index: Index
    """Which seam of the objects, the longest first."""
    facing: Literal["between", "first", "second"]
    """Where the normals point."""


FittedCurve = FormulaCurve | SurfaceCurve | VolumeCurve
"""Curves that scale and offset bring within reach."""
CurveData = (
    SegmentCurve | EllipseCurve | BezierCurve | SplineCurve | PicksCurve | FittedCurve | SeamCurve
)
