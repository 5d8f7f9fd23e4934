"""Rigid transforms (4 × 4), and joints as products of steps with constant motion subspaces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base.joint_types import (
    CYLINDRICAL,
    FREE,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SCREW,
    SPHERICAL,
    UNIVERSAL,
)
from kinegen.kernels.reference.base.rotation import cross_matrix, matrix_to_quat, quat_to_matrix

X, Y, Z = range(3)
KLEINFINGER = 0
_EYE = np.eye(4)


def transform(R: Floats | None = None, p: Floats | Sequence[float] | None = None) -> Floats:
    """The 4 × 4 matrix of a rotation and a translation."""
    X = _EYE.copy()
    if R is not None:
        X[:3, :3] = R
    if p is not None:
        X[:3, 3] = p
    return X


def inverse(X: Floats) -> Floats:
    """The inverse of a rigid transform."""
    return transform(X[:3, :3].T, -X[:3, :3].T @ X[:3, 3])


def turn(axis: int, angle: float) -> Floats:
    """Rotation about the x, y or z axis as a 4 × 4 matrix."""
    X, cosine, sine = _EYE.copy(), math.cos(angle), math.sin(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    X[j, j] = X[k, k] = cosine
    X[k, j], X[j, k] = sine, -sine
    return X


def shift(axis: int, length: float) -> Floats:
    """Translation along the x, y or z axis as a 4 × 4 matrix."""
    X = _EYE.copy()
    X[axis, 3] = length
    return X


def pose_of(X: Floats) -> Floats:
    """Seven numbers of a transform: quaternion, then translation."""
    return np.concatenate([matrix_to_quat(X[:3, :3]), X[:3, 3]])


def adjoint(X_AB: Floats) -> Floats:
    """Ad(X_AB): turns a twist (linear first) at B in B's axes into the same at A in A's axes."""
    R, p = X_AB[:3, :3], X_AB[:3, 3]
    Ad = np.zeros((6, 6))
    Ad[:3, :3] = Ad[3:, 3:] = R
    Ad[:3, 3:] = cross_matrix(p) @ R
    return Ad


def twist_bracket(V: Floats) -> Floats:
    """ad(V), the 6 × 6 matrix of the Lie bracket of twists (linear first)."""
    ad = np.zeros((6, 6))
    ad[:3, :3] = ad[3:, 3:] = cross_matrix(V[3:])
    ad[:3, 3:] = cross_matrix(V[:3])
    return ad


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
