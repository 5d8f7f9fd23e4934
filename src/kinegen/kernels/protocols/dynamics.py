"""What every set of kernels offers for the dynamics of the tree; cut joints are absent from it.

q has nq numbers; v, vdot and tau have nv, all float64 and contiguous. Wrenches are None or six
numbers per link: force [N] and moment about the link's origin [N m], world axes. Methods return a
new array, or None when an argument is not such an array of finite numbers (with quaternions that
are rotations): the caller then makes it so, or refuses it by name.
"""

from __future__ import annotations

import enum
from typing import Any, Protocol

from kinegen.kernels.layout import Floats

__all__ = ["BoundDynamics", "DynamicsTask", "Measure"]


class DynamicsTask(enum.IntEnum):
    """What ``batch_dynamics`` computes, row by row."""

    INVERSE = 0
    BIAS = 1
    GRAVITY = 2
    FORWARD = 3
    MASS = 4
    MEASURES = 5


class Measure(enum.IntEnum):
    """Where the measures of the moving links stand in their array of 16."""

    MASS = 0
    CENTRE = 1
    CENTRE_VELOCITY = 4
    LINEAR_MOMENTUM = 7
    ANGULAR_MOMENTUM = 10
    KINETIC = 13
    POTENTIAL = 14
    SPRINGS = 15
    COUNT = 16


class BoundDynamics(Protocol):
    """A model's blocks with the kernels of its dynamics."""

    def inverse(self, q: Any, v: Any, vdot: Any, wrenches: Any, /) -> Floats | None:
        """Efforts tau that make the joints accelerate by vdot, (nv,)."""
        ...

    def bias(self, q: Any, v: Any, wrenches: Any, /) -> Floats | None:
        """The same for vdot = 0: Coriolis, centrifugal, gravity, wrenches."""
        ...

    def gravity(self, q: Any, wrenches: Any, /) -> Floats | None:
        """The same at rest."""
        ...

    def mass(self, q: Any, /) -> Floats | None:
        """The mass matrix H, (nv, nv)."""
        ...

    def forward(self, q: Any, v: Any, tau: Any, wrenches: Any, /) -> Floats | int | None:
        """Accelerations vdot (nv,) under efforts tau, or the joint that has no mass to move."""
        ...

    def inverse_mass(self, q: Any, rows: Any, /) -> Floats | int | None:
        """H⁻¹ times (nv,) or each row of (n, nv), or the joint that has no mass to move."""
        ...

    def factored_mass(self, q: Any, rows: Any, /) -> Floats | int | None:
        """The same for rows by the sparse factors of H, which engines reuse."""
        ...

    def measures(self, q: Any, v: Any, /) -> Floats | None:
        """Mass, centre, momentum and energy of the moving links, by ``Measure``."""
        ...

    def passive(self, q: Any, v: Any, /) -> Floats | None:
        """Efforts of springs, dampers and friction, (nv,)."""
        ...
