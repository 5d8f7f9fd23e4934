"""Loop groups: which loops belong together, and whether they move in a plane or about a point."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.layout import TRANSFORM_SIZE
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import JointIndex, LinkIndex, ModelCoupling, ModelLoop

__all__ = [
    "LoopGroup",
    "LoopKind",
    "constraint_joints",
    "joint_frames",
    "link_transforms",
    "loop_groups",
    "loop_kind",
    "loop_path",
    "placed_links",
    "placed_points",
]

_SAME = 1e-6
"""Axes that differ by less [rad, or share of the mechanism's size] are the same."""


class LoopKind(enum.Enum):
    """How the joints of a group of loops lie."""

    PLANAR = "planar"
    """All hinge axes parallel, all slides perpendicular to them: every link moves in a plane."""
    SPHERICAL = "spherical"
    """All axes meet in one point: every link turns about it."""
    SPATIAL = "spatial"

    @property
    def dimension(self) -> int:
        """How many independent constraints one loop of this kind has at most."""
        return 6 if self is LoopKind.SPATIAL else 3


@dataclass(frozen=True, slots=True)
class LoopGroup:
    """Loops and couplings that share joints: they move independently of all other groups."""

    loops: tuple[int, ...]
    """By their numbers; couplings come behind the loops."""
    joints: tuple[JointIndex, ...]

    def cut_loops(self, model: Model) -> tuple[int, ...]:
        """Those that a cut joint closes: not the couplings."""
        return tuple(n for n in self.loops if n < len(model.loops))

    def couplings(self, model: Model) -> tuple[ModelCoupling, ...]:
        """Its couplings."""
        first = len(model.loops)
        return tuple(model.couplings[n - first] for n in self.loops if n >= first)

    def equation_count(self, model: Model) -> int:
        """Six equations of each loop, one of each coupling."""
        loops = len(self.cut_loops(model))
        return 6 * loops + (len(self.loops) - loops)


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


def constraint_joints(model: Model, number: int) -> set[JointIndex]:
    """The joints of a loop or coupling by its number."""
    if number < len(model.loops):
        return set(loop_path(model, model.loops[number]))
    return set(model.couplings[number - len(model.loops)].joints)


def loop_groups(model: Model) -> tuple[LoopGroup, ...]:
    """All loops and couplings, in groups that share no joint."""
    groups: list[tuple[list[int], set[JointIndex]]] = []
    for index in range(model.constraint_count):
        joined = ([index], constraint_joints(model, index))
        apart = []
        for group in groups:
            if group[1] & joined[1]:
                joined = (group[0] + joined[0], group[1] | joined[1])
            else:
                apart.append(group)
        groups = [*apart, joined]
    groups.sort(key=lambda group: min(group[0]))
    return tuple(LoopGroup(tuple(sorted(loops)), tuple(sorted(joints))) for loops, joints in groups)


def link_transforms(model: Model, q: Floats) -> tuple[Floats, Floats]:
    """Rotations R_WL (link_count, 3, 3) and origins p_WL (link_count, 3) [m] of all links."""
    transforms = np.empty((model.link_count, TRANSFORM_SIZE))
    model.kernels.forward_links(q, transforms)
    return transforms[:, :9].reshape(-1, 3, 3), transforms[:, 9:]


def placed_links(model: Model) -> list[int]:
    """The link that each placement is on: those of joints, of landings, of frames."""
    links: list[int] = [joint.parent for joint in model.joints]
    nowhere = [0] * len(model.couplings)  # they have no place of their own
    links += nowhere
    links += [model.joints[loop.joint].child for loop in model.loops]
    links += nowhere
    return links + [frame.link for frame in model.frames]


def placed_points(model: Model, q: Floats) -> Floats:
    """Where all joints sit on their links, where the cut ones land, and all frames, (n, 3) [m]."""
    R_WL, p_WL = link_transforms(model, q)
    links = placed_links(model)
    return np.asarray(np.einsum("nij,nj->ni", R_WL[links], model.transforms[:, 9:]) + p_WL[links])


def joint_frames(model: Model, q: Floats) -> tuple[Floats, Floats]:
    """Rotations R_WF (n, 3, 3) and origins (n, 3) [m] of all joints on their parents."""
    parents = [joint.parent for joint in model.joints]
    local = model.transforms[: len(parents), :9].reshape(-1, 3, 3)
    R_WF = link_transforms(model, q)[0][parents] @ local
    return R_WF, placed_points(model, q)[: len(parents)]


def loop_kind(model: Model, q: Floats, group: LoopGroup, size: float) -> LoopKind:
    """Of which kind a group of loops is in a pose; size [m] is the group's own."""
    R_WF, points = joint_frames(model, q)
    axes = R_WF[:, :, 2]
    moving = {i: model.joints[i].type.info for i in group.joints if model.joints[i].type.info.moves}
    hinges = [i for i, info in moving.items() if info.is_hinge]
    flat = hinges + [i for i, info in moving.items() if info.turns_about_axis and i not in hinges]
    slides = [i for i, info in moving.items() if info.is_slide]
    if flat and all(info.fits_plane for info in moving.values()):
        normal = axes[flat[0]]
        tilted = np.linalg.norm(np.cross(axes[flat], normal), axis=1).max()
        if max(tilted, np.abs(axes[slides] @ normal).max(initial=0.0)) < _SAME:
            return LoopKind.PLANAR
    balls = [i for i, info in moving.items() if info.turns_about_point]
    if len(hinges) + len(balls) == len(moving) > 0:
        # the distance of x from a line through p: the part of x - p across its axis
        across = [np.eye(3) - np.outer(axes[i], axes[i]) for i in hinges]
        rows = np.vstack(across + [np.eye(3)] * len(balls))
        places = points[hinges + balls] / size
        rhs = np.einsum("nij,nj->ni", rows.reshape(-1, 3, 3), places).ravel()
        meeting, _, _, _ = np.linalg.lstsq(rows, rhs, rcond=None)
        if np.abs(rows @ meeting - rhs).max() < _SAME:
            return LoopKind.SPHERICAL
    return LoopKind.SPATIAL
