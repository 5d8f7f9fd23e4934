"""Two boxes: what separates them most of their faces' normals and their edges' products."""

from __future__ import annotations

import itertools

import numpy as np

from kinegen.kernels.layout import Floats
from kinegen.kernels.reference.contact.convex import Separation
from kinegen.kernels.reference.contact.shapes import Shape

__all__ = ["separate_boxes"]

EDGE_BIAS = 1e-6
"""What an edge must be better by than a face, against the size."""


def separate_boxes(a: Shape, b: Shape, margin: float) -> Separation | None:
    """None: they are apart by more than the margin along one of the directions."""
    A, B, d = a.R.T, b.R.T, b.p - a.p

    def apart(n: Floats) -> float:
        return abs(float(n @ d)) - float(a.size @ np.abs(A @ n) + b.size @ np.abs(B @ n))

    best, normal = -np.inf, np.zeros(3)
    edges: tuple[int, int] | None = None
    for n in (*A, *B):
        distance = apart(n)
        if distance > margin:
            return None
        if distance > best + 1e-12:
            best, normal = distance, n
    least = best + EDGE_BIAS * float(a.size.sum() + b.size.sum())
    for i, j in itertools.product(range(3), range(3)):
        n = np.cross(A[i], B[j])
        size = float(np.linalg.norm(n))
        if size < 1e-6:
            continue
        distance = apart(n / size)
        if distance > margin:
            return None
        if distance > least:
            best = least = distance
            normal, edges = n / size, (i, j)
    normal = normal * (-1.0 if normal @ d < 0 else 1.0)
    if edges is None:
        return Separation(best, normal, a.support(normal), b.support(-normal))
    # nearest points of the two edges
    u, v = A[edges[0]], B[edges[1]]
    own, other = (
        np.where(A @ normal < 0, -a.size, a.size),
        np.where(B @ normal < 0, b.size, -b.size),
    )
    own[edges[0]] = other[edges[1]] = 0.0
    x, y = a.p + own @ A, b.p + other @ B
    w = y - x
    uv, uw, vw = float(u @ v), float(u @ w), float(v @ w)
    whole = 1 - uv * uv
    p, q = x + (uw - uv * vw) / whole * u, y + (uv * uw - vw) / whole * v
    return Separation(best, normal, p, q)
