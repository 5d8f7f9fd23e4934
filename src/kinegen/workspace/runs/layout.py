"""The layout of a cloud's Zarr store: its description and arrays, made, checked and put back.

The description carries a checksum of itself, and the arrays' metadata follow from it, so that
anything that was changed is noticed, and can be written again from the plan.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from kinegen.cluster import missing_extra
from kinegen.errors import UsageError

__all__ = [
    "ARRAYS",
    "CHECK_SIZE",
    "DamagedStoreError",
    "clear_way",
    "make_layout",
    "read_layout",
    "write_layout",
]

LAYOUT_VERSION = 2
"""Of the layout; 1 had no checksums."""
KEY, DIGEST = "kinegen", "kinegen_digest"
"""The attributes that hold the description and its checksum."""
ARRAYS = ("points", "values", "bounds", "checks")
CHECK_SIZE = 7
"""Numbers per piece in ``checks``."""
UNITS = {"points": "m", "bounds": "m", "angles": "rad", "lengths": "m"}
META = "zarr.json"


class DamagedStoreError(UsageError):
    """A file of a store is not as it was written."""

    def __init__(self, folder: str, file: str, reason: str) -> None:
        super().__init__(folder, file, reason)
        self.folder = folder
        self.file = file
        """Its name below the folder."""
        self.reason = reason

    def __str__(self) -> str:
        """What is wrong, and what to do."""
        return (
            f"'{self.folder}' is damaged: {self.file} {self.reason}. Repeat the call or command "
            "that made it to compute the damaged parts again; --verify lists them"
        )


def make_layout(folder: Path, about: dict[str, Any]) -> None:
    """A new store without pieces; it appears in its place whole, or not at all.

    Args:
        folder: Where it goes: nothing, or an empty folder.
        about: What the store says of itself; ``frames``, ``poses``, ``chunk`` and ``dtype`` give
            the sizes of the arrays.
    """
    _make_beside(folder, about, lambda begun: _take_place(begun, folder))


def write_layout(folder: Path, about: dict[str, Any]) -> None:
    """Write description and arrays' metadata again; pieces stay."""

    def put(begun: Path) -> None:
        for name in ("", *ARRAYS):
            clear_way(folder, folder / name / META)
            os.replace(begun / name / META, folder / name / META)
        shutil.rmtree(begun)

    _make_beside(folder, about, put)


def read_layout(folder: Path, *, writable: bool) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Description and arrays of the store in a folder; None when nothing is there.

    Raises:
        DamagedStoreError: When it is a cloud whose metadata are not as they were written.
        UsageError: When something else is there, or a cloud of another version.
    """
    zarr = _zarr()
    try:
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return None
        looks_like_ours = all((folder / name).is_dir() for name in ("points", "bounds"))
    except OSError as error:
        raise UsageError(f"'{folder}' cannot be read: {error.strerror or error}") from error
    try:
        _check_file(folder / META)
        group = zarr.open_group(folder, mode="r+" if writable else "r")
        about, digest = dict(group.attrs[KEY]), group.attrs.get(DIGEST)
    except Exception as error:  # Zarr raises what its parsers raise
        if looks_like_ours:
            raise DamagedStoreError(str(folder), META, _because(error)) from error
        raise UsageError(
            f"'{folder}' already exists and is not a Kinegen cloud: use another folder"
        ) from error
    form = about.get("format", 1)
    if form != LAYOUT_VERSION and digest in (None, _digest(about)):
        raise UsageError(
            f"'{folder}' was written by Kinegen {about.get('version', 'of unknown version')} in "
            f"layout {form}; this version reads layout {LAYOUT_VERSION}. Use that version, or "
            "remove the folder and compute the cloud again"
        )
    if digest != _digest(about):
        raise DamagedStoreError(str(folder), META, "does not match its checksum")
    wanted = zarr.open_group(zarr.storage.MemoryStore(), mode="w")
    _make_arrays(wanted, about)
    arrays = {}
    for name in ARRAYS:
        try:
            _check_file(folder / name / META)
            arrays[name] = group[name]
            same = arrays[name].metadata.to_dict() == wanted[name].metadata.to_dict()
        except Exception as error:  # as above
            raise DamagedStoreError(str(folder), f"{name}/{META}", _because(error)) from error
        if not same:
            raise DamagedStoreError(str(folder), f"{name}/{META}", "belongs to another array")
    return about, arrays


def clear_way(folder: Path, path: Path) -> None:
    """Remove what stands where a file of the store goes: a folder, a link, a file for a folder."""
    for place in (*reversed(path.relative_to(folder).parents[:-1]), path.relative_to(folder)):
        found = folder / place
        try:
            mode = os.lstat(found).st_mode
        except FileNotFoundError:
            break
        if found == path and stat.S_ISDIR(mode):
            shutil.rmtree(found)
        elif (found != path and not stat.S_ISDIR(mode)) or not (
            stat.S_ISDIR(mode) or stat.S_ISREG(mode)
        ):
            os.unlink(found)
    path.parent.mkdir(parents=True, exist_ok=True)


def _make_beside(folder: Path, about: dict[str, Any], place: Callable[[Path], None]) -> None:
    """Make an empty store under another name, and put it into its place."""
    zarr = _zarr()
    begun = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}")
    # the store's own mark: a worker sees by it whether the folder it knows is this one
    about = {**about, "format": LAYOUT_VERSION, "units": UNITS, "id": uuid.uuid4().hex}
    about = json.loads(json.dumps(about))
    try:
        begun.parent.mkdir(parents=True, exist_ok=True)
        group = zarr.open_group(begun, mode="w-", attributes={KEY: about, DIGEST: _digest(about)})
        _make_arrays(group, about)
        place(begun)
    except OSError as error:
        raise UsageError(
            f"'{folder}' cannot be created: {error.strerror or error}; nothing was kept"
        ) from error
    finally:
        shutil.rmtree(begun, ignore_errors=True)


def _take_place(begun: Path, folder: Path) -> None:
    if folder.exists():
        folder.rmdir()  # an empty one: others were refused
    begun.rename(folder)


def _make_arrays(group: Any, about: dict[str, Any]) -> None:
    """The arrays of a store; each chunk of numbers ends with its CRC-32C, which Zarr checks."""
    codecs = _zarr().codecs
    k, poses, chunk, dtype = (about[key] for key in ("frames", "poses", "chunk", "dtype"))
    k, total, crc = len(k), -(-poses // chunk), codecs.Crc32cCodec()
    dotted = {"name": "default", "separator": "."}
    group.create_array(
        "points", shape=(k, 3, poses), chunks=(k, 3, chunk), dtype=dtype, compressors=[crc],
        fill_value=np.nan, dimension_names=("frame", "axis", "pose"),
    )  # fmt: skip
    group.create_array(
        "values", shape=(k, poses), chunks=(k, chunk), dtype=dtype,
        compressors=[codecs.ZstdCodec(level=0, checksum=False), crc],
        fill_value=np.nan, dimension_names=("frame", "pose"),
    )  # fmt: skip
    group.create_array(
        "bounds", shape=(total, k, 2, 3), chunks=(1, k, 2, 3), dtype=dtype, compressors=[crc],
        fill_value=np.nan, chunk_key_encoding=dotted,
        dimension_names=("piece", "frame", "end", "axis"),
    )  # fmt: skip
    group.create_array(
        "checks", shape=(total, CHECK_SIZE), chunks=(1, CHECK_SIZE), dtype="uint32",
        compressors=None, fill_value=0, chunk_key_encoding=dotted,
        dimension_names=("piece", "check"),
    )  # fmt: skip


def _digest(about: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


def _check_file(path: Path) -> None:
    """Refuse what is no file: a pipe would be waited for."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError("it is not a file")


def _because(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "is missing"
    if isinstance(error, OSError):
        return f"cannot be read ({error.strerror or error})"
    return f"is invalid ({type(error).__name__})"


def _zarr() -> Any:
    try:
        import zarr
        import zarr.codecs
        import zarr.storage
    except ImportError as error:
        raise missing_extra("a cloud in a store", "zarr") from error
    return zarr
