"""Grasp: a short way of a tool to an object, straight onto one of its sides, then the gripper shut.

The way is a proposal: it keeps loops closed and joints within their limits. If that is asked for,
it collides with nothing on its way; the object itself may be touched on the last, straight leg.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.collisions.checker import CollisionChecker
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.positions import pose
from kinegen.kinematics.scene import SceneObject
from kinegen.kinematics.solving.dragging import Dragger
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.shapes import Box, Capsule, Cylinder, Primitive, Sphere
from kinegen.motion.collisions import CollisionSpan, collision_spans
from kinegen.motion.grasp.gripper import closing_path, gripper_joints, opening_path
from kinegen.motion.recording import Recording
from kinegen.results import Columns, Result, ResultList
from kinegen.spatial.pose import SE3

__all__ = [
    "Grasp",
    "Side",
    "Surroundings",
    "approach_sides",
    "grasp_object",
    "half_sizes",
    "plan_grasp",
]

Progress = Callable[[str, float], None]
"""Called with the side that is tried, and the share of all sides that is done."""
_STEPS = 40
"""Poses per leg of the way."""
_TICKS = 20
"""Solver ticks at most until a pose of the way counts as not reached."""
_VERTICAL = 0.9
"""A direction with this much of z is up or down."""
_FAR = 1e-6
"""A tool has arrived below this distance [m]."""
_UNKNOWN = 0.05
"""Half the extent of a body whose size is not known, such as a mesh [m]."""
_CLEARANCE = 0.05
"""Least distance from which the straight approach begins, in sizes of the mechanism."""


@dataclass(frozen=True, slots=True, eq=False)
class Grasp(Result):
    """The motion of a tool to an object: open the gripper, approach, close the gripper."""

    model: Model
    frame: str
    """The tool."""
    reached: bool
    """Whether the tool arrives."""
    reason: str
    """The reason in words if it does not; otherwise 'reached'."""
    side: str
    """The side of the object from which it comes: 'above', 'below', 'its +x side', …"""
    aligned: bool
    """Whether the tool's z axis points at the object when it arrives."""
    gripper: tuple[str, ...]
    """The joints of the fingers; none for a tool without fingers."""
    path: Floats
    """Configurations in turn, loops closed, (n, nq)."""
    grasp_at: int
    """The row of the path in which the tool has arrived; the gripper closes afterwards."""

    def collisions(self, checker: CollisionChecker | None = None) -> ResultList[CollisionSpan]:
        """Parts of its default :meth:`recording` in which bodies touch, the object included."""
        times = self.recording().times
        return collision_spans(self.model, times, self.path, checker=checker)

    def recording(self, duration: float = 5.0) -> Recording:
        """The motion with a given duration [s]; every step takes the same time."""
        if not (np.isfinite(duration) and duration > 0):
            raise UsageError(f"the duration of a motion must be positive [s], not {duration}")
        times = np.linspace(0.0, duration, len(self.path))
        return Recording.of(self.model, self.path, times, name="grasp")

    def columns(self) -> Columns:
        """The table of its default :meth:`recording`."""
        return self.recording().columns()


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A side from which an object can be approached."""

    name: str
    direction: Floats
    """Unit vector of the approach, in the world, (3,)."""
    reach: float
    """Half the object's extent along it [m]."""


class Surroundings(NamedTuple):
    """What a grasp avoids, leg by leg."""

    way: CollisionChecker
    """On the way to the object's side: everything."""
    approach: CollisionChecker
    """On the straight approach: everything but the object."""


@dataclass(frozen=True, slots=True, eq=False)
class _Try:
    """A way onto one side."""

    side: str
    path: list[Floats]
    lack: float
    """How far the tool stays away [m]."""
    aligned: bool
    reason: str


def grasp_object(
    model: AnyModel,
    q: Configuration,
    frame: str | None,
    thing: SceneObject,
    *,
    clearance: float | None = None,
    progress: Progress | None = None,
    avoid: bool = False,
    floor: float | None = None,
) -> Grasp:
    """Plan the motion of a tool to an object of the scene; arguments as for :func:`plan_grasp`.

    With ``avoid``, the way to the object's side also avoids the object itself; only the last,
    straight segment and the gripper may touch it.
    """
    model, size = model_of(model), half_sizes(thing.shapes)
    around: Surroundings | None = None
    if avoid:
        names = [row["name"] for row in model.compiled_from.scene.get("objects", ())]
        own = {thing.name: thing.X_WO} if thing.name in names else {}
        around = Surroundings(
            CollisionChecker(model, floor=floor, places=own),
            CollisionChecker(model, floor=floor, without=tuple(own)),
        )
    return plan_grasp(
        model, q, frame, thing.X_WO, size, clearance=clearance, progress=progress, around=around
    )


def plan_grasp(
    model: AnyModel,
    q: Configuration,
    frame: str | None,
    X_WO: SE3,
    half: npt.ArrayLike,
    *,
    clearance: float | None = None,
    progress: Progress | None = None,
    around: Surroundings | None = None,
) -> Grasp:
    """Plan the motion of a tool straight towards one of the six sides of an object.

    Args:
        model: The mechanism or its model.
        q: Its pose; default: the file's start.
        frame: The tool, whose z axis points at the object; default: the file's last frame.
        X_WO: The pose of the object.
        half: Half the object's extents along its own axes [m], (3,).
        clearance: Distance from which the straight approach begins [m]; default: half the
            object's largest half extent, at least 5 % of the mechanism's size.
        progress: Called before each side is tried.
        around: Bodies to avoid on the way, if any: sides that cannot be reached without a collision
            are skipped, and the reason names the colliding bodies.
    """
    model = model_of(model)
    frame = frame or model.site_names[-1]
    model.site(frame)
    q = configuration(model, q)
    size = np.asarray(half, dtype=float)
    if size.shape != (3,) or not np.isfinite(size).all() or (size < 0).any():
        raise UsageError(f"half the extents of an object must be 3 lengths [m], got {half!r}")
    if clearance is None:
        clearance = max(0.5 * float(size.max()), _CLEARANCE * model.size)
    if not (np.isfinite(clearance) and clearance >= 0):
        raise UsageError(f"the clearance of an approach must be a length [m], not {clearance}")
    fingers = gripper_joints(model, frame)
    opening = opening_path(model, q, frame, fingers)
    q = opening[-1] if len(opening) else q
    towards = X_WO.translation - pose(model, q, frame).translation
    best: _Try | None = None
    sides = approach_sides(X_WO, size, towards)
    for n, side in enumerate(sides):
        if progress is not None:
            progress(side.name, n / len(sides))
        # a gripper takes the object between its fingers, any other tool touches it
        goal = X_WO.translation - side.direction * (0.0 if fingers else side.reach)
        before = X_WO.translation - side.direction * (side.reach + clearance)
        for align in (True, False):
            direction = side.direction if align else None
            found = _approach(model, q, frame, [before, goal], direction, side.name, around)
            if best is None or (found.lack < best.lack - _FAR):
                best = found
            if found.lack <= _FAR:
                break
        if best is not None and best.lack <= _FAR:
            break
    assert best is not None
    path = [*opening, *best.path]
    grasp_at = len(path) - 1
    reached = best.lack <= _FAR
    if fingers and reached:
        path += list(closing_path(model, path[-1], frame, fingers, float(size.min())))
    return Grasp(
        model, frame, reached, best.reason, best.side, best.aligned, tuple(fingers),
        np.array(path), grasp_at,
    )  # fmt: skip


def half_sizes(shapes: Sequence[Primitive]) -> Floats:
    """Half the extents of a body along its own axes [m], (3,); an estimate for meshes."""
    found = [_half_size(shape) for shape in shapes]
    return np.max(found, axis=0) if found else np.full(3, _UNKNOWN)


def _half_size(shape: Primitive) -> Floats:
    match shape:
        case Box(size=size):
            return np.asarray(size, dtype=float) / 2
        case Sphere(radius=radius):
            return np.full(3, float(radius))
        case Cylinder(radius=radius, length=length):
            return np.array([radius, radius, length / 2])
        case Capsule(radius=radius, length=length):
            return np.array([radius, radius, length / 2 + radius])
        case _:
            return np.full(3, _UNKNOWN)


def approach_sides(X_WO: SE3, half: Floats, towards: Floats) -> list[Side]:
    """The six sides of an object, in the order in which they are tried.

    The one that faces the tool comes first; from below comes last, since things stand on something.

    Args:
        X_WO: The pose of the object.
        half: Half its extents along its own axes [m], (3,).
        towards: From the tool to the object [m], (3,).
    """
    found = []
    for axis, letter in enumerate("xyz"):
        for sign in (1.0, -1.0):
            direction = sign * X_WO.rotation[:, axis]
            name = f"its {'−' if sign > 0 else '+'}{letter} side"
            if abs(direction[2]) > _VERTICAL:
                name = "below" if direction[2] > 0 else "above"
            found.append(Side(name, direction, float(half[axis])))
    return sorted(found, key=lambda side: (side.name == "below", -float(side.direction @ towards)))


def _approach(
    model: Model,
    q: Floats,
    frame: str,
    places: list[Floats],
    direction: Floats | None,
    side: str,
    around: Surroundings | None = None,
) -> _Try:
    """Drag the tool straight to each place in turn, its z axis along a direction if given."""
    start = pose(model, q, frame)
    at, axis = start.translation, start.so3.apply([0.0, 0.0, 1.0])
    handle = Handle(frame, at, direction=None if direction is None else axis)
    path, lack, reason = [q.copy()], 0.0, "reached"
    for n, place in enumerate(places):
        dragger = Dragger(model, path[-1], [handle], avoid=around[n] if around else False)
        for share in np.linspace(0, 1, _STEPS + 1)[1:]:
            aim = None
            if direction is not None:
                # the tool is turned on the first leg and kept on the second
                aim = _between(axis, direction, share if n == 0 else 1.0)
            dragger.move(0, (1 - share) * at + share * place, direction=aim)
            for _ in range(_TICKS):
                result = dragger.tick()
                if not result.moving:
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
