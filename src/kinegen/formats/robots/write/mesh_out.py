"""Meshes beside a robot file: solids as STL, mesh files of the mechanism as they are."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import PurePath, PurePosixPath

import numpy as np

from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.errors import UsageError
from kinegen.file_names import portable
from kinegen.formats.drawing.gltf_mesh import SIDES
from kinegen.formats.drawing.mesh_surfaces import MeshSurfaces
from kinegen.formats.drawing.pictures.solid import tessellate
from kinegen.formats.robots.write.outline import Outline, OutShape
from kinegen.mechanism.shapes.heights import height_body
from kinegen.mechanism.shapes.shapes import Heights, MeshRef, Primitive
from kinegen.raff.opener import Opener

__all__ = ["MeshFolder", "solid_mesh"]


class MeshFolder:
    """The folder of meshes beside one file."""

    def __init__(self, outline: Outline, opener: Opener | None, file: str) -> None:
        """An empty folder.

        Args:
            outline: Gets a note for each mesh that cannot be read.
            opener: Reads the meshes that the mechanism names.
            file: The robot file, which the folder is named after.
        """
        self.outline, self.opener = outline, opener
        stem = PurePath(file).stem if file else outline.name
        self.folder = portable(f"{stem}_meshes")
        self.surfaces = MeshSurfaces(opener, outline.notes)
        self.files: dict[str, str | bytes] = {}
        """What has to be written, by path from the robot file."""
        self._copied: dict[str, str | None] = {}

    def place(self, shape: OutShape, link: str) -> str | None:
        """The path of a shape's mesh from the robot file; None, with a note, if it is not there."""
        solid = shape.solid
        if isinstance(solid, MeshRef):
            return self._copy(solid.file, link)
        mesh = solid_mesh(solid)
        return None if mesh is None else self._add(f"{link}.stl", mesh.to_bytes("a.stl"))

    def mesh(self, shape: OutShape, link: str) -> TriangleMesh | None:
        """The surface of a shape in its own frame, for formats without mesh files."""
        solid = shape.solid
        if not isinstance(solid, MeshRef):
            return solid_mesh(solid)
        return self.surfaces.surface(solid, link)

    def _copy(self, file: str, link: str) -> str | None:
        if file not in self._copied:
            data = self._read(file, link)
            self._copied[file] = None if data is None else self._add(PurePosixPath(file).name, data)
        return self._copied[file]

    def _read(self, file: str, link: str) -> bytes | None:
        if self.opener is None:
            self._leave_out(file, link, "its folder is unknown")
            return None
        try:
            return self.opener.content(file)
        except UsageError as error:
            self._leave_out(file, link, str(error))
            return None

    def _leave_out(self, file: str, link: str, why: str) -> None:
        self.outline.notes.append(f"mesh '{file}' of link '{link}' is left out: {why}")

    def _add(self, name: str, data: bytes) -> str:
        """A file under a name that is still free; the same content is written once."""
        same = next((path for path, content in self.files.items() if content == data), None)
        if same is not None:
            return same
        path = PurePosixPath(portable(re.sub(r'[<>:"|?*\\/]', "_", name)))
        found, count = f"{self.folder}/{path.name}", 2
        while found.lower() in {one.lower() for one in self.files}:
            found = f"{self.folder}/{path.stem}_{count}{path.suffix}"
            count += 1
        self.files[found] = data
        return found


def solid_mesh(solid: Primitive) -> TriangleMesh | None:
    """The surface of a solid in its own frame; None for mesh files."""
    usual = Primitive()
    plain = replace(
        solid, rotation=usual.rotation, translation=usual.translation, role=usual.role,
        branch=0, tone=0, color=None,
    )  # fmt: skip
    return _surface(plain)


@lru_cache(maxsize=256)
def _surface(solid: Primitive) -> TriangleMesh | None:
    """The same; solids of the same sizes share it."""
    if isinstance(solid, Heights):
        return TriangleMesh(*height_body(solid))
    body = tessellate(solid, SIDES)
    if body is None:
        return None
    fans = [(f[0], f[k], f[k + 1]) for f in body.faces for k in range(1, len(f) - 1)]
    return TriangleMesh(body.vertices, np.array(fans, dtype=np.int32))
