"""Objects of a scene: their bodies, and where they are while the mechanism is in a pose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegen.errors import unknown_name
from kinegen.kinematics.configurations import Configuration
from kinegen.kinematics.positions import forward
from kinegen.mechanism.graph import PLACEMENT_KEYS, Mechanism, PlacementKind
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.shapes import Primitive, shapes_from_spec
from kinegen.raff.axis import axis_turn
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["SceneObject", "object_poses", "placement_pose", "scene_object"]


@dataclass(frozen=True, slots=True, eq=False)
class SceneObject:
    """An object that stands around a mechanism."""

    name: str
    shapes: tuple[Primitive, ...]
    """Its body in its own frame O."""
    X_WO: SE3
    """Where it is in the world."""


def scene_object(
    mechanism: Mechanism, model: Model, name: str, q: Configuration = None
) -> SceneObject:
    """An object of the scene as its file describes it.

    Args:
        mechanism: The mechanism with its scene.
        model: The same, compiled.
        name: The object's name.
        q: The pose of the mechanism; default: the file's start.

    Raises:
        UsageError: When the scene has no such object.
    """
    objects = {entry["name"]: entry for entry in mechanism.scene.get("objects", ())}
    if name not in objects:
        raise unknown_name("object", name, "the scene", objects)
    shapes = shapes_from_spec(objects[name]["shape"], (), dict(model.parameters))
    return SceneObject(name, shapes, object_poses(mechanism, model, q)[name])


def object_poses(mechanism: Mechanism, model: Model, q: Configuration = None) -> dict[str, SE3]:
    """Where the objects of the scene are, X_WO by name."""
    entries = mechanism.scene.get("objects", ())
    if not entries:
        return {}
    values = dict(model.parameters)
    places = {
        name: SE3.from_pose(row)
        for name, row in zip(model.site_names, forward(model, q), strict=True)
    }
    found = {}
    for entry in entries:
        at = entry.get("at", {})
        X_WO = places.get(at.get("parent", model.link_names[0])) or SE3.identity()
        if len(at) > ("parent" in at):
            X_WO = X_WO @ placement_pose(at, values)
        found[entry["name"]] = X_WO
    return found


def placement_pose(at: Mapping[str, Any], values: Mapping[str, float]) -> SE3:
    """The pose that the keys of an entry give, in Kleinfinger numbers or as xyz and rpy.

    Args:
        at: The entry's placement: numbers or formulas by key.
        values: The parameters that formulas may use.
    """
    if "xyz" in at or "rpy" in at or "axis" in at:
        xyz = np.array([_number(x, values) for x in at.get("xyz", (0, 0, 0))], dtype=float)
        turn = axis_turn(at["axis"]) if "axis" in at else at.get("rpy", (0, 0, 0))
        roll, pitch, yaw = (_number(x, values) for x in turn)
        return SE3(SO3.from_rpy(roll, pitch, yaw), xyz)
    keys = PLACEMENT_KEYS[PlacementKind.KLEINFINGER]
    gamma, b, alpha, d, theta, r = (_number(at.get(key, 0.0), values) for key in keys)
    turned = SE3(SO3.from_rpy(0, 0, gamma), np.array([0, 0, b]))
    tilted = SE3(SO3.from_rpy(alpha, 0, 0)) @ SE3(SO3.identity(), np.array([d, 0, 0]))
    return turned @ tilted @ SE3(SO3.from_rpy(0, 0, theta), np.array([0, 0, r]))


def _number(value: Any, values: Mapping[str, float]) -> float:
    evaluate = getattr(value, "evaluate", None)
    return float(value if evaluate is None else evaluate(values))
