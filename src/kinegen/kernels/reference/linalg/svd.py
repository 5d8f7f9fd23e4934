"""Singular values and vectors."""

from __future__ import annotations

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.linalg.linalg import matrix

__all__ = ["svd_factor"]


def svd_factor(A: Floats, start: Floats | None = None) -> tuple[Floats, Floats, Floats, int]:
    """A = U diag(s) Vᵀ in thin form, singular values falling, and the number of sweeps.

    The compiled kernel rotates the short side and can start from the factor that it found for a
    similar matrix: ``start`` is that U when m <= n, else that V, (k, k) with k = min(m, n).

    Returns:
        U (m, k), s (k), V (n, k), sweeps (0 here: no iteration of ours).
    """
    k = min(matrix(A, "A").shape)
    if start is not None and start.shape != (k, k):
        raise UsageError(f"start must have shape ({k}, {k}), has {start.shape}")
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    return np.ascontiguousarray(U), s, np.ascontiguousarray(Vt.T), 0
