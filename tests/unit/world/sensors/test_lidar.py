from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen.errors import UsageError
from tests.support.worlds import world

ROOM = """raff: 1
joints: [{name: A, parent: base, motor: true, mass: 1, shape: {box: [0.05, 0.05, 0.05]}}]
objects:
  - {name: east, shape: {box: [0.2, 4.2, 2]}, fixed: true, at: {xyz: [2.1, 0, 0]}}
  - {name: west, shape: {box: [0.2, 4.2, 2]}, fixed: true, at: {xyz: [-2.1, 0, 0]}}
  - {name: north, shape: {box: [4.2, 0.2, 2]}, fixed: true, at: {xyz: [0, 2.1, 0]}}
  - {name: south, shape: {box: [4.2, 0.2, 2]}, fixed: true, at: {xyz: [0, -2.1, 0]}}
"""


def test_a_square_room_is_seen_as_one() -> None:
    with world(ROOM, "sensors: [{name: s, type: lidar, parent: A, rays: 72}]\n") as one:
        one.run(0.01)
        angles = one.sensors["s"].azimuths  # type: ignore[attr-defined]
        expected = 2 / np.maximum(np.abs(np.cos(angles)), np.abs(np.sin(angles)))
        assert one.signals["s"].value == pytest.approx(expected, abs=1e-9)
        assert np.diff(angles) == pytest.approx(2 * math.pi / 72)


def test_layers_are_tilted_from_low_to_high() -> None:
    keys = "rays: 5, layers: 3, field_of_view: 40 deg, vertical_field_of_view: 20 deg"
    with world(ROOM, f"sensors: [{{name: s, type: lidar, parent: A, {keys}}}]\n") as one:
        one.run(0.01)
        found = one.signals["s"].value
        across = np.radians([-20, -10, 0, 10, 20])
        up = np.radians([-10, 0, 10])[:, None]
        assert found == pytest.approx(2 / (np.cos(across) * np.cos(up)), abs=1e-9)


def test_a_million_rays_are_the_most() -> None:
    with pytest.raises(UsageError, match="use at most 1,000,000"):
        world(ROOM, "sensors: [{name: s, type: lidar, parent: A, rays: 100000, layers: 11}]\n")
