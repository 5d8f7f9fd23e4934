"""Inverse kinematics in closed form, to be read: the specification of ``native/kernel/analytic*``.

The arms it solves have a waist perpendicular to two parallel axes, shoulder and elbow, and behind
them axes that meet in a point or a fourth parallel axis. Sources: 3D-RAS, eq. 3-9 (the planar
part; here the two bars need not be equal, and the arm may stand beside its waist); D. Pieper,
Stanford AI memo 72, 1968 (axes that meet or are parallel).
"""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.analytic import AnalyticFlag
from kinegen.kernels.reference.analytic.arm import (
    EXACT,
    PARALLEL,
    POLISH,
    SAME,
    Arm,
    X,
    Y,
    Z,
    settle,
)
from kinegen.kernels.reference.analytic.branch import (
    SINGULAR_FLAGS,
    Branch,
    Posture,
    seed_angles,
    solve_branch,
    to_joints,
)
from kinegen.kernels.reference.base.rotation import quat_exp, quat_to_matrix
from kinegen.kernels.reference.base.transform import transform

__all__ = ["AnalyticArm"]

Found = list[tuple[Floats, Floats, int]]
"""Joint values, residual and flags of each branch."""


class AnalyticArm:
    """An arm with a closed form, and the arrays that every answer goes into.

    Args:
        ints: family, number of wrist axes, number of joints.
        reals: the arm's numbers, in the order in which ``Arm`` reads them.
        q: joint values of the solutions, (8, joints).
        residuals: distance [m] and angle [rad] left between frame and target, (8, 2).
        flags: ``AnalyticFlag`` of each solution, (8,).
    """

    def __init__(
        self, ints: Ints, reals: Floats, q: Floats, residuals: Floats, flags: Ints
    ) -> None:
        self._arm = Arm(ints, reals)
        self._q, self._residuals, self._flags = q, residuals, flags

    def solve_pose(self, pose: Floats, seed: Floats, around: Floats, /) -> int:
        """Fill in all solutions for the pose (7) of the frame in the world; return how many.

        ``seed`` decides what a singular pose leaves open; whole turns are added to the angles to
        come near ``around`` within the limits.
        """
        arm = self._arm
        X_WT = transform(quat_to_matrix(pose[:4]), pose[4:])
        X_AT = arm.X_AW @ X_WT
        centre = X_AT[:3, :3] @ arm.centre + X_AT[:3, 3]
        R_AO = X_AT[:3, :3] @ arm.outlet
        angles = seed_angles(arm, seed)

        short_of_joints = 0 < arm.axes < 3

        def all_branches(*, follow: bool = False, nearest: bool = False) -> Found:
            found: Found = []
            for back, down, flip in _branches(arm):
                b = Branch(
                    arm, arm.side, arm.hand, R_AO, angles, back, down, flip,
                    gives_way=short_of_joints and (follow or nearest),
                )  # fmt: skip
                posture = solve_branch(b, centre, nearest)
                if posture is None:
                    continue
                q = to_joints(arm, posture)
                residual = arm.residual(q, X_WT)
                if not follow and not nearest and POLISH < arm.miss(residual) < arm.polish_from:
                    q, residual = arm.polish(q, residual, X_WT)
                    if any(_is_same(q, known) for known, _, _ in found):
                        continue
                if follow:
                    q, residual, posture = _follow_position(b, centre, X_WT, q, residual, posture)
                found.append((q, residual, _flags(b, posture, residual)))
            return found

        # the pose itself; else, for fewer than six joints, the position and the best orientation;
        # else the nearest place, and the orientation
        found = all_branches()
        if short_of_joints and not any(flags & AnalyticFlag.EXACT for _, _, flags in found):
            found = all_branches(follow=True)
        if not found:
            found = all_branches(nearest=True)
        return self._answer(found, around)

    def solve_nearest(self, quat: Floats, xyz: Floats, seed: Floats, limits: bool, /) -> int:
        """Fill in all solutions for a pose; which exact one moves the joints least, -1 if none.

        By its largest move from the seed; within the limits if those are kept.
        """
        count = self.solve_pose(np.concatenate([quat, xyz]), seed, seed)
        best, least = -1, math.inf
        for i in range(count):
            flags = int(self._flags[i])
            if not flags & AnalyticFlag.EXACT or (limits and flags & AnalyticFlag.OUTSIDE):
                continue
            away = float(np.abs(self._q[i] - seed).max())
            if away < least:
                best, least = i, away
        return best

    def solve_wrist_angle(
        self, xyz: Floats, angle: float, roll: float, seed: Floats, around: Floats, /
    ) -> int:
        """Fill in all solutions for the tool's position and the hand's angle above the ground.

        Only for PARALLEL arms of four or five joints, else none. The angle [rad] is measured in the
        arm's plane from the direction away from the waist; the roll joint stays at ``roll``.
        """
        arm = self._arm
        if arm.family != PARALLEL or arm.axes > 2:
            return 0
        point = arm.X_AW[:3, :3] @ xyz + arm.X_AW[:3, 3]
        # the tool as a point of link 4: the roll turns it about its axis
        bar, axis, tool = arm.lever
        at = bar + quat_to_matrix(quat_exp((roll if arm.axes == 2 else 0.0) * axis)) @ tool
        side, hand = float(at[Y]), complex(at[X], at[Z])
        angles = seed_angles(arm, seed)
        found: Found = []
        for nearest in (False, True):
            for back, down, _ in _branches(arm):
                psi = (math.pi - angle if back else angle) - arm.tilt
                b = Branch(arm, side, hand, np.eye(3), angles, back, down, psi=psi)
                posture = solve_branch(b, point, nearest)
                if posture is None:
                    continue
                if arm.axes == 2:
                    posture.euler[1] = arm.sign[4] * roll
                q = to_joints(arm, posture)
                residual = np.array([np.linalg.norm(arm.forward(q)[:3, 3] - xyz), 0.0])
                found.append((q, residual, _flags(b, posture, residual)))
            if found:
                break
        return self._answer(found, around)

    def _answer(self, found: Found, around: Floats) -> int:
        """Write the exact solutions, or else those that come nearest, and return how many.

        Nearest is first of all the position, if it is reached, then the orientation.
        """
        arm = self._arm
        exact = [row for row in found if row[2] & AnalyticFlag.EXACT]
        there = [row for row in found if row[1][0] <= EXACT * arm.size] or found
        best = min((arm.miss(residual) for _, residual, _ in there), default=0.0)
        kept = exact or [r for r in there if arm.miss(r[1]) <= best * (1 + 1e-6) + 1e-9]
        for i, (q, residual, flags) in enumerate(kept):
            limits = zip(q.tolist(), arm.lower_limit, arm.upper_limit, around.tolist(), strict=True)
            settled = [settle(*numbers) for numbers in limits]
            within = all(inside for _, inside in settled)
            self._q[i] = [angle for angle, _ in settled]
            self._residuals[i] = residual
            self._flags[i] = flags if within else flags | AnalyticFlag.OUTSIDE
        return len(kept)


def _branches(arm: Arm) -> list[tuple[bool, bool, bool]]:
    """Back, down, flip of all branches, in the order in which they are listed."""
    signs = (False, True)
    if arm.axes < 3:
        return [(back, down, False) for back in signs for down in signs]
    if arm.family == PARALLEL:
        return [(back, down, flip) for back in signs for flip in signs for down in signs]
    return [(back, down, flip) for back in signs for down in signs for flip in signs]


def _is_same(one: Floats, other: Floats) -> bool:
    """Whether two solutions are one, whole turns left aside."""
    return bool(np.abs(np.sin((one - other) / 2)).max() < SAME / 2)


def _flags(b: Branch, posture: Posture, residual: Floats) -> int:
    exact = AnalyticFlag.EXACT if b.arm.is_exact(residual) else 0
    return b.flags | posture.flags & SINGULAR_FLAGS | exact


def _follow_position(
    b: Branch, centre: Floats, X_WT: Floats, q: Floats, residual: Floats, posture: Posture
) -> tuple[Floats, Floats, Posture]:
    """Lead C after a tool that an impossible orientation has turned away from its position.

    Until the position is right, if that converges.
    """
    arm, moved = b.arm, centre.copy()
    reached = arm.forward(q)
    for _ in range(60):
        if residual[0] <= POLISH * arm.size:
            break
        moved += arm.X_AW[:3, :3] @ (X_WT[:3, 3] - reached[:3, 3])
        again = solve_branch(b, moved, False)
        if again is None:
            break
        trial = to_joints(arm, again)
        reached, error = arm.forward(trial), arm.residual(trial, X_WT)
        if not error[0] < residual[0]:
            break
        q, residual, posture = trial, error, again
    return q, residual, posture
