"""Bodies for the page: the surface of what is reached, its size and holes, two of them compared."""

from __future__ import annotations

import base64
import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.studio.jobs import cloud as work_cloud
from kinegen.studio.jobs import zone as work_zone
from kinegen.studio.jobs.analyses import Progress
from kinegen.studio.jobs.arguments import Asked
from kinegen.studio.jobs.files import mesh_file
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.workspace import body
from kinegen.workspace.clouds import cloud_chunks
from kinegen.workspace.plane import Plane
from kinegen.workspace.sweep import random_sweep
from kinegen.workspace.voxels import Voxels, compare_voxels, voxels_of

__all__ = ["boundary"]

POSES = {"quick": 400_000, "normal": 3_000_000, "fine": 12_000_000}
PER_CELL = 60
"""Poses per cell of the box: so many that no cell within the set stays empty by chance."""
SAMPLE = 100_000
"""Poses by which the box is measured."""
SMOOTHING = (0.5, -0.52)
"""Taubin's two steps (1995): corners of cells go, the size stays."""
ROUNDS = {3: 3, 2: 12}
"""How often they are made, for surfaces and for outlines."""
MOST_CELLS = 30_000_000


def boundary(piece: CompiledText, q: Floats, arguments: Mapping[str, Any], report: Progress) -> Any:
    """The body of a cloud or zone (``of``, and what those take): surface, size, holes, cells.

    ``against`` is another body, as its cells were told: both are compared. ``file`` asks for the
    surface as a file.
    """
    asked = Asked(arguments)
    begin = time.perf_counter()
    other = asked.part("against")
    cell = asked.number("cell", 1e-6, 1e6)
    before = None if other is None else _cells_back(other)
    if before is not None:
        cell = before.cell
    make = _zone_cells if asked.choice("of", ("cloud", "zone"), "cloud") == "zone" else _cloud_cells
    made, plane, counted, is_exact = make(piece, q, asked, cell, report)
    voxels = made.voxels
    if asked.has("file"):
        if voxels.filled.ndim != 3:
            raise UsageError("a zone in a plane has no surface: download its points")
        name = f"{piece.mechanism.name}-surface"
        return mesh_file(name, asked, made.vertices, made.triangles).download()
    corners = made.vertices if is_exact else _smoothed(made.vertices, made.triangles)
    placed = corners @ plane.axes.T + plane.origin
    report.piece(
        {"what": "surface", "vertices": len(placed), "sides": made.triangles.shape[1],
         "faces": len(made.triangles)},
        placed.astype("<f4").tobytes() + made.triangles.astype("<u4").tobytes(),
    )  # fmt: skip
    grid = {
        "first": list(voxels.first),
        "shape": list(voxels.filled.shape),
        "cell": voxels.cell,
        "outside": voxels.outside,
        "origin": list(voxels.origin) or [0.0] * voxels.filled.ndim,
    }
    bits = np.packbits(voxels.filled, axis=None, bitorder="little")
    report.piece({"what": "cells", **grid}, bits.tobytes())
    told: dict[str, Any] = {
        **grid,
        "axes": plane.axes.T.tolist(),
        "lift": plane.origin.tolist(),
        "measure": work_zone.measure_data(made.measure),
        "pieces": made.pieces,
        "voids": made.voids,
        "tunnels": made.tunnels,
        "counted": counted,
        "seconds": time.perf_counter() - begin,
    }
    if before is not None:
        both = compare_voxels(before, _moved(voxels, before))
        told["comparison"] = {
            "both": both.both, "only_first": both.only_first, "only_second": both.only_second,
            "overlap": both.overlap,
        }  # fmt: skip
    return told


def _cloud_cells(
    piece: CompiledText, q: Floats, asked: Asked, cell: float | None, report: Progress
) -> tuple[body.Boundary, Plane, int, bool]:
    """The body of a frame of a tree, by many spread poses over the cloud's ranges."""
    plan = work_cloud.plan_of(piece, q, asked)
    frame = asked.word("frame") or plan.frames[-1]
    piece.model.site(frame)
    count = POSES[asked.choice("detail", tuple(POSES), "normal")]
    sweep = random_sweep(piece.model, plan.sweep.ranges, count, plan.sweep.home)
    sample = next(cloud_chunks(sweep, [frame], chunk=SAMPLE)).points[0]
    plane = Plane(sample)
    spans = np.ptp(plane.down(sample), axis=1)
    dimension = len(spans)
    _check_dimension(dimension, frame)
    side = cell or float((np.prod(spans) * PER_CELL / count) ** (1 / dimension))
    filled: Voxels | None = None
    done = 0
    for chunk in cloud_chunks(sweep, [frame]):
        mine = voxels_of(plane.down(chunk.points[0]), side)
        filled = mine if filled is None else _joined(filled, mine)
        done += chunk.points.shape[2]
        report.piece({"what": "progress", "share": done / count}, b"")
    assert filled is not None
    return body.boundary(filled), plane, count, False


def _zone_cells(
    piece: CompiledText, q: Floats, asked: Asked, cell: float | None, report: Progress
) -> tuple[body.Boundary, Plane, int, bool]:
    """The body of a zone, of some of its modes or all; whether its outline is exact."""
    plan = work_zone.plan_of(piece, q, asked)
    made = work_zone.zone_of(plan)
    if made.kind == "turn":
        raise UsageError("orientations have no volume in space")
    if made.kind == "place" and cell is not None and cell != made.measure.cell:
        made = plan.make(cell)
    shown = asked.words("shown")
    points = [mode.points for mode in made.modes if shown is None or mode.name in shown]
    together = np.concatenate(points, axis=1) if points else np.zeros((3, 0))
    if together.shape[1] < 2:
        raise UsageError("a body needs at least one point")
    plane = Plane(together)
    _check_dimension(plane.axes.shape[1], made.frame)
    if made.exact is not None:
        plane.axes = made.exact.forward.linkage.R_WP[:, :2]
        plane.origin = made.exact.up(np.zeros((2, 1)))[:, 0]
    modes = None if shown is None else tuple(shown)
    found = body.zone_boundary(made, cell, modes=modes)
    is_exact = made.exact is not None or made.reach is not None
    return found, plane, together.shape[1], is_exact


def _check_dimension(dimension: int, frame: str) -> None:
    if dimension < 2:
        raise UsageError(f"'{frame}' moves only along a line: it has no area and no volume")


def _joined(one: Voxels, other: Voxels) -> Voxels:
    """The cells that either has."""
    low = np.minimum(one.first, other.first)
    high = np.maximum(np.add(one.first, one.filled.shape), np.add(other.first, other.filled.shape))
    if (np.array(one.first) == low).all() and (high - low == one.filled.shape).all():
        box = one.filled
    else:
        box = np.zeros(high - low, dtype=bool)
        box[_place(one, low)] = one.filled
    box[_place(other, low)] |= other.filled
    return Voxels(tuple(int(x) for x in low), box, one.cell, one.outside, one.origin)


def _place(voxels: Voxels, low: npt.NDArray[Any]) -> tuple[slice, ...]:
    start = np.array(voxels.first) - low
    return tuple(slice(int(a), int(a + n)) for a, n in zip(start, voxels.filled.shape, strict=True))


def _moved(voxels: Voxels, onto: Voxels) -> Voxels:
    """Cells on another's lattice, by half a cell at most."""
    here, there = (np.array(one.origin or (0.0,) * one.filled.ndim) for one in (voxels, onto))
    if len(here) != len(there):
        raise UsageError("a body in space and one in a plane cannot be compared")
    shift = np.rint((here - there) / onto.cell).astype(int)
    first = tuple(int(x) for x in np.array(voxels.first) + shift)
    return Voxels(first, voxels.filled, onto.cell, voxels.outside, onto.origin)


def _cells_back(told: Asked) -> Voxels:
    """Cells from what was told of them."""
    cell = told.number("cell", 1e-9, 1e9)
    size = told.numbers("shape", (2, 3))
    bits = told.word("bits")
    if cell is None or bits is None:
        raise UsageError("a body to compare with has cell, shape, first, origin and bits")
    shape = [int(x) for x in size]
    total = math.prod(shape)
    first, origin = told.floats("first", len(shape)), told.floats("origin", len(shape))
    if min(shape) < 1 or total > MOST_CELLS or first is None or origin is None:
        raise UsageError("a body to compare with has a box of cells of bearable size")
    try:
        data = np.frombuffer(base64.b64decode(bits, validate=True), np.uint8)
    except ValueError:
        raise UsageError("the bits of a body are base64") from None
    if len(data) != -(-total // 8):
        raise UsageError(f"a box of {total} cells has {-(-total // 8)} bytes, got {len(data)}")
    filled = np.unpackbits(data, count=total, bitorder="little").astype(bool).reshape(shape)
    outside = told.number("outside", 0.0, 1.0)
    return Voxels(
        tuple(int(x) for x in first), filled, cell, 0.5 if outside is None else outside,
        tuple(float(x) for x in origin),
    )  # fmt: skip


def _smoothed(vertices: Floats, faces: npt.NDArray[np.int64]) -> Floats:
    """A surface or outline without the steps of its cells, to look at."""
    sides = [faces[:, [k, (k + 1) % faces.shape[1]]] for k in range(faces.shape[1])]
    start, end = np.concatenate(sides).T
    count = np.maximum(np.bincount(start, minlength=len(vertices)), 1)[:, None]
    out = vertices.copy()
    for share in SMOOTHING * ROUNDS[faces.shape[1]]:
        around = [np.bincount(start, row[end], len(vertices)) for row in out.T]
        out += share * (np.column_stack(around) / count - out)
    return out
