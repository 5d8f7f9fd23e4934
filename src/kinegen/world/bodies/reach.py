"""Reach: balls that hold whatever parts of an island can get to, to see what could touch."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    Plate,
    Primitive,
    Sphere,
    link_shapes,
)
from kinegen.world.bodies.island import Island

__all__ = ["Ball", "reach", "refuse_touching"]


@dataclass(frozen=True, slots=True, eq=False)
class Ball:
    """A ball that a link and all that it may do stays in."""

    name: str
    """Of the link."""
    centre: Floats
    """Where its chain leaves the ground [m]."""
    radius: float
    """[m]; inf for what can go anywhere."""


def reach(model: Model) -> list[Ball]:
    """A ball for every link that moves and has a body."""
    centre = {0: np.zeros(3)}
    radius = {0: 0.0}
    moves = {0: False}
    shapes = link_shapes(model, values=dict(model.parameters))
    balls = []
    for joint in model.joints:
        if joint.is_cut:
            continue
        offset = model.transforms[joint.placement][9:]
        travel = 0.0
        info = joint.type.info
        for k, is_length in enumerate(info.is_length):
            if is_length:
                low, high = model.lower[joint.v.start + k], model.upper[joint.v.start + k]
                travel += float(max(abs(low), abs(high)))
        link, parent = int(joint.child), int(joint.parent)
        moves[link] = moves[parent] or info.moves
        if moves[parent]:
            centre[link] = centre[parent]
            radius[link] = radius[parent] + float(np.linalg.norm(offset)) + travel
        else:  # what is fixed to the ground may be turned there: its own place is the centre
            there = np.empty((model.link_count, 12))
            model.kernels.forward_links(model.start(), there)
            X = there[parent]
            centre[link] = X[9:] + X[:9].reshape(3, 3) @ offset
            radius[link] = travel
        if moves[link] and shapes[link]:
            size = max(_extent(shape, model.size) for shape in shapes[link])
            balls.append(Ball(model.link_names[link], centre[link], radius[link] + size))
    return balls


def refuse_touching(islands: list[Island]) -> None:
    """Refuse bodies on different engines that could touch: no engine would know of the other."""
    balls = [reach(island.model) for island in islands]
    for i, one in enumerate(islands):
        for j in range(i + 1, len(islands)):
            for a in balls[i]:
                for b in balls[j]:
                    room = a.radius + b.radius - float(np.linalg.norm(a.centre - b.centre))
                    if room > 0:
                        _refuse(a, b, one, islands[j], room)


def _refuse(a: Ball, b: Ball, one: Island, other: Island, room: float) -> None:
    engines = [island.simulation.engine.name for island in (one, other)]
    apart = f", or place them {room:.3g} m farther apart" if math.isfinite(room) else ""
    raise UsageError(
        f"'{a.name}' (engine '{engines[0]}') and '{b.name}' (engine '{engines[1]}') could touch, "
        f"but different engines do not interact: use one engine for both{apart}"
    )


def _extent(shape: Primitive, usual: float) -> float:
    """How far from the link's origin a shape reaches at most [m]."""
    match shape:
        case Box(size=size):
            own = math.hypot(*size) / 2
        case Sphere(radius=radius):
            own = radius
        case Cylinder(radius=radius, length=length):
            own = math.hypot(radius, length / 2)
        case Capsule(radius=radius, length=length):
            own = radius + length / 2
        case Plate(outline=outline, thickness=thickness):
            own = math.hypot(max(math.hypot(*corner) for corner in outline), thickness / 2)
        case _:
            own = usual  # a mesh, whose size is that of the mechanism at most
    return own + math.hypot(*shape.translation)
