"""Routes of scripted hands: at their places at their times, at rest there."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.world.hands.route import Route


def test_it_is_at_its_places_at_their_times_and_stays_at_its_ends() -> None:
    route = Route.of([1, 2, 4], [[0, 0, 0], [1, 0, 0], [1, 0, 2]])
    for time, place in ((0, (0, 0, 0)), (1, (0, 0, 0)), (2, (1, 0, 0)), (3, (1, 0, 1)),
                        (4, (1, 0, 2)), (9, (1, 0, 2))):  # fmt: skip
        assert route(time) == pytest.approx(place)
    assert route.start == 1


def test_it_starts_and_ends_every_move_at_rest() -> None:
    route = Route.of([0, 1, 2], [[0, 0, 0], [1, 0, 0], [1, 3, 0]])
    h = 1e-6
    for time in (0, 1, 2):
        speed = np.linalg.norm(route(time + h) - route(time - h)) / (2 * h)
        assert speed < 1e-4
    # 1.5 times the mean speed in the middle of a move
    assert (route(1.5 + h) - route(1.5 - h))[1] / (2 * h) == pytest.approx(4.5, rel=1e-6)


def test_one_place_is_a_route_too() -> None:
    assert Route.of([0.5], [[1, 2, 3]])(7.0) == pytest.approx((1, 2, 3))
