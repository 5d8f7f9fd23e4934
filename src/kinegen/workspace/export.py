"""Points and surfaces as files for other programs: PLY, GLB, STL."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.errors import FormatError, UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.workspace.accuracy.backlash import Backlash
from kinegen.workspace.bodies.body import Boundary, boundary
from kinegen.workspace.clouds.cloud import Cloud
from kinegen.workspace.colours import (
    Colours,
    colours_of,
    palette_colours,
    scale_colours,
    value_ends,
)
from kinegen.workspace.maps.joint_map import JointMap
from kinegen.workspace.progressive.body import PlacedBody
from kinegen.workspace.zones.result import Zone

__all__ = [
    "backlash_points",
    "cloud_points",
    "map_points",
    "mesh_file",
    "points_ply",
    "stl_file",
    "surface_file",
    "surface_of",
    "zone_points",
]

Numbers: TypeAlias = Mapping[str, npt.NDArray[Any]]
"""More numbers of points, each (n,)."""
STL = np.dtype([("normal", "<f4", (3,)), ("corners", "<f4", (3, 3)), ("unused", "<u2")])


def cloud_points(cloud: Cloud, name: str, *, palette: str = "safe") -> bytes:
    """The points of a cloud as .ply, coloured by its layer; ``palette`` is that of links."""
    values = cloud.values.T
    colours = colours_of(values, cloud.layer, palette)
    return points_ply(cloud.xyz, colours, {"value": values.ravel()})


def zone_points(zone: Zone, name: str, *, palette: str = "safe") -> bytes:
    """The points of a zone as .ply, coloured by its layer, or by mode."""
    values = zone.values
    if values is None:
        return points_ply(zone.points, palette_colours(zone.mode_index, palette))
    return points_ply(zone.points, scale_colours(values, value_ends(values)), {"value": values})


def backlash_points(backlash: Backlash, name: str) -> bytes:
    """The places that backlash lets a frame get to, as .ply."""
    return points_ply(backlash.points)


def map_points(joint_map: JointMap, name: str, *, branch: int = 0) -> bytes:
    """The places of a joint map as .ply, with the joint values of a branch."""
    branch = whole_number(branch, "a branch", 0, len(joint_map.branches) - 1)
    columns = dict(zip(joint_map.joints, joint_map.branches[branch].qs.T, strict=True))
    return points_ply(joint_map.points, None, columns)


def surface_of(result: Cloud | Zone, name: str, *, cell: float | None = None) -> bytes:
    """The surface of what a cloud's last frame or a zone fills, as .glb or .stl."""
    return surface_file(boundary(result, cell), name)


def surface_file(body: Boundary | PlacedBody | TriangleMesh, name: str) -> bytes:
    """A surface as .ply, .glb (glTF 2.0) or .stl."""
    match body:
        case TriangleMesh(vertices=vertices, faces=triangles):
            pass
        case Boundary(vertices=vertices, triangles=triangles):
            pass
        case _:
            vertices, triangles = body.surface, body.boundary.triangles
    if triangles.shape[1] != 3 or vertices.shape[1] != 3:
        raise UsageError(f"'{name}': points in a plane have no surface; save them as .csv")
    return mesh_file(name, vertices, triangles)


def mesh_file(
    name: str,
    vertices: Floats,
    triangles: npt.NDArray[np.integer[Any]],
    colours: Colours | None = None,
) -> bytes:
    """Triangles of vertices [m] as .ply, .glb (glTF 2.0) or .stl, by the suffix of a name.

    ``colours`` of vertices: RGB bytes, (n, 3); an .stl file has none.
    """
    match PurePath(name).suffix.lower():
        case ".ply":
            return _ply(vertices, triangles, colours)
        case ".glb":
            return _glb(vertices, triangles, colours)
        case ".stl":
            return stl_file(vertices, triangles)
    raise FormatError(f"'{name}': surfaces are written as .ply, .glb, .stl")


_PLY_XYZ = [f"property float {axis}" for axis in "xyz"]


def _ply_head(lines: list[str]) -> bytes:
    return "\n".join(
        ["ply", "format binary_little_endian 1.0", "comment lengths in metres", *lines,
         "end_header", ""]
    ).encode("ascii")  # fmt: skip


def points_ply(
    xyz: npt.NDArray[Any], colours: Colours | None = None, more: Numbers | None = None
) -> bytes:
    """Points [m], (n, 3), as a binary .ply file.

    Args:
        xyz: Points.
        colours: RGB bytes, (n, 3).
        more: Further numbers of each point.
    """
    fields: list[tuple[str, str]] = [(axis, "<f4") for axis in "xyz"]
    lines = [f"element vertex {len(xyz)}", *_PLY_XYZ]
    numbers = more or {}
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
    return _ply_head(lines) + table.tobytes()


def _ply(
    vertices: Floats, triangles: npt.NDArray[np.integer[Any]], colours: Colours | None
) -> bytes:
    points = points_ply(vertices, colours)
    head, rows = points.split(b"end_header\n", 1)
    more = f"element face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
    faces = np.empty(len(triangles), dtype=[("n", "u1"), ("i", "<i4", (3,))])
    faces["n"], faces["i"] = 3, triangles
    return head + more.encode("ascii") + rows + faces.tobytes()


def stl_file(
    vertices: Floats,
    triangles: npt.NDArray[np.integer[Any]],
    head: bytes = b"kinegen, lengths in metres",
) -> bytes:
    """A binary STL file; its first 80 bytes, the head, must not begin with ``solid``."""
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    table = np.zeros(len(triangles), dtype=STL)
    table["normal"], table["corners"] = normals / np.where(lengths > 0, lengths, 1.0), corners
    return head[:80].ljust(80, b"\0") + struct.pack("<I", len(triangles)) + table.tobytes()


def _glb(
    vertices: Floats, triangles: npt.NDArray[np.integer[Any]], colours: Colours | None
) -> bytes:
    """A glTF 2.0 binary with one mesh; y up, as that format has it."""
    turned = np.column_stack([vertices[:, 0], vertices[:, 2], -vertices[:, 1]]).astype("<f4")
    corners = triangles.astype("<u4")
    # parts of the buffer, each a multiple of four bytes: content, target, accessor
    parts: list[tuple[bytes, int, dict[str, Any]]] = [
        (turned.tobytes(), 34962,
         {"componentType": 5126, "count": len(turned), "type": "VEC3",
          "min": turned.min(axis=0).tolist(), "max": turned.max(axis=0).tolist()}),
        (corners.tobytes(), 34963,
         {"componentType": 5125, "count": corners.size, "type": "SCALAR"}),
    ]  # fmt: skip
    attributes = {"POSITION": 0}
    if colours is not None:
        linear = _linear(colours)
        attributes["COLOR_0"] = 2
        parts.append(
            (linear.tobytes(), 34962,
             {"componentType": 5123, "normalized": True, "count": len(linear), "type": "VEC4"})
        )  # fmt: skip
    starts = np.cumsum([0, *(len(content) for content, _, _ in parts)]).tolist()
    body = b"".join(content for content, _, _ in parts)
    scene = {
        "asset": {"version": "2.0", "generator": "kinegen"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "workspace" if colours is None else "hull"}],
        "meshes": [{"primitives": [{"attributes": attributes, "indices": 1, "material": 0}]}],
        "materials": [{"doubleSided": True, "pbrMetallicRoughness": {"metallicFactor": 0.0}}],
        "buffers": [{"byteLength": len(body)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": start, "byteLength": len(content), "target": target}
            for start, (content, target, _) in zip(starts, parts, strict=False)
        ],
        "accessors": [{"bufferView": i, **accessor} for i, (_, _, accessor) in enumerate(parts)],
    }
    text = json.dumps(scene, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    size = 12 + 8 + len(text) + 8 + len(body)
    return b"".join(
        [struct.pack("<4sII", b"glTF", 2, size), struct.pack("<I4s", len(text), b"JSON"), text,
         struct.pack("<I4s", len(body), b"BIN\0"), body]
    )  # fmt: skip


def _linear(colours: Colours) -> npt.NDArray[np.uint16]:
    """Colours as glTF has them, (n, 4): linear and opaque, of 16 bits (sRGB, IEC 61966-2-1)."""
    share = colours / 255.0
    bright = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    opaque = np.ones((len(colours), 1))
    return np.round(65535 * np.hstack([bright, opaque])).astype("<u2")
