"""The wall of a mechanism, as pages take it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from kinegen.devices.head.pinhole import EYE_DISTANCE
from kinegen.kinematics.scene import placement_pose
from kinegen.mechanism.editing.structure import as_text
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.write import wall_lines
from kinegen.raff.formulas.formula import Formula
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.studio.wire.message import Pose, Vec3, vec3
from kinegen.studio.wire.messages.wall import ScreenData, WallData
from kinegen.studio.wire.parts import WallEntry

__all__ = ["wall_data", "wall_text"]


def wall_data(mechanism: Mechanism, values: Mapping[str, float]) -> WallData | None:
    """The wall that the file declares, in numbers; None where it declares none.

    Args:
        mechanism: The mechanism.
        values: Its parameters.
    """
    wall = mechanism.wall
    if not wall:
        return None

    def number(given: Formula | float) -> float:
        return float(given.evaluate(values) if isinstance(given, Formula) else given)

    def place(given: Sequence[Formula | float]) -> Vec3:
        return vec3(number(one) for one in given)

    screens = [
        ScreenData(
            name=str(row["name"]),
            lower_left=place(row["lower_left"]),
            lower_right=place(row["lower_right"]),
            upper_left=place(row["upper_left"]),
            shows=row.get("shows", "centre"),
        )
        for row in wall["screens"]
    ]
    eye = place(wall["eye"])
    tracker = placement_pose(wall["tracker"], values) if "tracker" in wall else _over(screens, eye)
    return WallData(
        screens=screens,
        eye=eye,
        eye_distance=number(wall.get("eye_distance", EYE_DISTANCE)),
        at=_pose(placement_pose(wall.get("at", {}), values)),
        scale=number(wall.get("scale", 1.0)),
        tracker=_pose(tracker),
        has_tracker="tracker" in wall,
    )


def _over(screens: Sequence[ScreenData], eye: Vec3) -> SE3:
    """In the middle of the upper edge of the middle screen, level, facing the viewer."""
    screen = screens[len(screens) // 2]
    corners = (screen.lower_left, screen.lower_right, screen.upper_left)
    left, right, up = (np.array(corner) for corner in corners)
    middle = up + (right - left) / 2
    x, y = np.array(eye[:2]) - middle[:2]
    # y along the view: a turn by yaw takes (0, 1) to (-sin yaw, cos yaw)
    yaw = math.atan2(-x, y) if math.hypot(x, y) > 0 else math.pi
    return SE3(SO3.from_rpy(0, 0, yaw), middle)


def _pose(X: SE3) -> Pose:
    w, x, y, z, px, py, pz = map(float, X.pose)
    return w, x, y, z, px, py, pz


def wall_text(wall: WallEntry) -> str:
    """The section as a person likes to read it, with numbers as in the file; starts a new line."""
    rows = [
        {key: one if key == "name" else as_text(one) for key, one in row.items()}
        for row in wall["screens"]
    ]
    return "\n" + "\n".join(wall_lines({**as_text(dict(wall)), "screens": rows}))
