from __future__ import annotations

import errno
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinegen.errors import UsageError
from kinegen.workspace.runs.layout import DamagedStoreError
from kinegen.workspace.runs.store import (
    CloudStore,
    StoreState,
    StoreWriteError,
    create_store,
    open_store,
    repair_store,
)

zarr = pytest.importorskip("zarr", reason="needs kinegen[cluster]")
ABOUT = {"plan": {"a": 1}, "frames": ["f", "g"], "poses": 25, "chunk": 10, "dtype": "float64"}
OTHER = {**ABOUT, "plan": {"a": 2}}


def store(folder: Path) -> CloudStore:
    return create_store(folder, ABOUT)


def piece(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(2, 3, count)), rng.normal(size=(2, count))


def test_pieces_are_read_as_they_were_written(tmp_path: Path) -> None:
    made = store(tmp_path / "a.zarr")
    assert (made.pieces, made.chunk, made.pose_count) == (3, 10, 25)
    assert np.isnan(made.piece_bounds()).all()
    points, values = piece(5)
    made.write(2, points, values)
    there = open_store(tmp_path / "a.zarr", writable=False)
    assert there is not None and there.about["plan"] == {"a": 1} and there.about["id"]
    np.testing.assert_array_equal(there.read(2)[0], points)
    np.testing.assert_array_equal(there.read(2)[1], values)
    ends = there.piece_bounds()
    assert np.isnan(ends[:2]).all()
    np.testing.assert_array_equal(ends[2, :, 0], points.min(axis=2))
    np.testing.assert_array_equal(ends[2, :, 1], points.max(axis=2))


def test_nothing_or_an_empty_folder_is_no_store(tmp_path: Path) -> None:
    assert open_store(tmp_path / "no.zarr") is None
    (tmp_path / "empty.zarr").mkdir()
    assert open_store(tmp_path / "empty.zarr") is None
    store(tmp_path / "empty.zarr")
    assert open_store(tmp_path / "empty.zarr") is not None
    zarr.open_group(tmp_path / "other.zarr", mode="w")
    with pytest.raises(UsageError, match="no cloud of Kinegen's"):
        open_store(tmp_path / "other.zarr")


@pytest.mark.parametrize("array", ["points", "values", "bounds", "checks"])
def test_a_piece_of_which_anything_is_missing_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, array: str
) -> None:
    made = store(tmp_path / "a.zarr")
    put = zarr.storage.LocalStore.set

    async def full(self: Any, key: str, value: Any) -> None:
        if key.startswith(f"{array}/c"):
            raise OSError(errno.ENOSPC, "No space left on device")
        await put(self, key, value)

    monkeypatch.setattr(zarr.storage.LocalStore, "set", full)
    with pytest.raises(StoreWriteError) as caught:
        made.write(1, *piece(10))
    passed = pickle.loads(pickle.dumps(caught.value))  # as from a worker
    assert passed.piece == 1 and passed.reason == caught.value.reason
    assert caught.value.piece == 1 and caught.value.reason == "No space left on device"
    assert made.missing() == (0, 1, 2)
    assert np.isnan(made.piece_bounds()).all()


def test_a_store_that_cannot_be_begun_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(self: Any, key: str, value: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(zarr.storage.LocalStore, "set", full)
    with pytest.raises(UsageError, match=r"cannot be made: No space left .*nothing was kept"):
        store(tmp_path / "a.zarr")
    assert list(tmp_path.iterdir()) == []


def test_each_fault_is_named_with_its_piece_and_file(tmp_path: Path) -> None:
    made = store(tmp_path / "a.zarr")
    for number, count in enumerate((10, 10, 5)):
        made.write(number, *piece(count, number))
    assert made.verify() == StoreState(3, (), ())
    points = made.folder / "points/c/0/0"
    text = (points / "0").read_bytes()
    (points / "0").write_bytes((points / "1").read_bytes())
    (points / "1").write_bytes(text)
    (made.folder / "values/c/0/1").unlink()
    path = made.folder / "bounds/c.2.0.0.0"
    path.write_bytes(path.read_bytes()[:-1])
    state = made.verify()
    assert [str(fault) for fault in state.faults] == [
        "piece 0: points/c/0/0/0 belongs to another piece or cloud",
        "piece 1: points/c/0/0/1 belongs to another piece or cloud",
        "piece 1: values/c/0/1 is missing",
        "piece 2: bounds/c.2.0.0.0 does not match its checksum",
    ]
    assert state.broken == (0, 1, 2) and not state.is_whole
    for number in range(3):
        with pytest.raises(DamagedStoreError, match=r"is damaged: .* --verify"):
            made.read(number) if number < 2 else made.piece_bounds()
        made.discard(number)
    assert made.missing() == (0, 1, 2)


def test_values_that_are_no_numbers_leave_a_file_out_and_are_no_fault(tmp_path: Path) -> None:
    made = store(tmp_path / "a.zarr")
    points, values = piece(10)
    made.write(0, points, values * np.nan)
    assert not (made.folder / "values/c/0/0").exists()
    assert made.verify().faults == () and np.isnan(made.read(0)[1]).all()


def test_pieces_of_another_plan_are_not_taken_for_ours(tmp_path: Path) -> None:
    ours, other = store(tmp_path / "a.zarr"), create_store(tmp_path / "b.zarr", OTHER)
    other.write(1, *piece(10))
    for array in ("points", "values", "bounds", "checks"):
        path = ours.folder / ours.file(array, 1)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((other.folder / other.file(array, 1)).read_bytes())
    assert "checks/c.1.0 belongs to another piece or cloud" in str(ours.verify().faults[0])


def test_a_damaged_description_is_written_again_only_for_the_same_plan(tmp_path: Path) -> None:
    made = store(tmp_path / "a.zarr")
    points, values = piece(10)
    made.write(1, points, values)
    (made.folder / "zarr.json").write_text("{")
    with pytest.raises(DamagedStoreError, match=r"zarr\.json makes no sense"):
        open_store(made.folder)
    with pytest.raises(UsageError, match="holds another cloud, and its description is damaged"):
        repair_store(made.folder, OTHER)
    assert (made.folder / "zarr.json").read_text() == "{"
    there = repair_store(made.folder, ABOUT)
    assert there.missing() == (0, 2)
    np.testing.assert_array_equal(there.read(1)[0], points)


def test_files_of_a_killed_process_are_removed_when_they_are_old(tmp_path: Path) -> None:
    made = store(tmp_path / "a.zarr")
    made.write(0, *piece(10))
    old, young = (made.folder / f"points/c/0/0/{name}.partial" for name in ("old", "young"))
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    made.tidy()
    assert not old.exists() and young.exists()
