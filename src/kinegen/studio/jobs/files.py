"""Points and surfaces as files for download."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.kernels import Floats
from kinegen.studio.jobs.arguments import Asked
from kinegen.studio.jobs.exports import Export
from kinegen.workspace.colours import Colours
from kinegen.workspace.export import write_mesh, write_points

__all__ = ["mesh_file", "points_file"]

_TYPES = {
    "csv": "text/csv; charset=utf-8", "npz": "application/octet-stream",
    "ply": "application/octet-stream", "glb": "model/gltf-binary",
}  # fmt: skip


def points_file(
    stem: str, asked: Asked, xyz: npt.NDArray[Any], colours: Colours,
    columns: dict[str, npt.NDArray[Any]],
) -> Export:  # fmt: skip
    """Points [m], (n, 3), as the kind of file that is asked for: csv, npz or ply."""
    kind = asked.choice("file", ("csv", "npz", "ply"), "csv")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"made.{kind}"
        write_points(path, xyz, colours=colours, columns=columns)
        return Export(f"{stem}.{kind}", _TYPES[kind], path.read_bytes())


def mesh_file(
    stem: str, asked: Asked, vertices: Floats, triangles: npt.NDArray[np.int64]
) -> Export:
    """A surface [m] as the kind of file that is asked for: glb or ply."""
    kind = asked.choice("file", ("glb", "ply"), "glb")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"made.{kind}"
        write_mesh(path, vertices, triangles)
        return Export(f"{stem}.{kind}", _TYPES[kind], path.read_bytes())
