"""Places for curves."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.curves import Curve, CurvePoints
from kinegen.errors import UsageError
from kinegen.motion.curve_place import find_place, fit_curve


@pytest.mark.parametrize(
    "name",
    ["lynx6", "puma560", "five-bar", "five-bar-spatial", "stewart", "delta", "eight-bar", "ur5e"],
)
def test_a_circle_at_the_place_can_be_gone_round(name: str) -> None:
    model = kg.load(name).compile()
    start = kg.assemble(model).q
    frame = model.site_names[-1]
    place = find_place(model, start, frame)
    assert place.is_reached
    # large enough to be seen, in sizes of the mechanism
    assert place.radius > 0.1 * model.size
    circle = kg.curves.circle(place.centre, place.radius, normal=place.normal)
    assert kg.follow(model, circle, frame=frame, points=60, start=start).is_complete
    across, along = place.across, place.along
    assert np.allclose(np.cross(across, along), place.normal)


def test_one_degree_of_freedom_has_no_circle() -> None:
    model = kg.load("four-bar").compile()
    start = kg.assemble(model).q
    place = find_place(model, start, "handle")
    assert not place.is_reached and place.is_flat
    assert np.allclose(place.centre, kg.pose(model, start, "handle").translation)


def test_a_curve_is_brought_to_a_place() -> None:
    unit = kg.curves.formula_curve("cos(t)", "sin(t) / 2", "0", t=("0", "360 deg"))
    fit = fit_curve(unit, [0.1, 0.3, 0.2], 0.05)
    xyz = unit.placed(fit.scale, fit.offset).sample(200).xyz
    assert np.allclose((xyz.min(axis=0) + xyz.max(axis=0)) / 2, [0.1, 0.3, 0.2], atol=1e-4)
    # nearly as large as the circle, by a scale of two digits
    assert 0.8 * 0.1 < np.ptp(xyz, axis=0).max() < 0.1
    with pytest.raises(UsageError, match="positive"):
        fit_curve(unit, [0, 0, 0], 0.0)


@pytest.mark.parametrize(("x", "words"), [(1.0, "single point"), (np.nan, "no points")])
def test_a_curve_without_extent_fits_nowhere(x: float, words: str) -> None:
    curve = Curve("dot", lambda shares: CurvePoints(shares, np.full((len(shares), 3), x)))
    with pytest.raises(UsageError, match=words):
        fit_curve(curve, [0, 0, 0], 0.1)
