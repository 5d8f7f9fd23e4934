"""Torque-free flight of a rigid body."""

from __future__ import annotations

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.base.rotation import quat_multiply

__all__ = ["fly"]

_NEXT, _LAST = [1, 2, 0], [2, 0, 1]
"""The axes after x, y and z, and those before."""


def fly(bend: Floats, quat: Floats, w: Floats, t: float) -> tuple[Floats, Floats]:
    """Torque-free rotation over t by Taylor series: quaternion and w (body axes)."""
    # all terms up to the n-th as rows; both rates are Cauchy products of them
    W, P = np.zeros((17, 3)), np.zeros((17, 4))
    W[0], P[0, 0], last = w, 1.0, 1.0
    for n in range(16):
        back, p = W[n::-1], P[: n + 1]
        A, B = W[: n + 1].T @ back, p[:, 1:].T @ back
        a, turned = A[_NEXT, _LAST], B[_NEXT, _LAST] - B[_LAST, _NEXT]
        W[n + 1] = t / (n + 1) * bend * a
        P[n + 1, 0] = -0.5 * t / (n + 1) * B.trace()
        P[n + 1, 1:] = 0.5 * t / (n + 1) * (p[:, 0] @ back + turned)
        size = float(np.abs(P[n + 1]).sum() + np.abs(t * W[n + 1]).sum())
        # two small terms in a row: a single one may vanish by chance
        if size + last < 1e-16:
            break
        last = size
    out = quat_multiply(quat, P.sum(axis=0))
    return out / np.linalg.norm(out), W.sum(axis=0)
