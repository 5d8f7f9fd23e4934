"""What every set of kernels offers for visual hulls: carving, a surface, its colours."""

from __future__ import annotations

from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.kernels.layout import Floats, Ints

__all__ = ["Bytes", "HullKernels"]

Bytes: TypeAlias = npt.NDArray[np.uint8]


class HullKernels(Protocol):
    """Cameras are given by ``projections`` (views, 3, 4): world [m] to pixels times depth, depth.

    Pixel (i, j) covers columns [i, i + 1) and rows [j, j + 1). ``silhouettes`` (views, height,
    width) are not 0 where the body is seen. ``box`` (2, 3): lower and upper corner [m].
    """

    def hull_carve(
        self, silhouettes: Bytes, projections: Floats, box: Floats, shape: Ints
    ) -> Bytes:
        """Which voxels of a box of ``shape`` (3) lie in all silhouettes that see them: 0 or 1.

        Voxels that no camera sees are 0.
        """
        ...

    def hull_surface(self, occupied: Bytes, box: Floats, smoothing: int) -> tuple[Floats, Ints]:
        """Vertices [m] (n, 3) and triangles (m, 3) of a closed surface that faces outwards.

        ``smoothing``: rounds in which each vertex moves to the mean of its neighbours, within its
        cell.
        """
        ...

    def hull_colours(
        self, silhouettes: Bytes, pictures: Bytes, projections: Floats, centres: Floats,
        voxel: float, vertices: Floats, triangles: Ints,
    ) -> Bytes:  # fmt: skip
        """Colours (n, 3) of vertices from the ``pictures`` (views, height, width, 3).

        ``centres`` (views, 3): of the cameras [m]. ``voxel``: diagonal of a voxel [m], within which
        nothing hides anything else.
        """
        ...
