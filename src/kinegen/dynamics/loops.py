"""Forces in mechanisms with loops: the loops' equations, and what the joints bear.

Cut joints have no mass: the motion of the tree says all. Loops add forces Jᵀ λ so that J v = 0:
H vdot + bias = tau + Cᵀ tau_cut + Jᵀ λ, where C gives the cut joints' speeds.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import numpy as np

from kinegen.dynamics.springs import Springs
from kinegen.kernels import BoundReduced, Floats, Ints, reduced
from kinegen.kinematics.configurations import Configuration, Velocity, configuration, velocity
from kinegen.mechanism.model import Model

__all__ = ["LoopEquations", "bind_reduced", "least_forces", "loop_equations"]

RANK = 1e-9
"""Singular values of the loops below this share of the largest are zero: rank decides."""

_KERNELS: weakref.WeakKeyDictionary[Model, BoundReduced] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, slots=True, eq=False)
class LoopEquations:
    """What the loops ask of the tree's velocities, and the forces they can hold."""

    J: Floats
    """Speeds at which the loops open, by those of the tree, (rows, nv); columns of cut joints 0."""
    C: Floats
    """Speeds of the cut joints by those of the tree, (nv, nv); rows of tree joints 0."""
    T: Floats
    """Forces of the rows on the link where the cut joint lands, (rows, 6): force and moment about
    the landing frame's origin, world axes."""
    loop: Ints
    """The loop of each row, (rows,)."""
    targets: Floats
    """What J vdot must be, (rows,): -J̇ v."""
    tree: Floats
    """Which v are the tree's, (nv,) of bool."""

    @property
    def free_motion(self) -> Floats:
        """Velocities of the tree that keep the loops closed, orthonormal rows, (freedoms, nv)."""
        inside = self.J[:, self.tree]
        if len(inside) == 0:
            return np.asarray(np.eye(len(self.tree))[self.tree])
        _, values, Vt = np.linalg.svd(inside)
        rank = int(np.sum(values > RANK * max(values[0], 1e-300)))
        out = np.zeros((Vt.shape[0] - rank, len(self.tree)))
        out[:, self.tree] = Vt[rank:]
        return out

    @property
    def generalized(self) -> Floats:
        """Efforts on the tree by those on all joints, (nv, nv): 1 for its own, Cᵀ for others."""
        return np.asarray(np.diag(self.tree.astype(np.float64)) + self.C.T)


def bind_reduced(model: Model, springs: Springs | None = None) -> BoundReduced:
    """Kernels for a model with loops, masses filled in."""
    _ = model.inertia  # masses that follow from shapes are written now
    if springs is None:
        none, points = np.zeros(0, dtype=np.int32), np.zeros((0, 3))
        return reduced(model.ints, model.reals, none, points, none, points, np.zeros((3, 0)))
    numbers = np.stack([springs.stiffness, springs.damping, springs.rest])
    return reduced(
        model.ints,
        model.reals,
        springs.link_a,
        springs.point_a,
        springs.link_b,
        springs.point_b,
        np.ascontiguousarray(numbers),
    )


def shared_kernel(model: Model) -> BoundReduced:
    """Kernels of a model without springs between points, made at first use."""
    _ = model.inertia
    kernel = _KERNELS.get(model)
    if kernel is None:
        kernel = _KERNELS[model] = bind_reduced(model)
    return kernel


def loop_equations(
    model: Model, q: Configuration = None, v: Velocity | None = None
) -> LoopEquations:
    """The loops' equations at a state; q must have its loops closed.

    Args:
        model: The compiled mechanism.
        q: Configuration.
        v: Velocity; None: at rest.
    """
    place = configuration(model, q)
    speed = np.zeros(model.nv) if v is None else velocity(model, v)
    kernel = shared_kernel(model)
    J, C, T, loop = kernel.rows(place)
    tree = np.ones(model.nv, dtype=bool)
    for joint in model.joints:
        tree[joint.v] = not joint.is_cut
    return LoopEquations(J, C, T, loop, kernel.targets(place, speed), tree)


def least_forces(J: Floats, efforts: Floats) -> Floats:
    """The smallest forces in the rows with Jᵀ forces = efforts, (rows,)."""
    if len(J) == 0:
        return np.zeros(0)
    return np.asarray(np.linalg.lstsq(J.T, efforts, rcond=RANK)[0])
