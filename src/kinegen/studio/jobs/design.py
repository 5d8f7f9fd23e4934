"""Answers about designs: goals to begin with, and a search that reports as it goes."""

from __future__ import annotations

import math
import time

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.motion.design.design import Candidate, DesignProgress, box_points, design
from kinegen.motion.design.proposal import propose_goals
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.message import vec3
from kinegen.studio.wire.questions.design import (
    MOST_POINTS,
    DesignBestPiece,
    DesignFoundPiece,
    DesignRequest,
    DesignResult,
    DesignStepPiece,
    GoalCurveData,
    GoalsRequest,
    GoalsResult,
)

__all__ = ["answer_design", "answer_design_goals"]

TRIES = 20
"""Random designs per start to choose it from."""
PACE, FILM = 0.05, 0.15
"""Time between two reports, and between two previews [s]."""


def answer_design_goals(
    compiled: CompiledText, q: Floats, request: GoalsRequest, report: Progress
) -> GoalsResult:
    """Curves and a box near a frame, to begin with."""
    found = propose_goals(compiled.model, q, request.frame)
    return GoalsResult(
        frame=found.frame,
        curves=[
            GoalCurveData(
                one.name, one.title, one.note, one.is_closed, [vec3(xyz) for xyz in one.points]
            )
            for one in found.curves
        ],
        box=(vec3(found.box[0]), vec3(found.box[1])),
        normal=vec3(found.normal),
        flat=found.is_flat,
        at=vec3(found.at),
    )


def answer_design(
    compiled: CompiledText, q: Floats, request: DesignRequest, report: Progress
) -> DesignResult:
    """Parameters that let a frame pass wanted places, or cover a box."""
    frame = request.frame or compiled.model.site_names[-1]
    compiled.model.site(frame)
    if not request.free:
        raise UsageError("free at least one parameter")
    begin = time.perf_counter()
    news = _News(report, request)
    found = design(
        compiled.model, free=request.free, goal=_wanted(request), frame=frame,
        starts=request.starts, tries=TRIES * (request.starts - 1), seed=request.seed,
        clear=request.clear, progress=news,
    )  # fmt: skip
    return DesignResult(
        frame=frame,
        starts=found.starts,
        steps=found.steps,
        designs=len(news.kept),
        extent=found.extent,
        seconds=time.perf_counter() - begin,
    )


class _News:
    """Hands the news of a search on, not more often than a page can show."""

    def __init__(self, report: Progress, request: DesignRequest) -> None:
        self.report, self.request = report, request
        self.kept: list[Candidate] = []
        self.steps = 0
        self.paced = self.filmed = 0.0
        self.least = math.inf

    def __call__(self, news: DesignProgress) -> None:
        """After every step."""
        self.steps += 1
        now = time.perf_counter()
        if now - self.paced > PACE or news.found is not None:
            self.paced = now
            label = f"Start {news.start + 1} of {self.request.starts}"
            if news.start == 0 and 0 < news.tried:
                label = "Trying random designs"
            self.report(label, news.share(TRIES * self.request.starts))
            self.report.piece(DesignStepPiece(self.steps, news.start, news.best), b"")
        if news.is_best and news.best < self.least and now - self.filmed > FILM:
            self.filmed, self.least = now, news.best
            self.report.piece(DesignBestPiece(news.parameters, news.error), _numbers(news.motion()))
        if news.found is not None:
            self._keep(news.found)

    def _keep(self, found: Candidate) -> None:
        """Send a design, unless it is one of those before."""
        if any(found.is_like(one, self.request.free) for one in self.kept):
            return
        self.kept.append(found)
        head = DesignFoundPiece(
            start=found.start,
            parameters=found.parameters,
            error=found.error,
            worst=found.worst,
            share=found.share if math.isfinite(found.share) else None,
            connected=found.connected,
            clearance=found.clearance if math.isfinite(found.clearance) else None,
        )
        self.report.piece(head, _numbers(found.motion))


def _numbers(rows: Floats) -> bytes:
    return np.ascontiguousarray(rows, "<f8").tobytes()


def _wanted(request: DesignRequest) -> Floats:
    """Places to pass, (n, 3) [m]."""
    if request.box is None:
        if not request.points:
            raise UsageError("specify points to pass, or a box to cover")
        return np.array(request.points)
    edge = request.box.edge
    places = box_points(*request.box.corners, (edge, edge, edge))
    if len(places) > MOST_POINTS:
        raise UsageError(
            f"{len(places)} points fill the box: a search takes at most {MOST_POINTS}, so use "
            "fewer per edge"
        )
    return places
