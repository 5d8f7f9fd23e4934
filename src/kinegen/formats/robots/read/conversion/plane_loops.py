"""Plane loops whose numbers are rounded: what takes up the rounding, so that they can close.

Where all axes of a loop are parallel, it moves in a plane. Where rounding has tilted one of them by
1e-7 rad, the loop stays open by some nanometres across the plane, and no joint can make up for it.
The numbers of the file stay as they are: the ends of such a loop may slide along the plane's normal
and tilt by what the rounding asks for, on links without mass. Engines need some inertia for that:
the joints have it as armatures, whose effect is nil because they move by some nanometres only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from kinegen.formats.robots.read.robot import MotionKind, Robot, RobotJoint, RobotLink
from kinegen.formats.robots.transform import (
    IDENTITY,
    Transform,
    Vector,
    align_z,
    compose,
    inverse,
    rotate,
)

__all__ = ["loosen_plane_loops"]

ROUNDING = 1e-5
"""[rad, sizes of the loop] Less is rounding: files often have five digits, as in 1.5708."""
_EXACT = 1e-12
"""[rad, sizes of the loop] A loop that is off its plane by less than this closes anyway."""
_ABOUT_NORMAL = {MotionKind.HINGE, MotionKind.PLANAR}
_IN_PLANE = {*_ABOUT_NORMAL, MotionKind.SLIDER, MotionKind.FIXED}


def loosen_plane_loops(robot: Robot, root: str) -> None:
    """Let the ends of loops that are plane but for rounding move across their planes."""
    Xs = _zero_poses(robot, root)
    carriers = {joint.child: joint for joint in robot.joints.values()}
    loops = []
    for loop in robot.loops:
        normal, off = _plane(loop, _path(loop, carriers), Xs)
        is_rounded = _EXACT < off < ROUNDING
        loops.append(_loosened(robot, loop, normal, off) if is_rounded else loop)
    robot.loops = loops


def _plane(
    loop: RobotJoint, path: list[RobotJoint], Xs: dict[str, Transform]
) -> tuple[Vector, float]:
    """The normal of a loop's plane in the frame of its cut joint, and how far it is off the plane.

    The latter is the largest angle [rad], or offset in sizes of the loop; infinite in space.
    """
    frames = [(joint, compose(Xs[joint.parent], joint.X_PJ)) for joint in (*path, loop)]
    X_WJ, X_WK = frames[-1][1], compose(Xs[loop.child], inverse(loop.X_JC))
    axes = [(one.kind, rotate(X, one.axis)) for one, X in frames]
    normal = next((axis for kind, axis in axes if kind in _ABOUT_NORMAL), None)
    is_spatial = any(one.kind not in _IN_PLANE for one in path)
    if normal is None or is_spatial or loop.kind not in {*_IN_PLANE, MotionKind.BALL}:
        return loop.axis, math.inf
    size = max(math.dist(X[9:], X_WJ[9:]) for _, X in frames)
    gap = [b - a for a, b in zip(X_WJ[9:], X_WK[9:], strict=True)]
    off = [abs(_dot(normal, gap)) / size if size else math.inf]
    off += [_sine(normal, axis) for kind, axis in axes if kind in _ABOUT_NORMAL]
    off += [abs(_dot(normal, axis)) for kind, axis in axes if kind is MotionKind.SLIDER]
    normal_J = rotate(_turned_back(X_WJ), normal)
    if loop.kind is not MotionKind.BALL:
        off.append(_sine(normal_J, rotate(_turned_back(X_WK), normal)))
    return normal_J, max(off)


def _loosened(robot: Robot, loop: RobotJoint, normal: Vector, off: float) -> RobotJoint:
    """A loop whose cut joint slides along the normal, and tilts if it holds rotations."""
    kinds = {"slide": MotionKind.SLIDER}
    if loop.kind is not MotionKind.BALL:
        kinds["tilt"] = MotionKind.UNIVERSAL
    turn, mass = align_z(normal), max(one.mass for one in robot.links.values()) or 1.0
    parent, X_PJ, names = loop.parent, compose(loop.X_PJ, turn), []
    for word, kind in kinds.items():
        name = _new_name(robot, f"{loop.name}_{word}")
        link = _new_name(robot, f"{name}_link")
        robot.links[link] = RobotLink(link, loop.at, is_virtual=True)
        # a universal joint turns about x and y here: across the normal
        axis = (0.0, 0.0, 1.0) if kind is MotionKind.SLIDER else (0.0, 1.0, 0.0)
        robot.joints[name] = RobotJoint(
            name, kind, parent, link, loop.at, X_PJ=X_PJ, axis=axis, armature=mass, has_motor=False
        )
        parent, X_PJ = link, IDENTITY
        names.append(f"'{name}'")
    robot.remark(
        loop.at,
        f"the loop of joint '{loop.name}' is planar except for rounding (by {off:.1e}): "
        f"{' and '.join(names)} {'are' if names[1:] else 'is'} added to compensate for it, so that "
        "the loop can close",
    )
    loop.parent, loop.X_PJ = parent, inverse(turn)
    return loop


def _new_name(robot: Robot, name: str) -> str:
    taken = {*robot.links, *robot.joints}
    taken |= {one.name for one in robot.loops} | {one.name for one in robot.frames}
    while name in taken:
        name += "_"
    return name


def _zero_poses(robot: Robot, root: str) -> dict[str, Transform]:
    """Poses of all links where each joint has the value that the file's pose has."""
    outboard: dict[str, list[RobotJoint]] = {}
    for joint in robot.joints.values():
        outboard.setdefault(joint.parent, []).append(joint)
    found, reached = {root: IDENTITY}, [root]
    for link in reached:
        for joint in outboard.get(link, ()):
            found[joint.child] = compose(compose(found[link], joint.X_PJ), joint.X_JC)
            reached.append(joint.child)
    return found


def _path(loop: RobotJoint, carriers: dict[str, RobotJoint]) -> list[RobotJoint]:
    """The joints of the tree that a loop passes through."""
    ways = []
    for link in (loop.parent, loop.child):
        way: dict[str, RobotJoint] = {}
        while link in carriers:
            way[link] = carriers[link]
            link = carriers[link].parent  # noqa: PLW2901 - towards the root
        ways.append(way)
    one, other = ways
    return [joint for link, joint in (one | other).items() if (link in one) != (link in other)]


def _dot(one: Iterable[float], other: Iterable[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _sine(one: Vector, other: Vector) -> float:
    """The sine of the angle between two lines, which is the angle where it is small."""
    x = one[1] * other[2] - one[2] * other[1]
    y = one[2] * other[0] - one[0] * other[2]
    z = one[0] * other[1] - one[1] * other[0]
    return math.sqrt(x * x + y * y + z * z)


def _turned_back(X: Transform) -> Transform:
    return (X[0], X[3], X[6], X[1], X[4], X[7], X[2], X[5], X[8], 0.0, 0.0, 0.0)
