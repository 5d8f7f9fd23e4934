"""Grasp: a short way of a tool to an object, straight onto one of its sides, then the gripper shut.

The way is a proposal: it keeps loops closed and joints within their limits; what may be hit on the
way is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegen.errors import UsageError, unknown_name
from kinegen.kernels import Floats, Outcome
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.positions import pose
from kinegen.kinematics.solving.dragging import Dragger
from kinegen.mechanism.model import Model
from kinegen.spatial import SE3
from kinegen.studio.jobs.gripper import closing_path, gripper_joints, opening_path
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.scene_data import object_data

__all__ = ["plan_grasp"]

_STEPS = 40
"""Poses per leg of the way."""
_TICKS = 20
"""Solver ticks at most until a pose of the way counts as not reached."""
_UPRIGHT = 0.9
"""A direction with this much of z is up or down."""
_FAR = 1e-6
"""A tool has arrived below this distance [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class _Try:
    """A way onto one side."""

    side: str
    path: list[Floats]
    lack: float
    """How far the tool stays away [m]."""
    aligned: bool
    reason: str


def plan_grasp(
    piece: CompiledText,
    q: Floats,
    arguments: Mapping[str, Any],
    report: Callable[[str, float | None], None],
) -> dict[str, Any]:
    """A way for a tool to an object.

    Args:
        piece: The mechanism.
        q: Where it is.
        arguments: ``object``: its name; ``frame``: the tool, the file's last frame when not given;
            ``pose``: where the object is now (wxyz xyz), as in the file when not given;
            ``clearance``: distance from which the straight approach begins [m].
        report: Is told how far the search is.
    """
    model = piece.model
    shape, X_WO = _object(piece, arguments)
    frame = str(arguments.get("frame") or model.site_names[-1])
    model.site(frame)
    half = _half_sizes(shape)
    clearance = float(arguments.get("clearance") or max(0.5 * float(half.max()), 0.05 * model.size))
    fingers = gripper_joints(model, frame)
    opening = opening_path(model, q, frame, fingers)
    q = opening[-1] if opening else q
    start = pose(model, q, frame)
    towards = X_WO.translation - start.translation
    best: _Try | None = None
    sides = _sides(X_WO, half, towards)
    for n, (side, direction, reach) in enumerate(sides):
        report(f"approaching from {side}", n / len(sides))
        # a gripper takes the object between its fingers, any other tool touches it
        goal = X_WO.translation - direction * (0.0 if fingers else reach)
        before = X_WO.translation - direction * (reach + clearance)
        for align in (True, False):
            found = _approach(model, q, frame, [before, goal], direction if align else None, side)
            if best is None or (found.lack < best.lack - _FAR):
                best = found
            if found.lack <= _FAR:
                break
        if best is not None and best.lack <= _FAR:
            break
    assert best is not None
    path = [*opening, *best.path]
    grasp_at = len(path) - 1
    if fingers and best.lack <= _FAR:
        path += closing_path(model, path[-1], frame, fingers, float(half.min()))
    return {
        "reached": best.lack <= _FAR,
        "reason": best.reason,
        "side": best.side,
        "aligned": best.aligned,
        "frame": frame,
        "gripper": fingers,
        "path": [row.tolist() for row in path],
        "grasp_at": grasp_at,
    }


def _object(piece: CompiledText, arguments: Mapping[str, Any]) -> tuple[Any, SE3]:
    """Shape and place of the object that is asked for."""
    name = arguments.get("object")
    objects = {
        one.name: one
        for one in object_data(piece.mechanism, piece.model, piece.start, piece.folder)
    }
    if not isinstance(name, str) or name not in objects:
        raise unknown_name("object", str(name), "the scene", objects)
    found = objects[name]
    given = arguments.get("pose")
    try:
        X_WO = SE3.from_pose(np.asarray(found.pose if given is None else given, dtype=float))
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"the pose of an object must be 7 numbers, wxyz and xyz: {error}"
        ) from None
    return found.shape, X_WO


def _half_sizes(shape: Any) -> Floats:
    """Half the extents of a shape along its own axes [m]; a guess for meshes."""
    if isinstance(shape, list):
        return np.max([_half_sizes(one) for one in shape], axis=0) if shape else np.full(3, 0.05)
    if not isinstance(shape, dict):
        return np.full(3, 0.05)
    if "box" in shape:
        return np.asarray(shape["box"], dtype=float) / 2
    if "sphere" in shape:
        return np.full(3, float(shape["sphere"]))
    for kind in ("cylinder", "capsule"):
        if kind in shape:
            radius, length = shape[kind]
            extra = radius if kind == "capsule" else 0.0
            return np.array([radius, radius, length / 2 + extra])
    return np.full(3, 0.05)


def _sides(X_WO: SE3, half: Floats, towards: Floats) -> list[tuple[str, Floats, float]]:
    """The six sides: name, direction of approach, half size.

    The one that faces the tool comes first; from below comes last, since things stand on something.
    """
    found = []
    for axis, letter in enumerate("xyz"):
        for sign in (1.0, -1.0):
            direction = sign * X_WO.rotation[:, axis]
            name = f"its {'−' if sign > 0 else '+'}{letter} side"
            if abs(direction[2]) > _UPRIGHT:
                name = "below" if direction[2] > 0 else "above"
            found.append((name, direction, float(half[axis])))
    return sorted(found, key=lambda side: (side[0] == "below", -float(side[1] @ towards)))


def _approach(
    model: Model,
    q: Floats,
    frame: str,
    places: list[Floats],
    direction: Floats | None,
    side: str,
) -> _Try:
    """Drag the tool straight to each place in turn, its z axis along a direction if given."""
    start = pose(model, q, frame)
    at, axis = start.translation, start.so3.apply([0.0, 0.0, 1.0])
    dragger = Dragger(model, q, [Handle(frame, at, direction=None if direction is None else axis)])
    path, lack, reason = [q.copy()], 0.0, "reached"
    for n, place in enumerate(places):
        for share in np.linspace(0, 1, _STEPS + 1)[1:]:
            aim = None
            if direction is not None:
                # the tool is turned on the first leg and kept on the second
                aim = _between(axis, direction, share if n == 0 else 1.0)
            dragger.move(0, (1 - share) * at + share * place, direction=aim)
            for _ in range(_TICKS):
                result = dragger.tick()
                if result[0] != Outcome.MOVING:
                    break
            path.append(dragger.q.copy())
        at = place
        lack = max(lack, float(np.linalg.norm(pose(model, dragger.q, frame).translation - place)))
        reason = dragger.result(result).reason
        if lack > _FAR:
            break
    return _Try(side, path, lack, direction is not None and reason == "reached", reason)


def _between(a: Floats, b: Floats, share: float) -> Floats:
    """A unit vector on the way from a to b."""
    mixed = (1 - share) * a + share * b
    if float(np.linalg.norm(mixed)) < 1e-6:
        # opposite: round any side
        other = np.eye(3)[int(np.argmin(np.abs(a)))]
        mixed = np.cross(a, other)
    return np.asarray(mixed / np.linalg.norm(mixed))
