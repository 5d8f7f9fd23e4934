"""Goals to begin a design with."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.motion.design.proposal import propose_goals
from tests.unit.motion.linkage import FOUR_BAR


def test_curves_near_the_frame_in_its_plane() -> None:
    model = kg.load(FOUR_BAR).compile()
    found = propose_goals(model, kg.assemble(model).q)
    curves = {curve.name: curve for curve in found.curves}
    assert {"line", "circle", "ellipse", "eight", "published"} <= set(curves)
    assert found.is_flat and found.frame == "handle"
    circle = curves["circle"].points
    middle = circle.mean(axis=0)
    assert np.ptp(np.linalg.norm(circle - middle, axis=1)) < 1e-9
    # near the handle, not at the other end of the world
    assert np.linalg.norm(middle - found.at) < np.ptp(circle, axis=0).max()
    published = curves["published"]
    assert published.points[1] == pytest.approx([0.1766, 0.15142, 0], abs=1e-5)
    assert published.note and published.is_closed


def test_a_box_around_the_frame_of_an_arm() -> None:
    model = kg.load("puma560").compile()
    found = propose_goals(model)
    assert not found.is_flat and "published" not in [one.name for one in found.curves]
    low, high = found.box
    assert (low < high).all()
