"""Blocks of a system: products of determinants, columns with too many rows, singular patterns."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from kinegen.kernels.reference.singular.blocks import diagonal_blocks


def shuffled(blocks: list[int], seed: int) -> np.ndarray:
    """A random block triangular matrix with its rows and columns in disorder."""
    rng = np.random.default_rng(seed)
    n = sum(blocks)
    edges = np.cumsum([0, *blocks])
    A = np.zeros((n, n))
    for i, j in pairwise(edges):
        A[i:j, i:] = rng.normal(size=(j - i, n - i))
    return A[np.ix_(rng.permutation(n), rng.permutation(n))]


@pytest.mark.parametrize("sizes", [[1, 1, 1], [2, 3], [3, 1, 2], [1], [4], [2, 2, 2, 2]])
@pytest.mark.parametrize("seed", range(5))
def test_the_determinant_is_the_product_of_the_blocks(sizes: list[int], seed: int) -> None:
    A = shuffled(sizes, seed)
    blocks = diagonal_blocks(A != 0)
    assert blocks is not None
    assert sorted(len(columns) for _, columns in blocks) == sorted(sizes)
    product = np.prod([np.linalg.det(A[np.ix_(rows, columns)]) for rows, columns in blocks])
    assert abs(product) == pytest.approx(abs(np.linalg.det(A)), rel=1e-9)
    assert sorted(i for rows, _ in blocks for i in rows) == list(range(len(A)))


def test_columns_with_too_many_rows_are_in_no_block() -> None:
    #       a  b  c
    rows = [[1, 0, 0], [1, 0, 0], [1, 1, 1], [0, 1, 1]]
    assert diagonal_blocks(np.array(rows, dtype=bool)) == [([2, 3], [1, 2])]


def test_rows_too_many_for_all_columns_leave_nothing() -> None:
    assert diagonal_blocks(np.ones((3, 2), dtype=bool)) == []


def test_a_pattern_that_is_singular_whatever_its_numbers() -> None:
    assert diagonal_blocks(np.array([[1, 1], [0, 0]], dtype=bool)) is None
    assert diagonal_blocks(np.ones((2, 3), dtype=bool)) is None
