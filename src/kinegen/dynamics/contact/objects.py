"""Objects of a scene as parts of a system: free ones are links on free joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.joint_types import JointType
from kinegen.kernels import Floats
from kinegen.kinematics.positions import poses
from kinegen.kinematics.scene import placement_pose
from kinegen.mechanism.graph import (
    BASE,
    Joint,
    LinkProperties,
    Mechanism,
    Placement,
    PlacementKind,
)
from kinegen.raff.formula import Formula
from kinegen.spatial.pose import SE3

__all__ = ["free_objects"]

_ZERO = Formula.constant(0.0)


def free_objects(mechanism: Mechanism) -> tuple[tuple[Mapping[str, Any], ...], dict[str, Floats]]:
    """Add the scene's objects to a mechanism as links of their own, where they are at the start.

    Returns:
        The objects that never move, as (name, shape, pose) mappings, and the velocity (linear,
        angular in the object's axes) of each that does.
    """
    model = mechanism.compile()
    places = poses(model)
    values = dict(model.parameters)
    fixed: list[Mapping[str, Any]] = []
    twists: dict[str, Floats] = {}
    for row in mechanism.scene.get("objects", ()):
        at = row.get("at", {})
        X_WO = places.get(at.get("parent", BASE), SE3.identity()) @ placement_pose(at, values)
        name = row["name"]
        if row.get("fixed", False):
            surface = {key: row[key] for key in ("friction", "restitution") if key in row}
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
            BASE,
            Placement(PlacementKind.POSE, (_ZERO,) * 6),
            start=tuple(Formula.constant(float(x)) for x in X_WO.pose),
            link=link,
        )
        linear = _vector(row.get("velocity"), values)
        spin = _vector(row.get("spin"), values)
        twists[name] = _free_velocity(X_WO, linear, spin)
    mechanism.document = None
    return tuple(fixed), twists


def _free_velocity(X_WO: SE3, linear: Floats, spin: Floats) -> Floats:
    """World velocities as a free joint's v: both in the axes of the joint's moving frame."""
    R_OW = X_WO.rotation.T
    return np.concatenate([R_OW @ linear, R_OW @ spin])


def _vector(numbers: Any, values: Mapping[str, float]) -> Floats:
    if numbers is None:
        return np.zeros(3)
    return np.array([number.evaluate(values) for number in numbers])
