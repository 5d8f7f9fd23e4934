"""What is drawn of a world, by cameras and by viewers of logs: bodies and their parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.errors import KinegenError
from kinegen.kinematics.collisions.meshes import read_mesh
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.shapes.heights import height_body
from kinegen.mechanism.shapes.shapes import (
    Heights,
    MeshRef,
    Plate,
    Primitive,
    link_shapes,
    shapes_from_spec,
)
from kinegen.mechanism.shapes.travel import travels_of
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.world.bodies.island import Island
from kinegen.world.drawing.colors import Color, color_of

__all__ = ["Body", "Meshes", "Part", "bodies_of"]


@dataclass(frozen=True, slots=True)
class Part:
    """One shape of a body."""

    shape: Primitive
    X_BS: SE3
    """In the frame of the body's link; of a plate at its middle."""
    color: Color


@dataclass(frozen=True, slots=True)
class Body:
    """A link, or an object that never moves."""

    name: str
    island: int
    link: int
    """Of the island; an object that never moves is on its ground, 0."""
    is_object: bool
    parts: tuple[Part, ...]


def bodies_of(mechanism: Mechanism, islands: Sequence[Island]) -> Iterator[Body]:
    """All links of all islands, and the objects that never move; the ground is drawn once."""
    colors = {row["name"]: row.get("color") for row in mechanism.scene.get("objects", ())}
    for number, island in enumerate(islands):
        model, values = island.model, dict(island.model.parameters)
        places = np.asarray(island.link_poses())
        travels = travels_of(model, places[:, :9].reshape(-1, 3, 3), places[:, 9:])
        drawn = link_shapes(model, travels=travels, values=values, colors=model.link_colors)
        for link, shapes in enumerate(drawn):
            shown = shapes if link or number == 0 else ()
            parts = tuple(_part(shape, SE3.identity(), link, None) for shape in shown)
            yield Body(model.link_names[link], number, link, False, parts)
        for row in island.simulation.system.fixed_objects if number == 0 else ():
            parts = tuple(
                _part(shape, row["pose"], 0, colors.get(row["name"]))
                for shape in shapes_from_spec(row["shape"], (), values)
            )
            yield Body(row["name"], number, 0, True, parts)


def _part(shape: Primitive, X_BO: SE3, index: int, color: str | None) -> Part:
    X_BS = X_BO @ SE3(SO3.from_matrix(shape.rotation), np.array(shape.translation))
    if isinstance(shape, Plate):
        low, high = np.min(shape.outline, axis=0), np.max(shape.outline, axis=0)
        X_BS = X_BS @ SE3(SO3.identity(), np.array([*(low + high) / 2, 0]))
    return Part(shape, X_BS, color_of(color or shape.color, index))


class Meshes:
    """Mesh files of a mechanism, each read once."""

    def __init__(self, mechanism: Mechanism) -> None:
        document = mechanism.document
        self._opener = mechanism.opener or (None if document is None else document.opener)
        self._read: dict[str, TriangleMesh | None] = {}
        self.remarks: list[str] = []
        """Files that could not be read, and why."""

    def of(self, shape: MeshRef | Heights) -> TriangleMesh | None:
        """The triangles of a file, scaled; None, with a remark, where it cannot be read."""
        if isinstance(shape, Heights):
            return TriangleMesh(*height_body(shape))
        if shape.file not in self._read:
            try:
                if self._opener is None:
                    raise KinegenError("its folder is unknown")
                mesh = read_mesh(shape.file, self._opener.content(shape.file))
            except KinegenError as error:
                self._read[shape.file] = None
                self.remarks.append(f"mesh '{shape.file}' is not drawn: {error}")
            else:
                self._read[shape.file] = mesh
        found = self._read[shape.file]
        if found is None:
            return None
        faces = found.faces if np.prod(shape.scale) > 0 else found.faces[:, ::-1]
        return TriangleMesh(found.vertices * np.array(shape.scale), np.ascontiguousarray(faces))
