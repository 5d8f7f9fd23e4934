"""SO3: a rotation R_AB, kept as a unit quaternion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base import rotation as maths

__all__ = ["SO3", "RollPitchYaw"]


class RollPitchYaw(NamedTuple):
    """Angles of a rotation ``Rz(yaw) Ry(pitch) Rx(roll)`` [rad]."""

    roll: float
    pitch: float
    yaw: float


def frozen_vector(values: npt.ArrayLike, size: int, what: str) -> Floats:
    """A read-only copy of ``size`` finite numbers."""
    try:
        vector = np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{what} takes {size} numbers, got {values!r}") from error
    if vector.shape != (size,) or not np.isfinite(vector).all():
        raise UsageError(f"{what} takes {size} finite numbers, got {values!r}")
    vector.flags.writeable = False
    return vector


@dataclass(frozen=True, slots=True, eq=False)
class SO3:
    """A rotation R_AB: the axes of B seen from A."""

    quat: Floats
    """Unit quaternion w, x, y, z."""

    # so that NumPy leaves `X @ array` to this class, which rejects it with a clear message
    __array_ufunc__ = None

    def __post_init__(self) -> None:
        quat = frozen_vector(self.quat, 4, "a quaternion")
        length = float(np.linalg.norm(quat))
        if length < 1e-12:
            raise UsageError("a quaternion of length 0 is not a rotation; the identity is 1 0 0 0")
        unit = quat / length
        unit.flags.writeable = False
        object.__setattr__(self, "quat", unit)

    @staticmethod
    def identity() -> SO3:
        """No rotation."""
        return SO3(np.array([1.0, 0, 0, 0]))

    @staticmethod
    def exp(w: npt.ArrayLike) -> SO3:
        """The rotation of a rotation vector [rad]."""
        return SO3(maths.quat_exp(frozen_vector(w, 3, "a rotation vector")))

    @staticmethod
    def from_matrix(R: npt.ArrayLike) -> SO3:
        """The rotation of an orthonormal 3 × 3 matrix."""
        matrix = np.asarray(R, dtype=float)
        # "not within", so that not-a-number is refused as well
        if matrix.shape != (3, 3) or not np.abs(matrix @ matrix.T - np.eye(3)).max() <= 1e-6:
            raise UsageError("a rotation matrix must have shape (3, 3) and orthonormal rows")
        if np.linalg.det(matrix) < 0:
            raise UsageError(
                "this matrix is a reflection: a rotation matrix must have determinant +1"
            )
        return SO3(maths.matrix_to_quat(matrix))

    @staticmethod
    def from_rpy(roll: float, pitch: float, yaw: float) -> SO3:
        """``Rz(yaw) Ry(pitch) Rx(roll)``, angles in rad."""
        x, y, z = np.eye(3)
        return SO3.exp(yaw * z) @ SO3.exp(pitch * y) @ SO3.exp(roll * x)

    @property
    def matrix(self) -> Floats:
        """The 3 × 3 matrix R_AB."""
        return maths.quat_to_matrix(self.quat)

    @property
    def rpy(self) -> RollPitchYaw:
        """Roll, pitch, yaw [rad] with ``Rz(yaw) Ry(pitch) Rx(roll)``."""
        R = self.matrix
        pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
        if abs(math.cos(pitch)) < 1e-9:
            # only yaw ∓ roll is defined when pitch is ±90°: choose roll 0
            return RollPitchYaw(0.0, pitch, math.atan2(-R[0, 1], R[1, 1]))
        roll, yaw = math.atan2(R[2, 1], R[2, 2]), math.atan2(R[1, 0], R[0, 0])
        return RollPitchYaw(roll, pitch, yaw)

    def log(self) -> Floats:
        """The shortest rotation vector [rad]."""
        return maths.quat_log(self.quat)

    def inverse(self) -> SO3:
        """R_BA."""
        return SO3(self.quat * [1, -1, -1, -1])

    def apply(self, vector: npt.ArrayLike | Sequence[float]) -> Floats:
        """A vector given in B, expressed in A."""
        return np.asarray(self.matrix @ np.asarray(vector, dtype=float))

    def __matmul__(self, other: SO3) -> SO3:
        """R_AC = R_AB @ R_BC."""
        if not isinstance(other, SO3):
            return NotImplemented
        return SO3(maths.quat_multiply(self.quat, other.quat))

    def plus(self, w: npt.ArrayLike) -> SO3:
        """The rotation turned by w [rad], given in its own axes: ``R @ exp(w)``."""
        return self @ SO3.exp(w)

    def minus(self, other: SO3) -> Floats:
        """The w [rad] with ``other.plus(w) == self``."""
        return (other.inverse() @ self).log()

    def is_close(self, other: SO3, *, tolerance: float = 1e-9) -> bool:
        """Whether the two differ by less than an angle [rad]."""
        return float(np.linalg.norm(self.minus(other))) <= tolerance
