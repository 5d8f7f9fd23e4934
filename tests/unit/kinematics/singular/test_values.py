from __future__ import annotations

import numpy as np

from kinegen.kinematics.singular.values import singular_values


def test_values_are_sorted_and_none_of_an_empty_matrix() -> None:
    assert np.allclose(singular_values(np.diag([1.0, 3.0, 2.0])), [3, 2, 1])
    assert singular_values(np.zeros((0, 4))).shape == (0,)
