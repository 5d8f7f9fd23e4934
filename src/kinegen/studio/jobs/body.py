"""Answers about bodies: surface, size, holes, cells, two of them compared; a file."""

from __future__ import annotations

import base64
import math
import time

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.studio.jobs import cloud as cloud_job
from kinegen.studio.jobs import zone as zone_job
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.jobs.files import result_file
from kinegen.studio.jobs.processes.protocol import MadeFile
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.message import vec3
from kinegen.studio.wire.questions import body as wire
from kinegen.workspace.bodies.voxels import Voxels, align_voxels, compare_voxels
from kinegen.workspace.progressive.body import DETAILS, PlacedBody, sweep_body, zone_body

__all__ = [
    "answer_cloud_body",
    "answer_cloud_surface_file",
    "answer_zone_body",
    "answer_zone_surface_file",
]


def answer_cloud_body(
    compiled: CompiledText, q: Floats, request: wire.CloudBodyRequest, report: Progress
) -> wire.BodyResult:
    """The body of a frame of a tree, over the cloud's ranges."""
    begin = time.perf_counter()
    before = _cells_back(request.against)
    made = _cloud_body(compiled, q, request, None if before is None else before.cell, report)
    return _answer(made, before, begin, report)


def answer_zone_body(
    compiled: CompiledText, q: Floats, request: wire.ZoneBodyRequest, report: Progress
) -> wire.BodyResult:
    """The body of a zone, of some of its modes or all."""
    begin = time.perf_counter()
    before = _cells_back(request.against)
    made = _zone_body(compiled, q, request, None if before is None else before.cell)
    return _answer(made, before, begin, report)


def answer_cloud_surface_file(
    compiled: CompiledText, q: Floats, request: wire.CloudSurfaceFileRequest, report: Progress
) -> MadeFile:
    """The surface of a tree's body as a file."""
    return _file(compiled, _cloud_body(compiled, q, request, None, report), request.format)


def answer_zone_surface_file(
    compiled: CompiledText, q: Floats, request: wire.ZoneSurfaceFileRequest, report: Progress
) -> MadeFile:
    """The surface of a zone's body as a file."""
    return _file(compiled, _zone_body(compiled, q, request, None), request.format)


def _cloud_body(
    compiled: CompiledText,
    q: Floats,
    request: wire.CloudBodyRequest | wire.CloudSurfaceFileRequest,
    cell: float | None,
    report: Progress,
) -> PlacedBody:
    plan = cloud_job.plan_of(compiled, q, request.cloud)
    return sweep_body(
        plan, frame=request.cloud.frame, count=DETAILS[request.detail], cell=cell,
        progress=lambda share: report.piece(wire.BodyProgressPiece(share), b""),
    )  # fmt: skip


def _zone_body(
    compiled: CompiledText, q: Floats, request: wire.ZoneBodyRequest | wire.ZoneSurfaceFileRequest,
    cell: float | None,
) -> PlacedBody:  # fmt: skip
    planned = zone_job.plan_of(compiled, q, request.zone)
    return zone_body(planned[1], zone_job.zone_of(planned), cell=cell, modes=request.shown)


def _answer(
    made: PlacedBody, before: Voxels | None, begin: float, report: Progress
) -> wire.BodyResult:
    """Surface and cells as pieces, the rest as the result."""
    found, voxels = made.boundary, made.boundary.voxels
    faces = found.triangles
    report.piece(
        wire.SurfacePiece(len(made.surface), faces.shape[1], len(faces)),
        made.surface.astype("<f4").tobytes() + faces.astype("<u4").tobytes(),
    )
    bits = np.packbits(voxels.filled, axis=None, bitorder="little")
    report.piece(wire.CellsPiece(), bits.tobytes())
    comparison = None
    if before is not None:
        both = compare_voxels(before, align_voxels(voxels, before))
        comparison = wire.BodyComparisonData(
            both.both, both.only_first, both.only_second, both.overlap
        )  # fmt: skip
    return wire.BodyResult(
        grid=wire.GridData(
            first=list(voxels.first),
            shape=list(voxels.filled.shape),
            cell=voxels.cell,
            outside=voxels.outside,
            origin=list(voxels.origin) or [0.0] * voxels.filled.ndim,
        ),
        axes=[vec3(axis) for axis in made.plane.axes.T],
        lift=vec3(made.plane.origin),
        measure=zone_job.measure_data(found.measure),
        pieces=found.pieces,
        voids=found.voids,
        tunnels=found.tunnels,
        counted=made.count,
        seconds=time.perf_counter() - begin,
        comparison=comparison,
    )


def _file(compiled: CompiledText, made: PlacedBody, kind: wire.SurfaceFormat) -> MadeFile:
    found = made.boundary
    if found.voxels.filled.ndim != 3:
        raise UsageError("a zone in a plane has no surface: download its points")
    return result_file(found, f"{compiled.mechanism.name}-surface", kind)


def _cells_back(sent: wire.CellsData | None) -> Voxels | None:
    """Cells as a page sends them back."""
    if sent is None:
        return None
    grid = sent.grid
    total = math.prod(grid.shape)
    if len({len(grid.first), len(grid.shape), len(grid.origin)}) > 1:
        raise UsageError("first, shape and origin of a body must have as many numbers as axes")
    if min(grid.shape) < 1 or total > wire.MOST_CELLS:
        raise UsageError(f"a body to compare with must have 1 to {wire.MOST_CELLS:,} cells")
    try:
        data = np.frombuffer(base64.b64decode(sent.bits, validate=True), np.uint8)
    except ValueError:
        raise UsageError("the bits of a body are base64") from None
    if len(data) != -(-total // 8):
        raise UsageError(f"a box of {total} cells has {-(-total // 8)} bytes, got {len(data)}")
    filled = np.unpackbits(data, count=total, bitorder="little").astype(bool).reshape(grid.shape)
    return Voxels(tuple(grid.first), filled, grid.cell, grid.outside, tuple(grid.origin))
