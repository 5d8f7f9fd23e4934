"""Free motion of a matrix: the widest gap decides near the tolerance."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.errors import UsageError
from kinegen.kernels.reference.linalg.spectrum import free_motion, rank_by_gap


@pytest.mark.parametrize(
    ("values", "rank"),
    [
        ([], 0),
        ([0, 0], 0),
        ([1, 1e-2, 1e-12], 2),
        ([1, 1e-2, 4e-6], 3),
        ([1, 1e-2, 2e-7], 2),
        ([1, 5e-6, 4e-7, 1e-16], 3),
    ],
)
def test_the_rank(values: list[float], rank: int) -> None:
    assert rank_by_gap(np.array(values), 1e-6)[0] == rank


def test_forbidden_directions_come_first() -> None:
    values, V, rank, gap = free_motion(np.diag([0.5, 0.0, 2.0]), 1e-6)
    assert rank == 2
    np.testing.assert_allclose(values, [2, 0.5, 0])
    np.testing.assert_allclose(np.abs(V), np.eye(3)[[2, 0, 1]])
    assert gap > 1e14


def test_no_rows_leave_everything_free() -> None:
    values, V, rank, gap = free_motion(np.zeros((0, 4)), 1e-6)
    assert (len(values), rank, gap) == (0, 0, np.inf)
    np.testing.assert_array_equal(V, np.eye(4))


def test_what_is_not_finite_is_refused() -> None:
    with pytest.raises(UsageError, match="finite"):
        free_motion(np.array([[np.nan]]), 1e-6)
