"""LDLᵀ of a symmetric matrix with diagonal pivoting: P A Pᵀ = L D Lᵀ."""

from __future__ import annotations

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.reference.linalg.linalg import matrix, rank_tolerance, right_side

__all__ = ["ldlt_factor", "ldlt_solve"]


def ldlt_factor(A: Floats, tolerance: float = -1.0) -> tuple[Floats, Floats, Ints, int, int]:
    """A[perm][:, perm] = L diag(D) Lᵀ of a symmetric matrix; only its lower triangle is read.

    The pivot is the largest diagonal entry, by its absolute value, of what is left. Up to
    tolerance × the largest entry of A it counts as zero, which ends the factorisation.

    Returns:
        L (n, n) with ones on its diagonal, D (n), perm (n) int32, rank, and the size of a block
        that is left but is not zero: 0 for every semidefinite matrix, whatever its rank.
    """
    m, n = matrix(A, "A").shape
    if m != n:
        raise UsageError(f"A must be square, is {m} by {n}")
    rest = np.tril(A) + np.tril(A, -1).T
    threshold = rank_tolerance(tolerance, A) * float(np.abs(rest).max(initial=0))
    L, D, perm = np.zeros((n, n)), np.zeros(n), np.arange(n, dtype=np.int32)
    rank = failed = 0
    for k in range(n):
        pivot = k + int(np.argmax(np.abs(np.diag(rest)[k:])))
        if not abs(rest[pivot, pivot]) > threshold:
            failed = n - k if np.abs(rest[k:, k:]).max() > threshold else 0
            break
        order = np.arange(n)
        order[[k, pivot]] = order[[pivot, k]]
        rest, L, perm = rest[np.ix_(order, order)], L[order], perm[order]
        D[k] = rest[k, k]
        L[k:, k] = rest[k:, k] / D[k]
        rest[k:, k:] -= D[k] * np.outer(L[k:, k], L[k:, k])
        rank += 1
    np.fill_diagonal(L, 1)
    return L, D, perm, rank, failed


def ldlt_solve(A: Floats, B: Floats, tolerance: float = -1.0) -> tuple[Floats, int, int]:
    """X (n, p) with A X = B, the rank and the size of a failed block, as in ``ldlt_factor``.

    In a singular system the unknowns beyond the rank are zero.
    """
    L, D, perm, rank, failed = ldlt_factor(A, tolerance)
    B = right_side(B, A.shape[0])
    X = np.zeros_like(B)
    L11 = L[:rank, :rank]
    Y = np.linalg.solve(L11, B[perm[:rank]]) / D[:rank, None]
    X[perm[:rank]] = np.linalg.solve(L11.T, Y)
    return X, rank, failed
