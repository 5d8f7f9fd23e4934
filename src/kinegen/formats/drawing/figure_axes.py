"""Axes of figures: ticks with units around what is seen, on the floor or in the plane."""

from __future__ import annotations

import math

import numpy as np

from kinegen.formats.drawing.canvas import Anchor, Canvas
from kinegen.formats.drawing.chart import ticks
from kinegen.formats.drawing.pictures.camera import Camera
from kinegen.formats.drawing.pictures.theme import Theme
from kinegen.kernels import Floats

__all__ = ["draw_axes", "is_flat", "length_unit"]

SPACING = 46.0
"""About how far apart ticks stand on the page [px]."""


def length_unit(extent: float) -> tuple[float, str]:
    """The unit that suits lengths up to an extent [m]: how many make a metre, and its name."""
    if extent >= 2.0:
        return 1.0, "m"
    return (100.0, "cm") if extent >= 0.06 else (1000.0, "mm")


def is_flat(camera: Camera) -> bool:
    """Whether the eye looks along an axis of the world."""
    return bool(np.abs(camera.R_VW[2]).max() > 1 - 1e-9)


def draw_axes(canvas: Canvas, camera: Camera, low: Floats, high: Floats, theme: Theme) -> None:
    """Grid, ticks and names of the axes around a box.

    Args:
        canvas: What is drawn on.
        camera: The projection.
        low: Smallest x, y, z of the box [m].
        high: Largest x, y, z [m].
        theme: Colours.
    """
    factor, unit = length_unit(float((high - low).max()))
    draw = _flat if is_flat(camera) else _spatial
    draw(canvas, camera, low, high, theme, factor, unit)


def _flat(
    canvas: Canvas, camera: Camera, low: Floats, high: Floats, theme: Theme, factor: float,
    unit: str,
) -> None:  # fmt: skip
    across, up = (int(np.argmax(np.abs(row))) for row in camera.R_VW[:2])
    ends = camera.page(np.array([low, high]))
    (left, top), (right, bottom) = ends.min(axis=0), ends.max(axis=0)
    for axis, length in ((across, right - left), (up, bottom - top)):
        for value in _ticks(low[axis], high[axis], factor, length):
            point = low.copy()
            point[axis] = value / factor
            x, y = camera.page(point)
            if axis == across:
                canvas.line([(x, top), (x, bottom)], theme.grid, 0.7)
                canvas.text(x, bottom + 16, f"{value:.4g}", 11, theme.faint, "middle")
            else:
                canvas.line([(left, y), (right, y)], theme.grid, 0.7)
                canvas.text(left - 7, y + 4, f"{value:.4g}", 11, theme.faint, "end")
    canvas.text(right, bottom + 34, f"{'xyz'[across]} [{unit}]", 12, theme.ink, "end")
    canvas.text(left - 7, top - 8, f"{'xyz'[up]} [{unit}]", 12, theme.ink, "end")


def _spatial(
    canvas: Canvas, camera: Camera, low: Floats, high: Floats, theme: Theme, factor: float,
    unit: str,
) -> None:  # fmt: skip
    towards = camera.R_VW[2]
    # the floor, seen from below a ceiling; ticks stand on its edges that are nearest
    floor = low[2] if towards[2] >= 0 else high[2]
    near = np.where(towards[:2] > 0, high[:2], low[:2])
    far = low[:2] + high[:2] - near
    middle = camera.page(np.array([*(low[:2] + high[:2]) / 2, floor]))
    for axis in (0, 1):
        other = 1 - axis
        ends = np.empty((2, 3))
        ends[:, 2], ends[:, other] = floor, near[other]
        ends[:, axis] = low[axis], high[axis]
        edge = camera.page(ends)
        out = edge.mean(axis=0) - middle
        out /= max(float(np.linalg.norm(out)), 1e-9)
        anchor: Anchor = "start" if out[0] > 0.35 else "end" if out[0] < -0.35 else "middle"
        way = float(np.linalg.norm(edge[1] - edge[0]))
        for value in _ticks(low[axis], high[axis], factor, way):
            line = ends.copy()
            line[:, axis] = value / factor
            line[1, other] = far[other]
            start, end = camera.page(line)
            canvas.line([tuple(start), tuple(end)], theme.grid, 0.8)
            x, y = start + 12 * out
            canvas.text(x, y + 4, f"{value:.4g}", 11, theme.faint, anchor)
        canvas.line([tuple(point) for point in edge], theme.faint, 0.9)
        x, y = edge.mean(axis=0) + 44 * out
        canvas.text(x, y + 4, f"{'xyz'[axis]} [{unit}]", 12, theme.ink, anchor)
    # the upright edge that is furthest to the left
    corners = np.array([(x, y, floor) for x in (low[0], high[0]) for y in (low[1], high[1])])
    corner = corners[int(np.argmin(camera.page(corners)[:, 0]))]
    ends = np.array([corner, corner])
    ends[:, 2] = low[2], high[2]
    edge = camera.page(ends)
    if float(np.linalg.norm(edge[1] - edge[0])) < SPACING / 3:
        return
    canvas.line([tuple(point) for point in edge], theme.faint, 0.9)
    for value in _ticks(low[2], high[2], factor, abs(float(edge[1][1] - edge[0][1]))):
        corner[2] = value / factor
        x, y = camera.page(corner)
        canvas.line([(x - 5, y), (x, y)], theme.faint, 0.9)
        canvas.text(x - 9, y + 4, f"{value:.4g}", 11, theme.faint, "end")
    x, y = edge[1]
    canvas.text(x, y - 12, f"z [{unit}]", 12, theme.ink, "middle")


def _ticks(low: float, high: float, factor: float, length: float) -> list[float]:
    """Round values within two ends, in a unit."""
    if high - low < 1e-9 or length < SPACING / 3:
        return []
    wanted = max(2, math.floor(length / SPACING))
    # -0.0 would only puzzle the reader
    return [value + 0.0 for value in ticks(low * factor, high * factor, wanted)]
