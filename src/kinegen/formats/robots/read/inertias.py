"""Inertias that no body can have: read as they are, and reported."""

from __future__ import annotations

import numpy as np

from kinegen.formats.robots.read.numbers import robot_numbers
from kinegen.formats.robots.read.robot import Robot, RobotLink

__all__ = ["check_inertias"]

_SLACK = 1e-3
"""Of the largest principal moment: files have few digits."""


def check_inertias(robot: Robot) -> None:
    """Report links whose inertia is not that of a body; simulations of them may go wrong."""
    is_body = robot_numbers().is_body
    links = [one for one in robot.links.values() if any(one.inertia) and not is_body(one.inertia)]
    if not links:
        return
    xx, yy, zz, xy, xz, yz = np.array([link.inertia for link in links]).T
    tensors = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).transpose(2, 0, 1)
    least, middle, largest = np.linalg.eigvalsh(tensors).T
    slack = _SLACK * np.abs(largest)
    negative = least < -slack
    _report(robot, links, negative, "has a negative principal moment")
    apart = ~negative & (least + middle < largest - slack)
    _report(robot, links, apart, "breaks the triangle inequality of principal moments")


def _report(robot: Robot, links: list[RobotLink], which: np.ndarray, why: str) -> None:
    found = [link for link, is_wrong in zip(links, which.tolist(), strict=True) if is_wrong]
    if found:
        first, count = found[0], len(found) - 1
        others = f" (and of {count} other{'s' if count > 1 else ''})" if count else ""
        robot.remark(first.at, f"the inertia of link '{first.name}'{others} {why}")
