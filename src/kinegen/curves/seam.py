"""Seams: the curves in which the surfaces of two solids meet, such as a weld of two pipes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from kinegen.curves.curve import Curve, CurvePoints, finite_point
from kinegen.curves.ellipses import circle, plane_axes
from kinegen.curves.solids import Cylinder, Plane, Solid, Sphere, normals_of, value_of
from kinegen.errors import UsageError
from kinegen.kernels import Floats

__all__ = ["Facing", "even_lines", "pipe_lines", "pipe_seam", "seams"]

Facing = Literal["between", "first", "second"]
"""Surface whose normal the tool follows: halfway between both (a weld), or that of one solid."""

_Points = Callable[[Floats, Floats | float], Floats]
_Parts = Callable[[Floats], tuple[Floats, Floats, Floats]]
_Disc = Callable[[Floats], Floats]

_SCAN = 7200
"""Lines of a pipe that are tried for meeting the other solid: every 0.05 degrees."""


def seams(first: Solid, second: Solid, *, facing: Facing = "between") -> list[Curve]:
    """All curves in which the surfaces of two solids meet, exactly; empty if they do not.

    Along straight lines of a pipe the other surface is a quadratic equation with two, one or no
    root, so that every pair with a pipe has its seam in closed form; balls and planes meet in
    circles.
    """
    if facing not in ("between", "first", "second"):
        raise UsageError(f"facing must be 'between', 'first' or 'second', not {facing!r}")
    for solid in (first, second):
        if not isinstance(solid, Plane | Sphere | Cylinder):
            raise UsageError(f"a seam joins two of Plane, Sphere and Cylinder, got {solid!r}")
    pipes = [solid for solid in (first, second) if isinstance(solid, Cylinder)]
    if pipes:
        # the thinner pipe's lines meet the thicker one all round
        pipe = min(pipes, key=lambda solid: solid.radius)
        found = _along_pipe(pipe, second if pipe is first else first)
    elif isinstance(first, Plane) and isinstance(second, Plane):
        raise UsageError("two planes meet in an infinite line: specify a part of it as a segment")
    else:
        found = _circles(first, second)
    return [_faced(curve, first, second, facing) for curve in found]


def pipe_seam(
    radius: float = 0.08,
    other_radius: float = 0.09,
    offset: npt.ArrayLike = (0.25, 0.25, 0.15),
    *,
    facing: Facing = "between",
) -> Curve:
    """The weld of two pipes at right angles that 3D-RAS shows (eq. 37-39, figure 8).

    A pipe along z of ``radius`` stands on one along x of ``other_radius``; their axes meet at
    ``offset`` [m]. Of the two seams this is the upper one. The paper's numbers are the defaults.
    """
    at = finite_point(offset, "offset")
    if not radius <= other_radius:
        raise UsageError(
            f"the vertical pipe ({radius:g} m) must not be thicker than the horizontal one "
            f"({other_radius:g} m): the seam would not be closed"
        )
    found = seams(Cylinder(at, (0, 0, 1), radius), Cylinder(at, (1, 0, 0), other_radius),
                  facing=facing)  # fmt: skip
    return max(found, key=lambda curve: float(curve.evaluate(np.array([0.0])).xyz[0, 2]))


def pipe_lines(
    radius: float = 0.08, other_radius: float = 0.09, offset: npt.ArrayLike = (0.25, 0.25, 0.15)
) -> list[Floats]:
    """Lines and rings of the two pipes of :func:`pipe_seam` near it [m], for a picture."""
    at = finite_point(offset, "offset")
    turn = np.linspace(0, math.tau, 49)
    cos, sin = np.cos(turn), np.sin(turn)
    half, top = 2.2 * other_radius, 1.7 * other_radius
    lines = [
        at + np.column_stack([np.full(len(turn), x), other_radius * cos, other_radius * sin])
        for x in np.linspace(-half, half, 7)
    ]
    lines += [
        at + other_radius * np.array([[0, c, s]] * 2) + [[-half, 0, 0], [half, 0, 0]]
        for c, s in zip(cos[:-1:4], sin[:-1:4], strict=True)
    ]
    # the standing pipe begins at the seam
    low = np.sqrt(np.maximum(other_radius**2 - (radius * sin) ** 2, 0.0))
    for share in (0.0, 0.5, 1.0):
        z = low + share * (top - low)
        lines.append(at + np.column_stack([radius * cos, radius * sin, z]))
    lines += [
        at + np.array([[radius * c, radius * s, z], [radius * c, radius * s, top]])
        for c, s, z in zip(cos[:-1:4], sin[:-1:4], low[:-1:4], strict=True)
    ]
    return lines


def even_lines(lines: Sequence[Floats], points: int = 49) -> Floats:
    """Lines [m] with the same number of points each, (lines, points, 3), for a picture."""
    shares = np.linspace(0.0, 1.0, points)
    return np.stack(
        [
            np.column_stack(
                [np.interp(shares, np.linspace(0.0, 1.0, len(line)), x) for x in line.T]
            )
            for line in lines
        ]
    )


def _along_pipe(pipe: Cylinder, other: Solid) -> list[Curve]:
    p, radius = finite_point(pipe.point, "point"), float(pipe.radius)
    axis = finite_point(pipe.axis, "axis")
    axis = axis / np.linalg.norm(axis)
    across, up = plane_axes(axis)
    M, b, _ = other.quadric
    # other(p + r e(angle) + s axis) = A s² + B(angle) s + C(angle)
    A = float(axis @ M @ axis)

    def foot(angle: Floats) -> Floats:
        return np.asarray(
            p + radius * (np.cos(angle)[:, None] * across + np.sin(angle)[:, None] * up)
        )

    def parts(angle: Floats) -> tuple[Floats, Floats, Floats]:
        f = foot(angle)
        B, C = 2 * f @ M @ axis + float(b @ axis), value_of(other, f)
        return f, B, C

    if abs(A) < 1e-12:
        return _one_root(parts, axis)

    def disc(angle: Floats) -> Floats:
        _, B, C = parts(angle)
        return np.asarray(B * B - 4 * A * C)

    def points(angle: Floats, sign: Floats | float) -> Floats:
        f, B, C = parts(angle)
        root = np.sqrt(np.maximum(B * B - 4 * A * C, 0.0))
        return np.asarray(f + ((-B + sign * root) / (2 * A))[:, None] * axis)

    if disc(np.linspace(0, math.tau, _SCAN, endpoint=False)).min() >= 0:
        return [Curve("seam", _loop(points, sign)) for sign in (1.0, -1.0)]
    return [Curve("seam", _there_and_back(points, a, z)) for a, z in _spans(disc)]


def _loop(points: _Points, sign: float) -> Callable[[Floats], CurvePoints]:
    def evaluate(shares: Floats) -> CurvePoints:
        return CurvePoints(shares, points(math.tau * shares, sign))

    return evaluate


def _there_and_back(points: _Points, start: float, end: float) -> Callable[[Floats], CurvePoints]:
    def evaluate(shares: Floats) -> CurvePoints:
        # half a cosine: slow where both roots meet, so that the way round stays smooth
        turn = math.tau * shares
        angle = (start + end) / 2 - (end - start) / 2 * np.cos(turn)
        # 0 at both ends, where rounding would leave a crack
        return CurvePoints(shares, points(angle, np.sign(np.round(np.sin(turn), 12))))

    return evaluate


def _one_root(parts: _Parts, axis: Floats) -> list[Curve]:
    """A plane across the pipe, or a pipe beside it: at most one point on each line."""
    angle = np.linspace(0, math.tau, _SCAN, endpoint=False)
    _, B, _ = parts(angle)
    if np.abs(B).min() < 1e-9 * max(1e-12, np.abs(B).max()):
        raise UsageError(
            "these surfaces are parallel to the pipe: they meet in infinite lines, or not at all"
        )

    def evaluate(shares: Floats) -> CurvePoints:
        f, B, C = parts(math.tau * shares)
        return CurvePoints(shares, f - (C / B)[:, None] * axis)

    return [Curve("seam", evaluate)]


def _spans(disc: _Disc) -> list[tuple[float, float]]:
    """Ranges of the angle in which there are roots, their ends found by halving."""
    angles = np.linspace(0, math.tau, _SCAN + 1)
    inside = disc(angles) > 0
    spans = []
    for i in np.flatnonzero(~inside[:-1] & inside[1:]).tolist():
        count = int(np.argmax(~np.concatenate([inside[i + 1 : -1], inside]))) + i + 1
        starts, ends = _edge(disc, angles[i], angles[i + 1]), angles[1] * count
        spans.append((starts, _edge(disc, ends, ends - angles[1])))
    return spans


def _edge(disc: _Disc, outside: float, inside: float) -> float:
    for _ in range(60):
        middle = (outside + inside) / 2
        if disc(np.array([middle]))[0] > 0:
            inside = middle
        else:
            outside = middle
    return inside


def _circles(first: Solid, second: Solid) -> list[Curve]:
    """Where two balls, or a ball and a plane, meet."""
    ball, other = (first, second) if isinstance(first, Sphere) else (second, first)
    assert isinstance(ball, Sphere)
    centre = finite_point(ball.centre, "centre")
    _, b, c = other.quadric
    if isinstance(other, Sphere):
        # the difference of both equations is a plane
        b, c = b - ball.quadric[1], c - ball.quadric[2]
    length = float(np.linalg.norm(b))
    if length == 0:
        return []
    normal, distance = b / length, (float(b @ centre) + c) / length
    if abs(distance) >= ball.radius:
        return []
    middle = centre - distance * normal
    made = circle(middle, math.sqrt(ball.radius**2 - distance**2), normal=normal)
    return [Curve("seam", made.evaluate)]


def _faced(curve: Curve, first: Solid, second: Solid, facing: Facing) -> Curve:
    def evaluate(shares: Floats) -> CurvePoints:
        found = curve.evaluate(shares)
        normal = np.zeros_like(found.xyz)
        if facing != "second":
            normal += normals_of(first, found.xyz)
        if facing != "first":
            normal += normals_of(second, found.xyz)
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        with np.errstate(all="ignore"):
            return CurvePoints(shares, found.xyz, np.where(length > 0, normal / length, np.nan))

    return Curve("seam", evaluate)
