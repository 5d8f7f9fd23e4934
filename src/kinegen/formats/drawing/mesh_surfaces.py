"""Surfaces of the mesh files that a mechanism names, for files that contain them themselves."""

from __future__ import annotations

import posixpath

import numpy as np

from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.errors import KinegenError
from kinegen.formats.robots.read.mesh_files import LARGEST_SHOWN
from kinegen.kinematics.collisions.meshes import read_mesh
from kinegen.mechanism.shapes.shapes import MeshRef
from kinegen.raff.opener import Opener

__all__ = ["TOTAL_SHOWN", "MeshSurfaces"]

TOTAL_SHOWN = 100 * 2**20
"""[bytes] of all mesh files in one exported file: what viewers open without a long wait."""
_SUFFIXES = (".stl", ".obj")


class MeshSurfaces:
    """Reads each mesh once, and notes those that cannot be shown."""

    def __init__(self, opener: Opener | None, notes: list[str]) -> None:
        """Nothing is read yet.

        Args:
            opener: Reads the files.
            notes: Gets a sentence for each file that is left out.
        """
        self.opener, self.notes = opener, notes
        self._known: dict[str, TriangleMesh | None] = {}
        self._size = 0

    def surface(self, shape: MeshRef, link: str) -> TriangleMesh | None:
        """The surface in the shape's own frame, scaled; None, with a note, if there is none."""
        if shape.file not in self._known:
            self._known[shape.file] = self._read(shape.file, link)
        found = self._known[shape.file]
        if found is None:
            return None
        scale = np.array(shape.scale)
        # a mirrored surface is turned inside out
        faces = found.faces if scale.prod() > 0 else found.faces[:, ::-1]
        return TriangleMesh(found.vertices * scale, faces)

    def _read(self, file: str, link: str) -> TriangleMesh | None:
        suffix = posixpath.splitext(file)[1].lower()
        why = ""
        if suffix not in _SUFFIXES:
            why = "this format can contain only STL and OBJ meshes"
        elif self.opener is None:
            why = "its folder is unknown"
        else:
            try:
                data = self.opener.content(file, largest=LARGEST_SHOWN)
                if self._size + len(data) <= TOTAL_SHOWN:
                    mesh = read_mesh(file, data)
                    self._size += len(data)
                    return mesh
                why = f"the meshes of one file may have {TOTAL_SHOWN >> 20} MB in total"
            except KinegenError as error:
                why = str(error)
        self.notes.append(f"mesh '{file}' of link '{link}' is left out: {why}")
        return None
