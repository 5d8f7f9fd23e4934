"""A serial chain of revolute joints as lines in space: what closed-form inverses are found from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.reference.base.rotation import quat_exp, quat_to_matrix
from kinegen.kernels.reference.base.transform import inverse, transform
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import LinkIndex, ModelJoint

__all__ = ["ANGLE_TOLERANCE", "LENGTH_TOLERANCE", "Chain", "cross", "serial_chain"]

ANGLE_TOLERANCE = 1e-5
"""Axes count as parallel or perpendicular within this [rad]: files write 1.5708 for pi / 2. The
kernels' Newton step removes what is left."""
LENGTH_TOLERANCE = 1e-5
"""Axes count as meeting within this part of the arm's size."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The revolute joints between the base and a frame, all at zero; vectors in the world W."""

    joints: tuple[ModelJoint, ...]
    fixed: tuple[Floats, ...]
    """Rigid transforms (4, 4) before, between and behind the joints: one more than joints."""
    axes: Floats
    """Directions, (n, 3)."""
    points: Floats
    """A point on each axis [m], (n, 3)."""
    home: Floats
    """X_WF of the frame, (4, 4)."""
    size: float
    """Sum of the distances between the joints and to the frame [m]."""

    def name(self, number: int) -> str:
        """A joint by its number, from 1, for people."""
        return f"'{self.joints[number - 1].name}'"

    def are_parallel(self, i: int, k: int) -> bool:
        """Whether two axes, numbered from 1, are parallel (either way round)."""
        return math.hypot(*cross(self.axes[i - 1], self.axes[k - 1])) < ANGLE_TOLERANCE

    def are_perpendicular(self, i: int, k: int) -> bool:
        """Whether the directions of two axes, numbered from 1, are at right angles."""
        return abs(float(self.axes[i - 1] @ self.axes[k - 1])) < ANGLE_TOLERANCE

    def meeting_point(self, numbers: Sequence[int]) -> Floats | None:
        """The point in which axes, numbered from 1, meet, or None."""
        rows = [np.eye(3) - np.outer(self.axes[i - 1], self.axes[i - 1]) for i in numbers]
        right = [row @ self.points[i - 1] for row, i in zip(rows, numbers, strict=True)]
        point: Floats = np.linalg.lstsq(np.vstack(rows), np.hstack(right), rcond=None)[0]
        gaps = np.vstack(rows) @ point - np.hstack(right)
        return point if np.abs(gaps).max() < LENGTH_TOLERANCE * self.size else None

    def foot(self, number: int, point: Floats) -> Floats:
        """The point of an axis, numbered from 1, that is nearest to a point."""
        axis, start = self.axes[number - 1], self.points[number - 1]
        return np.asarray(start + axis * (axis @ (point - start)))

    def carried(self, point: Floats, angles: Sequence[float]) -> Floats:
        """Where the first joints, turned by some angles, carry a point given at zero."""
        for axis, start, angle in reversed(list(zip(self.axes, self.points, angles, strict=False))):
            point = start + quat_to_matrix(quat_exp(angle * axis)) @ (point - start)
        return point


def cross(a: Floats, b: Floats) -> Floats:
    """The cross product of two vectors of three, without the cost of NumPy's general one."""
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def serial_chain(model: Model, frame: str) -> Chain | str:
    """The chain from the base to a frame or link, or in words why it is none."""
    site = model.site(frame)
    on_frame = np.eye(4)
    link = LinkIndex(site)
    if site >= model.link_count:
        row = model.frames[site - model.link_count]
        on_frame, link = _placed(model, row.placement), row.link
    path = _path(model, link)
    for joint in path:
        if joint.type.info.moves and not joint.type.info.is_hinge:
            return f"joint '{joint.name}' is {joint.type.value}: all must be revolute"
    looped = _looped_joints(model)
    coupled = {model.joints[i].name for one in model.couplings for i in one.joints}
    for joint in path:
        if joint.name in looped:
            return f"joint '{joint.name}' is part of a loop"
        if joint.name in coupled:
            return f"joint '{joint.name}' is coupled with others"

    X, before = np.eye(4), np.eye(4)
    joints, fixed, axes, points = [], [], [], []
    for joint in path:
        X = X @ _placed(model, joint.placement)
        if joint.type.info.is_hinge:
            joints.append(joint)
            fixed.append(inverse(before) @ X)
            axes.append(X[:3, 2])
            points.append(X[:3, 3])
            before = X
    home = X @ on_frame
    fixed.append(inverse(before) @ home)
    return Chain(
        tuple(joints),
        tuple(fixed),
        np.array(axes).reshape(-1, 3),
        np.array(points).reshape(-1, 3),
        home,
        sum(math.hypot(*X[:3, 3]) for X in fixed[1:]),
    )


def _placed(model: Model, placement: int) -> Floats:
    row = model.transforms[placement]
    return transform(row[:9].reshape(3, 3), row[9:])


def _path(model: Model, link: LinkIndex) -> list[ModelJoint]:
    """The tree joints from the base to a link, base first."""
    carrier = {joint.child: joint for joint in model.joints if not joint.is_cut}
    path: list[ModelJoint] = []
    while link in carrier:
        path.append(carrier[link])
        link = carrier[link].parent
    return path[::-1]


def _looped_joints(model: Model) -> set[str]:
    """Names of all joints that a loop runs through."""
    names: set[str] = set()
    for loop in model.loops:
        cut = model.joints[loop.joint]
        ends = ({j.name for j in _path(model, end)} for end in (cut.parent, cut.child))
        one, other = ends
        names |= (one ^ other) | {cut.name}
    return names
