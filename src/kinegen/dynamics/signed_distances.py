"""Signed distances from a point to simple bodies, and the directions out of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.kernels import Floats, Ints

__all__ = ["BOX", "CAPSULE", "CYLINDER", "PLANE", "SPHERE", "signed_distances"]

PLANE, SPHERE, CAPSULE, CYLINDER, BOX = 0, 2, 3, 5, 6
"""Kinds of bodies, numbered as MuJoCo does."""


def signed_distances(
    point: Floats, kinds: Ints, sizes: Floats, places: Floats, turns: Floats
) -> tuple[Floats, Floats]:
    """Distances (n,) [m], negative inside, and directions out of the bodies (n, 3), world axes.

    Args:
        point: World axes [m].
        kinds: One of the numbers above each, (n,).
        sizes: Half sizes as MuJoCo has them, (n, 3): radius; radius and half length along z; half
            edges.
        places: Of the bodies' frames, (n, 3).
        turns: Rotation matrices of the bodies' frames, (n, 3, 3).
    """
    local = np.einsum("nji,nj->ni", turns, point - places)
    distances, out = np.full(len(kinds), np.inf), np.zeros((len(kinds), 3))
    for kind, measure in _MEASURES.items():
        (which,) = np.nonzero(kinds == kind)
        if len(which):
            distances[which], out[which] = measure(local[which], sizes[which])
    return distances, np.einsum("nij,nj->ni", turns, out)


def _plane(p: Floats, _: Floats) -> tuple[Floats, Floats]:
    return p[:, 2], np.broadcast_to([0.0, 0.0, 1.0], p.shape)


def _sphere(p: Floats, size: Floats) -> tuple[Floats, Floats]:
    length = np.linalg.norm(p, axis=1)
    return length - size[:, 0], _unit(p, length, 2)


def _capsule(p: Floats, size: Floats) -> tuple[Floats, Floats]:
    away = p.copy()
    away[:, 2] -= np.clip(p[:, 2], -size[:, 1], size[:, 1])
    length = np.linalg.norm(away, axis=1)
    return length - size[:, 0], _unit(away, length, 0)


def _cylinder(p: Floats, size: Floats) -> tuple[Floats, Floats]:
    """As a box in the plane of radius and height."""
    radius = np.hypot(p[:, 0], p[:, 1])
    flat = np.stack([radius, p[:, 2]], axis=1)
    distance, out = _box(flat, size[:, :2])
    around = _unit(np.stack([p[:, 0], p[:, 1], np.zeros(len(p))], axis=1), radius, 0)
    up = np.array([0.0, 0.0, 1.0])
    return distance, out[:, :1] * around + out[:, 1:] * up


def _box(p: Floats, half: Floats) -> tuple[Floats, Floats]:
    """In any number of dimensions."""
    half = half[:, : p.shape[1]]
    over = np.abs(p) - half
    side = np.where(p < 0, -1.0, 1.0)
    beyond = np.maximum(over, 0.0)
    length = np.linalg.norm(beyond, axis=1)
    nearest = np.argmax(over, axis=1)
    inside: npt.NDArray[np.bool_] = length == 0
    out = side * beyond / np.where(inside, 1.0, length)[:, None]
    rows = np.arange(len(p))
    out[inside] = 0.0
    out[rows[inside], nearest[inside]] = side[rows[inside], nearest[inside]]
    return np.where(inside, over[rows, nearest], length), out


def _unit(p: Floats, length: Floats, axis: int) -> Floats:
    """Directions; a fixed one in the very middle."""
    middle = length < 1e-300
    out = p / np.where(middle, 1.0, length)[:, None]
    out[middle] = np.eye(3)[axis]
    return np.asarray(out)


_MEASURES = {
    PLANE: _plane,
    SPHERE: _sphere,
    CAPSULE: _capsule,
    CYLINDER: _cylinder,
    BOX: _box,
}
