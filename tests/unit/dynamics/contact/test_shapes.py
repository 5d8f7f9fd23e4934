"""The shapes that touch, as the kernels take them."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.contact.contacts import Collisions
from kinegen.dynamics.contact.shapes import _turn_z_to


@pytest.mark.parametrize("up", [(0, 0, 1), (0, 0, -1), (0, 1, 0), (0.6, 0, 0.8)])
def test_the_floor_is_perpendicular_to_gravity(up: tuple[float, float, float]) -> None:
    turned = _turn_z_to(np.array(up, dtype=float)).apply([0, 0, 1])
    np.testing.assert_allclose(turned, up, atol=1e-12)


def test_links_of_a_mechanism_pass_through_each_other_but_not_through_the_floor() -> None:
    collisions = Collisions(kg.dynamics.System.of(kg.load("five-bar"), floor=-5.0))
    meets, names = collisions.arrays.meets, list(collisions.geom_names)
    floor = names.index("floor")
    links = [g for g in range(len(names)) if g != floor]
    assert links
    assert meets[floor, links].all()
    assert not meets[np.ix_(links, links)].any()
