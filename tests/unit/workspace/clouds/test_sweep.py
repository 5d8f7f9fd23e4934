from __future__ import annotations

import itertools

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.clouds.ranges import by_factor, joint_ranges
from kinegen.workspace.clouds.sweep import grid_sweep, random_sweep

MODEL = kg.load("lynx6").compile()
RANGES = by_factor(joint_ranges(MODEL, joints=["waist", "elbow", "wrist"]), 45, MODEL.size)


def test_a_grid_is_all_combinations_the_last_fastest() -> None:
    sweep = grid_sweep(MODEL, RANGES)
    wanted = list(itertools.product(*(one.values for one in RANGES)))
    qs = sweep.chunk(0, sweep.count)
    assert sweep.count == len(wanted) == 4 * 2 * 4
    np.testing.assert_allclose(qs[[0, 2, 3]].T, wanted)
    np.testing.assert_array_equal(qs[1], MODEL.start()[1])


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_chunks_make_the_same_poses(size: int) -> None:
    for sweep in (grid_sweep(MODEL, RANGES), random_sweep(MODEL, RANGES, 50, seed=3)):
        whole = sweep.chunk(0, sweep.count)
        parts = list(sweep.chunks(size))
        assert [first for first, _ in parts] == list(range(0, sweep.count, size))
        np.testing.assert_array_equal(np.hstack([qs for _, qs in parts]), whole)


def test_drawn_values_fill_the_ranges_and_nothing_else_moves() -> None:
    qs = random_sweep(MODEL, RANGES, 2000).chunk(0, 2000)
    for one in RANGES:
        row = qs[one.variable]
        assert one.lower <= row.min() < one.lower + 0.01 * one.width
        assert one.upper - 0.01 * one.width < row.max() <= one.upper
    np.testing.assert_array_equal(np.ptp(qs[[1, 4, 5]], axis=1), 0)


def test_empty_sweeps_are_refused() -> None:
    with pytest.raises(UsageError, match="no moving joint"):
        grid_sweep(MODEL, [])
    with pytest.raises(UsageError, match="no moving joint"):
        random_sweep(MODEL, [], 10)
    with pytest.raises(UsageError, match="from 1 to"):
        random_sweep(MODEL, RANGES, 0)


def test_even_order_meets_every_pose_once_and_begins_all_over() -> None:
    for sweep in (grid_sweep(MODEL, RANGES), random_sweep(MODEL, RANGES, 32, seed=3)):
        index, qs = sweep.even(0, sweep.count)
        assert sorted(index) == list(range(sweep.count))
        np.testing.assert_array_equal(qs, sweep.chunk(0, sweep.count)[:, index])
        later, some = sweep.even(5, 4)
        np.testing.assert_array_equal(later, index[5:9])
        np.testing.assert_array_equal(some, qs[:, 5:9])
    # the first quarter of a grid has every value of its slowest joint
    quarter = grid_sweep(MODEL, RANGES).even(0, 8)[1][RANGES[0].variable]
    assert len(np.unique(quarter)) == RANGES[0].count


def test_even_order_of_a_grid_beyond_all_counting_is_refused() -> None:
    huge = by_factor(joint_ranges(MODEL), 0.01, MODEL.size)
    with pytest.raises(UsageError, match="own order"):
        grid_sweep(MODEL, huge).even(0, 1)


def test_a_seed_below_zero_is_refused() -> None:
    with pytest.raises(UsageError, match=r"a seed must be a whole number from 0 to .* not -1"):
        kg.cloud(kg.load("lynx6").compile(), count=10, seed=-1)
