"""The rows of cut joints agree with how the joints move."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen.joint_types import JointType
from kinegen.kernels.protocols.reduced import CUT_ROWS, RowKind
from kinegen.kernels.reference.base.transform import adjoint, inverse, transform
from tests.unit.kernels.protocols.test_impulse import PITCH, moved


@pytest.mark.parametrize("kind", JointType)
def test_cut_rows_transmit_what_the_joint_cannot_do(kind: JointType) -> None:
    X_FM, V = moved(kind)
    R_MF = inverse(X_FM)[:3, :3]
    V_M = adjoint(transform(R_MF)) @ V  # in M's axes, which are K's where the loop is closed
    rows = np.eye(8, 6)
    rows[RowKind.THREAD] = [0, 0, 1, 0, 0, -PITCH / math.tau]
    rows[RowKind.CROSS, 3:] = np.cross(R_MF[:, 2], [1, 0, 0])
    held = rows[[*CUT_ROWS[kind.info.code]]]
    np.testing.assert_allclose(held @ V_M, 0, atol=1e-14)  # rounding
    assert len(held) == np.linalg.matrix_rank(held) == 6 - kind.info.nv
