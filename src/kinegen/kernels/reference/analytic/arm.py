"""An arm that has a closed-form inverse: its numbers, forward kinematics, residuals, limits."""

from __future__ import annotations

import cmath
import math

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import TRANSFORM_SIZE, Floats, Ints
from kinegen.kernels.protocols.analytic import ArmFamily
from kinegen.kernels.reference.base.rotation import cross, rotation_log
from kinegen.kernels.reference.base.transform import transform, turn
from kinegen.kernels.tolerances import LIMIT_SLACK

__all__ = ["PARALLEL", "WRIST", "Arm", "settle"]

WRIST, PARALLEL = ArmFamily
X, Y, Z = range(3)

# Lengths count in units of the arm's size.
SINGULAR_SINE = 1e-6
"""Sine below which a pose is called singular."""
MERGE = 1e-7
"""Sine below which the two signs of a square root are one solution: the error is its square."""
TINY = 1e-10
"""Length or sine below which a direction means nothing and the seed decides."""
REACH = 1e-10
"""Too far by less than this still counts as reached."""
EXACT = 1e-9
"""Residual [size, rad] of a solution that is called exact."""
POLISH, POLISH_STEPS = 1e-12, 8
"""Residual above which Newton's method improves a solution, and its steps."""
SAME = 1e-6
"""Polished solutions nearer than this [rad] are one."""


class Arm:
    """The arm's numbers by name; the order is that of ``bind_arm`` in the compiled kernels."""

    def __init__(self, ints: Ints, reals: Floats) -> None:
        self.family, self.axes, self.joints = (int(n) for n in ints)
        n = self.joints
        sizes = (12, 8, 6, 9, 9, 4, 1, 3, 9, 1, 2, 12 * (n + 1), n, n)
        if (
            self.family not in {WRIST, PARALLEL}
            or not self.family <= self.axes <= 3
            or n != 3 + self.axes
            or sum(sizes) != len(reals)
        ):
            raise UsageError("the blocks are not an arm of this version of the kernels")
        parts = np.split(reals.copy(), np.cumsum(sizes)[:-1])
        self.X_AW = _matrix(parts[0])
        waist, side, upper, fore, hand, upper_angle, fore_angle, hand_angle = parts[1].tolist()
        self.waist, self.side = waist, side
        """Shoulder from the waist axis, along x; C from the plane through the waist, along y."""
        self.upper, self.fore = upper, fore
        self.upper_angle, self.fore_angle = upper_angle, fore_angle
        """Lengths of the two bars, and their angles above x when all joints are at zero."""
        self.hand = cmath.rect(hand, hand_angle)
        """From the fourth axis to C in the plane, x + iz, when all joints are at zero."""
        self.sign = parts[2][:n]
        """Of each joint's axis against the canonical one."""
        self.inlet, self.outlet = parts[3].reshape(3, 3), parts[4].reshape(3, 3)
        """Rotations before and behind the Euler angles of the wrist."""
        c1, s1, c2, s2 = parts[5].tolist()
        self.twists = (_twist(c1, s1), _twist(c2, s2))
        """Rotations about x between the Euler axes."""
        self.offset = float(parts[6][0])
        """Of the middle Euler angle when its joint is at zero."""
        self.centre = parts[7]
        """C in the tool's frame."""
        self.lever = parts[8].reshape(3, 3)
        """C from the fourth axis at zero, roll axis, tool from C; in A."""
        self.tilt, self.size = float(parts[9][0]), float(parts[10][0])
        """The hand's angle above the ground for psi = 0; sum of all lengths."""
        self.polish_from = float(parts[10][1])
        """Residual below which Newton's method may improve a solution."""
        self.fixed = [_matrix(row) for row in parts[11].reshape(-1, TRANSFORM_SIZE)]
        """Rigid transforms before, between and behind the joints, (4, 4)."""
        self.lower_limit, self.upper_limit = parts[12].tolist(), parts[13].tolist()

    def forward(self, q: Floats) -> Floats:
        """X_WT, (4, 4)."""
        X_WT = self.fixed[0]
        for angle, behind in zip(q.tolist(), self.fixed[1:], strict=True):
            X_WT = X_WT @ turn(Z, angle) @ behind
        return X_WT

    def jacobian(self, q: Floats) -> Floats:
        """Jacobian at the tool in world axes, (6, joints), lengths in units of the arm's size."""
        p_WT, X_WJ, columns = self.forward(q)[:3, 3], self.fixed[0], []
        for angle, behind in zip(q.tolist(), self.fixed[1:], strict=True):
            axis = X_WJ[:3, Z]
            columns.append(np.concatenate([cross(axis, p_WT - X_WJ[:3, 3]) / self.size, axis]))
            X_WJ = X_WJ @ turn(Z, angle) @ behind
        return np.column_stack(columns)

    def residual(self, q: Floats, X_WT: Floats) -> Floats:
        """Distance [m] and angle [rad] from a target."""
        reached = self.forward(q)
        R = X_WT[:3, :3] @ reached[:3, :3].T
        skew = math.hypot(R[Z, Y] - R[Y, Z], R[X, Z] - R[Z, X], R[Y, X] - R[X, Y])
        distance = np.linalg.norm(X_WT[:3, 3] - reached[:3, 3])
        return np.array([distance, math.atan2(skew, np.trace(R) - 1)])

    def miss(self, residual: Floats) -> float:
        """A residual in one number; three joints answer for the position only."""
        return float(residual[0] / self.size + (residual[1] if self.joints > 3 else 0.0))

    def is_exact(self, residual: Floats) -> bool:
        """Whether a residual is no more than rounding."""
        angle = residual[1] if self.joints > 3 else 0.0
        return bool(residual[0] <= EXACT * self.size and angle <= EXACT)

    def polish(self, q: Floats, residual: Floats, X_WT: Floats) -> tuple[Floats, Floats]:
        """Newton's method for what an arm that is not quite of its family leaves open.

        Fewer joints than a pose needs keep what they have unless the result is exact.
        """
        rows, trial = 3 if self.joints == 3 else 6, q
        worse = 0
        for _ in range(POLISH_STEPS):
            reached, J = self.forward(trial), self.jacobian(trial)[:rows]
            shift = (X_WT[:3, 3] - reached[:3, 3]) / self.size
            turned = rotation_log(X_WT[:3, :3] @ reached[:3, :3].T)
            error = np.concatenate([shift, turned])[:rows]
            damped = J.T @ J + 1e-14 * np.eye(self.joints)
            trial = trial + np.linalg.solve(damped, J.T @ error)
            left = self.residual(trial, X_WT)
            if not self.miss(left) < self.miss(residual):
                worse += 1
            elif self.joints in {3, 6} or self.is_exact(left):
                q, residual = trial, left
            if self.miss(left) < POLISH or worse == 3:
                break
        return q, residual


def settle(angle: float, lower: float, upper: float, around: float) -> tuple[float, bool]:
    """The angle with whole turns added, within its limits if it can be and as near as it may be.

    Also whether it is within the limits.
    """
    angle = math.remainder(angle, math.tau)
    if angle <= -math.pi:
        angle += math.tau
    turns = np.rint((around - angle) / math.tau)
    least = np.ceil((lower - LIMIT_SLACK - angle) / math.tau)
    most = np.floor((upper + LIMIT_SLACK - angle) / math.tau)
    within = bool(least <= most)
    return angle + math.tau * float(np.clip(turns, least, most) if within else turns), within


def _matrix(row: Floats) -> Floats:
    return transform(row[:9].reshape(3, 3), row[9:])


def _twist(cosine: float, sine: float) -> Floats:
    """Rotation about x by an angle given by its cosine and sine."""
    return np.array([[1.0, 0, 0], [0, cosine, -sine], [0, sine, cosine]])
