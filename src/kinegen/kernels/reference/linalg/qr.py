"""Rank-revealing QR by Householder reflections with column pivoting, and what follows from it."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.reference.linalg.linalg import matrix, rank_tolerance, right_side, safe_scale

__all__ = ["qr_factor", "qr_null_space", "qr_solve", "qr_solve_minimum_norm"]


def _reflection(x: Floats) -> Floats:
    """The Householder matrix that maps x to a multiple of the first axis."""
    v = x.copy()
    if not v[1:].any():
        return np.eye(len(x))
    v[0] += np.copysign(np.linalg.norm(x), x[0])
    return np.asarray(np.eye(len(x)) - 2 * np.outer(v, v) / (v @ v))


def qr_factor(A: Floats, tolerance: float = -1.0) -> tuple[Floats, Floats, Ints, int]:
    """A[:, perm] = Q R with column pivoting (Businger and Golub 1965), and the rank.

    Column k is the one with the largest part outside the span of the columns before it. When that
    part is at most tolerance × |R[0, 0]|, what is left is taken for zero and k is the rank.

    Returns:
        Q (m, k) with orthonormal columns, R (k, n) upper triangular, perm (n) int32, rank;
        k = min(m, n).
    """
    scale = safe_scale(matrix(A, "A"))
    R = A * scale
    m, n = R.shape
    steps = rank = min(m, n)
    Q, perm = np.eye(m), np.arange(n, dtype=np.int32)
    first = 0.0
    for k in range(steps):
        left = np.linalg.norm(R[k:, k:], axis=0)
        pivot = k + int(np.argmax(left))
        first = first if k else float(left.max())
        if not left.max() > rank_tolerance(tolerance, A) * first:
            R[k:, k:] = 0
            rank = k
            break
        R[:, [k, pivot]] = R[:, [pivot, k]]
        perm[[k, pivot]] = perm[[pivot, k]]
        H = _reflection(R[k:, k])
        R[k:, k:] = H @ R[k:, k:]
        Q[:, k:] = Q[:, k:] @ H
    return Q[:, :steps].copy(), np.triu(R[:steps]) / scale, perm, rank


def qr_solve(A: Floats, B: Floats, tolerance: float = -1.0) -> tuple[Floats, int]:
    """The basic least-squares solution: X (n, p) with the smallest residual A X - B, and the rank.

    Only ``rank`` rows of X are not zero: those of the first pivots.
    """
    Q, R, perm, rank = qr_factor(A, tolerance)
    B = right_side(B, A.shape[0])
    X = np.zeros((A.shape[1], B.shape[1]))
    X[perm[:rank]] = np.linalg.solve(R[:rank, :rank], Q[:, :rank].T @ B)
    return X, rank


def qr_solve_minimum_norm(A: Floats, B: Floats, tolerance: float = -1.0) -> tuple[Floats, int]:
    """Of all X (n, p) with the smallest residual A X - B the smallest itself, and the rank."""
    Q, R, perm, rank = qr_factor(A, tolerance)
    B = right_side(B, A.shape[0])
    X = np.zeros((A.shape[1], B.shape[1]))
    if rank:
        # X = Rᵀ (R Rᵀ)⁻¹ Qᵀ B, by the QR factors Z T of Rᵀ
        Z, T = np.linalg.qr(R[:rank].T)
        X[perm] = Z @ np.linalg.solve(T.T, Q[:, :rank].T @ B)
    return X, rank


def qr_null_space(A: Floats, tolerance: float = -1.0) -> Floats:
    """Orthonormal columns N (n, n - rank) with A N = 0."""
    _, R, perm, rank = qr_factor(A, tolerance)
    n = A.shape[1]
    N = np.zeros((n, n - rank))
    # R11 x + R12 y = 0: any y, and the x that belongs to it
    N[perm[:rank]] = -np.linalg.solve(R[:rank, :rank], R[:rank, rank:])
    N[perm[rank:]] = np.eye(n - rank)
    return np.linalg.qr(N)[0]
