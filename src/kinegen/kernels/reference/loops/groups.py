"""Which loops belong together, how large they are, and where everything is placed."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import TRANSFORM_SIZE, Blocks, Floats


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

    return (chain(int(parent[cut])) ^ chain(int(child[cut]))) | {cut}


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


def placed_size(points: Floats) -> float:
    """How far points lie from their middle, root mean square [m]; 1 when all are in one point."""
    if not len(points):
        return 1.0
    size = float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()))
    return size if size > 1e-9 * float(np.abs(points).max()) else 1.0
