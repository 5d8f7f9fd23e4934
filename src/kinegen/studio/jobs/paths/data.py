"""A planned path as a page takes it: its numbers in pieces, and what there is to say about it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kinegen.curves.volumes import Volume
from kinegen.kernels import Floats
from kinegen.motion.collisions import CollisionSpan
from kinegen.motion.path import Path
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.jobs.paths.curves import Made
from kinegen.studio.jobs.paths.goal import run_of
from kinegen.studio.wire.questions.path import (
    CollisionData,
    CrossingData,
    PathData,
    PathGapData,
    PathGridPiece,
    PathLinePiece,
    PathPointsPiece,
    PathPosesPiece,
    PathRatesPiece,
    PathTimedPiece,
    PathTimingData,
    TimingData,
)

__all__ = ["path_data", "send_path", "send_timed"]

MOST_REASONS = 600
"""Points that say each for itself why they are not reached; stretches always do."""
_FINE = 400
"""Points of the line that is drawn through the dots."""
_GRID = 48
"""Points of each curve of a family."""


def send_path(planned: Path, made: Made, report: Progress) -> None:
    """The numbers of a path, and the curves around it."""
    count, model = len(planned), planned.model
    report.piece(
        PathPointsPiece(count),
        _bytes(planned.xyz, planned.ways, planned.times, planned.singular, planned.reachable),
    )
    # poses as they are: rounded ones would open the loops
    rows = np.ascontiguousarray(planned.q, dtype="<f8").tobytes()
    report.piece(PathPosesPiece(count, model.nq), rows)
    report.piece(PathRatesPiece(count, model.nv), _bytes(planned.v, planned.vdot))
    if count < _FINE:
        fine = made.curve.sample(_FINE).xyz
        report.piece(PathLinePiece(len(fine)), _bytes(fine))
    grid = made.grid(_GRID)
    if grid is not None:
        report.piece(PathGridPiece(grid.shape[0], grid.shape[1]), _bytes(grid))


def send_timed(
    planned: Path, timed: Path | str | None, timing: TimingData, report: Progress
) -> None:
    """The numbers of the stretch that has another time law."""
    if isinstance(timed, Path):
        first = planned.runs[run_of(planned, timing)].start
        data = _bytes(timed.times, timed.v, timed.vdot)
        report.piece(PathTimedPiece(first, len(timed)), data)


def path_data(
    planned: Path,
    made: Made,
    timed: Path | str | None,
    timing: TimingData,
    collisions: Sequence[CollisionSpan] = (),
) -> PathData:
    """What there is to say about a path."""
    if isinstance(timed, Path):
        run = run_of(planned, timing)
        law = PathTimingData(timed.duration, timed.too_fast, run, None)
    else:
        law = PathTimingData(planned.duration, {}, None, timed)
    closing = made.family.gaps() if isinstance(made.family, Volume) else np.zeros(0)
    reasons = list(planned.reasons.items())
    return PathData(
        frame=planned.frame,
        name=planned.name,
        count=len(planned),
        reached=planned.reachable_count,
        length=float(planned.ways[-1]),
        duration=planned.duration,
        speed=planned.speed,
        closed=made.curve.is_closed,
        gap=_if_finite(made.curve.gap()),
        choices=made.choices,
        closing=[_if_finite(gap) for gap in closing.tolist()],
        scale=made.scale,
        runs=[(run.start, run.stop - 1) for run in planned.runs],
        gaps=[PathGapData(gap.first, gap.last, gap.worst) for gap in planned.gaps()],
        reasons={str(i): why for i, why in reasons[:MOST_REASONS]},
        crossings=[
            CrossingData(one.index, one.time, one.kind, list(one.joints), one.text)
            for one in planned.crossings
        ],
        collisions=[
            CollisionData(one.a, one.b, one.first, one.last, one.text) for one in collisions
        ],
        too_fast=planned.too_fast,
        on_surface=made.curve.is_on_surface,
        timing=law,
    )


def _if_finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _bytes(*arrays: Floats | npt.NDArray[np.bool_]) -> bytes:
    return b"".join(np.ascontiguousarray(array, dtype="<f4").tobytes() for array in arrays)
