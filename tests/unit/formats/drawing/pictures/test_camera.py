"""The eye of the plotter: directions by name and by number, and the fit to the page."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinegen.errors import UsageError
from kinegen.formats.drawing.pictures.camera import VIEWS, direction_of, look_along

angles = st.floats(-180, 180)


@given(azimuth=angles, elevation=st.floats(-90, 90))
def test_the_view_is_a_rotation(azimuth: float, elevation: float) -> None:
    R = look_along(azimuth, elevation).R_VW
    assert np.allclose(R @ R.T, np.eye(3), atol=1e-12)
    assert np.isclose(np.linalg.det(R), 1)
    assert R[0, 2] == 0, "the horizon is level"


@pytest.mark.parametrize(
    ("name", "right", "up"),
    [
        ("front", (1, 0, 0), (0, 0, 1)),
        ("side", (0, 1, 0), (0, 0, 1)),
        ("top", (1, 0, 0), (0, 1, 0)),
    ],
)
def test_named_views_show_the_expected_axes(
    name: str, right: tuple[int, ...], up: tuple[int, ...]
) -> None:
    R = look_along(*VIEWS[name]).R_VW
    assert np.allclose(R[0], right)
    assert np.allclose(R[1], up)


@given(seed=st.integers(0, 10**6), azimuth=angles)
def test_a_fit_fills_the_frame_and_nothing_leaves_it(seed: int, azimuth: float) -> None:
    points = np.random.default_rng(seed).normal(size=(20, 3)) * 10.0 ** (seed % 7 - 3)
    camera = look_along(azimuth, 25)
    camera.fit(points, (50, 60, 750, 500))
    page = camera.page(points)
    low, high = page.min(axis=0), page.max(axis=0)
    assert (low >= np.array([50, 60]) - 0.01).all()
    assert (high <= np.array([750, 500]) + 0.01).all()
    assert max((high - low) / np.array([700, 440])) == pytest.approx(1, abs=1e-3)


def test_a_flat_mechanism_is_faced() -> None:
    nothing = np.zeros((1, 3))
    for normal in ((0, 0, 1), (0, -1, 0), (1, 0, 0)):
        direction = direction_of("auto", np.array(normal, dtype=float), nothing)
        assert look_along(*direction).R_VW[2] @ np.array(normal) > 0.8


def test_an_arm_is_seen_from_where_it_spreads() -> None:
    # All points in the vertical plane of the usual view's line of sight.
    a = np.radians(VIEWS["iso"][0])
    line = np.array([np.cos(a), np.sin(a), 0.0])
    points = np.array([t * line + (0, 0, h) for t in (0, 1, 2) for h in (0, 1)])
    chosen = direction_of("auto", None, points)
    assert chosen != VIEWS["iso"]
    assert direction_of("iso", None, points) == VIEWS["iso"]


def test_an_unknown_view_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'top'"):
        direction_of("topp", None, np.zeros((1, 3)))
