"""One answer in closed form: the exact branch nearest to where the arm stands."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels import Floats
from kinegen.kernels.backend import analytic_arm
from kinegen.kernels.protocols.analytic import MAX_SOLUTIONS
from kinegen.kinematics.analytic.geometry import ArmNumbers
from kinegen.mechanism.model_parts import ModelJoint

__all__ = ["FAR", "NearestBranch"]

FAR = 1e9
"""Targets beyond so many times the arm's size are refused: rounding would eat the answer."""


class NearestBranch:
    """The closed form for callers that want one answer: the exact branch that is nearest."""

    def __init__(self, joints: tuple[ModelJoint, ...], numbers: ArmNumbers) -> None:
        self.joint_count = len(joints)
        self._far = FAR * numbers.size
        self._index = np.array([joint.q.start for joint in joints])
        self._q = np.empty((MAX_SOLUTIONS, len(joints)))
        flags, residuals = np.empty(MAX_SOLUTIONS, dtype=np.int32), np.empty((MAX_SOLUTIONS, 2))
        kernel = analytic_arm(numbers.ints, numbers.reals, self._q, residuals, flags)
        self._solve = kernel.solve_nearest

    def move(self, q: Floats, quat: Floats, xyz: Floats, *, limits: bool) -> bool:
        """Move q to the exact branch that moves the joints least; whether there is one.

        Args:
            q: The configuration to start from, changed in place.
            quat: Rotation R_WF asked for, w x y z.
            xyz: Position p_WF asked for [m].
            limits: Whether the joint limits are kept.
        """
        if math.hypot(*xyz.tolist()) > self._far:
            return False
        row = self._solve(quat, xyz, q[self._index], limits)
        if row >= 0:
            q[self._index] = self._q[row]
        return row >= 0
