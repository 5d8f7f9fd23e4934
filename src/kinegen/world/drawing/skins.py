"""Skins: meshes of people as MuJoCo draws them, in meshes of its model that are filled again.

Compiling a model and opening its graphics context takes a tenth of a second, filling a mesh a few
milliseconds; people send several meshes a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegen.kernels import Floats
from kinegen.world.people.body_mesh import BodyMesh

__all__ = ["Skins"]

LEAST_ROOM = 4096
"""Triangles that a mesh of the model holds at least; larger ones hold a power of two."""


@dataclass(slots=True, eq=False)
class _Slot:
    """A mesh of the model, with a texture that has four texels for each triangle."""

    name: str
    room: int
    """Triangles."""
    holds: BodyMesh | None = None

    @property
    def side(self) -> int:
        """Triangles along the edge of its square texture."""
        return 1 << ((self.room - 1).bit_length() + 1) // 2


class Skins:
    """The meshes of a model that people wear."""

    def __init__(self, mj: Any) -> None:
        self._mj = mj
        self._slots: list[_Slot] = []

    def make_room(self, spec: Any, meshes: Sequence[BodyMesh]) -> bool:
        """Add what a model lacks for these meshes to its description.

        Returns:
            Whether the model must be compiled again.
        """
        free = sorted(slot.room for slot in self._slots)
        is_new = False
        for need in sorted(len(mesh.triangles) for mesh in meshes):
            fitting = next((i for i, room in enumerate(free) if room >= need), None)
            if fitting is not None:
                del free[: fitting + 1]
                continue
            room = max(LEAST_ROOM, 1 << (need - 1).bit_length())
            slot = _Slot(f"person {len(self._slots)}", room)
            self._slots.append(slot)
            self._declare(spec, slot)
            is_new = True
        return is_new

    def fill(self, model: Any, context: Any, meshes: Sequence[BodyMesh]) -> list[_Slot]:
        """The slot of each mesh; those that are new are given to the graphics card."""
        # the largest in the largest: make_room has made sure that all fit
        order = sorted(range(len(meshes)), key=lambda i: -len(meshes[i].triangles))
        slots = sorted(self._slots, key=lambda slot: -slot.room)
        found = dict(zip(order, slots, strict=False))
        for i, slot in found.items():
            if slot.holds is not meshes[i]:
                slot.holds = meshes[i]
                self._fill(model, context, slot, meshes[i])
        return [found[i] for i in range(len(meshes))]

    def forget(self) -> None:
        """The model was compiled again: nothing is in its meshes."""
        for slot in self._slots:
            slot.holds = None

    def add(self, model: Any, scene: Any, slot: _Slot, color: Sequence[float], number: int) -> None:
        """Add a filled mesh to a scene that MuJoCo draws.

        Args:
            model: With the mesh.
            scene: After its own update.
            slot: Of the mesh.
            color: Red, green and blue from 0 to 1, of a mesh without colours.
            number: That its pixels get in a segmentation.
        """
        mj = self._mj
        if scene.ngeom >= scene.maxgeom or slot.holds is None:
            return
        geom = scene.geoms[scene.ngeom]
        look = [1.0, 1.0, 1.0] if slot.holds.colors is not None else color
        none = np.zeros(3), np.zeros(3), np.eye(3).ravel()
        mj.mjv_initGeom(
            geom, mj.mjtGeom.mjGEOM_MESH, *none, np.array([*look, 1.0], dtype=np.float32)
        )
        geom.dataid = 2 * _id(mj, model, "mesh", slot)  # the odd ones are convex hulls
        geom.matid, geom.texcoord = _id(mj, model, "material", slot), 1
        geom.category = mj.mjtCatBit.mjCAT_DECOR
        geom.segid, geom.objid = scene.ngeom, number
        geom.objtype = mj.mjtObj.mjOBJ_UNKNOWN
        geom.specular, geom.shininess = 0.1, 0.3
        scene.ngeom += 1

    def _declare(self, spec: Any, slot: _Slot) -> None:
        mj, count, side = self._mj, slot.room, slot.side
        spec.add_texture(
            name=slot.name, type=mj.mjtTexture.mjTEXTURE_2D, rgb1=[1, 1, 1],
            builtin=mj.mjtBuiltin.mjBUILTIN_FLAT, width=2 * side, height=2 * side,
        )  # fmt: skip
        made = spec.add_material(name=slot.name)
        made.textures[mj.mjtTextureRole.mjTEXROLE_RGB] = slot.name
        # anything that is a body: the true corners come later
        corners = np.random.default_rng(1).normal(size=(3 * count, 3))
        index = np.arange(count)
        column, row = index % side, index // side
        texels = np.stack(
            [2 * column + 0.5, 2 * row + 0.5, 2 * column + 1.5, 2 * row + 0.5,
             2 * column + 0.5, 2 * row + 1.5], axis=1
        )  # fmt: skip
        spec.add_mesh(
            name=slot.name, uservert=corners.ravel().tolist(), usernormal=corners.ravel().tolist(),
            usertexcoord=(texels / (2 * side)).ravel().tolist(),
            userface=np.arange(3 * count).tolist(), inertia=mj.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )  # fmt: skip

    def _fill(self, model: Any, context: Any, slot: _Slot, mesh: BodyMesh) -> None:
        count = len(mesh.triangles)
        which, texture = (_id(self._mj, model, what, slot) for what in ("mesh", "texture"))
        first, normal = model.mesh_vertadr[which], model.mesh_normaladr[which]
        model.mesh_vert[first : first + 3 * count] = mesh.corners.reshape(-1, 3)
        normals = _normals(mesh)[mesh.triangles].reshape(-1, 3)
        model.mesh_normal[normal : normal + 3 * count] = normals
        model.mesh_facenum[which] = count
        start = model.tex_adr[texture]
        texels = _texels(mesh, slot.side)
        model.tex_data[start : start + texels.size] = texels.ravel()
        self._mj.mjr_uploadMesh(model, context, which)
        self._mj.mjr_uploadTexture(model, context, texture)


def _id(mj: Any, model: Any, what: str, slot: _Slot) -> int:
    kinds = {"mesh": "MESH", "texture": "TEXTURE", "material": "MATERIAL"}
    return int(mj.mj_name2id(model, getattr(mj.mjtObj, f"mjOBJ_{kinds[what]}"), slot.name))


def _normals(mesh: BodyMesh) -> Floats:
    """Unit normals at the vertices: the mean of those of the triangles there, by area."""
    corners = mesh.corners
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    count = len(mesh.vertices)
    sums = np.zeros((count, 3))
    for k in range(3):
        at = mesh.triangles[:, k]
        for axis in range(3):
            sums[:, axis] += np.bincount(at, across[:, axis], count)
    sizes = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(np.where(sizes > 0, sums / np.where(sizes > 0, sizes, 1.0), [0.0, 0.0, 1.0]))


def _texels(mesh: BodyMesh, side: int) -> Any:
    """A texture with two by two texels for each triangle, between which its colours blend.

    Three are the colours of its corners; the fourth continues them, so that what the graphics card
    interpolates between the four is linear in the triangle.
    """
    cells = np.full((side * side, 2, 2, 3), 255, dtype=np.uint8)
    if mesh.colors is not None:
        a, b, c = np.moveaxis(mesh.colors[mesh.triangles].astype(int), 1, 0)
        corners = [[a, b], [c, np.clip(b + c - a, 0, 255)]]
        for i in range(2):
            for j in range(2):
                cells[: len(a), i, j] = corners[i][j]
    return cells.reshape(side, side, 2, 2, 3).transpose(0, 2, 1, 3, 4)
