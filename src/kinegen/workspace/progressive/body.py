"""Bodies to look at: the surface of what a frame reaches, its steps smoothed, where it lies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.results import Result, plain
from kinegen.workspace.bodies.body import Boundary, boundary, zone_boundary
from kinegen.workspace.bodies.plane import Plane
from kinegen.workspace.bodies.voxels import Voxels, join_voxels, voxels_of
from kinegen.workspace.clouds.cloud import CloudPlan, cloud_chunks
from kinegen.workspace.clouds.sweep import MOST_DRAWN
from kinegen.workspace.progressive.zone import ZonePlan
from kinegen.workspace.zones.result import Zone

__all__ = ["DETAILS", "PlacedBody", "smooth_surface", "sweep_body", "zone_body"]

DETAILS = {"quick": 400_000, "normal": 3_000_000, "fine": 12_000_000}
"""Quasi-random poses by which a body is filled."""
PER_CELL = 60
"""Poses per cell of the box: so many that no cell within the set stays empty by chance."""
SAMPLE = 100_000
"""Poses by which the box is measured."""
SMOOTHING = (0.5, -0.52)
"""Taubin's two steps (1995): corners of cells go, the size stays."""
ROUNDS = {3: 3, 2: 12}
"""How often they are made, for surfaces and for outlines."""


@dataclass(frozen=True, eq=False)
class PlacedBody(Result):
    """A body in space, or in a plane of it."""

    boundary: Boundary
    plane: Plane
    """The axes along which its cells lie."""
    count: int
    """Points or poses that it was made from."""
    is_exact: bool
    """Whether the corners of its surface lie on the boundary itself, and not on cells."""

    def to_dict(self) -> dict[str, Any]:
        """Its surface in world coordinates, and its size."""
        found = self.boundary
        return {
            "measure": plain(found.measure),
            "pieces": found.pieces,
            "voids": found.voids,
            "tunnels": found.tunnels,
            "is_exact": self.is_exact,
            "vertices": plain(self.surface),
            "triangles": plain(found.triangles),
        }

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Corners in the world [m], (n, 3), and triangles, or pieces of the outline."""
        return {"vertices": self.surface, "triangles": self.boundary.triangles}

    @cached_property
    def surface(self) -> Floats:
        """Corners of the surface or outline in the world [m], (n, 3), steps of cells smoothed."""
        found = self.boundary
        corners = found.vertices
        if not self.is_exact:
            corners = smooth_surface(corners, found.triangles)
        placed: Floats = corners @ self.plane.axes.T + self.plane.origin
        return placed


def sweep_body(
    plan: CloudPlan,
    *,
    frame: str | None = None,
    count: int = DETAILS["normal"],
    cell: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> PlacedBody:
    """The body that a frame of an arm fills, from many quasi-random poses.

    One piece of the poses is in memory at a time.

    Args:
        plan: The plan with the ranges, of :func:`plan_cloud` or :func:`propose_cloud`.
        frame: The frame or link; default: the plan's last.
        count: Number of poses; see :data:`DETAILS`.
        cell: Side of a cell [m]; default: large enough that none stays empty by chance.
        progress: Called with the finished share.

    Raises:
        UsageError: The frame moves along a line only.
    """
    count = whole_number(count, "the number of poses", 1, MOST_DRAWN)
    sweep, tool = plan.sweep, frame or plan.frames[-1]
    sweep.model.site(tool)
    drawn = CloudPlan(sweep.again(count), (tool,))
    sample = next(cloud_chunks(drawn, chunk=SAMPLE)).points[:, 0].T
    plane = Plane(sample)
    spans = np.ptp(plane.down(sample), axis=1)
    _check_dimension(len(spans), tool)
    side = cell or float((np.prod(spans) * PER_CELL / count) ** (1 / len(spans)))
    filled: Voxels | None = None
    done = 0
    for chunk in cloud_chunks(drawn):
        mine = voxels_of(plane.down(chunk.points[:, 0].T).T, side)
        filled = mine if filled is None else join_voxels(filled, mine)
        done += len(chunk.points)
        if progress is not None:
            progress(done / count)
    assert filled is not None
    return PlacedBody(boundary(filled), plane, count, is_exact=False)


def zone_body(
    plan: ZonePlan,
    made: Zone,
    *,
    cell: float | None = None,
    modes: Sequence[str] | None = None,
) -> PlacedBody:
    """The body of a zone, or of some of its modes.

    Args:
        plan: The plan of the zone: a zone of positions is computed again for cells of another size.
        made: The zone.
        cell: Side of a cell [m]; default: that of the zone's measure.
        modes: Names of modes; default: all.

    Raises:
        UsageError: There is no body: the zone consists of turns, lies along a line, or is empty.
    """
    if made.kind == "turn":
        raise UsageError("orientations have no volume in space")
    if made.kind == "place" and cell is not None and cell != made.measure.cell:
        made = plan.make(cell)
    points = [mode.points for mode in made.modes if modes is None or mode.name in modes]
    together = np.concatenate(points) if points else np.zeros((0, 3))
    if len(together) < 2:
        raise UsageError("a body needs at least two points")
    plane = Plane(together.T)
    _check_dimension(plane.axes.shape[1], made.frame)
    if made.exact is not None:
        plane.axes = made.exact.forward.linkage.R_WP[:, :2]
        plane.origin = made.exact.up(np.zeros((2, 1)))[:, 0]
    found = zone_boundary(made, cell, modes=None if modes is None else tuple(modes))
    is_exact = made.exact is not None or made.reach is not None
    return PlacedBody(found, plane, len(together), is_exact)


def smooth_surface(vertices: Floats, faces: npt.NDArray[np.int64]) -> Floats:
    """A surface or outline without the steps of its cells, for display; its size stays the same.

    Args:
        vertices: Corners [m], (n, 3), or (n, 2) of an outline.
        faces: Three corners each, or two of an outline.
    """
    sides = [faces[:, [k, (k + 1) % faces.shape[1]]] for k in range(faces.shape[1])]
    start, end = np.concatenate(sides).T
    count = np.maximum(np.bincount(start, minlength=len(vertices)), 1)[:, None]
    out = vertices.copy()
    for share in SMOOTHING * ROUNDS[faces.shape[1]]:
        around = [np.bincount(start, row[end], len(vertices)) for row in out.T]
        out += share * (np.column_stack(around) / count - out)
    return out


def _check_dimension(dimension: int, frame: str) -> None:
    if dimension < 2:
        raise UsageError(f"'{frame}' moves only along a line: it has no area and no volume")
