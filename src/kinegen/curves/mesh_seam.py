"""Seams of meshes: the curves in which two surfaces made of triangles cut each other."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegen.curves.curve import Curve, finite_points
from kinegen.curves.polylines import polyline
from kinegen.curves.seam import Facing
from kinegen.errors import UsageError
from kinegen.kernels import Floats, Ints
from kinegen.results import Result

__all__ = ["TriangleMesh", "mesh_seams"]

_CHUNK = 2_000_000
"""Pairs of boxes that are compared at once: some tens of megabytes."""
_SAME = 1e-7
"""Ends of pieces are one point when nearer than this share of the meshes' extent."""


@dataclass(frozen=True, slots=True, eq=False)
class TriangleMesh(Result):
    """A surface made of triangles."""

    vertices: Floats
    """(n, 3) [m]"""
    faces: Ints
    """Three vertices each, counter-clockwise seen from outside, (m, 3)."""

    def __post_init__(self) -> None:
        vertices = finite_points(self.vertices, "a mesh", 3)
        faces = np.asarray(self.faces, dtype=np.int32)
        if faces.ndim != 2 or faces.shape[1] != 3 or not len(faces):
            raise UsageError(f"faces of a mesh must be rows of three vertices, got {faces.shape}")
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise UsageError(
                f"faces of a mesh must refer to vertices 0 to {len(vertices) - 1}, got "
                f"{faces.min()} to {faces.max()}"
            )
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)

    @property
    def triangles(self) -> Floats:
        """Corners of each face, (m, 3, 3) [m]."""
        return np.asarray(self.vertices[self.faces])


def mesh_seams(
    first: TriangleMesh, second: TriangleMesh, *, facing: Facing = "between"
) -> list[Curve]:
    """All curves in which two meshes intersect, the longest first; empty if they do not.

    Faces in the same plane meet in an area, not in a curve, and are skipped.
    """
    A, B = first.triangles, second.triangles
    n_A, n_B = _normals(A), _normals(B)
    pairs = _overlapping(A, B)
    i, j, pieces = _pieces(A, B, n_A, n_B, pairs)
    if not len(pieces):
        return []
    across = np.zeros((len(pieces), 3))
    if facing != "second":
        across += n_A[i]
    if facing != "first":
        across += n_B[j]
    extent = max(float(np.ptp(A.reshape(-1, 3), axis=0).max()),
                 float(np.ptp(B.reshape(-1, 3), axis=0).max()))  # fmt: skip
    chains = _chained(pieces, across, _SAME * extent)
    curves = [polyline(xyz, normals=normals, name="seam") for xyz, normals in chains]
    return sorted(curves, key=lambda curve: -curve.length())


def _normals(triangles: Floats) -> Floats:
    """Unit normals; 0 for triangles without area, which then cut nothing."""
    n = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    length = np.linalg.norm(n, axis=1, keepdims=True)
    return np.asarray(n / np.where(length > 0, length, 1.0))


def _overlapping(A: Floats, B: Floats) -> npt.NDArray[np.intp]:
    """Pairs of triangles whose boxes overlap, (k, 2)."""
    low_A, high_A, low_B, high_B = A.min(1), A.max(1), B.min(1), B.max(1)
    # only those within the other's box at all
    near_A = np.flatnonzero((high_A >= low_B.min(0)).all(1) & (low_A <= high_B.max(0)).all(1))
    near_B = np.flatnonzero((high_B >= low_A.min(0)).all(1) & (low_B <= high_A.max(0)).all(1))
    found = []
    rows = max(1, _CHUNK // max(1, len(near_B)))
    for at in range(0, len(near_A), rows):
        part = near_A[at : at + rows]
        hit = np.ones((len(part), len(near_B)), dtype=bool)
        for k in range(3):
            hit &= low_A[part, None, k] <= high_B[None, near_B, k]
            hit &= high_A[part, None, k] >= low_B[None, near_B, k]
        a, b = np.nonzero(hit)
        found.append(np.stack([part[a], near_B[b]], axis=1))
    return np.concatenate(found) if found else np.zeros((0, 2), dtype=np.intp)


def _pieces(
    A: Floats, B: Floats, n_A: Floats, n_B: Floats, pairs: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats]:
    """The straight piece that each pair of triangles has in common, (k, 2, 3)."""
    i, j = pairs.T
    # heights of each one's corners over the other's plane; both planes must be cut
    h_A = np.einsum("kcx,kx->kc", A[i] - B[j][:, :1], n_B[j])
    h_B = np.einsum("kcx,kx->kc", B[j] - A[i][:, :1], n_A[i])
    cut = (h_A.min(1) < 0) & (h_A.max(1) > 0) & (h_B.min(1) < 0) & (h_B.max(1) > 0)
    i, j, h_A, h_B = i[cut], j[cut], h_A[cut], h_B[cut]
    line = np.cross(n_A[i], n_B[j])
    ends_A, ends_B = _crossing(A[i], h_A), _crossing(B[j], h_B)
    # along the common line: where the two stretches overlap
    s_A = np.einsum("kex,kx->ke", ends_A, line)
    s_B = np.einsum("kex,kx->ke", ends_B, line)
    order_A, order_B = np.argsort(s_A, axis=1), np.argsort(s_B, axis=1)
    rows = np.arange(len(i))
    low_A, high_A = s_A[rows, order_A[:, 0]], s_A[rows, order_A[:, 1]]
    low_B, high_B = s_B[rows, order_B[:, 0]], s_B[rows, order_B[:, 1]]
    start = np.where(
        (low_A >= low_B)[:, None], ends_A[rows, order_A[:, 0]], ends_B[rows, order_B[:, 0]]
    )
    end = np.where(
        (high_A <= high_B)[:, None], ends_A[rows, order_A[:, 1]], ends_B[rows, order_B[:, 1]]
    )
    both = np.minimum(high_A, high_B) > np.maximum(low_A, low_B)
    return i[both], j[both], np.stack([start, end], axis=1)[both]


def _crossing(triangles: Floats, heights: Floats) -> Floats:
    """Two points where each triangle's edges pass through height 0, (k, 2, 3)."""
    rows = np.arange(len(triangles))
    above = heights > 0
    # the corner that is alone on its side
    alone = np.where(above.sum(1) == 1, np.argmax(above, 1), np.argmax(~above, 1))
    ends = []
    for step in (1, 2):
        other = (alone + step) % 3
        a, b = heights[rows, alone], heights[rows, other]
        share = (a / (a - b))[:, None]
        ends.append(triangles[rows, alone] * (1 - share) + triangles[rows, other] * share)
    return np.stack(ends, axis=1)


def _chained(pieces: Floats, across: Floats, same: float) -> list[tuple[Floats, Floats]]:
    """Pieces put together where they meet: (points, normals) of each chain."""
    keys = np.round(pieces.reshape(-1, 3) / same).astype(np.int64)
    # neighbouring cells count as the same point
    number: dict[tuple[int, ...], int] = {}
    ids = []
    for key in keys.tolist():
        found = next(
            (number[cell] for cell in _cells(key) if cell in number),
            len(number),
        )
        ids.append(found)
        number.setdefault(tuple(key), found)
    nodes = np.array(ids).reshape(-1, 2)
    place = {node: xyz for node, xyz in zip(ids, pieces.reshape(-1, 3), strict=True)}
    meets: dict[int, list[int]] = defaultdict(list)
    for k, (a, b) in enumerate(nodes.tolist()):
        if a != b:
            meets[a].append(k)
            meets[b].append(k)
    normal: dict[int, Floats] = defaultdict(lambda: np.zeros(3))
    for k, ends in enumerate(nodes.tolist()):
        for node in ends:
            normal[node] = normal[node] + across[k]
    used, chains = set[int](), []
    # open chains begin at ends, where one piece stops; what is left are rings
    starts = [node for node, at in meets.items() if len(at) != 2] + list(meets)
    for start in starts:
        while True:
            way = _walk(start, meets, nodes, used)
            if len(way) < 2:
                break
            chains.append((np.array([place[n] for n in way]), np.array([normal[n] for n in way])))
    return chains


def _cells(key: list[int]) -> list[tuple[int, ...]]:
    x, y, z = key
    around = (0, -1, 1)
    return [(x + a, y + b, z + c) for a in around for b in around for c in around]


def _walk(
    start: int, meets: dict[int, list[int]], nodes: npt.NDArray[np.intp], used: set[int]
) -> list[int]:
    """Nodes from a start on, piece by piece, each piece once."""
    way = [start]
    while True:
        here = way[-1]
        step = next((k for k in meets[here] if k not in used), None)
        if step is None:
            return way
        used.add(step)
        a, b = nodes[step].tolist()
        way.append(b if a == here else a)
        if len(meets[way[-1]]) != 2:
            return way
