"""Points and surfaces as files for other programs: CSV, NPZ, PLY, GLB."""

from __future__ import annotations

import codecs
import csv
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.files import write_atomically, written_atomically
from kinegen.kernels import Floats
from kinegen.workspace.colours import Colours

__all__ = ["MESH_SUFFIXES", "POINT_SUFFIXES", "write_mesh", "write_points"]

POINT_SUFFIXES = (".csv", ".npz", ".ply")
MESH_SUFFIXES = (".ply", ".glb")
Columns: TypeAlias = Mapping[str, npt.NDArray[Any]]
"""More columns of a table of points, each (n,)."""


def write_points(
    path: str | Path,
    xyz: Floats,
    *,
    colours: Colours | None = None,
    columns: Columns | None = None,
) -> None:
    """Write points [m] by the file's suffix: .csv, .npz or .ply (binary, coloured).

    Args:
        path: The file.
        xyz: Points, (n, 3).
        colours: RGB bytes, (n, 3); kept by .ply and .npz.
        columns: More columns, numbers or words; words are left out of .ply.
    """
    file, more = Path(path), dict(columns or {})
    if file.suffix == ".csv":
        with written_atomically(file) as out:
            rows = csv.writer(codecs.getwriter("utf-8")(out), lineterminator="\n")
            rows.writerow([*more, "x", "y", "z"])
            lists = [column.tolist() for column in more.values()]
            rows.writerows(zip(*lists, *xyz.T.tolist(), strict=True))
    elif file.suffix == ".npz":
        arrays: dict[str, Any] = {"xyz": xyz, **more}
        if colours is not None:
            arrays["colours"] = colours
        with written_atomically(file) as out:
            np.savez(out, **arrays)
    elif file.suffix == ".ply":
        _write_ply_points(file, xyz, colours, more)
    else:
        raise UsageError(
            f"'{file.name}': points are written as {', '.join(POINT_SUFFIXES)}, not '{file.suffix}'"
        )


def write_mesh(path: str | Path, vertices: Floats, triangles: npt.NDArray[np.int64]) -> None:
    """Write a surface [m] by the file's suffix: .ply or .glb (glTF 2.0)."""
    file = Path(path)
    if file.suffix == ".ply":
        head = _ply_head(
            [f"element vertex {len(vertices)}", *_PLY_XYZ, f"element face {len(triangles)}",
             "property list uchar int vertex_indices"]
        )  # fmt: skip
        faces = np.empty(len(triangles), dtype=[("n", "u1"), ("i", "<i4", (3,))])
        faces["n"], faces["i"] = 3, triangles
        write_atomically(file, head + vertices.astype("<f4").tobytes() + faces.tobytes())
    elif file.suffix == ".glb":
        write_atomically(file, _glb(vertices, triangles))
    else:
        raise UsageError(
            f"'{file.name}': surfaces are written as {', '.join(MESH_SUFFIXES)}, "
            f"not '{file.suffix}'"
        )


_PLY_XYZ = [f"property float {axis}" for axis in "xyz"]


def _ply_head(lines: list[str]) -> bytes:
    return "\n".join(
        ["ply", "format binary_little_endian 1.0", "comment lengths in metres", *lines,
         "end_header", ""]
    ).encode("ascii")  # fmt: skip


def _write_ply_points(file: Path, xyz: Floats, colours: Colours | None, more: Columns) -> None:
    fields: list[tuple[str, str]] = [(axis, "<f4") for axis in "xyz"]
    lines = [f"element vertex {len(xyz)}", *_PLY_XYZ]
    numbers = {name: column for name, column in more.items() if column.dtype.kind in "fiu"}
    for name in numbers:
        fields.append((name, "<f4"))
        lines.append(f"property float {''.join(c if c.isalnum() else '_' for c in name)}")
    if colours is not None:
        fields += [(name, "u1") for name in ("red", "green", "blue")]
        lines += [f"property uchar {name}" for name in ("red", "green", "blue")]
    table = np.empty(len(xyz), dtype=fields)
    for k, axis in enumerate("xyz"):
        table[axis] = xyz[:, k]
    for name, column in numbers.items():
        table[name] = column
    if colours is not None:
        for k, name in enumerate(("red", "green", "blue")):
            table[name] = colours[:, k]
    write_atomically(file, _ply_head(lines) + table.tobytes())


def _glb(vertices: Floats, triangles: npt.NDArray[np.int64]) -> bytes:
    """A glTF 2.0 binary with one mesh; y up, as that format has it."""
    turned = np.column_stack([vertices[:, 0], vertices[:, 2], -vertices[:, 1]]).astype("<f4")
    corners = triangles.astype("<u4")
    points, faces = turned.tobytes(), corners.tobytes()
    scene = {
        "asset": {"version": "2.0", "generator": "kinegen"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "workspace"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [{"doubleSided": True, "pbrMetallicRoughness": {"metallicFactor": 0.0}}],
        "buffers": [{"byteLength": len(points) + len(faces)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(points), "target": 34962},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(faces), "target": 34963},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(turned), "type": "VEC3",
             "min": turned.min(axis=0).tolist(), "max": turned.max(axis=0).tolist()},
            {"bufferView": 1, "componentType": 5125, "count": corners.size, "type": "SCALAR"},
        ],
    }  # fmt: skip
    text = json.dumps(scene, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    body = points + faces
    size = 12 + 8 + len(text) + 8 + len(body)
    return b"".join(
        [struct.pack("<4sII", b"glTF", 2, size), struct.pack("<I4s", len(text), b"JSON"), text,
         struct.pack("<I4s", len(body), b"BIN\0"), body]
    )  # fmt: skip
