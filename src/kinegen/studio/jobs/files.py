"""Points and surfaces as files for download."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.kernels import Floats
from kinegen.studio.jobs.arguments import Asked
from kinegen.studio.jobs.exports import Export
from kinegen.workspace import export
from kinegen.workspace.colours import Colours

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
    name = f"{stem}.{kind}"
    return Export(name, _TYPES[kind], export.points_file(name, xyz, colours, columns))


def mesh_file(
    stem: str, asked: Asked, vertices: Floats, triangles: npt.NDArray[np.int64]
) -> Export:
    """A surface [m] as the kind of file that is asked for: glb or ply."""
    kind = asked.choice("file", ("glb", "ply"), "glb")
    name = f"{stem}.{kind}"
    return Export(name, _TYPES[kind], export.mesh_file(name, vertices, triangles))
