"""Which loops belong together, how large they are, and where everything is placed."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import TRANSFORM_SIZE, Blocks, Floats
from kinegen.kernels.reference.base.joint_types import NV
from kinegen.kernels.reference.loops.coupling import coupling_terms


def loop_joints(blocks: Blocks, loop: int) -> set[int]:
    """The joints of a loop, the cut one too; those that carry both ends do not belong to it."""
    parent, child = blocks.int_part("joint_parent"), blocks.int_part("joint_child")
    link_joint = blocks.int_part("link_joint")
    cut = int(blocks.int_part("loop_joint")[loop])

    def chain(link: int) -> set[int]:
        found = set()
        while (joint := int(link_joint[link])) >= 0:
            found.add(joint)
            link = int(parent[joint])
        return found

    own = {cut}
    if loop >= blocks.counts.cut:
        # the joint without variables stands for the coupling itself
        _, at_v, _ = coupling_terms(blocks, loop - blocks.counts.cut)
        own |= set(_joints_of(blocks, at_v.tolist()))
    return (chain(int(parent[cut])) ^ chain(int(child[cut]))) | own


def _joints_of(blocks: Blocks, variables: list[int]) -> list[int]:
    """The joints that variables belong to."""
    first = blocks.int_part("joint_v").tolist()
    count = [NV[kind] for kind in blocks.int_part("joint_type").tolist()]
    return [
        joint
        for v in variables
        for joint in range(blocks.counts.joint)
        if first[joint] <= v < first[joint] + count[joint]
    ]


def loop_groups(blocks: Blocks) -> list[tuple[list[int], list[int]]]:
    """Loops and joints of each group: loops that share joints, by their first loops."""
    groups: list[tuple[list[int], set[int]]] = []
    for loop in range(blocks.counts.loop):
        joined = ([loop], loop_joints(blocks, loop))
        apart = []
        for group in groups:
            if group[1] & joined[1]:
                joined = (group[0] + joined[0], group[1] | joined[1])
            else:
                apart.append(group)
        groups = [*apart, joined]
    groups.sort(key=lambda group: min(group[0]))
    return [(sorted(loops), sorted(joints)) for loops, joints in groups]


def placed_links(blocks: Blocks) -> list[int]:
    """The link that each placement is on: those of joints, of landings, of frames."""
    links: list[int] = blocks.int_part("joint_parent").tolist()
    child = blocks.int_part("joint_child").tolist()
    links += [child[cut] for cut in blocks.int_part("loop_joint").tolist()]
    links += blocks.int_part("frame_link").tolist()
    return links


def placed_points(blocks: Blocks, links: Floats) -> Floats:
    """Where all placements are, (n, 3) [m], from the links' transforms (link_count, 12)."""
    at = links[placed_links(blocks)]
    local = blocks.real_part("transforms").reshape(-1, TRANSFORM_SIZE)[:, 9:]
    return np.asarray(np.einsum("nij,nj->ni", at[:, :9].reshape(-1, 3, 3), local) + at[:, 9:])


def with_place(blocks: Blocks) -> list[int]:
    """Joints and landings by their placements; couplings have no place of their own."""
    counts = blocks.counts
    joints = range(counts.joint - counts.coupling)
    return [*joints, *range(counts.joint, counts.joint + counts.cut)]


def placed_size(points: Floats) -> float:
    """How far points lie from their middle, root mean square [m]; 1 when all are in one point."""
    if not len(points):
        return 1.0
    size = float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()))
    return size if size > 1e-9 * float(np.abs(points).max()) else 1.0
