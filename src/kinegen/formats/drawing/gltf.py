"""glTF 2.0: a mechanism as it stands, and its recorded motions as animations."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import AssemblyError
from kinegen.formats.drawing.couplings import with_couplings
from kinegen.formats.drawing.gltf_mesh import Triangles, flat_triangles, triangles_of
from kinegen.formats.drawing.mesh_surfaces import MeshSurfaces
from kinegen.formats.drawing.pictures.theme import THEMES, fill_of
from kinegen.formats.format import Format, Written
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.positions import forward
from kinegen.kinematics.solving.assembling.assembly import assemble, close
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.shapes import MeshRef, link_shapes
from kinegen.mechanism.shapes.travel import travels_of
from kinegen.motion.recording import Recording
from kinegen.spatial.pose import SE3

__all__ = ["BINARY", "FORMAT", "export_glb", "export_gltf", "linear_color"]

FLOAT, UINT = 5126, 5125
"""Component types of the format."""
VERTICES, INDICES = 34962, 34963
"""What a part of the buffer is for."""
FRAME = 1 / 30
"""Animations have a key at least this often [s]: links turn, and straight steps must stay short."""
UPRIGHT = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]
"""Rotation xyzw from our z-up world to the format's y-up one."""


def linear_color(color: str) -> list[float]:
    """Red, green and blue of #rrggbb as shares of light, which renderers compute with."""
    rgb = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return [round(c, 6) for c in linear]


class _File:
    """Parts of the file as they are collected."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "Kinegen"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [],
            "meshes": [],
            "materials": [],
            "accessors": [],
            "bufferViews": [],
        }
        self.notes: list[str] = []
        """What is left out, by name."""
        self._materials: dict[str, int] = {}

    def accessor(self, array: npt.NDArray[Any], kind: str, target: int | None) -> int:
        """Append an array; its number."""
        data = np.ascontiguousarray(array)
        view: dict[str, Any] = {
            "buffer": 0,
            "byteOffset": len(self.bytes),
            "byteLength": data.nbytes,
        }
        if target is not None:
            view["target"] = target
        self.bytes += data.tobytes() + b"\0" * (-data.nbytes % 4)
        self.json["bufferViews"].append(view)
        entry: dict[str, Any] = {
            "bufferView": len(self.json["bufferViews"]) - 1,
            "componentType": UINT if data.dtype == np.uint32 else FLOAT,
            "count": data.size if kind == "SCALAR" else len(data),
            "type": kind,
        }
        if target == VERTICES or target is None:
            flat = data.reshape(entry["count"], -1)
            entry["min"], entry["max"] = flat.min(axis=0).tolist(), flat.max(axis=0).tolist()
        self.json["accessors"].append(entry)
        return len(self.json["accessors"]) - 1

    def material(self, color: str) -> int:
        """The number of the material of a colour #rrggbb."""
        if color not in self._materials:
            self._materials[color] = len(self.json["materials"])
            self.json["materials"].append(
                {
                    "name": color,
                    "pbrMetallicRoughness": {
                        "baseColorFactor": [*linear_color(color), 1.0],
                        "metallicFactor": 0.1,
                        "roughnessFactor": 0.55,
                    },
                }
            )
        return self._materials[color]

    def mesh(self, name: str, parts: Mapping[str, Sequence[Triangles]]) -> int:
        """A mesh with one piece per colour; its number."""
        pieces = []
        for color, shapes in parts.items():
            starts = np.cumsum([0] + [len(points) for points, _, _ in shapes])
            corners = [c + np.uint32(s) for (_, _, c), s in zip(shapes, starts, strict=False)]
            pieces.append(
                {
                    "attributes": {
                        "POSITION": self.accessor(_stack(shapes, 0), "VEC3", VERTICES),
                        "NORMAL": self.accessor(_stack(shapes, 1), "VEC3", VERTICES),
                    },
                    "indices": self.accessor(np.concatenate(corners), "SCALAR", INDICES),
                    "material": self.material(color),
                }
            )
        self.json["meshes"].append({"name": name, "primitives": pieces})
        return len(self.json["meshes"]) - 1


def _stack(shapes: Sequence[Triangles], which: int) -> npt.NDArray[np.float32]:
    return np.concatenate([shape[which] for shape in shapes]).astype(np.float32)


def export_gltf(
    mechanism: Mechanism, q: Configuration = None, *, motions: Sequence[Recording] | None = None
) -> str:
    """A mechanism as the text of one .gltf file that needs no other.

    Args:
        mechanism: What to write.
        q: How it stands; the file's start, loops closed, when not given.
        motions: Animations; the mechanism's own recorded motions when not given.
    """
    return _text(_collected(mechanism, q, motions))


def _text(file: _File) -> str:
    data = base64.b64encode(bytes(file.bytes)).decode()
    uri = f"data:application/octet-stream;base64,{data}"
    return json.dumps(file.json | {"buffers": [{"byteLength": len(file.bytes), "uri": uri}]})


def export_glb(
    mechanism: Mechanism, q: Configuration = None, *, motions: Sequence[Recording] | None = None
) -> bytes:
    """The same as one binary .glb file."""
    return _binary(_collected(mechanism, q, motions))


def _binary(file: _File) -> bytes:
    text = json.dumps(file.json | {"buffers": [{"byteLength": len(file.bytes)}]}).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(file.bytes), b"BIN\0") + bytes(file.bytes)
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def _pose(model: Model, q: Configuration) -> Floats:
    """How it stands; as near to closed as it comes where the loops of the start stay open."""
    if q is not None:
        return configuration(model, q)
    try:
        return assemble(model).q
    except AssemblyError:
        return close(model)[0]


def _collected(
    mechanism: Mechanism, q: Configuration, motions: Sequence[Recording] | None
) -> _File:
    model = mechanism.compile()
    pose = _pose(model, q)
    file = _File()
    nodes: list[dict[str, Any]] = [{"name": mechanism.name, "rotation": UPRIGHT, "children": []}]
    file.json["nodes"] = nodes
    poses = [SE3.from_pose(row) for row in forward(model, pose)[: model.link_count]]
    travels = travels_of(model, [X.so3.matrix for X in poses], [X.translation for X in poses])
    own_shapes = link_shapes(
        model, travels=travels, values=dict(model.parameters), colors=model.link_colors
    )
    shapes = with_couplings(model, own_shapes)
    surfaces = MeshSurfaces(mechanism.opener, file.notes)
    for link, (name, own) in enumerate(zip(model.link_names, shapes, strict=True)):
        nodes[0]["children"].append(link + 1)
        node: dict[str, Any] = {"name": name}
        parts: dict[str, list[Triangles]] = {}
        for shape in own:
            if isinstance(shape, MeshRef):
                mesh = surfaces.surface(shape, name)
                triangles = None if mesh is None else flat_triangles(mesh, shape)
            else:
                triangles = triangles_of(shape)
            if triangles is not None and len(triangles[2]):
                parts.setdefault(fill_of(shape, THEMES["light"]), []).append(triangles)
        if parts:
            node["mesh"] = file.mesh(name, parts)
        nodes.append(node)
    for row, node in zip(_link_rows(model, pose), nodes[1:], strict=True):
        node["rotation"], node["translation"] = row[:4].tolist(), row[4:].tolist()
    if motions is None:
        rows = mechanism.scene.get("motions", [])
        motions = [Recording.from_dict(model, row) for row in rows]
    if motions:
        file.json["animations"] = [_animation(file, model, motion, pose) for motion in motions]
    return file


def _link_rows(model: Model, q: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Poses of all links as the format writes them: xyzw, xyz."""
    rows = forward(model, q)[: model.link_count]
    return rows[:, [1, 2, 3, 0, 4, 5, 6]]


def _animation(
    file: _File, model: Model, motion: Recording, pose: npt.NDArray[np.float64]
) -> dict[str, Any]:
    keys = motion.times - motion.times[0]
    between = np.arange(0.0, keys[-1], FRAME)
    times = (
        np.unique(np.concatenate([keys, between])) if np.diff(keys).max(initial=0) > FRAME else keys
    )
    table = np.array([_link_rows(model, motion.at(t + motion.times[0], pose)) for t in times])
    # A quaternion and its negative are one rotation: neighbours are kept on one side.
    dots = np.sum(table[1:, :, :4] * table[:-1, :, :4], axis=2)
    signs = np.cumprod(np.where(dots < 0, -1.0, 1.0), axis=0)
    table[1:, :, :4] *= signs[:, :, None]
    clock = file.accessor(times.astype(np.float32), "SCALAR", None)
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for link in range(1, model.link_count):
        for path, part, kind in (
            ("rotation", slice(0, 4), "VEC4"),
            ("translation", slice(4, 7), "VEC3"),
        ):
            values = table[:, link, part].astype(np.float32)
            channels.append({"sampler": len(samplers), "target": {"node": link + 1, "path": path}})
            samplers.append(
                {
                    "input": clock,
                    "output": file.accessor(values, kind, None),
                    "interpolation": "LINEAR",
                }
            )
    return {"name": motion.name, "samplers": samplers, "channels": channels}


def _motions(mechanism: Mechanism, motion: str | None) -> list[Recording] | None:
    """The one motion that was asked for; None: all."""
    if motion is None:
        return None
    model = mechanism.compile()
    rows = mechanism.scene.get("motions", [])
    return [Recording.from_dict(model, row) for row in rows if row["name"] == motion]


def _write(
    mechanism: Mechanism,
    *,
    options: Mapping[str, str],
    file: str = "",
    q: Floats | None = None,
    motion: str | None = None,
) -> Written:
    made = _collected(mechanism, q, _motions(mechanism, motion))
    return Written(_text(made), tuple(made.notes))


def _write_binary(
    mechanism: Mechanism,
    *,
    options: Mapping[str, str],
    file: str = "",
    q: Floats | None = None,
    motion: str | None = None,
) -> Written:
    made = _collected(mechanism, q, _motions(mechanism, motion))
    return Written(_binary(made), tuple(made.notes))


FORMAT = Format(
    "gltf",
    "3D model with recorded motions as animations",
    (".gltf",),
    write=_write,
    has_motions=True,
    media_type="model/gltf+json",
)
BINARY = Format(
    "glb",
    "3D model with recorded motions as animations, binary",
    (".glb",),
    write=_write_binary,
    has_motions=True,
    media_type="model/gltf-binary",
)
