from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.workspace.progressive.cells import CellValues, density_cells, dexterity_cells

LYNX = kg.load("lynx6").compile()


def test_values_are_those_of_the_cell() -> None:
    table = np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2)
    cells = CellValues(np.array([1.0, 0.0, 0.0]), np.array([0.5, 1.0, 1.0]), table)
    points = np.array([[[1.2, 0.5, 0.5], [1.7, 1.5, 1.5]], [[9.0, 9.0, 9.0], [-9.0, -9.0, -9.0]]])
    np.testing.assert_array_equal(cells.at(points), [[0, 15], [7, 8]])


def test_density_is_that_of_the_whole_cloud() -> None:
    made = kg.cloud(LYNX, factor=15, layer="density")
    plan = kg.workspace.plan_cloud(LYNX, factor=15)
    whole = density_cells(plan, made.points)
    assert (whole.at(made.points) == made.values).mean() > 0.98
    # by a part of the points it is about the same
    part = density_cells(plan, made.points[::4])
    assert part.table.sum() == pytest.approx(whole.table.sum())


def test_dexterity_counts_joints_that_only_turn_the_tool() -> None:
    puma = kg.load("puma560").compile()
    plan = kg.workspace.plan_cloud(puma, frames=["wrist_centre"], factor=45)
    # three joints carry the wrist's centre, the other three turn it
    assert len(plan.sweep.ranges) == 3
    cells = dexterity_cells(plan, poses=60_000)
    assert 0.5 < cells.table.max() <= 1.0
