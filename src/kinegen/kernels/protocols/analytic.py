"""What every set of kernels offers for arms with a closed form: all solutions, or the nearest."""

from __future__ import annotations

import enum
from typing import Protocol

from kinegen.kernels.layout import Floats

__all__ = ["MAX_JOINTS", "MAX_SOLUTIONS", "AnalyticArm", "AnalyticFlag", "ArmFamily"]

MAX_JOINTS = 6
"""Joints of an arm at most."""
MAX_SOLUTIONS = 8
"""Solutions of an arm at most."""


class ArmFamily(enum.IntEnum):
    """Arms with a closed form."""

    WRIST = 0
    """The axes behind the elbow meet in one point."""
    PARALLEL = 1
    """The fourth axis is parallel to the second and third."""


class AnalyticFlag(enum.IntFlag):
    """Properties of a solution; the first three name its branch."""

    BACK = 1
    DOWN = 2
    FLIPPED = 4
    EXACT = 8
    SINGULAR_WRIST = 16
    SINGULAR_SHOULDER = 32
    SINGULAR_ELBOW = 64
    OUTSIDE = 128
    """No turn of some joint is within its limits."""


class AnalyticArm(Protocol):
    """An arm with a closed form, and the arrays that every answer goes into."""

    def solve_pose(self, pose: Floats, seed: Floats, around: Floats, /) -> int:
        """Fill in all solutions for the pose (7) of the frame in the world; return how many.

        ``seed`` decides what a singular pose leaves open; whole turns are added to the angles to
        come near ``around`` within the limits.
        """
        ...

    def solve_nearest(self, quat: Floats, xyz: Floats, seed: Floats, limits: bool, /) -> int:
        """Fill in all solutions for a pose; which exact one moves the joints least, -1 if none.

        By its largest move from the seed; within the limits if those are kept.
        """
        ...

    def solve_wrist_angle(
        self, xyz: Floats, angle: float, roll: float, seed: Floats, around: Floats, /
    ) -> int:
        """Fill in all solutions for the tool's position and the hand's angle above the ground.

        Only for PARALLEL arms of four or five joints, else none. The angle [rad] is measured in the
        arm's plane from the direction away from the waist; the roll joint stays at ``roll``.
        """
        ...
