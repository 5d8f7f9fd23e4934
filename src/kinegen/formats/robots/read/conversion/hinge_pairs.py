"""Two balls between the same two links are a hinge: how formats without such loops write one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile

from kinegen.formats.robots.read.robot import MotionKind, RobotJoint
from kinegen.formats.robots.transform import Transform, Vector, align_z, compose, inverse

__all__ = ["joined_hinges"]

_SAME = 1e-9
"""Distances of the two points on both links that differ by less are equal [m]."""


def joined_hinges(loops: Iterable[RobotJoint]) -> list[RobotJoint]:
    """Loops in which every pair of balls is one hinge about the line through both points."""
    waiting: dict[tuple[str, str], list[RobotJoint]] = {}
    found = list(loops)
    for loop in found:
        if loop.kind is MotionKind.BALL:
            waiting.setdefault((loop.parent, loop.child), []).append(loop)
    for pair in waiting.values():
        hinge = _hinge(*pair) if len(pair) == 2 else None
        if hinge is not None:
            found[found.index(pair[0])] = hinge
            found.remove(pair[1])
    return found


def _hinge(one: RobotJoint, other: RobotJoint) -> RobotJoint | None:
    """The hinge of two balls; None where they cannot both hold, or are one point."""
    first = _line(one.X_PJ[9:], other.X_PJ[9:])
    second = _line(inverse(one.X_JC)[9:], inverse(other.X_JC)[9:])
    if first is None or second is None or abs(first[1] - second[1]) > _SAME:
        return None
    shared = takewhile(lambda both: both[0] == both[1], zip(one.name, other.name, strict=False))
    name = "".join(letter for letter, _ in shared).rstrip("_-. ") or one.name
    return replace(one, name=name, kind=MotionKind.HINGE, X_PJ=first[0], X_JC=inverse(second[0]))


def _line(p: Transform, q: Transform) -> tuple[Transform, float] | None:
    """A frame midway between two points whose z goes from one to the other, and their distance."""
    along = [b - a for a, b in zip(p, q, strict=True)]
    length = math.hypot(*along)
    if length < _SAME:
        return None
    x, y, z = (c / length for c in along)
    axis: Vector = (x, y, z)
    middle = ((a + b) / 2 for a, b in zip(p, q, strict=True))
    return compose((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, *middle), align_z(axis)), length
