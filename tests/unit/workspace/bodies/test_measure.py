from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen.workspace.bodies.measure as room
from kinegen.errors import UsageError
from kinegen.workspace.bodies.measure import measure_cells, measure_points


@pytest.mark.parametrize("dense", [True, False])
def test_a_disc_has_its_area_within_the_error(monkeypatch: pytest.MonkeyPatch, dense: bool) -> None:
    monkeypatch.setattr(room, "DENSE", 10**9 if dense else 0)
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (2, 200_000))
    found = measure_points(points[:, np.hypot(*points) < 1], 0.02)
    assert abs(found.value - math.pi) < found.error < 0.2
    assert found.unit == "m²" and found.cells > found.boundary > 0


def test_a_ball_by_its_cells() -> None:
    axis = np.arange(-25, 26)
    cells = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    ball = cells[(cells**2).sum(axis=1) <= 20**2]
    found = measure_cells(ball, 0.1, outside=0.0)
    exact = 4 / 3 * math.pi * 8
    assert abs(found.value - exact) < found.error and abs(found.value / exact - 1) < 0.01
    assert found.unit == "m³"


def test_nothing_has_no_size() -> None:
    assert measure_points(np.zeros((2, 0)), 1.0).value == 0


def test_cells_and_points_must_be_numbers() -> None:
    with pytest.raises(UsageError, match="positive length"):
        measure_points(np.zeros((2, 1)), 0)
    with pytest.raises(UsageError, match="not finite"):
        measure_points(np.array([[np.nan], [0]]), 1)
