"""The Zarr store of a large cloud: it describes itself, grows piece by piece, and checks itself.

Arrays: ``points`` (frame, axis, pose) [m] and ``values`` (frame, pose), a piece of poses per chunk;
``bounds`` (piece, frame, end, axis) [m]; ``checks`` (piece, check) is written last of a piece, so
that a piece with checks is there as a whole, and one without is computed again. They are the
CRC-32C of the piece's three files, which each file also ends with, its number, a mark of the plan,
and a checksum of these: a file that is changed, cut, missing or of another piece or cloud does not
fit.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import re
import stat
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.results import Result
from kinegen.workspace.runs.layout import (
    ARRAYS,
    CHECK_SIZE,
    DamagedStoreError,
    clear_way,
    make_layout,
    read_layout,
    write_layout,
)

__all__ = [
    "CloudStore",
    "Fault",
    "StoreState",
    "StoreWriteError",
    "create_store",
    "open_store",
    "repair_store",
]

_CHECKS = re.compile(r"c\.(\d+)\.0")
"""The file of a piece's checks; one that is being written is called otherwise."""
STALE = 3600.0
"""Age [s] at which a half-written file is one that a killed process left."""
THREADS = 2
"""That check pieces: one reads while the other computes."""


class StoreWriteError(UsageError):
    """A piece cannot be written: what it was and why."""

    def __init__(self, piece: int, reason: str) -> None:
        super().__init__(piece, reason)
        self.piece = piece
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Fault:
    """A file of a store that is not as it was written."""

    piece: int | None
    """The piece it belongs to; None for metadata."""
    file: str
    """Its name below the store's folder."""
    reason: str

    def __str__(self) -> str:
        where = "" if self.piece is None else f"piece {self.piece}: "
        return f"{where}{self.file} {self.reason}"


@dataclass(frozen=True, slots=True)
class StoreState(Result):
    """What a store holds, every checksum compared."""

    pieces: int
    missing: tuple[int, ...]
    """Pieces that were never finished, or whose mark of being finished is gone."""
    faults: tuple[Fault, ...]

    @property
    def broken(self) -> tuple[int, ...]:
        """Pieces of which a file is damaged."""
        return tuple(sorted({fault.piece for fault in self.faults if fault.piece is not None}))

    @property
    def is_whole(self) -> bool:
        """Whether every piece is there and as it was written."""
        return not self.missing and not self.faults


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
    checks: Any
    pose_count: int
    """Total number of poses."""
    chunk: int
    """Poses per piece."""

    @property
    def pieces(self) -> int:
        """Total number of pieces."""
        return -(-self.pose_count // self.chunk)

    def part(self, piece: int) -> slice:
        """The poses of a piece."""
        first = piece * self.chunk
        return slice(first, min(first + self.chunk, self.pose_count))

    def missing(self) -> tuple[int, ...]:
        """Pieces that are not there yet: judged by the files, which is quick for many thousands."""
        there = set(self._finished())
        return tuple(piece for piece in range(self.pieces) if piece not in there)

    def piece_bounds(self) -> Floats:
        """Lowest and highest x, y, z of each piece and frame [m]; not a number: not there yet."""
        out = np.full(self.bounds.shape, np.nan)
        for piece in self._finished():
            out[piece] = self._read(piece, "bounds")
        return out

    def read(self, piece: int) -> tuple[Floats, Floats]:
        """Points (frames, 3, n) [m] and values (frames, n) of a piece, checksums compared."""
        return self._read(piece, "points"), self._read(piece, "values")

    def write(self, piece: int, points: Floats, values: Floats) -> None:
        """Write a piece, its checks last: half a piece is none.

        Raises:
            StoreWriteError: When the disk is full or will not take it.
        """
        points = points.astype(self.points.dtype, copy=False)
        try:
            try:
                self._write(piece, points, values)
            except (FileExistsError, IsADirectoryError, NotADirectoryError):
                self.discard(piece)
                self._write(piece, points, values)
        except OSError as error:
            raise StoreWriteError(piece, error.strerror or str(error)) from error

    def verify(self) -> StoreState:
        """Compare every checksum, which reads the whole store."""
        there = sorted(self._finished())
        pool = ThreadPoolExecutor(THREADS, thread_name_prefix="kinegen-verify")
        try:
            found = [fault for faults in pool.map(self._faults, there) for fault in faults]
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return StoreState(self.pieces, self.missing(), tuple(found))

    def discard(self, piece: int) -> None:
        """Remove a piece and whatever stands in its place.

        Raises:
            StoreWriteError: When that cannot be done.
        """
        try:
            # checks first: what is stopped on the way is a piece that is not there
            for name in reversed(ARRAYS):
                path = self.folder / self.file(name, piece)
                clear_way(self.folder, path)
                path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreWriteError(piece, error.strerror or str(error)) from error

    def tidy(self) -> None:
        """Remove half-written files that a killed process left."""
        for name in ARRAYS:
            for path in (self.folder / name).rglob("*.partial"):
                try:
                    if time.time() - path.stat().st_mtime > STALE:
                        path.unlink()
                except OSError:  # gone already, or not ours to remove
                    continue

    def file(self, name: str, piece: int) -> str:
        """The file of an array's piece, below the folder."""
        key = {
            "points": f"c/0/0/{piece}",
            "values": f"c/0/{piece}",
            "bounds": f"c.{piece}.0.0.0",
            "checks": f"c.{piece}.0",
        }
        return f"{name}/{key[name]}"

    def _write(self, piece: int, points: Floats, values: Floats) -> None:
        part = self.part(piece)
        self.points[:, :, part] = points
        self.values[:, part] = values
        self.bounds[piece] = np.stack([points.min(axis=2), points.max(axis=2)], axis=1)
        self.checks[piece] = self._checks_of(piece)

    # Checks

    def _finished(self) -> Iterator[int]:
        """Pieces that have checks, good or not."""
        try:
            entries = list(os.scandir(self.folder / "checks"))
        except OSError as error:
            reason = f"cannot be read ({error.strerror or error})"
            raise DamagedStoreError(str(self.folder), "checks", reason) from error
        for entry in entries:
            name = _CHECKS.fullmatch(entry.name)
            if name and int(name[1]) < self.pieces:
                yield int(name[1])

    def _checks_of(self, piece: int) -> np.ndarray[Any, np.dtype[np.uint32]]:
        """The checks of a piece as its files are."""
        sums = [self._trailer(name, piece) for name in ARRAYS[:3]]
        row = np.array([*sums, piece, *_mark(self.about), 0], dtype="<u4")
        row[-1] = zlib.crc32(row[:-1].tobytes())
        return row

    def _trailer(self, name: str, piece: int) -> int:
        """The checksum that a file ends with; 0 where there is none: Zarr leaves out what is empty.

        Raises:
            OSError: When it cannot be read, or is not a file.
        """
        try:
            size = self._size(name, piece)
        except FileNotFoundError:
            return 0
        with open(self.folder / self.file(name, piece), "rb") as file:
            file.seek(max(0, size - 4))
            return int.from_bytes(file.read(4), "little")

    def _size(self, name: str, piece: int) -> int:
        """The size of a file [bytes].

        Raises:
            OSError: When there is none, or something that one should not read.
        """
        found = os.stat(self.folder / self.file(name, piece))
        if not stat.S_ISREG(found.st_mode):
            raise IsADirectoryError
        array = getattr(self, name)
        # what is pressed may grow by some bytes
        if found.st_size > 1024 + 1.01 * array.dtype.itemsize * math.prod(array.chunks):
            raise OSError(errno.EFBIG, "it is too large")
        return found.st_size

    def _checks(self, piece: int) -> list[int]:
        """The checks of a piece as they were written."""
        name = self.file("checks", piece)
        try:
            self._size("checks", piece)
            text = (self.folder / name).read_bytes()
        except OSError as error:
            raise self._damaged(name, error) from error
        if len(text) != 4 * CHECK_SIZE or zlib.crc32(text[:-4]) != int.from_bytes(
            text[-4:], "little"
        ):
            raise DamagedStoreError(str(self.folder), name, "does not match its checksum")
        row: list[int] = np.frombuffer(text, "<u4").tolist()
        if row[3:6] != [piece, *_mark(self.about)]:
            raise DamagedStoreError(str(self.folder), name, "belongs to another piece or cloud")
        return row

    def _read(self, piece: int, array: str) -> Any:
        """An array's part that is one piece.

        Raises:
            DamagedStoreError: When a checksum does not fit.
        """
        name, part = self.file(array, piece), self.part(piece)
        place = {
            "points": (slice(None), slice(None), part),
            "values": (slice(None), part),
            "bounds": (piece,),
        }[array]
        wanted = self._checks(piece)[ARRAYS.index(array)]
        try:
            found = self._trailer(array, piece)
            if wanted and not (self.folder / name).exists():
                raise FileNotFoundError
            numbers = getattr(self, array)[place]
        except Exception as error:  # Zarr raises what its codecs raise
            raise self._damaged(name, error) from error
        if found != wanted:
            raise DamagedStoreError(str(self.folder), name, "belongs to another piece or cloud")
        return numbers

    def _faults(self, piece: int) -> list[Fault]:
        """What is wrong with a piece."""
        found = []
        for array in ARRAYS[:3]:
            try:
                self._read(piece, array)
            except DamagedStoreError as error:
                found.append(Fault(piece, error.file, error.reason))
        return list(dict.fromkeys(found))

    def _damaged(self, name: str, error: Exception) -> DamagedStoreError:
        reason = "does not match its checksum"
        if isinstance(error, FileNotFoundError):
            reason = "is missing"
        elif isinstance(error, (IsADirectoryError, NotADirectoryError)):
            reason = "is not a file"
        elif isinstance(error, OSError):
            reason = f"cannot be read ({error.strerror or error})"
        elif isinstance(error, MemoryError):
            raise error
        return DamagedStoreError(str(self.folder), name, reason)


def create_store(folder: Path, about: dict[str, Any]) -> CloudStore:
    """A new store without pieces, as :func:`~kinegen.workspace.runs.layout.make_layout` says."""
    make_layout(folder, about)
    found = open_store(folder)
    assert found is not None
    return found


def open_store(folder: Path, *, writable: bool = True) -> CloudStore | None:
    """The store in a folder; None when nothing is there.

    Raises:
        DamagedStoreError: When its metadata are not as they were written.
        UsageError: When something else is there.
    """
    layout = read_layout(folder, writable=writable)
    if layout is None:
        return None
    about, arrays = layout
    return CloudStore(
        folder, about, **arrays, pose_count=int(about["poses"]), chunk=int(about["chunk"])
    )


def repair_store(folder: Path, about: dict[str, Any]) -> CloudStore:
    """The store in a folder whose metadata were damaged, written again; pieces stay.

    Raises:
        UsageError: When its pieces are of another plan, which is lost with the description.
    """
    for path in (folder / "checks").glob("c.*.0"):
        text = path.read_bytes() if path.is_file() else b""
        good = len(text) == 4 * CHECK_SIZE and zlib.crc32(text[:-4]).to_bytes(4, "little")
        if good == text[-4:] and np.frombuffer(text, "<u4")[4:6].tolist() != [*_mark(about)]:
            raise UsageError(
                f"'{folder}' holds another cloud, and its description is damaged: use another "
                "folder, or remove this one"
            )
    write_layout(folder, about)
    found = open_store(folder)
    assert found is not None
    return found


def _mark(about: dict[str, Any]) -> tuple[int, int]:
    """Two numbers that distinguish one plan's pieces from another's."""
    text = json.dumps(about["plan"], sort_keys=True).encode()
    digest = hashlib.sha256(text).digest()
    return int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:8], "little")
