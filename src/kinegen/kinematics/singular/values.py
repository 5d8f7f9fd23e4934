"""Singular values of a Jacobian: how fast it moves things in its main directions."""

from __future__ import annotations

import numpy as np

from kinegen.kernels import Floats

__all__ = ["singular_values"]


def singular_values(J: Floats) -> Floats:
    """Singular values of a matrix, the largest first; none for a matrix without entries."""
    return np.asarray(np.linalg.svd(J, compute_uv=False)) if J.size else np.zeros(0)
