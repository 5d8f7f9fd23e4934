from __future__ import annotations

import errno
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
import kinegen.workspace.runs as room
from kinegen.errors import UsageError
from kinegen.workspace.runs import run

LYNX = kg.load("lynx6")


def points_of(found: room.CloudRun) -> np.ndarray:
    return np.concatenate([points for _, points, _ in found], axis=2)


def test_pieces_together_are_the_cloud(tmp_path: Path) -> None:
    whole = kg.cloud(LYNX.compile(), factor=30, layer="joint:elbow")
    found = run(LYNX, tmp_path / "a", factor=30, layer="joint:elbow", chunk=100)
    assert found.pieces == found.made == 4 and found.frames == whole.frames
    np.testing.assert_array_equal(points_of(found), whole.points)
    values = np.concatenate([values for _, _, values in found], axis=1)
    np.testing.assert_array_equal(values, whole.values)
    with ThreadPoolExecutor(2) as pool:
        shared = run(LYNX, tmp_path / "b", factor=30, chunk=100, executor=pool)
    np.testing.assert_array_equal(points_of(shared), whole.points)


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    told = []

    def stop(done: int, total: int) -> bool:
        told.append((done, total))
        return done < 200

    with pytest.raises(UsageError, match="stopped after 2 of 4 pieces"):
        run(LYNX, tmp_path, factor=30, chunk=100, progress=stop)
    assert told == [(100, 324), (200, 324)]
    rest = run(LYNX, tmp_path, factor=30, chunk=100)
    assert rest.made == 2
    np.testing.assert_array_equal(points_of(rest), kg.cloud(LYNX.compile(), factor=30).points)
    assert run(LYNX, tmp_path, factor=30, chunk=100).made == 0


class Losing(ThreadPoolExecutor):
    """An executor that loses every third piece once, as a worker that dies does."""

    def __init__(self) -> None:
        super().__init__(2)
        self.asked = 0

    def submit(self, fn: Any, /, *args: Any, **options: Any) -> Future[Any]:
        self.asked += 1
        if self.asked % 3 == 0:
            lost: Future[Any] = Future()
            lost.set_exception(RuntimeError("the worker is gone"))
            return lost
        return super().submit(fn, *args, **options)


def test_pieces_of_a_lost_worker_are_made_again_each_once(tmp_path: Path) -> None:
    with Losing() as pool:
        found = run(LYNX, tmp_path, count=1000, chunk=100, executor=pool)
    assert pool.asked > 10 and found.made == 10
    whole = kg.cloud(LYNX.compile(), count=1000)
    np.testing.assert_array_equal(points_of(found), whole.points)


def test_a_full_disk_is_said_and_leaves_nothing_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    savez, written = np.savez, []

    def full(file: Any, **arrays: Any) -> None:
        written.append(1)
        if len(written) == 2:
            file.write(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")
        savez(file, **arrays)

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(
        UsageError, match=r"piece 1 cannot be written .* No space left .* call again"
    ):
        run(LYNX, tmp_path, factor=30, chunk=100)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["piece-000000.npz", "plan.json"]
    assert run(LYNX, tmp_path, factor=30, chunk=100).made == 3


def test_another_cloud_has_another_folder(tmp_path: Path) -> None:
    run(LYNX, tmp_path, factor=45, chunk=100)
    with pytest.raises(UsageError, match=r"holds another cloud .factor differ."):
        run(LYNX, tmp_path, factor=30, chunk=100)
    with pytest.raises(UsageError, match="at least 1"):
        run(LYNX, tmp_path, factor=45, chunk=0)
    with pytest.raises(UsageError, match="needs all points"):
        run(LYNX, tmp_path, factor=45, layer="density")
