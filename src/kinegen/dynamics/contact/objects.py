"""Objects of a scene as parts of a system: free ones are links on free joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegen.joint_types import JointType
from kinegen.kernels import Floats
from kinegen.kinematics.positions import poses
from kinegen.kinematics.scene import placement_pose
from kinegen.mechanism.graph import (
    Joint,
    LinkProperties,
    Placement,
    PlacementKind,
)
from kinegen.mechanism.model import Model
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.sections.parts import SURFACE_KEYS
from kinegen.spatial.pose import SE3

__all__ = ["WithObjects", "with_objects"]

_ZERO = Formula.constant(0.0)


@dataclass(frozen=True, slots=True, eq=False)
class WithObjects:
    """A mechanism together with the objects of its scene."""

    model: Model
    """Every free object is a link of its own."""
    fixed: tuple[Mapping[str, Any], ...]
    """Objects that never move: (name, shape, pose, surface) mappings."""
    velocities: Mapping[str, Floats]
    """Of each free object by name, (6,): linear and angular, in the object's axes."""


def with_objects(model: Model) -> WithObjects:
    """A model with the scene's objects as links, where they are at the start; the given one stays.

    Its numbers are those of the given model as they are now.
    """
    mechanism = model.compiled_from.snapshot()
    places = poses(model)
    values = dict(model.parameters)
    fixed: list[Mapping[str, Any]] = []
    velocities: dict[str, Floats] = {}
    for row in mechanism.scene.get("objects", ()):
        at = row.get("at", {})
        X_WP = places.get(at.get("parent", mechanism.base_name), SE3.identity())
        X_WO = X_WP @ placement_pose(at, values)
        name = row["name"]
        if row.get("fixed", False):
            surface = {key: row[key] for key in SURFACE_KEYS if key in row}
            fixed.append({"name": name, "shape": row["shape"], "pose": X_WO, "surface": surface})
            continue
        link = LinkProperties(shape=row["shape"], color=row.get("color"))
        link.mass, link.density = row.get("mass"), row.get("density")
        link.centre = tuple(row["centre"]) if "centre" in row else None
        if "inertia" in row:
            link.inertia = tuple([*row["inertia"], _ZERO, _ZERO, _ZERO][:6])
        mechanism.joints[name] = Joint(
            name,
            JointType.FREE,
            mechanism.base_name,
            Placement(PlacementKind.POSE, (_ZERO,) * 6),
            start=tuple(Formula.constant(float(x)) for x in X_WO.pose),
            link=link,
        )
        linear = _vector(row.get("velocity"), values)
        spin = _vector(row.get("spin"), values)
        velocities[name] = _free_velocity(X_WO, linear, spin)
    whole = mechanism.compile()
    whole.take_numbers(model)
    return WithObjects(whole, tuple(fixed), velocities)


def _free_velocity(X_WO: SE3, linear: Floats, spin: Floats) -> Floats:
    """World velocities as a free joint's v: both in the axes of the joint's moving frame."""
    R_OW = X_WO.rotation.T
    return np.concatenate([R_OW @ linear, R_OW @ spin])


def _vector(numbers: Any, values: Mapping[str, float]) -> Floats:
    if numbers is None:
        return np.zeros(3)
    return np.array([number.evaluate(values) for number in numbers])
