"""Bodies as a page asks for them: surface, size, holes, cells, two of them compared."""

from __future__ import annotations

import base64
import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.studio.jobs import cloud as cloud_job
from kinegen.studio.jobs import zone as zone_job
from kinegen.studio.jobs.analyses import Progress
from kinegen.studio.jobs.arguments import Asked
from kinegen.studio.jobs.files import mesh_file
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.workspace.progressive.body import DETAILS, PlacedBody, sweep_body, zone_body
from kinegen.workspace.voxels import Voxels, align_voxels, compare_voxels

__all__ = ["boundary"]

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
    make = _zone_body if asked.choice("of", ("cloud", "zone"), "cloud") == "zone" else _cloud_body
    made = make(piece, q, asked, cell, report)
    found, voxels, plane = made.boundary, made.boundary.voxels, made.plane
    if asked.has("file"):
        if voxels.filled.ndim != 3:
            raise UsageError("a zone in a plane has no surface: download its points")
        name = f"{piece.mechanism.name}-surface"
        return mesh_file(name, asked, found.vertices, found.triangles).download()
    report.piece(
        {"what": "surface", "vertices": len(made.surface), "sides": found.triangles.shape[1],
         "faces": len(found.triangles)},
        made.surface.astype("<f4").tobytes() + found.triangles.astype("<u4").tobytes(),
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
        "measure": zone_job.measure_data(found.measure),
        "pieces": found.pieces,
        "voids": found.voids,
        "tunnels": found.tunnels,
        "counted": made.count,
        "seconds": time.perf_counter() - begin,
    }
    if before is not None:
        both = compare_voxels(before, align_voxels(voxels, before))
        told["comparison"] = {
            "both": both.both, "only_first": both.only_first, "only_second": both.only_second,
            "overlap": both.overlap,
        }  # fmt: skip
    return told


def _cloud_body(
    piece: CompiledText, q: Floats, asked: Asked, cell: float | None, report: Progress
) -> PlacedBody:
    """The body of a frame of a tree, over the cloud's ranges."""
    plan = cloud_job.plan_of(piece, q, asked)
    count = DETAILS[asked.choice("detail", tuple(DETAILS), "normal")]
    return sweep_body(
        plan, frame=asked.word("frame"), count=count, cell=cell,
        progress=lambda share: report.piece({"what": "progress", "share": share}, b""),
    )  # fmt: skip


def _zone_body(
    piece: CompiledText, q: Floats, asked: Asked, cell: float | None, report: Progress
) -> PlacedBody:
    """The body of a zone, of some of its modes or all."""
    planned = zone_job.plan_of(piece, q, asked)
    made = zone_job.zone_of(planned)
    return zone_body(planned[1], made, cell=cell, modes=asked.words("shown"))


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
