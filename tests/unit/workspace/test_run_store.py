from __future__ import annotations

import errno
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinegen.errors import UsageError
from kinegen.workspace.run_store import CloudStore, StoreWriteError, create_store, open_store

zarr = pytest.importorskip("zarr", reason="needs kinegen[cluster]")


def store(folder: Path) -> CloudStore:
    return create_store(folder, {"plan": {"a": 1}}, 2, 25, 10, "float64")


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


@pytest.mark.parametrize("array", ["points", "values", "bounds"])
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
