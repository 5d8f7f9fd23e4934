"""What bonds hold and leave free agrees with how their joints move."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen.joint_types import JointType
from kinegen.kernels.protocols.impulse import BONDS, BondRow, BondType, RowAction
from kinegen.kernels.reference.base.transform import adjoint, inverse, joint_steps, transform
from kinegen.kernels.reference.impulse.joints import axis_of

PITCH = 0.7
LEAD = PITCH / math.tau


def moved(kind: JointType) -> tuple[np.ndarray, np.ndarray]:
    """X_FM somewhere, and the twists of M at its origin per unit of each variable, F's axes."""
    q = np.random.default_rng(kind.info.code).normal(size=kind.info.nq)
    X_FM, X_after, parts = np.eye(4), np.eye(4), []
    steps = joint_steps(kind.info.code, q, PITCH)
    for step in steps:
        X_FM = X_FM @ step.transform
    for step in reversed(steps):
        parts.append(adjoint(inverse(X_after)) @ step.subspace)
        X_after = step.transform @ X_after
    body = np.hstack(parts[::-1]) if parts else np.zeros((6, 0))
    return X_FM, adjoint(transform(X_FM[:3, :3])) @ body


def speed_row(row: BondRow, X_FM: np.ndarray) -> np.ndarray:
    """The speed of a row by the twist of M in F's axes."""
    axis = axis_of(row.axis, np.eye(4), X_FM)
    turn = {RowAction.ALONG: 0, RowAction.ABOUT: 1, RowAction.THREAD: -LEAD}[row.action]
    return np.concatenate([(row.action != RowAction.ABOUT) * axis, turn * axis])


@pytest.mark.parametrize("kind", JointType)
def test_held_rows_are_what_the_joint_cannot_do(kind: JointType) -> None:
    X_FM, V = moved(kind)
    held = np.array([speed_row(row, X_FM) for row in BONDS[kind.info.code].held]).reshape(-1, 6)
    np.testing.assert_allclose(held @ V, 0, atol=1e-14)  # rounding
    assert len(held) == np.linalg.matrix_rank(held) == 6 - kind.info.nv


@pytest.mark.parametrize("kind", JointType)
def test_freed_rows_are_the_speeds_of_the_variables(kind: JointType) -> None:
    X_FM, V = moved(kind)
    freed = np.array([speed_row(row, X_FM) for row in BONDS[kind.info.code].freed]).reshape(-1, 6)
    np.testing.assert_allclose(freed @ V, np.eye(kind.info.nv), atol=1e-14)  # rounding


def test_rows_along_a_direction_come_first() -> None:
    for bond in BONDS:
        assert all(row.action != RowAction.ABOUT for row in bond.held[: bond.along])
        assert all(row.action == RowAction.ABOUT for row in bond.held[bond.along :])


def test_bonds_begin_with_the_types_of_joints() -> None:
    joints = [BondType.of(kind).name for kind in JointType]
    assert joints == [kind.name for kind in JointType]
    assert [kind.value for kind in BondType] == list(range(len(BONDS)))
