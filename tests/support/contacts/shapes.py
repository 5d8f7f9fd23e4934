"""Shapes for contacts, placed at will, one per link."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinegen.kernels import Floats, ShapeArrays, ShapeKind
from kinegen.kinematics.collisions.bodies import ContactShapes
from kinegen.kinematics.collisions.hull import convex_hull
from kinegen.spatial.pose import SE3

SIZES = {
    ShapeKind.BALL: (0.3, 0.0, 0.0),
    ShapeKind.CAPSULE: (0.2, 0.4, 0.0),
    ShapeKind.CYLINDER: (0.3, 0.25, 0.0),
    ShapeKind.BOX: (0.3, 0.2, 0.4),
}
WEDGE = np.array([[-0.4, -0.3, -0.2], [0.4, -0.3, -0.2], [-0.4, 0.3, -0.2], [0.4, 0.3, -0.2],
                  [-0.4, 0.0, 0.3], [0.4, 0.0, 0.3]])  # fmt: skip
GRID = np.array([[0.0, 0.1, 0.0, 0.2], [0.1, 0.3, 0.1, 0.0], [0.0, 0.0, 0.2, 0.1]])
KINDS = (*SIZES, ShapeKind.HULL)
SURFACE = np.array([0.5, 0.0, 0.0, 0.0, 1.0])


def shape_arrays(kinds: Sequence[ShapeKind]) -> ShapeArrays:
    """One shape of each kind, on a link of its own, all of which touch."""
    made = ContactShapes()
    for link, kind in enumerate(kinds):
        if kind == ShapeKind.HULL:
            made.add_hull(convex_hull(WEDGE), link, "wedge", SE3.identity(), SURFACE)
            continue
        at = made.add(kind, link, kind.name, SE3.identity(), SURFACE)
        made.sizes[at] = SIZES.get(kind, (0.0, 0.0, 0.0))
        if kind == ShapeKind.HEIGHTS:
            made.sizes[at] = (1.5, 1.0, 0.5)
            made.heights[at] = GRID
    count = len(kinds)
    return made.arrays(1 - np.eye(count, dtype=np.int32), count)


def random_pose(rng: np.random.Generator, near: float, far: float) -> Floats:
    """X_WL at a distance from the origin, (12,)."""
    w, x, y, z = (q := rng.normal(size=4)) / np.linalg.norm(q)
    R = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
         2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
         2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]  # fmt: skip
    p = rng.normal(size=3)
    return np.array([*R, *(p / np.linalg.norm(p) * rng.uniform(near, far))])


STILL = np.array([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0])
