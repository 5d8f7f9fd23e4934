"""Joints as products of elementary steps, each with a constant motion subspace."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kinegen.joint_types import JointType
from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base.rotation import quat_to_matrix, shift, transform, turn

TRAITS = tuple(kind.info for kind in JointType)
"""Of each type, by its code."""
REVOLUTE, PRISMATIC, SCREW, CYLINDRICAL, UNIVERSAL, SPHERICAL, PLANAR, FREE, FIXED = (
    info.code for info in TRAITS
)
NQ = tuple(info.nq for info in TRAITS)
NV = tuple(info.nv for info in TRAITS)
QUATERNIONS = frozenset(info.code for info in TRAITS if info.has_quaternion)
"""Types whose q begins with a quaternion."""
LENGTHS = tuple([k for k in range(info.nv) if info.is_length[k]] for info in TRAITS)
"""Which variables of a type slide."""
X, Y, Z = range(3)
KLEINFINGER = 0


@dataclass(frozen=True, slots=True)
class Step:
    """One factor of a joint's motion."""

    transform: Floats
    """From the frame before the step to the one after it, (4, 4)."""
    subspace: Floats
    """Twists per unit velocity in the frame after the step, (6, n), linear first."""


def _axis(linear: int | None = None, angular: int | None = None, lead: float = 0.0) -> Floats:
    column = np.zeros((6, 1))
    if linear is not None:
        column[linear] = 1
    if angular is not None:
        column[3 + angular] = 1
        column[angular] += lead
    return column


SLIDES = [_axis(linear=axis) for axis in (X, Y, Z)]
TURNS = [_axis(angular=axis) for axis in (X, Y, Z)]


def joint_steps(kind: int, q: Floats, pitch: float) -> list[Step]:
    """X_FM(q) of a joint, as steps whose subspaces stand side by side in the joint's v."""
    if kind == REVOLUTE:
        return [Step(turn(Z, q[0]), TURNS[Z])]
    if kind == PRISMATIC:
        return [Step(shift(Z, q[0]), SLIDES[Z])]
    if kind == SCREW:
        lead = pitch / math.tau
        return [Step(turn(Z, q[0]) @ shift(Z, lead * q[0]), _axis(angular=Z, lead=lead))]
    if kind == CYLINDRICAL:
        return [Step(turn(Z, q[0]), TURNS[Z]), Step(shift(Z, q[1]), SLIDES[Z])]
    if kind == UNIVERSAL:
        return [Step(turn(Z, q[0]), TURNS[Z]), Step(turn(X, q[1]), TURNS[X])]
    if kind == SPHERICAL:
        return [Step(transform(quat_to_matrix(q)), np.eye(6)[:, 3:])]
    if kind == PLANAR:
        return [
            Step(shift(X, q[0]), SLIDES[X]),
            Step(shift(Y, q[1]), SLIDES[Y]),
            Step(turn(Z, q[2]), TURNS[Z]),
        ]
    if kind == FREE:
        return [Step(transform(quat_to_matrix(q[:4]), q[4:]), np.eye(6))]
    return []


def place(kind: int, numbers: Floats) -> Floats:
    """Transform (4, 4) of a placement's six numbers."""
    if kind == KLEINFINGER:
        gamma, b, alpha, d, theta, r = numbers
        return (
            turn(Z, gamma) @ shift(Z, b) @ turn(X, alpha) @ shift(X, d) @ turn(Z, theta)
            @ shift(Z, r)
        )  # fmt: skip
    x, y, z, roll, pitch, yaw = numbers
    return transform(p=np.array([x, y, z])) @ turn(Z, yaw) @ turn(Y, pitch) @ turn(X, roll)
