"""Forces in mechanisms with loops: the loops' equations, and what the joints bear.

Cut joints have no mass: the motion of the tree says all. Loops add forces Jᵀ λ so that J v = 0:
H vdot + bias = tau + Cᵀ tau_cut + Jᵀ λ, where C gives the cut joints' speeds.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.simulation.springs import Springs
from kinegen.dynamics.tree.cut_couplings import bind_parted, coupled_cuts
from kinegen.kernels import BoundReduced, Floats, Ints, free_motion, reduced
from kinegen.kernels.tolerances import RANK
from kinegen.kinematics.configurations import Configuration, Velocity, configuration, velocity
from kinegen.mechanism.model import Model

__all__ = [
    "LoopEquations",
    "bind_reduced",
    "least_forces",
    "loop_equations",
]

FORCE_RANK = 1e-9
"""Singular values of loop rows below this share of the largest carry no forces."""

_KERNELS: weakref.WeakKeyDictionary[Model, BoundReduced] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
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
    tree: npt.NDArray[np.bool_]
    """Which v are the tree's, (nv,)."""
    scale: Floats
    """What counts as a change of 1 of each v, (nv,): 1 rad, or the mechanism's size [m]."""
    row_scale: Floats
    """The same of each row."""
    tolerance: float = RANK
    """Share of the largest singular value below which a row of the loops follows from others."""

    @cached_property
    def free_motion(self) -> Floats:
        """Velocities of the tree that keep the loops closed, by rows, (dof, nv).

        Orthonormal when each velocity is divided by its scale. Rank decides as it does for
        :func:`~kinegen.kinematics.mobility.mobility.mobility`: in a singular pose, loops that are
        closed to rounding in place hold to its root only.
        """
        _, directions, rank = self._spectrum
        return directions[rank:]

    @property
    def weakest(self) -> tuple[float, Floats]:
        """The smallest singular value of the loops that counts, by the largest, and its motion."""
        values, directions, rank = self._spectrum
        if not rank:
            return 1.0, np.zeros(len(self.tree))
        return float(values[rank - 1] / values[0]), directions[rank - 1]

    @cached_property
    def _spectrum(self) -> tuple[Floats, Floats, int]:
        """Singular values of the scaled rows, motions by rows, and how many of them are held."""
        scale = self.scale[self.tree]
        inside = self.J[:, self.tree] / self.row_scale[:, None] * scale
        values, directions, rank, _ = free_motion(np.ascontiguousarray(inside), self.tolerance)
        out = np.zeros((len(directions), len(self.tree)))
        out[:, self.tree] = directions * scale
        return values, out, rank

    @property
    def generalized(self) -> Floats:
        """Efforts on the tree by those on all joints, (nv, nv): 1 for its own, Cᵀ for others."""
        return np.asarray(np.diag(self.tree.astype(np.float64)) + self.C.T)


def bind_reduced(model: Model, springs: Springs | None = None) -> BoundReduced:
    """Kernels for a model with loops, masses filled in.

    Args:
        model: The compiled mechanism.
        springs: Those between points; None: there are none, and nothing is moved in time.
    """
    _ = model.inertia  # masses that follow from shapes are written now
    parts: tuple[Any, ...]
    if springs is None:
        none, points = np.zeros(0, dtype=np.int32), np.zeros((0, 3))
        parts = none, points, none, points, np.zeros((3, 0))
    else:
        numbers = np.stack([springs.stiffness, springs.damping, springs.rest])
        ends = springs.link_a, springs.point_a, springs.link_b, springs.point_b
        parts = *ends, np.ascontiguousarray(numbers)
    if coupled_cuts(model):
        return bind_parted(model, parts, 0.0 if springs is None else 0.5)
    return reduced(model.ints, model.reals, *parts)


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
    tree, scale = np.ones(model.nv, dtype=bool), np.ones(model.nv)
    cuts = coupled_cuts(model)  # these count as the tree's
    for j, joint in enumerate(model.joints):
        tree[joint.v] = not joint.is_cut or j in cuts
        lengths = [kind == "length" for _, kind in joint.type.info.variables]
        scale[joint.v] = np.where(lengths, model.size, 1.0)
    row_scale = np.where(np.abs(T[:, :3]).any(axis=1), model.size, 1.0)
    for coupling in model.couplings:
        row_scale[loop == coupling.loop] = model.size if coupling.is_length else 1.0
    return LoopEquations(J, C, T, loop, kernel.targets(place, speed), tree, scale, row_scale)


def least_forces(J: Floats, efforts: Floats) -> Floats:
    """The smallest forces in the rows with Jᵀ forces = efforts, (rows,)."""
    if len(J) == 0:
        return np.zeros(0)
    return np.asarray(np.linalg.lstsq(J.T, efforts, rcond=FORCE_RANK)[0])
