"""Loop kinds: which loops belong together, and whether they move in a plane or about a point."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.loop_system import link_transforms, mechanism_size, placed_points
from kinegen.mechanism.joint_types import JointType
from kinegen.mechanism.model import JointIndex, LinkIndex, Model, ModelLoop

__all__ = ["LoopGroup", "LoopKind", "joint_frames", "loop_groups", "loop_path"]

_SAME = 1e-6
"""Axes that differ by less [rad, or share of the mechanism's size] are the same."""


class LoopKind(enum.Enum):
    """How the joints of a group of loops lie."""

    PLANAR = "planar"
    """All hinge axes parallel, all slides square to them: every link moves in a plane."""
    SPHERICAL = "spherical"
    """All axes meet in one point: every link turns about it."""
    SPATIAL = "spatial"


@dataclass(frozen=True, slots=True)
class LoopGroup:
    """Loops that share joints."""

    loops: tuple[int, ...]
    joints: tuple[JointIndex, ...]
    kind: LoopKind

    @property
    def dimension(self) -> int:
        """Constraints that a loop of this kind can have at most."""
        return 6 if self.kind is LoopKind.SPATIAL else 3


def loop_path(model: Model, loop: ModelLoop) -> dict[JointIndex, int]:
    """The joints of a loop, the cut one last: +1 where they move its end M, -1 where they move K.

    Joints that carry both ends do not belong to it.
    """
    cut = model.joints[loop.joint]
    carrying = {joint.child: i for i, joint in enumerate(model.joints) if not joint.is_cut}

    def chain(link: LinkIndex) -> list[JointIndex]:
        found = []
        while link in carrying:
            found.append(JointIndex(carrying[link]))
            link = model.joints[found[-1]].parent
        return found

    to_M, to_K = chain(cut.parent), chain(cut.child)
    both = set(to_M) & set(to_K)
    path = {joint: 1 for joint in to_M if joint not in both}
    path.update({joint: -1 for joint in to_K if joint not in both})
    path[loop.joint] = 1
    return path


def joint_frames(model: Model, q: Floats) -> tuple[Floats, Floats]:
    """Rotations R_WF (n, 3, 3) and origins (n, 3) [m] of all joints on their parents."""
    parents = [joint.parent for joint in model.joints]
    local = model.transforms[: len(parents), :9].reshape(-1, 3, 3)
    R_WF = link_transforms(model, q)[0][parents] @ local
    return R_WF, placed_points(model, q)[: len(parents)]


def loop_groups(model: Model, q: Floats) -> tuple[LoopGroup, ...]:
    """Groups of loops that share no joint, each with the kind it is of in this pose."""
    groups: list[tuple[list[int], set[JointIndex]]] = []
    for index, loop in enumerate(model.loops):
        joined = ([index], set(loop_path(model, loop)))
        apart = []
        for group in groups:
            if group[1] & joined[1]:
                joined = (group[0] + joined[0], group[1] | joined[1])
            else:
                apart.append(group)
        groups = [*apart, joined]
    if not groups:
        return ()
    R_WF, points = joint_frames(model, q)
    size = mechanism_size(model, q)
    return tuple(
        LoopGroup(
            tuple(sorted(loops)),
            tuple(sorted(joints)),
            _kind(model, sorted(joints), R_WF[:, :, 2], points / size),
        )
        for loops, joints in sorted(groups, key=lambda group: min(group[0]))
    )


def _kind(model: Model, joints: list[JointIndex], axes: Floats, points: Floats) -> LoopKind:
    turning, sliding, other = [], [], []
    for joint in joints:
        kind = model.joints[joint].type
        if kind in {JointType.REVOLUTE, JointType.PLANAR}:
            turning.append(joint)
        elif kind is JointType.PRISMATIC:
            sliding.append(joint)
        elif kind is not JointType.FIXED:
            other.append(joint)
    if turning and not other:
        normal = axes[turning[0]]
        tilted = np.linalg.norm(np.cross(axes[turning], normal), axis=1).max()
        leaving = np.abs(axes[sliding] @ normal).max(initial=0.0)
        if max(tilted, leaving) < _SAME:
            return LoopKind.PLANAR
    if turning and not sliding and _meet(model, turning, other, axes, points):
        return LoopKind.SPHERICAL
    return LoopKind.SPATIAL


def _meet(
    model: Model, turning: list[JointIndex], other: list[JointIndex], axes: Floats, points: Floats
) -> bool:
    """Whether all hinge axes, universal joints and balls share one point."""
    allowed = {JointType.UNIVERSAL, JointType.SPHERICAL}
    if any(model.joints[i].type is JointType.PLANAR for i in turning):
        return False
    if any(model.joints[i].type not in allowed for i in other):
        return False
    # the distance of x from a line: the part of x - p across the axis
    across = [np.eye(3) - np.outer(axes[i], axes[i]) for i in turning] + [np.eye(3) for _ in other]
    places = [points[i] for i in [*turning, *other]]
    rows = np.vstack(across)
    rhs = np.concatenate([P @ p for P, p in zip(across, places, strict=True)])
    meeting, _, _, _ = np.linalg.lstsq(rows, rhs, rcond=None)
    return bool(np.abs(rows @ meeting - rhs).max() < _SAME)
