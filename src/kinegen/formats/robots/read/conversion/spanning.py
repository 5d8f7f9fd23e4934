"""Spanning tree: a graph of links and joints becomes a tree on the ground, and loops.

Files with graphs (SDF) name a parent and a child for each joint, but the links may hang together
in any way. A joint onto a link that another one already carries closes a loop; one that leads to
the tree from outside is turned around, so that its variable and its sign stay the same.
"""

from __future__ import annotations

from kinegen.formats.robots.read.robot import MotionKind, Robot, RobotJoint
from kinegen.formats.robots.transform import inverse

__all__ = ["span"]

_REVERSIBLE = {MotionKind.FIXED, MotionKind.HINGE, MotionKind.SLIDER, MotionKind.SCREW,
               MotionKind.CYLINDRICAL}  # fmt: skip


def span(robot: Robot, ground: str) -> list[str]:
    """Sort a robot's joints into a tree and loops; the links that stay on their own.

    Joints of the tree stay in ``robot.joints``, turned around where needed; the others move to
    ``robot.loops``.

    Args:
        robot: Its joints connect links in any way.
        ground: The link that everything stands on.

    Returns:
        One link of each part that no joint connects with the ground: the one that nothing carries.
    """
    pieces = {name: name for name in robot.links}
    carried: set[str] = {ground}

    def piece(name: str) -> str:
        while pieces[name] != name:
            pieces[name] = pieces[pieces[name]]
            name = pieces[name]
        return name

    tree: dict[str, RobotJoint] = {}
    for joint in robot.joints.values():
        apart = piece(joint.parent) != piece(joint.child)
        if apart and joint.child in carried and joint.parent not in carried:
            if joint.kind in _REVERSIBLE:
                _turn_around(joint)
        if not apart or joint.child in carried:
            robot.loops.append(joint)
            continue
        carried.add(joint.child)
        pieces[piece(joint.child)] = piece(joint.parent)
        tree[joint.name] = joint
    robot.joints.clear()
    robot.joints.update(tree)
    return [name for name in robot.links if name not in carried]


def _turn_around(joint: RobotJoint) -> None:
    """The same joint seen from its child: the same variable about the opposite axis."""
    x, y, z = joint.axis
    joint.parent, joint.child = joint.child, joint.parent
    joint.X_PJ, joint.X_JC = inverse(joint.X_JC), inverse(joint.X_PJ)
    joint.axis = -x, -y, -z
