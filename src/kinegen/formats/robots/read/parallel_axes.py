"""Parallel axes in loops: files round them, and then a plane loop cannot close exactly.

In the pose of the file its loops are closed. Where all axes of a plane loop are parallel, it closes
in every other pose too; where rounding has tilted one of them by 1e-8 rad, it stays open by some
nanometres across its plane, which no joint can make up for. So axes that are parallel but for
rounding are made parallel. The pose of the file does not change.
"""

from __future__ import annotations

import math

from kinegen.formats.robots.read.robot import MotionKind, Robot, RobotJoint
from kinegen.formats.robots.transform import IDENTITY, Transform, Vector, compose, rotate

__all__ = ["align_axes"]

ROUNDING = 1e-5
"""[rad] Axes that differ by less are parallel: files often have five digits, as in 1.5708."""
_EXACT = 1e-15
"""[rad] Below this axes are parallel already."""
_WITH_AXIS = {MotionKind.HINGE, MotionKind.SLIDER, MotionKind.SCREW, MotionKind.CYLINDRICAL,
              MotionKind.PLANAR}  # fmt: skip


def align_axes(robot: Robot, root: str) -> None:
    """Make the axes of joints in loops parallel that differ from it by rounding alone."""
    Xs = _zero_poses(robot, root)
    involved = {name: one for name, one in _in_loops(robot).items() if one.kind in _WITH_AXIS}
    known: list[Vector] = []
    moved: list[tuple[float, RobotJoint]] = []
    for joint in involved.values():
        X_WJ = compose(Xs[joint.parent], joint.X_PJ)
        axis = rotate(X_WJ, joint.axis)
        found = next((one for one in known if _angle(one, axis) < ROUNDING), None)
        if found is None:
            known.append(axis)
        elif _angle(found, axis) > _EXACT:
            moved.append((_angle(found, axis), joint))
            sign = math.copysign(1.0, sum(a * b for a, b in zip(found, axis, strict=True)))
            joint.axis = _unit(rotate(_turned_back(X_WJ), [sign * one for one in found]))
    if moved:
        most, worst = max(moved, key=lambda one: one[0])
        count = f"{len(moved)} joints" if len(moved) > 1 else "1 joint"
        robot.remark(
            worst.at,
            f"the axes of {count} in loops are parallel to others but for rounding (by up to "
            f"{most:.1e} rad, at '{worst.name}'): they are read as parallel, so that loops close",
        )


def _in_loops(robot: Robot) -> dict[str, RobotJoint]:
    """Cut joints, and the joints of the tree that loops pass through, by name."""
    carriers = {joint.child: joint for joint in robot.joints.values()}
    return {one.name: one for loop in robot.loops for one in (*_path(loop, carriers), loop)}


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


def _angle(one: Vector, other: Vector) -> float:
    """The angle between two lines, for small ones."""
    x = one[1] * other[2] - one[2] * other[1]
    y = one[2] * other[0] - one[0] * other[2]
    z = one[0] * other[1] - one[1] * other[0]
    return math.sqrt(x * x + y * y + z * z)


def _turned_back(X: Transform) -> Transform:
    return (X[0], X[3], X[6], X[1], X[4], X[7], X[2], X[5], X[8], 0.0, 0.0, 0.0)


def _unit(x: Vector) -> Vector:
    length = math.sqrt(sum(one * one for one in x))
    return x[0] / length, x[1] / length, x[2] / length
