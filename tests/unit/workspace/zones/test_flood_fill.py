from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.zones.flood_fill import Cells, flood_fill, jumped


def disc(radius: int):
    def attempt(starts: np.ndarray, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
        assert starts.shape == (len(cells), 1)
        return starts + 1, (cells**2).sum(axis=1) <= radius**2

    return attempt


def test_all_connected_cells_are_found_once_and_poses_come_from_neighbours() -> None:
    found = flood_fill(np.zeros(1), 2, disc(5), most=1000)
    keys = {tuple(cell) for cell in found.cells.tolist()}
    wanted = {(i, j) for i in range(-5, 6) for j in range(-5, 6) if i * i + j * j <= 25}
    assert keys == wanted and len(found.cells) == len(keys)
    assert found.tried > len(wanted) and found.complete
    steps = np.abs(found.cells).sum(axis=1) + 1  # one solve per step on the way
    np.testing.assert_array_equal(found.qs[:, 0], steps)


def test_what_lies_behind_a_wall_is_not_reached() -> None:
    def wall(starts: np.ndarray, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
        return starts, cells[:, 0] != 2

    ends = np.array([-4, -4]), np.array([4, 4])
    found = flood_fill(np.zeros(1), 2, wall, most=1000, lower=ends[0], upper=ends[1])
    assert found.cells[:, 0].max() == 1 and len(found.cells) == 6 * 9


def test_a_turn_goes_around() -> None:
    def gap(starts: np.ndarray, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
        return starts, cells[:, 0] != 1

    found = flood_fill(
        np.zeros(1), 1, gap, most=100, lower=np.array([0]), upper=np.array([9]),
        wraps=np.array([True]),
    )  # fmt: skip
    assert sorted(found.cells[:, 0].tolist()) == [0, 2, 3, 4, 5, 6, 7, 8, 9]


def test_it_ends_when_stopped_or_when_too_large() -> None:
    stopped = flood_fill(np.zeros(1), 2, disc(50), most=10**6, report=lambda tried: tried < 50)
    assert not stopped.complete and stopped.tried < 200
    with pytest.raises(UsageError, match="more than 100 cells: use a larger step"):
        flood_fill(np.zeros(1), 2, disc(50), most=100)


def test_jumps_are_seen_for_all_kinds_of_joints() -> None:
    model = kg.load("stewart").compile()
    starts = np.repeat(model.start()[None], 3, axis=0)
    qs = starts.copy()
    qs[1, model.joint("U1").q.start] += 1.2
    ball = model.joint("S2").q
    qs[2, ball] = kg.SO3(starts[2, ball]).plus([0, 1.2, 0]).quat
    assert jumped(model, starts, qs).tolist() == [False, True, True]
    assert not jumped(model, starts, -np.where(starts == qs, -qs, qs))[:1].any()
