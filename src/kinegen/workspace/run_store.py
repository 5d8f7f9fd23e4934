"""The Zarr store of a large cloud: it describes itself and grows piece by piece.

Arrays: ``points`` (frame, axis, pose) [m] and ``values`` (frame, pose), a piece of poses per chunk;
``bounds`` (piece, frame, end, axis) [m] is written last of a piece, so that a piece with bounds is
there as a whole, and one without is made again. The plan is an attribute of the store.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kinegen.cluster import missing_extra
from kinegen.errors import UsageError
from kinegen.kernels import Floats

__all__ = ["CloudStore", "StoreWriteError", "create_store", "open_store"]

KEY = "kinegen"
"""The attribute that holds the plan."""
_BOUNDS = re.compile(r"c\.(\d+)\.0\.0\.0")
"""The file of a piece's bounds; one that is being written is called otherwise."""
UNITS = {"points": "m", "bounds": "m", "angles": "rad", "lengths": "m"}


class StoreWriteError(UsageError):
    """A piece cannot be written: what it was and why."""

    def __init__(self, piece: int, reason: str) -> None:
        super().__init__(piece, reason)
        self.piece = piece
        self.reason = reason


@dataclass(frozen=True, slots=True, eq=False)
class CloudStore:
    """An open store."""

    folder: Path
    about: dict[str, Any]
    """What the store says of itself: plan, frames, ranges, units."""
    points: Any
    """The Zarr array (frame, axis, pose), and so the others."""
    values: Any
    bounds: Any
    pose_count: int
    """Poses in all."""
    chunk: int
    """Poses per piece."""

    @property
    def pieces(self) -> int:
        """Pieces in all."""
        return -(-self.pose_count // self.chunk)

    def part(self, piece: int) -> slice:
        """The poses of a piece."""
        first = piece * self.chunk
        return slice(first, min(first + self.chunk, self.pose_count))

    def missing(self) -> tuple[int, ...]:
        """Pieces that are not there yet: told by the files, which is quick for many thousands."""
        names = (_BOUNDS.fullmatch(file.name) for file in os.scandir(self.folder / "bounds"))
        there = {int(name[1]) for name in names if name}
        return tuple(piece for piece in range(self.pieces) if piece not in there)

    def piece_bounds(self) -> Floats:
        """Lowest and highest x, y, z of each piece and frame [m]; not a number: not there yet."""
        return np.asarray(self.bounds[:], dtype=np.float64)

    def read(self, piece: int) -> tuple[Floats, Floats]:
        """Points (frames, 3, n) [m] and values (frames, n) of a piece."""
        part = self.part(piece)
        return self.points[:, :, part], self.values[:, part]

    def write(self, piece: int, points: Floats, values: Floats) -> None:
        """Write a piece, its bounds last: half a piece is none.

        Raises:
            StoreWriteError: When the disk is full or will not take it.
        """
        part, points = self.part(piece), points.astype(self.points.dtype, copy=False)
        try:
            self.points[:, :, part] = points
            self.values[:, part] = values
            ends = np.stack([points.min(axis=2), points.max(axis=2)], axis=1)
            self.bounds[piece] = ends
        except OSError as error:
            raise StoreWriteError(piece, error.strerror or str(error)) from error


def create_store(
    folder: Path, about: dict[str, Any], frame_count: int, poses: int, chunk: int, dtype: str
) -> CloudStore:
    """A new store without pieces; it appears in its place whole, or not at all."""
    zarr = _zarr()
    begun = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}")
    k, total = frame_count, -(-poses // chunk)
    try:
        begun.parent.mkdir(parents=True, exist_ok=True)
        # the store's own mark: a worker sees by it whether the folder it knows is this one
        group = zarr.open_group(
            begun, mode="w-", attributes={KEY: {**about, "units": UNITS, "id": uuid.uuid4().hex}}
        )
        group.create_array(
            "points", shape=(k, 3, poses), chunks=(k, 3, chunk), dtype=dtype, compressors=None,
            fill_value=np.nan, dimension_names=("frame", "axis", "pose"),
        )  # fmt: skip
        group.create_array(
            "values", shape=(k, poses), chunks=(k, chunk), dtype=dtype, fill_value=np.nan,
            dimension_names=("frame", "pose"),
        )  # fmt: skip
        group.create_array(
            "bounds", shape=(total, k, 2, 3), chunks=(1, k, 2, 3), dtype=dtype, fill_value=np.nan,
            compressors=None, chunk_key_encoding={"name": "default", "separator": "."},
            dimension_names=("piece", "frame", "end", "axis"),
        )  # fmt: skip
        if folder.exists():
            folder.rmdir()  # an empty one: others were refused
        begun.rename(folder)
    except OSError as error:
        shutil.rmtree(begun, ignore_errors=True)
        raise UsageError(
            f"'{folder}' cannot be made: {error.strerror or error}; nothing was kept"
        ) from error
    found = open_store(folder)
    assert found is not None
    return found


def open_store(folder: Path, *, writable: bool = True) -> CloudStore | None:
    """The store in a folder; None when nothing is there.

    Raises:
        UsageError: When something else is there.
    """
    zarr = _zarr()
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return None
    try:
        group = zarr.open_group(folder, mode="r+" if writable else "r")
        about = dict(group.attrs[KEY])
    except (OSError, KeyError, ValueError) as error:
        raise UsageError(f"'{folder}' is there already and is no cloud of Kinegen's") from error
    points = group["points"]
    return CloudStore(
        folder, about, points, group["values"], group["bounds"],
        pose_count=int(points.shape[2]), chunk=int(points.chunks[2]),
    )  # fmt: skip


def _zarr() -> Any:
    try:
        import zarr
    except ImportError as error:
        raise missing_extra("a cloud in a store", "zarr") from error
    return zarr
