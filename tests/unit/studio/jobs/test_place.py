"""Places for curves."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.studio.jobs.place import find_place
from kinegen.studio.session.compiled_text import closed_start


@pytest.mark.parametrize(
    "name",
    ["lynx6", "puma560", "five-bar", "five-bar-spatial", "stewart", "delta", "eight-bar", "ur5e"],
)
def test_a_circle_at_the_place_can_be_gone_round(name: str) -> None:
    model = kg.load(name).compile()
    start, *_ = closed_start(model)
    frame = model.site_names[-1]
    place = find_place(model, start, frame)
    assert place.is_reached
    # large enough to be seen, in sizes of the mechanism
    assert place.radius > 0.1 * model.size
    circle = kg.circle(place.centre, place.radius, normal=place.normal)
    assert kg.follow(model, circle, frame, points=60, start=start).is_complete
    data = place.to_data()
    assert np.allclose(np.cross(data["across"], data["along"]), data["normal"])


def test_one_freedom_has_no_circle() -> None:
    model = kg.load("four-bar").compile()
    start, *_ = closed_start(model)
    place = find_place(model, start, "handle")
    assert not place.is_reached and place.is_flat
    assert np.allclose(place.centre, kg.pose(model, start, "handle").translation)
