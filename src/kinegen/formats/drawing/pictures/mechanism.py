"""A mechanism in the world, ready to be drawn: solids, joint axes, frames."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinegen.errors import UsageError
from kinegen.formats.drawing.couplings import with_couplings
from kinegen.formats.drawing.pictures.camera import Camera
from kinegen.formats.drawing.pictures.solid import Solid, tessellate
from kinegen.formats.drawing.pictures.theme import Theme, fill_of
from kinegen.mechanism.shapes.shapes import (
    Capsule,
    MeshRef,
    ModelLike,
    Primitive,
    Sphere,
    link_shapes,
)
from kinegen.mechanism.shapes.skeleton import Plane, read_skeleton
from kinegen.mechanism.shapes.travel import travels_of

__all__ = ["Scene"]

Array = NDArray[np.float64]


def _poses(model: ModelLike, Xs_WL: ArrayLike) -> tuple[Array, Array]:
    """Rotation matrices and positions of all links."""
    poses = np.asarray(Xs_WL, dtype=float)
    count = len(model.link_names)
    if poses.shape != (count, 7):
        raise UsageError(f"Xs_WL must have shape ({count}, 7), not {poses.shape}")
    if not np.isfinite(poses).all():
        raise UsageError("Xs_WL must be finite")
    w, x, y, z = (poses[:, :4] / np.linalg.norm(poses[:, :4], axis=1, keepdims=True)).T
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.moveaxis(np.array(rows), 2, 0), poses[:, 4:].copy()


@dataclass(slots=True)
class _Placed:
    """A primitive in the world."""

    shape: Primitive
    R_WS: Array
    p_WS: Array
    link: int


class Scene:
    """A mechanism's primitives, axes and frames in the world."""

    def __init__(self, model: ModelLike, Xs_WL: ArrayLike, theme: Theme) -> None:
        self.model, self.theme = model, theme
        Rs_WL, ps_WL = _poses(model, Xs_WL)
        self.Rs_WL, self.ps_WL = Rs_WL, ps_WL
        self.transforms = np.asarray(model.transforms, dtype=float).reshape(-1, 12)
        travels = travels_of(model, Rs_WL, ps_WL)
        skeleton = read_skeleton(model, travels)
        self.unit = skeleton.unit
        self.plane: Plane | None = skeleton.plane
        self.placed = [
            _Placed(
                shape,
                Rs_WL[link] @ np.array(shape.rotation),
                ps_WL[link] + Rs_WL[link] @ np.array(shape.translation),
                link,
            )
            for link, shapes in enumerate(self._shapes(travels))
            for shape in shapes
        ]

        self.rough: list[tuple[_Placed, Array]] = []
        """Corners of each solid in W [m], round ones with few sides."""
        for placed in self.placed:
            solid = tessellate(placed.shape, 12)
            if solid is not None:
                self.rough.append((placed, solid.vertices @ placed.R_WS.T + placed.p_WS))

    @property
    def plane_normal(self) -> Array | None:
        """Normal of the plane a flat mechanism moves in."""
        return self.plane.normal if self.plane is not None else None

    @property
    def hangs(self) -> bool:
        """Whether something reaches far lower than the parts fixed to the ground."""
        lows = {False: math.inf, True: math.inf}
        for placed, cloud in self.rough:
            fixed = placed.link == 0
            lows[fixed] = min(lows[fixed], float(cloud[:, 2].min()))
        return math.isfinite(lows[True]) and lows[False] < lows[True] - 0.25 * self.unit

    def _placed_frame(self, link: int, placement: int) -> tuple[Array, Array]:
        row = self.transforms[placement]
        R_WL, p_WL = self.Rs_WL[link], self.ps_WL[link]
        return R_WL @ row[:9].reshape(3, 3), p_WL + R_WL @ row[9:]

    def _shapes(self, travels: dict[int, float]) -> Sequence[Sequence[Primitive]]:
        values: Any = getattr(self.model, "parameters", None)
        colors: Any = getattr(self.model, "link_colors", None)
        shapes = link_shapes(self.model, travels=travels, values=values, colors=colors)
        if not any(isinstance(shape, MeshRef) for own in shapes for shape in own):
            return with_couplings(self.model, shapes)
        # Mesh files are not read here: links that have one are drawn as if they had none.
        automatic = link_shapes(_WithoutShapes(self.model), travels=travels, colors=colors)
        drawn = [
            automatic[link] if any(isinstance(shape, MeshRef) for shape in own) else own
            for link, own in enumerate(shapes)
        ]
        return with_couplings(self.model, drawn)

    def joint_points(self) -> Array:
        """Origins of all links and frames [m]."""
        # A floating mechanism may be far from the origin of a base that nobody sees.
        first = 0 if any(placed.link == 0 for placed in self.placed) else 1
        points = [*self.ps_WL[first:]] + [p for _, _, p in self.frames()]
        return np.array(points or [*self.ps_WL])

    def extent(self) -> Array:
        """Points that must fit on the page [m]."""
        cloud = np.concatenate([self.joint_points(), *(cloud for _, cloud in self.rough)])
        if float(np.ptp(cloud, axis=0).max()) < 1e-9:
            # Nothing to see: show a metre around the origin.
            cloud = cloud[:1] + np.array([[-0.5, -0.5, 0.0], [0.5, 0.5, 1.0]])
        return cloud

    def solids(self, camera: Camera) -> list[Solid]:
        """Polyhedra in the world, round ones with as many sides as their size on the page asks."""
        result: list[Solid] = []
        for placed in self.placed:
            radius = float(getattr(placed.shape, "radius", 0.0)) * camera.scale
            fineness = 2.3 if isinstance(placed.shape, Sphere) else 1.8
            finest = 28 if isinstance(placed.shape, Capsule | Sphere) else 40
            sides = int(np.clip(2 * round(fineness * math.sqrt(max(radius, 1.0))), 6, finest))
            solid = tessellate(placed.shape, sides)
            if solid is not None:
                vertices = solid.vertices @ placed.R_WS.T + placed.p_WS
                normals = solid.normals @ placed.R_WS.T
                fill = fill_of(placed.shape, self.theme)
                result.append(Solid(vertices, solid.faces, normals, fill))
        return result

    def axes(self, camera: Camera) -> list[Array]:
        """Ends of the visible joint axes of a spatial mechanism [m], each of shape (2, 3)."""
        if self.plane is not None:
            return []
        reach = max(0.3 * self.unit, 20.0 / camera.scale)
        lines: list[Array] = []
        for joint in self.model.joints:
            if joint.type.info.turns_in_place:
                R_WF, p_WF = self._placed_frame(joint.parent, joint.placement)
                lines.append(np.array([p_WF - reach * R_WF[:, 2], p_WF + reach * R_WF[:, 2]]))
        return lines

    def joint_names(self) -> list[tuple[str, Array]]:
        """Name and place of every joint."""
        return [
            (joint.name, self._placed_frame(joint.parent, joint.placement)[1])
            for joint in self.model.joints
        ]

    def frames(self) -> list[tuple[str, Array, Array]]:
        """Name, R_WF and p_WF of the named frames."""
        return [
            (frame.name, *self._placed_frame(frame.link, frame.placement))
            for frame in self.model.frames
        ]


class _WithoutShapes:
    """A model as if its file gave no shapes."""

    def __init__(self, model: ModelLike) -> None:
        self._model = model
        self.link_shapes = ("auto",) * len(model.link_names)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)
