"""Bodies that touch as the kernels' shapes: links, objects, a floor."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import Floats, Ints, ShapeArrays, ShapeKind
from kinegen.kinematics.collisions.hull import Hull, convex_hull
from kinegen.kinematics.collisions.meshes import mesh_parts
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    Heights,
    MeshRef,
    Plate,
    Primitive,
    Sphere,
    contact_shapes,
    shapes_from_spec,
)
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["ContactShapes", "is_given", "mesh_reader", "turn_z_to"]

NAMED = 5
"""Links without a shape that a remark names; the others are counted."""


@dataclass(slots=True, eq=False)
class ContactShapes:
    """The shapes of a system that touch, in order: links, fixed objects, floor."""

    kinds: list[ShapeKind] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    """Link of each; 0 for the floor and fixed objects."""
    names: list[str] = field(default_factory=list)
    """Link, fixed object, or "floor" of each."""
    poses: list[SE3] = field(default_factory=list)
    """X_LS of each."""
    sizes: list[tuple[float, float, float]] = field(default_factory=list)
    """Half sizes, as the kernels take them."""
    surfaces: list[Floats] = field(default_factory=list)
    """Friction, restitution, torsional and rolling friction, whether the file gives them."""
    hulls: dict[int, Hull] = field(default_factory=dict)
    """By shape."""
    heights: dict[int, Floats] = field(default_factory=dict)
    """By shape: (rows, columns)."""
    remarks: list[str] = field(default_factory=list)
    """What has no shape to touch, in words."""

    def __len__(self) -> int:
        return len(self.kinds)

    def arrays(self, meets: Ints, link_count: int) -> ShapeArrays:
        """As the kernels take them, with the pairs that meet."""
        count = len(self)
        ints, reals = np.zeros((count, 6), np.int32), np.zeros((count, 15))
        corners: list[Floats] = [np.zeros((0, 3))]
        planes: list[Floats] = [np.zeros((0, 4))]
        rings: list[Ints] = []
        grids: list[Floats] = [np.zeros(0)]
        corner = facet = height = 0
        for i in range(count):
            ints[i, :2] = self.kinds[i], self.links[i]
            reals[i, :9] = self.poses[i].rotation.ravel()
            reals[i, 9:12] = self.poses[i].translation
            reals[i, 12:] = self.sizes[i]
            if i in self.hulls:
                hull = self.hulls[i]
                ints[i, 2:] = corner, len(hull.corners), facet, len(hull.planes)
                corners.append(hull.corners)
                planes.append(hull.planes)
                rings += [ring + corner for ring in hull.facets]
                corner, facet = corner + len(hull.corners), facet + len(hull.planes)
            if i in self.heights:
                rows, columns = self.heights[i].shape
                ints[i, 2:] = height, columns, 0, rows
                grids.append(self.heights[i].ravel())
                height += rows * columns
        first = np.cumsum([0, *(len(ring) for ring in rings)]).astype(np.int32)
        return ShapeArrays(
            ints, reals, np.array(self.surfaces).reshape(count, 5), np.concatenate(corners),
            np.concatenate(planes), first, np.concatenate([np.zeros(0, np.int32), *rings]),
            np.concatenate(grids), np.ascontiguousarray(meets, np.int32), link_count,
        )  # fmt: skip

    def add_links(self, model: Model, surface: Callable[[int], Floats]) -> None:
        """The bodies of all links; ``surface``: of each link."""
        read, values = mesh_reader(model), dict(model.parameters)
        shapes = contact_shapes(model, model.link_collisions, values)
        bare: list[str] = []
        for link, name in enumerate(model.link_names):
            # the ground's own symbols are pictures; a body that the file gives is a body
            if link == 0 and not is_given(model, 0):
                continue
            before = len(self)
            for shape in shapes[link]:
                self.add_shape(shape, link, name, SE3.identity(), surface(link), read)
            # what the file excludes, or draws automatically as nothing, is as it was meant
            meant = model.link_collisions[link] == "none" or model.link_shapes[link] in (
                None,
                "auto",
            )
            said = any(remark.startswith(f"{name}:") for remark in self.remarks)
            if link and len(self) == before and not meant and not said:
                bare.append(name)
        if bare:
            self.remarks.append(_bare_words(bare))

    def add_object(self, model: Model, name: str, spec: Any, X_WO: SE3, surface: Floats) -> None:
        """An object of the scene that stays where it is; ``spec``: its ``shape``."""
        for shape in shapes_from_spec(spec, (), dict(model.parameters)):
            self.add_shape(shape, 0, name, X_WO, surface, mesh_reader(model))

    def add_floor(self, height: float, up: Floats, surface: Floats) -> None:
        """A floor at a height along ``up`` [m]."""
        X = SE3(turn_z_to(up), height * up)
        self.add(ShapeKind.PLANE, 0, "floor", X, surface)

    def add(self, kind: ShapeKind, link: int, name: str, X: SE3, surface: Floats) -> int:
        """One more, without a size; its number."""
        self.kinds.append(kind)
        self.links.append(link)
        self.names.append(name)
        self.poses.append(X)
        self.sizes.append((0.0, 0.0, 0.0))
        self.surfaces.append(surface)
        return len(self) - 1

    def add_hull(self, hull: Hull, link: int, name: str, X: SE3, surface: Floats) -> None:
        """A convex body, its frame moved to its middle: balls around it stay small."""
        low, high = hull.corners.min(axis=0), hull.corners.max(axis=0)
        middle = (low + high) / 2
        planes = hull.planes.copy()
        planes[:, 3] -= planes[:, :3] @ middle
        at = self.add(ShapeKind.HULL, link, name, X @ SE3(SO3.identity(), middle), surface)
        self.hulls[at] = Hull(hull.corners - middle, planes, hull.facets)

    def add_shape(
        self, shape: Primitive, link: int, name: str, X_LB: SE3, surface: Floats,
        read: Callable[[str], bytes],
    ) -> None:  # fmt: skip
        """A shape as the file describes it, on body B."""
        X = X_LB @ SE3(SO3.from_matrix(np.array(shape.rotation)), np.array(shape.translation))
        match shape:
            case Box(size=size):
                x, y, z = (s / 2 for s in size)
                self.sizes[self.add(ShapeKind.BOX, link, name, X, surface)] = x, y, z
            case Cylinder(radius=r, length=length):
                at = self.add(ShapeKind.CYLINDER, link, name, X, surface)
                self.sizes[at] = r, length / 2, 0.0
            case Capsule(radius=r, length=length):
                at = self.add(ShapeKind.CAPSULE, link, name, X, surface)
                self.sizes[at] = r, length / 2, 0.0
            case Sphere(radius=r):
                self.sizes[self.add(ShapeKind.BALL, link, name, X, surface)] = r, 0.0, 0.0
            case Plate(outline=outline, thickness=thickness):
                flat = [(*p, z) for z in (-thickness / 2, thickness / 2) for p in outline]
                try:
                    hull = convex_hull(np.array(flat))
                except KinegenError:
                    self.remarks.append(f"{name}: its plate has no area, so nothing touches it")
                    return
                self.add_hull(hull, link, name, X, surface)
            case Heights(rows=rows, size=(x, y), depth=depth):
                at = self.add(ShapeKind.HEIGHTS, link, name, X, surface)
                grid = np.array(rows, dtype=float)
                self.heights[at] = grid
                self.sizes[at] = x / 2, y / 2, depth - min(0.0, float(grid.min()))
            case MeshRef():
                try:
                    parts, remark = mesh_parts(shape, read)
                except KinegenError as error:
                    self.remarks.append(f"{name}: nothing touches its mesh: {error}")
                    return
                if remark:
                    self.remarks.append(f"{name}: {remark}")
                for hull in parts:
                    self.add_hull(hull, link, name, X, surface)


def _bare_words(names: list[str]) -> str:
    """That links have no shape to touch, in one sentence however many they are."""
    if len(names) == 1:
        return f"{names[0]}: it has no shape, so nothing touches it"
    rest = len(names) - NAMED
    listed = ", ".join(names[:NAMED]) + (f" and {rest} more" if rest > 0 else "")
    return f"{listed} have no shape, so nothing touches them"


def is_given(model: Model, link: int) -> bool:
    """Whether the file describes a link's body; otherwise its shape is drawn automatically."""
    shape = model.link_shapes[link]
    drawn = shape is not None and shape not in ("auto", "none")
    return drawn or model.link_collisions[link] is not None


def mesh_reader(model: Model) -> Callable[[str], bytes]:
    """What reads the mesh files that a model names."""
    mechanism = model.compiled_from
    document = mechanism.document
    opener = mechanism.opener or (None if document is None else document.opener)

    def read(file: str) -> bytes:
        if opener is None:
            raise UsageError(f"the folder of '{file}' is unknown")
        return opener.content(file)

    return read


def turn_z_to(up: Floats) -> SO3:
    """The rotation that turns z to a direction."""
    axis = np.cross([0.0, 0.0, 1.0], up)
    sine, cosine = float(np.linalg.norm(axis)), float(up[2])
    if sine < 1e-12:
        return SO3.identity() if cosine > 0 else SO3.exp([math.pi, 0.0, 0.0])
    return SO3.exp(axis / sine * math.atan2(sine, cosine))
