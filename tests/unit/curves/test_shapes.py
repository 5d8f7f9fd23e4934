"""Segment, ellipse, Bézier, spline, polyline: against their definitions."""

import math

import numpy as np
import pytest

from kinegen.curves import (
    bezier,
    circle,
    ellipse,
    ellipse_by_corners,
    ellipse_by_foci,
    polyline,
    segment,
    spline,
)
from kinegen.errors import UsageError

NAN = float("nan")


def test_segment_ends() -> None:
    xyz = segment((0, 1, 2), (1, 1, 4)).sample(5).xyz
    assert np.allclose(xyz[[0, 2, 4]], [[0, 1, 2], [0.5, 1, 3], [1, 1, 4]])


def test_ellipse_by_foci_keeps_the_sum_of_distances() -> None:
    f, g = np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.4, 0.3])
    xyz = ellipse_by_foci(f, g, 0.2).sample(50).xyz
    total = np.linalg.norm(xyz - f, axis=1) + np.linalg.norm(xyz - g, axis=1)
    assert np.allclose(total, 0.4)
    assert np.allclose(xyz[:, 2], 0.3)


def test_ellipse_by_corners_fills_the_rectangle() -> None:
    xyz = ellipse_by_corners((0, 0.3, 0.1), (0.4, 0.1, 0.1)).sample(401).xyz
    assert np.allclose(xyz.min(0), [0, 0.1, 0.1], atol=1e-5)
    assert np.allclose(xyz.max(0), [0.4, 0.3, 0.1], atol=1e-5)
    upright = ellipse_by_corners((0, 0.1, 0), (0.4, 0.1, 0.2), normal=(0, 1, 0)).sample(41).xyz
    assert np.allclose(upright[:, 1], 0.1)


def test_arcs_and_direction() -> None:
    quarter = ellipse((0, 0, 0), (1, 0, 0), (0, 1, 0), turns=0.25).sample(3).xyz
    assert np.allclose(quarter[-1], [0, 1, 0])
    back = ellipse((0, 0, 0), (1, 0, 0), (0, 1, 0), turns=-0.25).sample(3).xyz
    assert np.allclose(back[-1], [0, -1, 0])


def test_circle_lies_across_its_normal() -> None:
    normal = np.array([1, 2, 2]) / 3
    found = circle((0, 0, 1), 0.2, normal=normal).sample(20)
    assert np.allclose((found.xyz - [0, 0, 1]) @ normal, 0)
    assert found.normals is not None
    assert np.allclose(found.normals, normal)


def test_bezier_of_four_is_the_cubic() -> None:
    p = np.array([[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0.5]])
    s = 0.3
    weights = [(1 - s) ** 3, 3 * s * (1 - s) ** 2, 3 * s**2 * (1 - s), s**3]
    assert np.allclose(bezier(p).evaluate(np.array([s])).xyz[0], weights @ p)


def test_spline_passes_through_and_closes_smoothly() -> None:
    rng = np.random.default_rng(1)
    through = rng.random((7, 3))
    chords = np.sqrt(np.linalg.norm(np.diff(through, axis=0), axis=1))
    knots = np.concatenate([[0], np.cumsum(chords)]) / chords.sum()
    assert np.allclose(spline(through).evaluate(knots).xyz, through)
    ring = spline(through, closed=True)
    h = 1e-5
    around = ring.evaluate(np.array([0, h, 2 * h, 1 - 2 * h, 1 - h, 1])).xyz
    assert np.allclose(around[0], around[-1])
    assert np.allclose((around[1] - around[0]) / h, (around[-1] - around[-2]) / h, rtol=1e-2)


def test_spline_of_a_circle_is_near_it() -> None:
    angle = np.linspace(0, math.tau, 24, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    xyz = spline(ring, closed=True).sample(200).xyz
    assert np.abs(np.linalg.norm(xyz, axis=1) - 1).max() < 1e-4


def test_polyline_goes_straight() -> None:
    xyz = polyline([[0, 0, 0], [1, 0, 0], [1, 1, 0]], closed=True).sample(401).xyz
    assert np.allclose(xyz[0], xyz[-1])
    assert abs(np.linalg.norm(np.diff(xyz, axis=0), axis=1).sum() - (2 + math.sqrt(2))) < 0.02


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: segment((0, 0, NAN), (1, 0, 0)), "start"),
        (lambda: segment((0, 0, 0), (0, 0, 0)), "different ends"),
        (lambda: segment((0, 0), (1, 0, 0)), "3 finite"),
        (lambda: ellipse((0, 0, 0), (1, 0, 0), (2, 0, 0)), "half-axes"),
        (lambda: ellipse((0, 0, 0), (1, 0, 0), (0, 1, 0), turns=0), "turns"),
        (lambda: ellipse_by_foci((0, 0, 0), (1, 0, 0), 0.4), "radius"),
        (lambda: ellipse_by_foci((0, 0, 0), (0, 0, 1), 1), "normal"),
        (lambda: ellipse_by_corners((0, 0, 0), (1, 1, 1)), "same z"),
        (lambda: circle((0, 0, 0), -1), "radius"),
        (lambda: bezier([]), "points"),
        (lambda: bezier([[0, 0, 0]] * 65), "at most 64"),
        (lambda: spline([[0, 0, 0], [0, 0, 0], [1, 0, 0]]), "the same"),
        (lambda: spline([[0, 0, 0], [0, 0, NAN]]), "point 2"),
        (lambda: polyline([[1, 1, 1], [1, 1, 1]]), "the same"),
        (lambda: polyline([[1, 1, 1], [1, 1, 2]], normals=[[0, 0, 1]] * 3), "normals"),
        (lambda: polyline("abc"), "points"),
    ],
)
def test_bad_input_is_refused(make, match: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=match):
        make()
