"""The reachable set as a body: its surface, size, holes and voids (R20)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.memory import names_memory
from kinegen.results import Columns, Result
from kinegen.workspace.bodies.gaps import Reach, decided_by_middles, filled_cloud, reach_test
from kinegen.workspace.bodies.measure import Measure
from kinegen.workspace.bodies.outline import crossings, exact_outline
from kinegen.workspace.bodies.plane import Plane
from kinegen.workspace.bodies.voxels import Bools, Voxels, voxels_around, voxels_inside, voxels_of
from kinegen.workspace.clouds.cloud import Cloud
from kinegen.workspace.zones.result import Zone

__all__ = ["Boundary", "Dexterity", "boundary", "dexterity", "surface_nets", "zone_boundary"]

POINTS_PER_CELL = 6
"""Points that a cell holds on average, so that hardly one within the set stays empty."""
MOST_DIRECTIONS = 100_000
FINE = 100
"""Cells along the longer side of an exact zone, at least."""
SOLVED_HALVINGS = 6
"""Of a cell's side, until the solver has found the boundary: to 1/64 of it, on the inside."""
TOO_FEW = "a body needs more points that lie apart: specify a cell size as well"
GOLDEN = np.pi * (3 - np.sqrt(5))


@dataclass(frozen=True, slots=True, eq=False)
class Boundary(Result):
    """The surface of a set, and what it encloses."""

    vertices: Floats
    """Corners of the surface [m], (n, 3); of two axes, ends of the outline's pieces (n, 2)."""
    triangles: npt.NDArray[np.int64]
    """Three corners each, counter-clockwise as seen from outside; two each for an outline."""
    measure: Measure
    """Area or volume with its error."""
    pieces: int
    voids: int
    """Enclosed voids; holes in the plane."""
    tunnels: int
    voxels: Voxels


@dataclass(frozen=True, slots=True, eq=False)
class Dexterity(Result):
    """The number of directions in which a frame can point, per cell."""

    centres: Floats
    """Middles of the cells [m], (m, 3)."""
    shares: Floats
    """The share of the directions that is reached in each, (m,)."""
    cell: float
    """Side of a cell [m]."""

    def columns(self) -> Columns:
        """A row per cell."""
        places = dict(zip(("x [m]", "y [m]", "z [m]"), self.centres.T, strict=True))
        return {**places, "share": self.shares}


@names_memory("the surface of a body: use larger cells")
def boundary(points: Floats | Voxels | Cloud | Zone, cell: float | None = None) -> Boundary:
    """The body that points fill: surface mesh, volume with error, holes and voids.

    Points in a plane have an area and an outline. For a cloud, the last frame counts, and empty
    cells among filled ones are checked by inverse kinematics, so that accidental holes are filled.

    Args:
        points: Points [m], (n, 3) or (n, 2), filled cells, a cloud or a zone.
        cell: Side of the cells [m]; default: chosen so that each contains several points.
    """
    if isinstance(points, Zone):
        return zone_boundary(points, cell)
    voxels = points if isinstance(points, Voxels) else _voxels(points, cell)
    if voxels.filled.ndim == 3:
        vertices, faces = surface_nets(voxels.filled)
    else:
        vertices, faces = _outline(voxels.filled)
    return Boundary(
        voxels.place(vertices),
        faces,
        voxels.measure,
        voxels.pieces,
        voxels.voids,
        voxels.tunnels,
        voxels,
    )


def zone_boundary(
    zone: Zone, cell: float | None = None, *, modes: tuple[str, ...] | None = None
) -> Boundary:
    """The body of a zone, or of some of its modes.

    The zone of a planar linkage made of dyads is decided point by point, and every corner of its
    outline lies on the exact boundary. For other zones that keep their poses, the solver decides by
    the centre of each cell, and how far the frame reaches beyond it.

    Args:
        zone: The zone.
        cell: Side of the cells [m]; default: that of its measure.
        modes: Names of its modes; default: all.
    """
    chosen = [mode.points for mode in zone.modes if modes is None or mode.name in modes]
    rows = np.concatenate(chosen) if chosen else np.zeros((0, 3))
    if len(rows) < 2:
        raise UsageError("a body needs at least one point")
    points = rows.T
    side = cell or zone.measure.cell
    exact = zone.exact
    if exact is None:
        flat = Plane(points).down(points)
        if len(flat) < 2:
            raise UsageError(f"'{zone.frame}' moves only along a line: it has no area")
        qs = [mode.qs for mode in zone.modes if modes is None or mode.name in modes]
        known = [q for q in qs if q is not None]
        if zone.reach is None or len(known) < len(qs):
            fill = voxels_around if zone.kind == "place" else voxels_of
            return boundary(fill(flat.T, side))
        plane, poses = Plane(points), np.concatenate(known).T
        if isinstance(zone.reach, Reach):
            voxels, poses = decided_by_middles(points, poses, zone.reach, plane, side)
        else:
            voxels = voxels_around(flat.T, side)
            poses = _by_cell(voxels, flat, poses)
        test = reach_test(poses, zone.reach, plane)
        if len(flat) == 2:
            return _flat_boundary(voxels, *exact_outline(test, voxels, SOLVED_HALVINGS))
        return _solid_boundary(voxels, crossings(test, voxels, SOLVED_HALVINGS))
    flat = exact.down(points)
    spans = np.ptp(flat, axis=1)
    side = cell or min(side, float(spans.max()) / FINE)
    if spans.min() < 1e-6 * spans.max():
        raise UsageError(f"'{zone.frame}' moves only along a line: it has no area")

    def inside(places: Floats, _: npt.NDArray[np.int64] | None = None) -> Bools:
        return exact.inside(places, modes)

    low, high = flat.min(axis=1) - side, flat.max(axis=1) + side
    voxels = voxels_inside(lambda rows: inside(rows.T), low, high, side, levels=0)
    return _flat_boundary(voxels, *exact_outline(inside, voxels))


def _flat_boundary(voxels: Voxels, vertices: Floats, faces: npt.NDArray[np.int64]) -> Boundary:
    """A set in a plane with its exact outline."""
    # the polygon's area; how far chords are from the true line is less than what the cells miss
    cells = voxels.measure
    (x0, y0), (x1, y1) = vertices[faces[:, 0]].T, vertices[faces[:, 1]].T
    area = float((x0 * y1 - x1 * y0).sum()) / 2
    size = replace(cells, value=area, error=min(cells.error, abs(area - cells.value) + 1e-3 * area))
    return Boundary(vertices, faces, size, voxels.pieces, voxels.voids, voxels.tunnels, voxels)


def _by_cell(voxels: Voxels, flat: Floats, poses: Floats) -> Floats:
    """The configuration (nq, …) of each cell whose middle is one of the points (d, n)."""
    corner = voxels.place(np.zeros((1, len(flat)))).T
    index = np.floor((flat - corner) / voxels.cell).astype(np.int64)
    out = np.zeros((len(poses), *voxels.filled.shape))
    out[(slice(None), *index)] = poses
    return out


def _solid_boundary(
    voxels: Voxels, crossed: tuple[list[npt.NDArray[np.int64]], Floats]
) -> Boundary:
    """A set in space whose surface goes through the crossings of the exact boundary."""
    numbers, places = crossed
    corner = voxels.place(np.zeros((1, 3)))
    vertices, faces = surface_nets(voxels.filled, (numbers, (places - corner) / voxels.cell + 0.5))
    return Boundary(
        voxels.place(vertices), faces, voxels.measure, voxels.pieces, voxels.voids,
        voxels.tunnels, voxels,
    )  # fmt: skip


def _voxels(points: Floats | Cloud, cell: float | None) -> Voxels:
    """The cells of points or of a cloud, in their plane if they lie in one."""
    rows = points.points[:, -1] if isinstance(points, Cloud) else np.asarray(points)
    if rows.ndim != 2 or rows.shape[1] not in (2, 3):
        raise UsageError(f"points of a body have shape (n, 3) or (n, 2) [m], not {rows.shape}")
    places = rows.T
    if len(places) < 3:
        return voxels_of(rows, cell or _cell(places))
    if places.shape[1] < POINTS_PER_CELL and cell is None:
        raise UsageError(TOO_FEW)
    plane = Plane(places)
    if not plane.axes.shape[1]:
        raise UsageError(TOO_FEW)
    if plane.axes.shape[1] < 2:
        raise UsageError("these points lie on a line: they have no area and no volume")
    side = cell or _cell(plane.down(places))
    if isinstance(points, Cloud):
        return filled_cloud(points.sweep, points.frames[-1], places, plane, side)
    return voxels_of(plane.down(places).T, side)


def surface_nets(
    filled: Bools, crossed: tuple[list[npt.NDArray[np.int64]], Floats] | None = None
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """A closed surface around filled cells: vertices in cells (n, 3), triangles (m, 3).

    Each corner where filled and empty cells meet gets one vertex, in the mean of the walls between
    them there (Gibson's surface nets, 1998); each wall becomes two triangles.

    Args:
        filled: The cells.
        crossed: Where the boundary crosses the ways between cells, as :func:`crossings` numbers
            them, in cells of the box with its rim; default: in their middles.
    """
    full = np.pad(filled, 1)
    eight = [
        full[tuple(slice(o, full.shape[k] - 1 + o) for k, o in enumerate(corner))]
        for corner in itertools.product((0, 1), repeat=3)
    ]
    mixed = np.logical_or.reduce(eight) & ~np.logical_and.reduce(eight)
    number = np.full(mixed.shape, -1, dtype=np.int64)
    number[mixed] = np.arange(np.count_nonzero(mixed))
    where = np.argwhere(mixed)
    total, count = np.zeros((len(where), 3)), np.zeros(len(where))
    corners = list(itertools.product((0, 1), repeat=3))
    for (i, a), (j, b) in itertools.combinations(enumerate(corners), 2):
        if sum(x != y for x, y in zip(a, b, strict=True)) == 1:
            crosses = eight[i][mixed] != eight[j][mixed]
            if crossed is None:
                total[crosses] += (np.array(a) + np.array(b)) / 2
            else:
                axis = int(np.argmax(np.array(b) - np.array(a)))
                at = where[crosses] + np.array(a)
                total[crosses] += crossed[1][crossed[0][axis][tuple(at.T)]] - where[crosses]
            count[crosses] += 1
    # cell i of the set is cell i + 1 of the padded box, and its middle lies half a cell further
    vertices = where + total / count[:, None] - 0.5
    triangles = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        low = np.take(full, range(full.shape[axis] - 1), axis)
        high = np.take(full, range(1, full.shape[axis]), axis)
        for out in (True, False):
            wall = np.argwhere(low & ~high if out else high & ~low)
            # the four corners around the wall; those of a corner's own cell lie at its lower side
            around = []
            for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)):
                at = wall.copy()
                at[:, u] += du - 1
                at[:, v] += dv - 1
                around.append(number[tuple(at.T)])
            p, q, r, s = around if out else around[::-1]
            triangles += [np.column_stack([p, q, r]), np.column_stack([p, r, s])]
    return vertices, np.concatenate(triangles)


@names_memory("the directions in each cell: use larger cells or fewer directions")
def dexterity(poses: Floats, cell: float, *, directions: int = 60) -> Dexterity:
    """The share of directions that the z axis of a frame reaches in each cell.

    Args:
        poses: Poses (quaternion wxyz, xyz), (n, 7), as of a frame of a cloud with rotations.
        cell: Side of the cells [m].
        directions: Number of evenly distributed directions to distinguish.
    """
    directions = whole_number(directions, "the number of directions", 1, MOST_DIRECTIONS)
    if poses.ndim != 2 or poses.shape[1] != 7:
        raise UsageError(f"dexterity takes poses (n, 7), got shape {poses.shape}")
    w, x, y, z = poses.T[:4]
    axis = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
    heights = 1 - (2 * np.arange(directions) + 1) / directions
    ring, around = np.sqrt(1 - heights**2), GOLDEN * np.arange(directions)
    spread = np.column_stack([ring * np.cos(around), ring * np.sin(around), heights])
    nearest = np.concatenate(
        [
            np.argmax(part @ spread.T, axis=1)
            for part in np.array_split(axis, 1 + len(axis) // 65536)
        ]
    )
    index = np.floor(poses[:, 4:] / cell).astype(np.int64)
    # cells as single numbers: rows of three take thirty times as long to compare
    low = index.min(axis=0)
    size = index.max(axis=0) - low + 1
    keys, of = np.unique(np.ravel_multi_index(tuple((index - low).T), tuple(size)),
                         return_inverse=True)  # fmt: skip
    cells = np.column_stack(np.unravel_index(keys, tuple(size))) + low
    seen = np.unique(of.ravel() * directions + nearest) // directions
    middles: Floats = np.asarray((cells + 0.5) * cell, dtype=np.float64)
    return Dexterity(middles, np.bincount(seen, minlength=len(cells)) / directions, cell)


def _outline(filled: Bools) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Sides of cells between filled and empty ones, the filled on the left."""
    full = np.pad(filled, 1)
    ends = []
    for axis in range(2):
        low, high = (np.take(full, range(k, full.shape[axis] - 1 + k), axis) for k in (0, 1))
        for out in (True, False):
            wall = np.argwhere(low & ~high if out else high & ~low).astype(float) - 1
            a, b = wall.copy(), wall.copy()
            a[:, axis] += 1
            b[:, axis] += 1
            b[:, 1 - axis] += 1
            ends.append((a, b) if out == (axis == 0) else (b, a))
    starts, stops = (np.concatenate([pair[k] for pair in ends]) for k in (0, 1))
    vertices, index = np.unique(np.vstack([starts, stops]), axis=0, return_inverse=True)
    return vertices, index.reshape(2, -1).T.astype(np.int64)


def _cell(points: Floats) -> float:
    """A side with which cells of the points' box hold some points each."""
    spans = np.ptp(points, axis=1)
    if points.shape[1] < POINTS_PER_CELL or not spans.max() > 0:
        raise UsageError(TOO_FEW)
    spans = np.maximum(spans, 1e-3 * spans.max())
    return float((np.prod(spans) * POINTS_PER_CELL / points.shape[1]) ** (1 / len(points)))
