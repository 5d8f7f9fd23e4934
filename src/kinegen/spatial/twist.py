"""Twist and Wrench: velocity and force of a body about one point, linear part first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import frozen_vector

__all__ = ["Twist", "Wrench"]


@dataclass(frozen=True, slots=True, eq=False)
class Twist:
    """V_AB_E: velocity of frame B in A, at B's origin, in the axes of E."""

    linear: Floats
    """[m/s], (3,)."""
    angular: Floats
    """[rad/s], (3,)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "linear", frozen_vector(self.linear, 3, "a velocity"))
        object.__setattr__(self, "angular", frozen_vector(self.angular, 3, "an angular velocity"))

    @property
    def vector(self) -> Floats:
        """(v, w), (6,)."""
        return np.concatenate([self.linear, self.angular])

    def transformed(self, X_AB: SE3) -> Twist:
        """The same motion, given at B in B's axes, at A in A's axes."""
        moved = X_AB.adjoint() @ self.vector
        return Twist(moved[:3], moved[3:])


@dataclass(frozen=True, slots=True, eq=False)
class Wrench:
    """F_Bo_E: force and torque about B's origin, in the axes of E."""

    force: Floats
    """[N], (3,)."""
    torque: Floats
    """[N m], (3,)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "force", frozen_vector(self.force, 3, "a force"))
        object.__setattr__(self, "torque", frozen_vector(self.torque, 3, "a torque"))

    @property
    def vector(self) -> Floats:
        """(f, t), (6,)."""
        return np.concatenate([self.force, self.torque])

    def transformed(self, X_AB: SE3) -> Wrench:
        """The same load, given about B in B's axes, about A in A's axes."""
        force = X_AB.so3.apply(self.force)
        return Wrench(force, X_AB.so3.apply(self.torque) + np.cross(X_AB.translation, force))

    def power(self, twist: Twist) -> float:
        """Power [W] given to a body that moves with a twist at the same point and axes."""
        return float(self.vector @ twist.vector)
