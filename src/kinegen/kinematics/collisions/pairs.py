"""Which bodies touch each other by the rules of the file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from kinegen.kernels import Floats, Ints
from kinegen.kinematics.closure import loop_poses
from kinegen.kinematics.collisions.bodies import ContactShapes, is_given
from kinegen.mechanism.model import Model

__all__ = ["crowded_links", "meeting", "robots_of", "tied_links"]

SIDE_BY_SIDE = 0.2
"""Distance of joints, in sizes of the mechanism, below which they are drawn into each other."""


def meeting(
    model: Model, shapes: ContactShapes, *, objects: Collection[str] = (), drawn: bool = False
) -> Ints:
    """Which shapes touch each other by the file's rules, (n, n), symmetric.

    Pairs that overlap at the start are not left out yet.

    Args:
        model: The mechanism.
        shapes: Its bodies.
        objects: Links that are free objects of the scene.
        drawn: Whether links of one robot touch each other where their shapes are drawn
            automatically; the file's ``collisions`` counts before this.
    """
    links = link_pairs(model, objects, drawn)
    at = np.array(shapes.links, dtype=int).reshape(-1)
    meets: Ints = links[np.ix_(at, at)].astype(np.int32)
    # what is fixed touches everything that moves, and nothing else that is fixed
    fixed = at == 0
    meets[np.ix_(fixed, fixed)] = 0
    own_ground = np.array([name == model.link_names[0] for name in shapes.names], dtype=bool)
    seated = _neighbours(model)[0]
    for i in np.flatnonzero(fixed):
        meets[i, ~fixed] = meets[~fixed, i] = 1
        if own_ground[i]:
            held = ~fixed & seated[at]
            meets[i, held] = meets[held, i] = 0
    for a, b in _exceptions(model):
        one = np.array([name == a for name in shapes.names], dtype=bool)
        other = np.array([name == b for name in shapes.names], dtype=bool)
        meets[np.ix_(one, other)] = meets[np.ix_(other, one)] = 0
    return meets


def link_pairs(
    model: Model, objects: Collection[str], drawn: bool
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which links touch each other, (link_count, link_count); those of the ground not asked."""
    count = model.link_count
    free = np.array([name in objects for name in model.link_names])
    robot = robots_of(model)
    rules = _rules(model)
    given = np.array([drawn or is_given(model, link) for link in range(count)])
    wanted = rules.get("self")
    own = np.full((count, count), bool(wanted)) if wanted is not None else np.outer(given, given)
    pairs = np.where(robot[:, None] == robot[None, :], own, True)
    pairs |= free[:, None] | free[None, :]
    pairs &= ~_neighbours(model)
    np.fill_diagonal(pairs, False)
    pairs[0] = pairs[:, 0] = False
    return pairs


def robots_of(model: Model) -> Ints:
    """Which links hang together by joints and couplings, the ground apart: a number each."""
    robot = np.arange(model.link_count)

    def join(a: int, b: int) -> None:
        if a and b:
            robot[robot == robot[b]] = robot[a]

    for joint in model.joints:
        join(joint.parent, joint.child)
    for coupling in model.couplings:
        ends = [joint.child or joint.parent for joint, *_ in model.coupling_terms(coupling)]
        for end in ends[1:]:
            join(ends[0], end)
    return robot.astype(np.int32)


def crowded_links(model: Model, q: Floats) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Links drawn automatically around joints that sit side by side on a third link.

    The sizes that such joints are drawn with are pictures: two legs that share a corner of a
    platform would seem to touch. (link_count, link_count), at a closed configuration.
    """
    places: dict[int, list[tuple[int, Floats]]] = {}
    Xs_WL = np.empty((model.link_count, 12))
    model.kernels.forward_links(q, Xs_WL)
    cut: dict[int, Floats] = dict(
        zip((int(loop.joint) for loop in model.loops), loop_poses(model, q), strict=False)
    )
    for index, joint in enumerate(model.joints):
        if any(joint.type.info.is_length):
            continue
        at = cut[index][0, 4:] if index in cut else Xs_WL[joint.child, 9:]
        places.setdefault(joint.parent, []).append((joint.child, at))
        places.setdefault(joint.child, []).append((joint.parent, at))
    crowded = np.zeros((model.link_count, model.link_count), dtype=bool)
    for around in places.values():
        for (a, p), (b, r) in combinations(around, 2):
            near = float(np.linalg.norm(p - r)) < SIDE_BY_SIDE * model.size
            if near and not is_given(model, a) and not is_given(model, b):
                crowded[a, b] = crowded[b, a] = True
    return crowded


def tied_links(model: Model) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which links joints hold to the ground, loops included, (link_count,)."""
    tied = np.zeros(model.link_count, dtype=bool)
    tied[0] = True
    joints = [joint for joint in model.joints if not joint.type.info.floats]
    changed = True
    while changed:
        changed = False
        for joint in joints:
            if tied[joint.parent] != tied[joint.child]:
                tied[joint.parent] = tied[joint.child] = changed = True
    return tied


def _neighbours(model: Model) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Links that a joint connects; links that a fixed joint welds share their neighbours."""
    near = np.eye(model.link_count, dtype=bool)
    for joint in model.joints:
        near[joint.parent, joint.child] = near[joint.child, joint.parent] = True
    for joint in model.joints:
        if joint.type.info.nv == 0 and not joint.is_cut:
            both = near[joint.parent] | near[joint.child]
            near[joint.parent] = near[joint.child] = both
            near[:, joint.parent] |= both
            near[:, joint.child] |= both
    return near


def _rules(model: Model) -> Mapping[str, Any]:
    found: Mapping[str, Any] = model.compiled_from.collisions
    return found


def _exceptions(model: Model) -> Iterable[tuple[str, str]]:
    for a, b in _rules(model).get("except", ()):
        yield str(a), str(b)
