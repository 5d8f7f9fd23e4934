"""Inertias that no body can have: read as they are, and reported."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kinegen.formats.robots.read.conversion.numbers import robot_numbers
from kinegen.formats.robots.read.robot import Robot, RobotLink

__all__ = ["check_inertias"]

_SLACK = 1e-3
"""Of the largest principal moment: files have few digits."""


def check_inertias(robot: Robot) -> None:
    """Report links whose inertia is not that of a body; simulations of them may go wrong."""
    is_body = robot_numbers().is_body
    links = [one for one in robot.links.values() if any(one.inertia) and not is_body(one.inertia)]
    negative, apart = [], []
    for link in links:
        least, middle, largest = principal_moments(link.inertia)
        slack = _SLACK * abs(largest)
        if least < -slack:
            negative.append(link)
        elif least + middle < largest - slack:
            apart.append(link)
    _report(robot, negative, "has a negative principal moment")
    _report(robot, apart, "violates the triangle inequality of principal moments")


def principal_moments(inertia: Sequence[float]) -> tuple[float, float, float]:
    """The eigenvalues of xx yy zz xy xz yz, the least first, in closed form."""
    xx, yy, zz, xy, xz, yz = inertia
    mean = (xx + yy + zz) / 3
    a, b, c = xx - mean, yy - mean, zz - mean
    off = xy * xy + xz * xz + yz * yz
    spread = math.sqrt((a * a + b * b + c * c + 2 * off) / 6)
    if spread == 0:
        return mean, mean, mean
    det = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)
    turn = math.acos(max(-1.0, min(1.0, det / (2 * spread**3)))) / 3
    largest = mean + 2 * spread * math.cos(turn)
    least = mean + 2 * spread * math.cos(turn + 2 * math.pi / 3)
    return least, 3 * mean - largest - least, largest


def _report(robot: Robot, found: list[RobotLink], why: str) -> None:
    if found:
        first, count = found[0], len(found) - 1
        others = f" (and of {count} other{'s' if count > 1 else ''})" if count else ""
        robot.remark(first.at, f"the inertia of link '{first.name}'{others} {why}")
