"""A figure of a person as cameras carve one: a closed, coloured mesh with two legs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from kinegen.kernels import hull

BOX = np.array([[-0.5, -0.5, 0.0], [0.5, 0.5, 2.0]])
PARTS = {  # lower and upper corner [m], and colour
    "legs": ([(-0.1, 0.08, 0.06), (0.1, 0.25, 0.9)], (40, 60, 160)),
    "other leg": ([(-0.1, -0.25, 0.06), (0.1, -0.08, 0.9)], (40, 60, 160)),
    "trunk": ([(-0.14, -0.26, 0.8), (0.14, 0.26, 1.5)], (200, 40, 40)),
    "head": ([(-0.1, -0.1, 1.5), (0.1, 0.1, 1.75)], (230, 190, 150)),
}


def figure(at: tuple[float, float, float] = (0.0, 0.0, 0.0), colour: bool = True) -> Any:
    """What has vertices, triangles and colours, as a hull has."""
    shape = np.array([24, 24, 48], dtype=np.int32)
    size = (BOX[1] - BOX[0]) / shape
    index = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1)
    middles = BOX[0] + (index + 0.5) * size
    voxels = np.zeros(shape, dtype=np.uint8)
    for (low, high), _ in PARTS.values():
        voxels[((middles > low) & (middles < high)).all(axis=-1)] = 1
    vertices, triangles = hull().hull_surface(voxels, BOX, 1)
    colours = np.empty((len(vertices), 3), dtype=np.uint8)
    for (low, _), shade in PARTS.values():
        colours[vertices[:, 2] > low[2] - 0.03] = shade
    there = np.asarray(vertices + np.array(at))
    return SimpleNamespace(vertices=there, triangles=triangles, colours=colours if colour else None)
