"""STL: triangle meshes from files, text or binary."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.errors import FormatError, UsageError
from kinegen.kernels import Floats
from kinegen.raff.opener import LARGEST_MESH, read_regular

__all__ = ["read_stl", "stl_mesh"]

_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_HEAD = 84
"""Bytes before the triangles of a binary file: a free text of 80, then their number."""


def read_stl(file: str | Path, *, scale: float = 1.0) -> TriangleMesh:
    """The mesh of an STL file; ``scale`` converts its unit to metres (0.001 for mm)."""
    path = Path(file)
    try:
        data = read_regular(str(path), LARGEST_MESH)
    except UsageError as error:
        raise FormatError(f"{path.name}: {error}") from None
    return stl_mesh(data, path.name, scale=scale)


def stl_mesh(data: bytes, name: str, *, scale: float = 1.0) -> TriangleMesh:
    """The mesh of an STL file's content; what is in the file is not repeated in errors."""
    corners = _binary(data, name) if not _is_text(data) else _text(data, name)
    if corners is None or not len(corners):
        raise FormatError(f"{name}: no triangles: this is not an STL file, or it is empty")
    if not np.isfinite(corners).all():
        raise FormatError(f"{name}: a vertex is not finite")
    vertices, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return TriangleMesh(vertices * scale, index.reshape(-1, 3).astype(np.int32))


def _is_text(data: bytes) -> bool:
    """Whether it begins as text does and has not exactly a binary file's length."""
    if len(data) >= _HEAD:
        count = int.from_bytes(data[80:84], "little")
        if len(data) == _HEAD + count * _RECORD.itemsize:
            return False
    return data[:5].lower() == b"solid"


def _binary(data: bytes, name: str) -> Floats | None:
    if len(data) < _HEAD:
        return None
    count = int.from_bytes(data[80:84], "little")
    if len(data) < _HEAD + count * _RECORD.itemsize:
        raise FormatError(f"{name}: the file ends before its last triangle")
    rows = np.frombuffer(data, _RECORD, count, _HEAD)
    return np.array(rows["corners"], dtype=float)


def _text(data: bytes, name: str) -> Floats:
    corners = []
    for n, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        words = line.split()
        if words[:1] == ["vertex"]:
            try:
                x, y, z = map(float, words[1:])
            except ValueError:
                raise FormatError(f"{name}:{n}: a vertex must be 3 numbers") from None
            corners.append((x, y, z))
    if len(corners) % 3:
        raise FormatError(f"{name}: {len(corners)} vertices do not make whole triangles")
    return np.array(corners).reshape(-1, 3, 3)
