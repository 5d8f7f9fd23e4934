"""Description: the robot as URDF, and its joints and links as the file names them.

Loops are cut as in the file: values of all joints of its tree are published, those without motors
too, so programs that know trees only show the mechanism closed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import numpy as np

from kinegen.bridges.robot import Robot
from kinegen.formats.robots.write.urdf import UrdfVariable, urdf_tree
from kinegen.kernels import Floats
from kinegen.kinematics.positions import poses
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["Description"]


@dataclass(frozen=True, slots=True)
class _Joint:
    """A joint of the file."""

    kind: str
    parent: str
    child: str
    X: SE3
    """Where it is while its value is 0."""
    axis: Floats
    source: str
    """Whose value it has: its own name, or that of the joint it follows."""
    factor: float
    offset: float

    def pose(self, value: float) -> SE3:
        """The child's pose in its parent."""
        amount = self.factor * value + self.offset
        if self.kind == "prismatic":
            return self.X @ SE3(SO3.identity(), self.axis * amount)
        if self.kind == "fixed":
            return self.X
        return self.X @ SE3(SO3.exp(self.axis * amount))


class Description:
    """URDF of a robot, and what its joints and links do now."""

    def __init__(self, robot: Robot) -> None:
        """Write the file; joints without a motor are followed too."""
        self.robot = robot
        tree = self.tree = urdf_tree(robot.mechanism)
        self.text = tree.text
        model = robot.model
        self._variables = [one for one in tree.variables if one.joint in robot.mechanism.joints]
        shown = {(one.joint, one.variable) for one in self._variables if one.turns is None}
        self._others = [
            one for one in robot.servos
            if (one.data.joint, _number(robot, one)) not in shown
        ]  # fmt: skip
        self.names = [one.name for one in self._variables] + [one.name for one in self._others]
        """Of all joints in joint states."""
        self.servos = {one.name: one for one in robot.servos}
        """By the file's names and by the mechanism's."""
        places = {(one.data.joint, _number(robot, one)): one for one in robot.servos}
        for one in self._variables:
            servo = places.get((one.joint, one.variable))
            if servo is not None and one.turns is None:
                self.servos[one.name] = servo
        self._joints = [_read(one) for one in ElementTree.fromstring(tree.text).iter("joint")]
        self._links = {model.link_names[0]: tree.root}
        for name, link in tree.links.items():
            if name in robot.mechanism.joints:
                self._links[model.link_names[model.joint(name).child]] = link
        self._floating = any(one.kind == "floating" for one in self._joints)
        self._own = {link: own for own, link in self._links.items()}
        self._offsets: dict[str, SE3] = {}
        self._offsets = self._find_offsets()

    def link_of(self, link: str) -> tuple[str, SE3]:
        """The file's name of one of our links L, and the pose X_LU of its frame U there."""
        name = self._links.get(link)
        if name is None:
            return self.tree.root, SE3.identity()
        return name, self._offsets.get(name, SE3.identity())

    def joint_state(self) -> tuple[list[str], list[float], list[float], list[float]]:
        """Names, positions, velocities and efforts of all joints."""
        robot, model = self.robot, self.robot.model
        positions, velocities, efforts = [], [], []
        balls: dict[str, tuple[Floats, Floats]] = {}
        for one in self._variables:
            joint = model.joint(one.joint)
            if one.turns is None:
                positions.append(float(robot.q[joint.q.start + one.variable]))
                velocities.append(float(robot.v[joint.v.start + one.variable]))
                efforts.append(float(robot.efforts[joint.v.start + one.variable]))
                continue
            if one.joint not in balls:
                balls[one.joint] = self._ball(one)
            angles, rates = balls[one.joint]
            positions.append(float(angles[one.turns]))
            velocities.append(float(rates[one.turns]))
            efforts.append(0.0)
        for servo in self._others:
            positions.append(servo.position)
            velocities.append(servo.velocity)
            efforts.append(servo.effort)
        return self.names, positions, velocities, efforts

    def transforms(self, *, fixed: bool) -> list[tuple[str, str, SE3]]:
        """Parent, child and pose of each joint of the file: those that move, or the others."""
        values: dict[str, float] = {}
        if not fixed:
            names, positions, *_ = self.joint_state()
            values = dict(zip(names, positions, strict=True))
        where = poses(self.robot.model, self.robot.q) if self._floating and not fixed else {}
        found = []
        for one in self._joints:
            if (one.kind == "fixed") is not fixed:
                continue
            if one.kind == "floating":
                if one.child in self._own:
                    X = self._placed(where, one.parent).inverse() @ self._placed(where, one.child)
                    found.append((one.parent, one.child, X))
                continue
            found.append((one.parent, one.child, one.pose(values.get(one.source, 0.0))))
        return found

    # Inside

    def _ball(self, one: UrdfVariable) -> tuple[Floats, Floats]:
        """Angles about x, y and z of a ball, and how fast they change."""
        joint = self.robot.model.joint(one.joint)
        start = joint.q.start
        R = SO3(self.robot.q[start : start + 4]).matrix
        w = self.robot.v[joint.v.start : joint.v.stop][-3:]
        b = math.atan2(R[0, 2], math.hypot(R[0, 0], R[0, 1]))
        a = math.atan2(-R[1, 2], R[2, 2]) if abs(R[1, 2]) + abs(R[2, 2]) > 1e-9 else 0.0
        ca, sa = math.cos(a), math.sin(a)
        c = math.atan2(ca * R[1, 0] + sa * R[2, 0], ca * R[1, 1] + sa * R[2, 1])
        Ry, Rz = SO3.exp([0, b, 0]).matrix, SO3.exp([0, 0, c]).matrix
        columns = [Rz.T @ Ry.T @ [1, 0, 0], Rz.T @ [0, 1, 0], np.array([0.0, 0.0, 1.0])]
        rates = np.linalg.lstsq(np.column_stack(columns), w, rcond=1e-6)[0]
        return np.array([a, b, c]), rates

    def _placed(self, where: dict[str, SE3], link: str) -> SE3:
        own = self._own.get(link)
        if own is None or own not in where:
            return SE3.identity()
        return where[own] @ self._offsets.get(link, SE3.identity())

    def _find_offsets(self) -> dict[str, SE3]:
        """Where the frames of the file's links are on ours: they do not move there."""
        where = poses(self.robot.model, self.robot.q)
        X_WR = SE3(
            SO3.from_matrix(np.reshape(self.tree.X_WR[:9], (3, 3))), np.array(self.tree.X_WR[9:])
        )
        placed = {self.tree.root: X_WR}
        joints = {**{c: (p, X) for p, c, X in self.transforms(fixed=True)}}
        floating = {one.child for one in self._joints if one.kind == "floating"}
        joints |= {c: (p, X) for p, c, X in self.transforms(fixed=False) if c not in floating}

        def place(link: str) -> SE3:
            if link not in placed:
                if link in joints:
                    parent, X = joints[link]
                    placed[link] = place(parent) @ X
                else:  # on a floating joint the file's frame is ours
                    placed[link] = where[self._own[link]] if link in self._own else X_WR
            return placed[link]

        return {
            link: where[own].inverse() @ place(link)
            for link, own in self._own.items()
            if own in where
        }


def _number(robot: Robot, servo: Any) -> int:
    """Which variable of its joint a servo moves."""
    return int(servo.data.index) - int(robot.model.joint(servo.data.joint).q.start)


def _read(element: ElementTree.Element) -> _Joint:
    """A joint of the file's text."""

    def numbers(tag: str, key: str, default: str) -> list[float]:
        found = element.find(tag)
        return [float(x) for x in (default if found is None else found.get(key, default)).split()]

    parent, child = element.find("parent"), element.find("child")
    assert parent is not None and child is not None
    X = SE3(
        SO3.from_rpy(*numbers("origin", "rpy", "0 0 0")),
        np.array(numbers("origin", "xyz", "0 0 0")),
    )
    mimic = element.find("mimic")
    source, factor, offset = str(element.get("name")), 1.0, 0.0
    if mimic is not None:
        source = str(mimic.get("joint"))
        factor, offset = float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))
    return _Joint(
        str(element.get("type")), str(parent.get("link")), str(child.get("link")), X,
        np.array(numbers("axis", "xyz", "1 0 0")), source, factor, offset,
    )  # fmt: skip
