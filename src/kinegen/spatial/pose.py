"""SE3: a pose X_AB, rotation and translation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base import rotation as maths
from kinegen.kernels.reference.base import transform
from kinegen.spatial.rotation import SO3, frozen_vector

__all__ = ["SE3"]


def _origin() -> Floats:
    return np.zeros(3)


@dataclass(frozen=True, slots=True, eq=False)
class SE3:
    """A pose X_AB: frame B seen from frame A."""

    so3: SO3 = field(default_factory=SO3.identity)
    """R_AB."""
    translation: Floats = field(default_factory=_origin)
    """p_AB [m], (3,)."""

    # so that NumPy leaves `X @ array` to this class, which rejects it with a clear message
    __array_ufunc__ = None

    def __post_init__(self) -> None:
        if not isinstance(self.so3, SO3):
            raise UsageError(f"the rotation of a pose must be an SO3, got {self.so3!r}")
        object.__setattr__(self, "translation", frozen_vector(self.translation, 3, "a translation"))

    @staticmethod
    def identity() -> SE3:
        """B on A."""
        return SE3()

    @staticmethod
    def from_pose(pose: npt.ArrayLike) -> SE3:
        """Seven numbers: quaternion w x y z, then x y z [m]."""
        numbers = frozen_vector(pose, 7, "a pose")
        return SE3(SO3(numbers[:4]), numbers[4:])

    @staticmethod
    def of_kernel(pose: Floats) -> SE3:
        """The same from numbers of a kernel, which are not checked and become read-only."""
        # by position: a keyword takes longer than the rest
        pose.setflags(False)  # type: ignore[call-arg]
        so3, made = _new(SO3), _new(SE3)
        _set_quat(so3, pose[:4])
        _set_so3(made, so3)
        _set_translation(made, pose[4:])
        return made

    @staticmethod
    def from_matrix(X: npt.ArrayLike) -> SE3:
        """A homogeneous 4 × 4 matrix."""
        matrix = np.asarray(X, dtype=float)
        if matrix.shape != (4, 4) or not np.abs(matrix[3] - [0, 0, 0, 1]).max() <= 1e-9:
            raise UsageError("a homogeneous matrix must have shape (4, 4) and the last row 0 0 0 1")
        return SE3(SO3.from_matrix(matrix[:3, :3]), matrix[:3, 3])

    @staticmethod
    def exp(xi: npt.ArrayLike) -> SE3:
        """The pose reached by the twist xi = (v, w) in unit time [m, rad]."""
        twist = frozen_vector(xi, 6, "a twist")
        return SE3(SO3.exp(twist[3:]), maths.left_jacobian(twist[3:]) @ twist[:3])

    @property
    def quat(self) -> Floats:
        """Quaternion w, x, y, z of R_AB."""
        return self.so3.quat

    @property
    def rotation(self) -> Floats:
        """The 3 × 3 matrix R_AB."""
        return self.so3.matrix

    @property
    def matrix(self) -> Floats:
        """The homogeneous 4 × 4 matrix."""
        return transform.transform(self.rotation, self.translation)

    @property
    def pose(self) -> Floats:
        """Seven numbers: quaternion w x y z, then x y z [m]."""
        return np.concatenate([self.quat, self.translation])

    def log(self) -> Floats:
        """The twist (v, w) [m, rad] that reaches the pose in unit time."""
        w = self.so3.log()
        return np.concatenate([np.linalg.solve(maths.left_jacobian(w), self.translation), w])

    def inverse(self) -> SE3:
        """X_BA."""
        R = self.so3.inverse()
        return SE3(R, -R.apply(self.translation))

    def apply(self, point: npt.ArrayLike) -> Floats:
        """A point given in B, seen from A [m]."""
        return np.asarray(self.so3.apply(point) + self.translation)

    def __matmul__(self, other: SE3) -> SE3:
        """X_AC = X_AB @ X_BC."""
        if not isinstance(other, SE3):
            return NotImplemented
        return SE3(self.so3 @ other.so3, self.apply(other.translation))

    def adjoint(self) -> Floats:
        """Ad(X_AB), (6, 6): a twist at B in B's axes becomes the same at A in A's axes."""
        return transform.adjoint(self.matrix)

    def plus(self, xi: npt.ArrayLike) -> SE3:
        """The pose moved by a twist in its own axes: ``X @ exp(xi)``."""
        return self @ SE3.exp(xi)

    def minus(self, other: SE3) -> Floats:
        """The xi with ``other.plus(xi) == self``."""
        return (other.inverse() @ self).log()

    def is_close(self, other: SE3, *, tolerance: float = 1e-9) -> bool:
        """Whether the two differ by less than a tolerance [m, rad]."""
        return float(np.abs(self.minus(other)).max()) <= tolerance


# how the fields of frozen values are set without their checks
_new = object.__new__
_set_quat = SO3.__dict__["quat"].__set__
_set_so3 = SE3.__dict__["so3"].__set__
_set_translation = SE3.__dict__["translation"].__set__
