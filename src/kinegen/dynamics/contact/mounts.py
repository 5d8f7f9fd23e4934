"""Mounts: bodies that stand in each other from the start, and floating ones that are lifted out.

A mechanism on the ground is drawn with its first links around their joints, half of them in the
floor that it stands on. As links that a joint connects, such pairs of bodies do not touch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kinegen.dynamics.simulation.starts import closed_start
from kinegen.errors import AssemblyError
from kinegen.kernels import Floats, Ints
from kinegen.kernels.protocols.contact import FoundContacts
from kinegen.kinematics.collisions.bodies import ContactShapes
from kinegen.kinematics.collisions.pairs import tied_links
from kinegen.mechanism.model import Model

__all__ = ["Standing", "lifted", "standing", "usual_start"]

DEEP = 1e-3
"""Depth, in sizes of the mechanism, from which on a link stands in something, not only on it."""
LIFTS = 10
"""Most attempts to lift a body: out of one thing it may come into another."""

Finder = Callable[[Floats], FoundContacts]
"""Contacts at a configuration."""


class Standing(NamedTuple):
    """What overlaps at a start."""

    pairs: list[tuple[int, int]]
    """Shapes that do not touch each other therefore."""
    remarks: tuple[str, ...]
    """Which links that do not sit on the ground themselves pass through what."""


def usual_start(model: Model) -> Floats:
    """The start of the file with its loops closed, where they can be, (nq,)."""
    try:
        return closed_start(model, None, None)[0]
    except AssemblyError:
        return model.start()


def standing(
    model: Model, objects: tuple[str, ...], shapes: ContactShapes, found: FoundContacts
) -> Standing:
    """Pairs of shapes that overlap at the start and therefore never touch.

    Args:
        model: The mechanism.
        objects: Names of links that are free objects of the scene: they are lifted instead.
        shapes: Its shapes.
        found: Contacts at the start.

    """
    tied = tied_links(model)
    seated = {j.child for j in model.joints if j.parent == 0}
    seated |= {j.parent for j in model.joints if j.child == 0}
    floats = np.array([name in objects for name in model.link_names])
    pairs: list[tuple[int, int]] = []
    passing: dict[str, list[str]] = {}
    overlapping: dict[tuple[str, str], None] = {}
    for (one, other), distance in zip(found[0].tolist(), found[3].tolist(), strict=True):
        if distance > -DEEP * model.size:
            continue
        ground, body = (one, other) if shapes.links[one] == 0 else (other, one)
        link = shapes.links[body]
        if shapes.links[ground] != 0:
            if not (floats[shapes.links[one]] or floats[shapes.links[other]]):
                pairs.append((one, other))
                a, b = sorted((shapes.names[one], shapes.names[other]))
                overlapping[a, b] = None
            continue
        if not tied[link]:
            continue
        pairs.append((ground, body))
        if link not in seated:
            links = passing.setdefault(shapes.names[ground], [])
            if model.link_names[link] not in links:
                links.append(model.link_names[link])
    remarks = [
        f"{', '.join(links)}: inside the {what} at the start; the {what} does not support it"
        if what == "floor"
        else f"{', '.join(links)}: inside '{what}' at the start, which does not stop it"
        for what, links in passing.items()
    ]
    remarks += [
        f"{a} and {b} overlap at the start, so they pass through each other" for a, b in overlapping
    ]
    return Standing(pairs, tuple(remarks))


def lifted(model: Model, links: Ints, find: Finder, q: Floats) -> Floats:
    """Lift what floats out of the floor and fixed objects it starts in, each tree as a whole.

    Args:
        model: The mechanism with the scene's free objects.
        links: Link of each shape.
        find: Contacts at a configuration.
        q: (nq,)
    """
    roots = _floating(model)
    if not (roots >= 0).any():
        return q
    out = q.copy()
    for _ in range(LIFTS):
        shifts: dict[int, tuple[float, Floats]] = {}
        pairs, _, normals, distances = find(out)
        for pair, distance, normal in zip(pairs, distances.tolist(), normals, strict=True):
            one, other = links[pair].tolist()
            if (one == 0) == (other == 0) or roots[max(one, other)] < 0:
                continue
            root = int(roots[max(one, other)])
            if -distance > max(DEEP * model.size, shifts.get(root, (0.0,))[0]):
                shifts[root] = -distance, normal * (1 if one == 0 else -1)
        for root, (depth, normal) in shifts.items():
            joint = model.joints[root]
            R_WF = model.transforms[joint.placement][:9].reshape(3, 3)
            out[joint.q.start + 4 : joint.q.stop] += depth * (normal @ R_WF)
        if not shifts:
            break
    return out


def _floating(model: Model) -> Ints:
    """The free joint on the ground that carries each link, (link_count,); -1: held to it."""
    tied = tied_links(model)
    root = np.full(model.link_count, -1, dtype=np.int32)
    for index in model.blocks.int_part("tree_order").tolist():
        joint = model.joints[index]
        if joint.type.info.floats and joint.parent == 0 and not tied[joint.child]:
            root[joint.child] = index
        else:
            root[joint.child] = root[joint.parent]
    return root
