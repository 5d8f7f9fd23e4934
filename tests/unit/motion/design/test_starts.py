from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.motion.design.design import DesignProgress
from tests.support.dask_cluster import dask_cluster

FREE = ["crank", "ground", "rocker", "reach"]
WANTED = kg.motion.box_points([0, 0.3, 0], [0.2, 0.3, 0], (6, 1, 1))


def found(executor: Any = None, **options: Any) -> kg.motion.Design:
    model = kg.load("four-bar").compile()
    before = dict(model.parameters)
    best = kg.design(model, FREE, WANTED, starts=3, tries=30, seed=2, executor=executor, **options)
    assert dict(model.parameters) == before
    return best


def same(first: kg.motion.Design, second: kg.motion.Design) -> None:
    assert first.parameters == second.parameters and first.history == second.history
    assert (first.error, first.steps, first.starts) == (second.error, second.steps, second.starts)
    np.testing.assert_array_equal(first.q, second.q)


@pytest.mark.parametrize("clear", [0.0, 0.05])
def test_the_result_is_the_same_whoever_works(clear: float) -> None:
    here = found(clear=clear)
    for count in (1, 3):
        with ThreadPoolExecutor(count) as pool:
            same(here, found(pool, clear=clear))


def test_starts_on_a_cluster(tmp_path: Path) -> None:
    here = found()
    with dask_cluster(tmp_path, workers=2) as cluster:
        there = found(cluster.address)
    assert there.parameters == pytest.approx(here.parameters, rel=1e-6)
    assert there.steps == here.steps and there.error == pytest.approx(here.error, rel=1e-6)


def test_progress_comes_in_the_order_of_the_starts_and_may_stop() -> None:
    reports: list[DesignProgress] = []

    def stop(report: DesignProgress) -> bool:
        reports.append(report)
        return report.start < 1

    with ThreadPoolExecutor(3) as pool:
        best = found(pool, progress=stop)
    assert best.cancelled and best.starts == 2
    assert [one.start for one in reports] == sorted(one.start for one in reports)
    assert reports[-1].start == 1 and best.history[-1].error == reports[-1].best
