"""Markers: the bodies of a world and the rays of its sensors, as viewers of logs draw them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.kernels import Floats
from kinegen.mechanism.shapes.heights import height_body
from kinegen.mechanism.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    Heights,
    Plate,
    Primitive,
    Sphere,
    link_shapes,
    shapes_from_spec,
)
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.world.colors import color_of
from kinegen.world.log.schemas import pose_message, time_message

if TYPE_CHECKING:
    from kinegen.world.world import World

__all__ = ["bodies", "ray_lines"]

Message = dict[str, Any]


def bodies(world: World) -> Message:
    """A scene update with every body, fixed to the frame of its link."""
    return {"deletions": [], "entities": list(_entities(world))}


def _entities(world: World) -> Iterator[Message]:
    for island in world.islands:
        model = island.model
        values = dict(model.parameters)
        ground = model.link_names[0]
        for index, shapes in enumerate(link_shapes(model, values=values, colors=model.link_colors)):
            if shapes and (index or island is world.islands[0]):
                yield _entity(model.link_names[index], model.link_names[index], shapes, index)
        colors = {row["name"]: row.get("color") for row in world.mechanism.scene.get("objects", ())}
        for row in island.simulation.system.fixed_objects if island is world.islands[0] else ():
            shapes = shapes_from_spec(row["shape"], (), values)
            color = colors.get(row["name"])
            yield _entity(row["name"], ground, shapes, 0, row["pose"], color)


def _entity(
    name: str, frame: str, shapes: Sequence[Primitive], index: int,
    X_FO: SE3 | None = None, color: str | None = None,
) -> Message:  # fmt: skip
    made = empty_entity(name, frame)
    for shape in shapes:
        X_OS = SE3(SO3.from_matrix(shape.rotation), np.array(shape.translation))
        X_FS = X_OS if X_FO is None else X_FO @ X_OS
        red, green, blue = color_of(color or shape.color, index)
        look = {"r": red, "g": green, "b": blue, "a": 1.0}
        _add(made, shape, X_FS, look)
    return made


def _add(made: Message, shape: Primitive, X_FS: SE3, look: Message) -> None:
    def body(kind: str, X: SE3, size: Sequence[float], **more: float) -> None:
        x, y, z = (float(one) for one in size)
        made[kind].append(
            {"pose": pose_message(X.pose), "size": {"x": x, "y": y, "z": z}, "color": look, **more}
        )

    straight = {"bottom_scale": 1.0, "top_scale": 1.0}
    match shape:
        case Box(size=size):
            body("cubes", X_FS, size)
        case Sphere(radius=radius):
            body("spheres", X_FS, [2 * radius] * 3)
        case Cylinder(radius=radius, length=length):
            body("cylinders", X_FS, [2 * radius, 2 * radius, length], **straight)
        case Capsule(radius=radius, length=length):
            body("cylinders", X_FS, [2 * radius, 2 * radius, length], **straight)
            for end in (-length / 2, length / 2):
                at = X_FS @ SE3(SO3.identity(), np.array([0, 0, end]))
                body("spheres", at, [2 * radius] * 3)
        case Plate(outline=outline, thickness=thickness):
            low, high = np.min(outline, axis=0), np.max(outline, axis=0)
            at = X_FS @ SE3(SO3.identity(), np.array([*(low + high) / 2, 0]))
            body("cubes", at, [*(high - low), thickness])
        case Heights():
            corners, faces = height_body(shape)
            places = [{"x": x, "y": y, "z": z} for x, y, z in corners.tolist()]
            made["triangles"].append(
                {"pose": pose_message(X_FS.pose), "points": places, "color": look, "colors": [],
                 "indices": faces.ravel().tolist()}
            )  # fmt: skip
        case _:
            pass  # meshes are files: viewers get the frames


def empty_entity(name: str, frame: str) -> Message:
    """An entity without any bodies, locked to a frame."""
    kinds = ("metadata", "arrows", "cubes", "spheres", "cylinders", "lines", "triangles", "texts",
             "models")  # fmt: skip
    return {
        "timestamp": time_message(0), "frame_id": frame, "id": name, "lifetime": time_message(0),
        "frame_locked": True, **{kind: [] for kind in kinds},
    }  # fmt: skip


def ray_lines(name: str, nanoseconds: int, starts: Floats, ends: Floats) -> Message:
    """A scene update with the rays of a sensor, world axes, (n, 3) each."""
    made = empty_entity(f"rays of {name}", "world")
    made["timestamp"] = time_message(nanoseconds)
    points = [
        dict(zip("xyz", map(float, point), strict=True))
        for pair in zip(starts, ends, strict=True)
        for point in pair
    ]
    red = {"r": 0.9, "g": 0.2, "b": 0.2, "a": 0.8}
    made["lines"].append(
        {"type": 2, "pose": pose_message(), "thickness": 1.5, "scale_invariant": True,
         "points": points, "color": red, "colors": [], "indices": []}
    )  # fmt: skip
    return {"deletions": [], "entities": [made]}
