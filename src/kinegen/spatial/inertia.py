"""Inertia: mass, centre of mass and inertia tensor of a rigid body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.errors import NumberError
from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base.rotation import cross_matrix
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import frozen_vector

__all__ = ["Inertia"]


@dataclass(frozen=True, slots=True, eq=False)
class Inertia:
    """Mass properties of a body in its own frame B."""

    mass: float
    """[kg]"""
    centre: Floats
    """Centre of mass p_BoBcm [m], (3,)."""
    tensor: Floats
    """Inertia about the centre of mass, B's axes [kg m²], (3, 3)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", frozen_vector(self.centre, 3, "a centre of mass"))
        tensor = np.array(self.tensor, dtype=float)
        if tensor.shape != (3, 3) or not np.allclose(tensor, tensor.T, atol=1e-12):
            raise NumberError("an inertia tensor must be symmetric and have shape (3, 3)")
        if not (np.isfinite(tensor).all() and np.isfinite(self.mass) and self.mass >= 0):
            raise NumberError(f"mass {self.mass} kg or its inertia is negative or not finite")
        moments = np.linalg.eigvalsh(tensor)
        # A body's largest moment never exceeds the sum of the others; rounding is forgiven.
        slack = 1e-9 * max(float(moments[2]), 1e-30)
        if moments[0] < -slack or moments[2] > moments[0] + moments[1] + slack:
            raise NumberError(
                f"no body has the principal moments {', '.join(f'{m:.6g}' for m in moments)} kg m²:"
                " each must be positive and at most the sum of the other two"
            )
        tensor.flags.writeable = False
        object.__setattr__(self, "tensor", tensor)

    def about_origin(self) -> Floats:
        """The 6 × 6 spatial inertia about B's origin, linear first."""
        C = cross_matrix(self.centre)
        upper = np.hstack([self.mass * np.eye(3), -self.mass * C])
        lower = np.hstack([self.mass * C, self.tensor - self.mass * C @ C])
        return np.vstack([upper, lower])

    def transformed(self, X_AB: SE3) -> Inertia:
        """The same body described in frame A."""
        R = X_AB.rotation
        return Inertia(self.mass, X_AB.apply(self.centre), R @ self.tensor @ R.T)
