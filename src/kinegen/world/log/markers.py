"""Markers: bodies of a world, rays of its sensors, contact forces, as viewers of logs draw them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    Heights,
    MeshRef,
    Plate,
    Sphere,
)
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.world.drawing.drawn import Meshes, Part, bodies_of
from kinegen.world.log.schemas import pose_message, time_message

if TYPE_CHECKING:
    from kinegen.world.world import World

__all__ = ["bodies", "force_arrows", "ray_lines"]

SHARE = 0.5
"""Length of the arrow of the robot's own weight, in sizes of the robot; no arrow is longer."""
STANDARD = 10.0
"""Force in the place of the weight where nothing weighs [N]."""
THICK = 0.008
"""Diameter of an arrow's shaft, in sizes of the robot."""


Message = dict[str, Any]


def bodies(world: World) -> Message:
    """A scene update with every body, fixed to the frame of its link."""
    return {"deletions": [], "entities": list(_entities(world))}


def _entities(world: World) -> Iterator[Message]:
    meshes = Meshes(world.mechanism)
    for body in bodies_of(world.mechanism, world.islands):
        names = world.islands[body.island].model.link_names
        if body.parts:
            made = empty_entity(body.name, names[body.link])
            for part in body.parts:
                red, green, blue = part.color
                _add(made, part, {"r": red, "g": green, "b": blue, "a": 1.0}, meshes)
            yield made
    for remark in meshes.remarks:
        world.stage.notify("log", remark)


def _add(made: Message, part: Part, look: Message, meshes: Meshes) -> None:
    X = part.X_BS

    def body(kind: str, X: SE3, size: Sequence[float], **more: float) -> None:
        x, y, z = (float(one) for one in size)
        made[kind].append(
            {"pose": pose_message(X.pose), "size": {"x": x, "y": y, "z": z}, "color": look, **more}
        )

    straight = {"bottom_scale": 1.0, "top_scale": 1.0}
    match part.shape:
        case Box(size=size):
            body("cubes", X, size)
        case Sphere(radius=radius):
            body("spheres", X, [2 * radius] * 3)
        case Cylinder(radius=radius, length=length):
            body("cylinders", X, [2 * radius, 2 * radius, length], **straight)
        case Capsule(radius=radius, length=length):
            body("cylinders", X, [2 * radius, 2 * radius, length], **straight)
            for end in (-length / 2, length / 2):
                at = X @ SE3(SO3.identity(), np.array([0, 0, end]))
                body("spheres", at, [2 * radius] * 3)
        case Plate(outline=outline, thickness=thickness):
            body("cubes", X, [*np.ptp(outline, axis=0), thickness])
        case MeshRef() | Heights() as shape:
            mesh = meshes.of(shape)
            if mesh is not None:
                points = [dict(zip("xyz", row, strict=True)) for row in mesh.vertices.tolist()]
                made["triangles"].append(
                    {"pose": pose_message(X.pose), "points": points, "color": look, "colors": [],
                     "indices": mesh.faces.ravel().tolist()}
                )  # fmt: skip


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


def force_arrows(
    name: str, nanoseconds: int, points: Floats, forces: Floats, model: Model
) -> Message:
    """A scene update with forces [N] as arrows and the places where they act, (n, 3) each.

    An arrow is as long as its force is strong against the weight of the model; its scale is in the
    metadata. A later message of the same name replaces it, one without forces too.
    """
    made = empty_entity(name, "world")
    made["timestamp"] = time_message(nanoseconds)
    weight = float(model.inertia[:, 0].sum() * np.linalg.norm(model.gravity)) or STANDARD
    scale, thick = SHARE * model.size / weight, THICK * model.size
    made["metadata"].append({"key": "scale", "value": f"{scale:.6g} m/N"})
    pink = {"r": 0.88, "g": 0.27, "b": 0.49, "a": 1.0}
    for point, force in zip(points, forces, strict=True):
        size = float(np.linalg.norm(force))
        if not size > 0:
            continue
        length = min(scale * size, SHARE * model.size)
        pose = pose_message(SE3(_turn_x_to(force / size), point).pose)
        head = min(3 * thick, length / 2)
        made["arrows"].append(
            {"pose": pose, "shaft_length": length - head, "shaft_diameter": thick,
             "head_length": head, "head_diameter": 2.5 * thick, "color": pink}
        )  # fmt: skip
        spot = pose_message(SE3(SO3.identity(), point).pose)
        size_of_spot = dict.fromkeys("xyz", 2 * thick)
        made["spheres"].append({"pose": spot, "size": size_of_spot, "color": pink})
    return {"deletions": [], "entities": [made]}


def _turn_x_to(direction: Floats) -> SO3:
    """A rotation that turns x to a unit vector."""
    axis = np.cross([1.0, 0.0, 0.0], direction)
    sine, cosine = float(np.linalg.norm(axis)), float(direction[0])
    if sine < 1e-12:
        return SO3.identity() if cosine > 0 else SO3.exp([0.0, 0.0, math.pi])
    return SO3.exp(axis / sine * math.atan2(sine, cosine))
