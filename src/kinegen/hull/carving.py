"""Carving: the visual hull of a body, from its silhouettes in cameras that are known."""

from __future__ import annotations

import math
from collections.abc import Sequence, Sized
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.errors import UsageError, whole_number
from kinegen.hull.camera import MOST_CAMERAS, PinholeCamera, finite_numbers
from kinegen.kernels import Floats, Ints
from kinegen.kernels import hull as kernels
from kinegen.results import Result
from kinegen.workspace.export import mesh_file

__all__ = ["Hull", "carve", "hull_file"]

MOST_VOXELS = 256
"""Along an edge of the box."""
MOST_SMOOTHING = 100


@dataclass(frozen=True, slots=True, eq=False)
class Hull(Result):
    """The largest body that has the given silhouettes, within a box."""

    volume: float
    """[m³]"""
    box: Floats
    """Lower and upper corner of what was carved [m], (2, 3)."""
    voxels: npt.NDArray[np.uint8]
    """1 inside the hull, (x, y, z)."""
    vertices: Floats
    """Of its surface [m], (n, 3)."""
    triangles: Ints
    """Three vertices each, counter-clockwise seen from outside, (m, 3)."""
    colours: npt.NDArray[np.uint8]
    """RGB of each vertex, from the cameras that see it best; grey where none does, (n, 3)."""
    touches_box: bool
    """Whether the hull reaches the box, which may then cut it."""

    @property
    def mesh(self) -> TriangleMesh:
        """Its surface."""
        return TriangleMesh(self.vertices, self.triangles)

    @property
    def voxel_size(self) -> Floats:
        """Edges of a voxel [m], (3,)."""
        return np.asarray((self.box[1] - self.box[0]) / self.voxels.shape)


def carve(
    cameras: Sequence[PinholeCamera],
    silhouettes: Sequence[npt.ArrayLike] | npt.NDArray[np.generic],
    box: npt.ArrayLike,
    resolution: SupportsIndex = 64,
    *,
    pictures: Sequence[npt.ArrayLike] | npt.NDArray[np.uint8] | None = None,
    smoothing: SupportsIndex = 2,
) -> Hull:
    """Carve the visual hull: what lies inside all silhouettes that see it.

    A camera carves only within its picture. Space that no camera sees stays empty.

    Args:
        cameras: With pictures of the same size.
        silhouettes: One per camera, (height, width): True, or not 0, where the body is.
        box: Lower and upper corner of the space to carve [m], (2, 3).
        resolution: Voxels along the longest edge of the box, 4 to 256.
        pictures: One per camera, (height, width, 3) of 0 to 255, for the colours.
        smoothing: Rounds in which the surface is smoothed, by at most half a voxel.

    Raises:
        UsageError: Arguments do not fit each other, or a silhouette is empty.
    """
    cameras = tuple(cameras)
    for one in cameras:
        if not isinstance(one, PinholeCamera):
            raise UsageError(
                f"cameras must be kinegen.hull.PinholeCamera objects, got {type(one).__name__}"
            )
    if not 1 <= len(cameras) <= MOST_CAMERAS:
        raise UsageError(f"a hull needs 1 to {MOST_CAMERAS} cameras, got {len(cameras)}")
    corners, shape = _grid(box, whole_number(resolution, "resolution", 4, MOST_VOXELS))
    rounds = whole_number(smoothing, "smoothing", 0, MOST_SMOOTHING)
    _check_cameras(cameras, corners)
    masks = _masks(cameras, silhouettes)
    P = np.stack([one.projection for one in cameras])
    voxels = kernels().hull_carve(masks, P, corners, shape)
    vertices, triangles = kernels().hull_surface(voxels, corners, rounds)
    size = (corners[1] - corners[0]) / shape
    if pictures is None:
        colours = np.full((len(vertices), 3), 160, dtype=np.uint8)
    else:
        centres = np.stack([one.X_WC.translation for one in cameras])
        colours = kernels().hull_colours(
            masks, _colour_pictures(cameras, pictures), P, centres, float(np.linalg.norm(size)),
            vertices, triangles,
        )  # fmt: skip
    ends = (voxels[0], voxels[-1], voxels[:, 0], voxels[:, -1], voxels[..., 0], voxels[..., -1])
    return Hull(
        float(voxels.sum(dtype=np.int64) * size.prod()), corners, voxels, vertices, triangles,
        colours, any(bool(end.any()) for end in ends),
    )  # fmt: skip


def hull_file(hull: Hull, name: str) -> bytes:
    """A hull as .ply or .glb, with its colours, or as .stl."""
    if not len(hull.triangles):
        raise UsageError(
            f"'{name}': the hull is empty: no place in the box is inside all silhouettes"
        )
    return mesh_file(name, hull.vertices, hull.triangles, hull.colours)


def _grid(box: npt.ArrayLike, resolution: int) -> tuple[Floats, Ints]:
    """Corners of the box, and voxels along its edges: as near to cubes as can be."""
    corners = finite_numbers(box, (2, 3))
    if corners is None:
        raise UsageError(
            "a box must be two corners of three finite numbers [m], such as "
            f"[[-1, -1, 0], [1, 1, 2]]; got {repr(box)[:100]}"
        )
    edges = corners[1] - corners[0]
    if (edges <= 0).any():
        axis = "xyz"[int(np.argmin(edges))]
        raise UsageError(
            f"a box needs its lower corner first: along {axis} it goes from "
            f"{corners[0]['xyz'.index(axis)]:.6g} to {corners[1]['xyz'.index(axis)]:.6g} m"
        )
    shape = [max(1, math.ceil(resolution * edge / edges.max() - 1e-9)) for edge in edges]
    return corners, np.array(shape, dtype=np.int32)


def _check_cameras(cameras: Sequence[PinholeCamera], box: Floats) -> None:
    first = cameras[0]
    for one in cameras:
        at = one.X_WC.translation
        if (at > box[0]).all() and (at < box[1]).all():
            raise UsageError(
                f"camera '{one.name}' is inside the box, at ({', '.join(f'{x:.4g}' for x in at)}) "
                "m: it must see the body from outside; make the box smaller or move the camera"
            )
        if (one.width, one.height) != (first.width, first.height):
            raise UsageError(
                f"camera '{one.name}' has pictures of {one.width} × {one.height} pixels and "
                f"'{first.name}' of {first.width} × {first.height}: they must be of one size"
            )


def _one_each(cameras: Sequence[PinholeCamera], given: Sized, what: str) -> None:
    if len(given) != len(cameras):
        raise UsageError(
            f"there are {len(given)} {what} for {len(cameras)} cameras: specify one for each"
        )


def _masks(
    cameras: Sequence[PinholeCamera],
    silhouettes: Sequence[npt.ArrayLike] | npt.NDArray[np.generic],
) -> npt.NDArray[np.uint8]:
    _one_each(cameras, silhouettes, "silhouettes")
    masks = np.empty((len(cameras), cameras[0].height, cameras[0].width), dtype=np.uint8)
    for camera, given, mask in zip(cameras, silhouettes, masks, strict=True):
        where = f"the silhouette of camera '{camera.name}'"
        try:
            found = np.asarray(given)
        except ValueError:  # rows of different lengths
            found = np.empty(0)
        if found.shape != mask.shape:
            raise UsageError(
                f"{where} must have {camera.height} rows and {camera.width} columns, got "
                f"{' × '.join(map(str, found.shape)) or 'a number'}"
            )
        if found.dtype.kind not in "buif" or not np.isfinite(found).all():
            raise UsageError(f"{where} must be made of finite numbers or of True and False")
        mask[:] = found != 0
        if not mask.any():
            raise UsageError(
                f"{where} is empty: the camera does not see the body, or the body looks like the "
                "background"
            )
    return masks


def _colour_pictures(
    cameras: Sequence[PinholeCamera], pictures: Sequence[npt.ArrayLike] | npt.NDArray[np.uint8]
) -> npt.NDArray[np.uint8]:
    _one_each(cameras, pictures, "pictures")
    found = [np.asarray(one) for one in pictures]
    for camera, one in zip(cameras, found, strict=True):
        wanted = (camera.height, camera.width, 3)
        if one.shape != wanted or one.dtype != np.uint8:
            raise UsageError(
                f"the picture of camera '{camera.name}' must be uint8 of "
                f"{' × '.join(map(str, wanted))}, got {one.dtype} of "
                f"{' × '.join(map(str, one.shape))}"
            )
    return np.stack(found)
