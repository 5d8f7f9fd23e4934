"""Markers: bodies of a world, rays of its sensors, contact forces, as viewers of logs draw them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

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
from kinegen.world.drawing.colors import color_of
from kinegen.world.drawing.drawn import Meshes, Part, bodies_of
from kinegen.world.log.schemas import pose_message, time_message

if TYPE_CHECKING:
    from kinegen.world.people.body_mesh import BodyMesh
    from kinegen.world.people.capsules import Capsules
    from kinegen.world.people.people import Found
    from kinegen.world.world import World

__all__ = ["bodies", "force_arrows", "people_markers", "ray_lines"]

SHARE = 0.5
"""Length of the arrow of the robot's own weight, in sizes of the robot; no arrow is longer."""
STANDARD = 10.0
"""Force in the place of the weight where nothing weighs [N]."""
THICK = 0.008
"""Diameter of an arrow's shaft, in sizes of the robot."""


Message = dict[str, Any]
_Z_TO_X = SO3.from_rpy(0.0, math.pi / 2, 0.0)
"""Turns z to x."""


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
                points = _points(mesh.vertices)
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


def people_markers(
    found: Sequence[Found], gone: Iterable[str], nanoseconds: int, known: Mapping[str, BodyMesh]
) -> Message:
    """A scene update with everybody's body and name, and without those that left.

    Args:
        found: All present people.
        gone: Names of people that have left.
        nanoseconds: Time.
        known: Meshes that were written before, by the person's name: they are large, and are
            written only when they change.
    """
    now = time_message(nanoseconds)
    entities = []
    for one in found:
        person, mesh = one.person, one.person.mesh
        made = empty_entity(f"person {person.name}", "world")
        made["timestamp"] = now
        red, green, blue = color_of(person.color, 0)
        look = {"r": red, "g": green, "b": blue, "a": 1.0}
        if mesh is None:
            _add_capsules(made, one.body.capsules, look)
        elif known.get(person.name) is not mesh:
            skin = empty_entity(_skin(person.name), "world")
            skin["timestamp"] = now
            skin["triangles"].append(
                {"pose": pose_message(), "points": _points(mesh.vertices), "color": look,
                 "colors": [], "indices": mesh.triangles.ravel().tolist()}
            )  # fmt: skip
            entities.append(skin)
        above = person.head.translation + np.array([0, 0, 0.25 * person.size])
        hint = "" if person.gesture == "none" else f": {person.gesture}"
        made["texts"].append(
            {"pose": pose_message(SE3(SO3.identity(), above).pose), "billboard": True,
             "font_size": 0.09 * person.size, "scale_invariant": False, "color": look,
             "text": person.name + hint}
        )  # fmt: skip
        entities.append(made)
    meshed = {one.person.name for one in found if one.person.mesh is not None}
    names = [f"person {name}" for name in gone] + [_skin(name) for name in known.keys() - meshed]
    return {
        "deletions": [{"timestamp": now, "type": 0, "id": name} for name in names],
        "entities": entities,
    }


def _skin(name: str) -> str:
    return f"mesh of {name}"


def _add_capsules(made: Message, capsules: Capsules, look: Message) -> None:
    for start, end, radius in zip(capsules.starts, capsules.ends, capsules.radii, strict=True):
        along = end - start
        length = float(np.linalg.norm(along))
        turn = _turn_x_to(along / max(length, 1e-12)) @ _Z_TO_X
        thick = dict.fromkeys("xyz", 2 * float(radius))
        made["cylinders"].append(
            {"pose": pose_message(SE3(turn, (start + end) / 2).pose),
             "size": {**thick, "z": length}, "color": look,
             "bottom_scale": 1.0, "top_scale": 1.0}
        )  # fmt: skip
        for place in (start, end):
            spot = pose_message(SE3(SO3.identity(), place).pose)
            made["spheres"].append({"pose": spot, "size": thick, "color": look})


def _points(places: npt.NDArray[np.floating]) -> list[Message]:
    return [dict(zip("xyz", row, strict=True)) for row in places.tolist()]


def ray_lines(name: str, nanoseconds: int, starts: Floats, ends: Floats) -> Message:
    """A scene update with the rays of a sensor, world axes, (n, 3) each."""
    made = empty_entity(f"rays of {name}", "world")
    made["timestamp"] = time_message(nanoseconds)
    points = _points(np.stack([starts, ends], axis=1).reshape(-1, 3))
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
