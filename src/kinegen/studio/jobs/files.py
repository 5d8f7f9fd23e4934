"""Points and surfaces as files for download."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.file_names import portable
from kinegen.kernels import Floats
from kinegen.studio.jobs.protocol import MadeFile
from kinegen.studio.wire.questions.body import SurfaceFormat
from kinegen.studio.wire.questions.cloud import PointFormat
from kinegen.workspace.colours import Colours
from kinegen.workspace.export import write_mesh, write_points

__all__ = ["mesh_file", "points_file"]

_TYPES = {
    "csv": "text/csv; charset=utf-8", "npz": "application/octet-stream",
    "ply": "application/octet-stream", "glb": "model/gltf-binary",
}  # fmt: skip


def points_file(
    stem: str, kind: PointFormat, xyz: npt.NDArray[Any], colours: Colours,
    columns: dict[str, npt.NDArray[Any]],
) -> MadeFile:  # fmt: skip
    """Points [m], (n, 3), as a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"made.{kind}"
        write_points(path, xyz, colours=colours, columns=columns)
        return MadeFile(portable(f"{stem}.{kind}"), _TYPES[kind], path.read_bytes())


def mesh_file(
    stem: str, kind: SurfaceFormat, vertices: Floats, triangles: npt.NDArray[np.int64]
) -> MadeFile:
    """A surface [m] as a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"made.{kind}"
        write_mesh(path, vertices, triangles)
        return MadeFile(portable(f"{stem}.{kind}"), _TYPES[kind], path.read_bytes())
