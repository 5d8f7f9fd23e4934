"""Which bodies touch each other by the rules of the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.dynamics.contact.shapes import ContactShapes
from kinegen.kernels import Ints
from kinegen.mechanism.model import Model

if TYPE_CHECKING:
    from kinegen.dynamics.simulation.system import System

__all__ = ["meeting", "robots_of"]


def meeting(system: System, shapes: ContactShapes) -> Ints:
    """Which shapes touch each other by the file's rules, (n, n), symmetric.

    Pairs that overlap at the start are not left out yet.
    """
    model = system.model
    links = link_pairs(system)
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


def link_pairs(system: System) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which links touch each other, (link_count, link_count); those of the ground not asked."""
    model = system.model
    count = model.link_count
    free = np.array([name in system.object_names for name in model.link_names])
    robot = robots_of(model)
    rules = _rules(model)
    given = np.array(
        [
            collision is not None or (shape is not None and shape not in ("auto", "none"))
            for shape, collision in zip(model.link_shapes, model.link_collisions, strict=True)
        ]
    )
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
