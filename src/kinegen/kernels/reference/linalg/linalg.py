"""Small dense linear algebra in NumPy: the specification of ``native/kernel/{qr,ldlt,svd}.hpp``.

Matrices are float64, C-contiguous, of any size, empty ones included; they are not changed, results
are new arrays. ``tolerance`` is relative and decides the rank; negative means that of rounding,
``eps · max(m, n)``. NaN and infinity are refused.
"""

from __future__ import annotations

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import Floats, Ints

__all__ = [
    "ldlt_factor",
    "ldlt_solve",
    "qr_factor",
    "qr_null_space",
    "qr_solve",
    "qr_solve_minimum_norm",
    "svd_factor",
]


def _matrix(given: Floats, name: str) -> Floats:
    """The matrix, once it is known to be one."""
    if not isinstance(given, np.ndarray) or not given.flags.c_contiguous:
        raise UsageError(f"{name} must be a C-contiguous array")
    if given.ndim != 2:
        raise UsageError(f"{name} must have shape (any, any), has {given.shape}")
    if given.dtype != np.float64:
        raise UsageError(f"{name} must be of type float64")
    if not np.isfinite(given).all():
        raise UsageError(f"{name} contains NaN or infinity")
    return given


def _right_side(given: Floats, rows: int) -> Floats:
    B = _matrix(given, "B")
    if B.shape[0] != rows:
        raise UsageError(f"B must have {rows} rows, has {B.shape[0]}")
    return B


def _tolerance(tolerance: float, A: Floats) -> float:
    return tolerance if tolerance >= 0 else float(np.finfo(float).eps) * max(A.shape)


def _safe_scale(A: Floats) -> float:
    """A power of two that brings extreme numbers to where their squares exist; 1 for others."""
    top = float(np.abs(A).max(initial=0))
    if top == 0 or 1e-120 < top < 1e120:
        return 1.0
    return float(2.0 ** -np.clip(np.frexp(top)[1], -1000, 1000))


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
    scale = _safe_scale(_matrix(A, "A"))
    R = A * scale
    m, n = R.shape
    steps = rank = min(m, n)
    Q, perm = np.eye(m), np.arange(n, dtype=np.int32)
    first = 0.0
    for k in range(steps):
        left = np.linalg.norm(R[k:, k:], axis=0)
        pivot = k + int(np.argmax(left))
        first = first if k else float(left.max())
        if not left.max() > _tolerance(tolerance, A) * first:
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
    B = _right_side(B, A.shape[0])
    X = np.zeros((A.shape[1], B.shape[1]))
    X[perm[:rank]] = np.linalg.solve(R[:rank, :rank], Q[:, :rank].T @ B)
    return X, rank


def qr_solve_minimum_norm(A: Floats, B: Floats, tolerance: float = -1.0) -> tuple[Floats, int]:
    """Of all X (n, p) with the smallest residual A X - B the smallest itself, and the rank."""
    Q, R, perm, rank = qr_factor(A, tolerance)
    B = _right_side(B, A.shape[0])
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


def ldlt_factor(A: Floats, tolerance: float = -1.0) -> tuple[Floats, Floats, Ints, int, int]:
    """A[perm][:, perm] = L diag(D) Lᵀ of a symmetric matrix; only its lower triangle is read.

    The pivot is the largest diagonal entry, by its absolute value, of what is left. Up to
    tolerance × the largest entry of A it counts as zero, which ends the factorisation.

    Returns:
        L (n, n) with ones on its diagonal, D (n), perm (n) int32, rank, and the size of a block
        that is left but is not zero: 0 for every semidefinite matrix, whatever its rank.
    """
    m, n = _matrix(A, "A").shape
    if m != n:
        raise UsageError(f"A must be square, is {m} by {n}")
    rest = np.tril(A) + np.tril(A, -1).T
    threshold = _tolerance(tolerance, A) * float(np.abs(rest).max(initial=0))
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
    B = _right_side(B, A.shape[0])
    X = np.zeros_like(B)
    L11 = L[:rank, :rank]
    Y = np.linalg.solve(L11, B[perm[:rank]]) / D[:rank, None]
    X[perm[:rank]] = np.linalg.solve(L11.T, Y)
    return X, rank, failed


def svd_factor(A: Floats, start: Floats | None = None) -> tuple[Floats, Floats, Floats, int]:
    """A = U diag(s) Vᵀ in thin form, singular values falling, and the number of sweeps.

    The compiled kernel rotates the short side and can start from the factor that it found for a
    similar matrix: ``start`` is that U when m <= n, else that V, (k, k) with k = min(m, n).

    Returns:
        U (m, k), s (k), V (n, k), sweeps (0 here: no iteration of ours).
    """
    k = min(_matrix(A, "A").shape)
    if start is not None and start.shape != (k, k):
        raise UsageError(f"start must have shape ({k}, {k}), has {start.shape}")
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    return np.ascontiguousarray(U), s, np.ascontiguousarray(Vt.T), 0
