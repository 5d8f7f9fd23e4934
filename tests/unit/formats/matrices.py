"""Homogeneous matrices written out, and chains of them: what conversions are checked by."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kinegen.kernels.joint_types import JointType
from kinegen.mechanism.graph import Mechanism, Placement, PlacementKind

Matrix = NDArray[np.float64]


def Rx(a: float) -> Matrix:
    c, s = math.cos(a), math.sin(a)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def Rz(a: float) -> Matrix:
    c, s = math.cos(a), math.sin(a)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def Tx(d: float) -> Matrix:
    X = np.eye(4)
    X[0, 3] = d
    return X


def Tz(d: float) -> Matrix:
    X = np.eye(4)
    X[2, 3] = d
    return X


def placed(placement: Placement, values: Mapping[str, float]) -> Matrix:
    """Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)."""
    assert placement.kind is PlacementKind.KLEINFINGER
    gamma, b, alpha, d, theta, r = (number.evaluate(values) for number in placement.numbers)
    return Rz(gamma) @ Tz(b) @ Rx(alpha) @ Tx(d) @ Rz(theta) @ Tz(r)


def parameter_values(mechanism: Mechanism) -> dict[str, float]:
    return {name: p.formula.evaluate({}) for name, p in mechanism.parameters.items()}


def link_poses(mechanism: Mechanism, q: Sequence[float]) -> dict[str, Matrix]:
    """Pose of every link for one number per revolute or prismatic joint, in the file's order."""
    values = parameter_values(mechanism)
    numbers = iter(q)
    poses = {"base": np.eye(4)}
    for joint in mechanism.joints.values():
        X = poses[joint.parent] @ placed(joint.placement, values)
        if joint.type is JointType.REVOLUTE:
            X = X @ Rz(next(numbers))
        elif joint.type is JointType.PRISMATIC:
            X = X @ Tz(next(numbers))
        poses[joint.name] = X
    return poses


def tool_pose(mechanism: Mechanism, q: Sequence[float]) -> Matrix:
    """Pose of the frame at the end of a chain."""
    frame = next(iter(mechanism.frames.values()))
    poses = link_poses(mechanism, q)
    return poses[frame.parent] @ placed(frame.placement, parameter_values(mechanism))
