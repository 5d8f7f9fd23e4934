from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.world.bodies.touching import touching
from kinegen.world.library.explorer import CELL, CELLS, Explorer

HERE = {"place.position": np.zeros(3), "place.orientation": np.array([1.0, 0, 0, 0])}
pytestmark = pytest.mark.slow


def test_the_cart_explores_and_touches_nothing_but_the_floor() -> None:
    places, bumps = [], []

    def watch(world: kg.World) -> None:
        if world.count % 100 == 0:
            places.append(world.node("cart.chassis").pose.translation[:2])
        sideways = np.abs(touching(world.islands[0].simulation).normals[:, 2]) < 0.5
        bumps.append(bool(sideways.any()))

    with kg.World("exploring-cart", keyframes=0) as one:
        one.watchers.append(watch)
        report = one.run(6.0)
    assert report.complete and report.events == ()
    assert not any(bumps)
    way = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
    seen = one.signals["driver.map"].value
    rows, columns = np.nonzero(seen == 1)
    found = (np.column_stack([columns, rows]) + 0.5 - CELLS / 2) * CELL
    assert len(found) > 15 and (seen == -1).sum() > 200
    # everything that it drew as a wall is one, to a cell and the noise
    outside = 3 - 0.05 - np.abs(found).max(axis=1)
    crate = np.abs(found - [1.6, 1.2]).max(axis=1) - 0.3
    drum = np.abs(np.linalg.norm(found - [-1.4, -1.0], axis=1) - 0.35)
    assert np.minimum(np.minimum(np.abs(outside), np.abs(crate)), drum).max() < 1.2 * CELL
    assert way > 2.0  # 8 rad/s on wheels of 60 mm are 0.48 m/s, after a start from rest


def test_a_wall_on_the_left_turns_it_to_the_right() -> None:
    driver = Explorer()
    free = driver.step(10.0, {"cart.eye": 3.0, "left": 1.0, "right": 3.0, **HERE})
    assert free["cart.steer_left"] < 0 < free["cart.wheel_rear_left"]
    blocked = driver.step(10.02, {"cart.eye": 0.2, "left": 1.0, "right": 3.0, **HERE})
    assert blocked["cart.wheel_rear_left"] < 0
