"""Outlines: areas against closed forms, polygons on both sides of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen.formats.workshop.flat.outline import circle, outline_around, slot_around

TRIANGLE = [(0.0, 0.0), (0.3, 0.0), (0.1, 0.2)]


def shoelace(polygon: np.ndarray) -> float:
    x, y = polygon.T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)) / 2


def test_round_outlines_have_the_area_of_hull_rim_and_disc() -> None:
    length, r = 0.25, 0.01
    assert outline_around([(0, 0), (length, 0)], r, r).area == pytest.approx(
        2 * r * length + math.pi * r**2, rel=1e-9
    )
    rim = sum(math.dist(a, b) for a, b in zip(TRIANGLE, TRIANGLE[1:] + TRIANGLE[:1], strict=True))
    hull = shoelace(np.array(TRIANGLE))
    # Steiner's formula: hull, strips along its sides, and one disc
    assert outline_around(TRIANGLE, r, r).area == pytest.approx(
        hull + rim * r + math.pi * r**2, rel=1e-8
    )


def test_corners_of_a_bar() -> None:
    sharp = outline_around([(0, 0), (0.1, 0)], 0.01, 0.0)
    assert len(sharp.corners) == 4 and sharp.area == pytest.approx(0.12 * 0.02)
    rounded = outline_around([(0, 0), (0.1, 0)], 0.01, 0.004)
    # each corner loses what a circle leaves free in its square
    assert rounded.area == pytest.approx(0.12 * 0.02 - (4 - math.pi) * 0.004**2)
    assert np.allclose(rounded.bounds, (-0.01, -0.01, 0.11, 0.01), atol=1e-12)


def test_polygons_enclose_the_area_from_both_sides() -> None:
    for outline in (circle((0.3, -0.2), 0.005), slot_around((0, 0), (0.05, 0.02), 0.005),
                    outline_around(TRIANGLE, 0.02, 0.005)):  # fmt: skip
        inner, outer = (shoelace(outline.polygon(64, outside=side)) for side in (False, True))
        assert inner < outline.area < outer
        assert outer == pytest.approx(inner, rel=1e-3)


def test_moving_keeps_the_shape() -> None:
    outline = outline_around(TRIANGLE, 0.02, 0.01)
    moved = outline.moved(0.5, -0.3, 1.0)
    assert moved.area == pytest.approx(outline.area)
    assert moved.corners[0] == pytest.approx(
        (0.5 + math.cos(1) * outline.corners[0][0] - math.sin(1) * outline.corners[0][1],
         -0.3 + math.sin(1) * outline.corners[0][0] + math.cos(1) * outline.corners[0][1])
    )  # fmt: skip
