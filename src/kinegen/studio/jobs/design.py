"""Design by goal, as the page asks for it: starts improved one after the other, told as they go."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.motion.design.design import Candidate, DesignProgress, box_points
from kinegen.motion.design.design import design as search
from kinegen.motion.design.proposal import propose_goals
from kinegen.studio.jobs.analyses import Progress
from kinegen.studio.jobs.arguments import Asked
from kinegen.studio.jobs.maps import frame_of
from kinegen.studio.session.compiled_text import CompiledText

__all__ = ["design"]

Arguments = Mapping[str, Any]

MOST_POINTS = 200
MOST_STARTS = 60
TRIES = 20
"""Random designs per start to choose it from."""
PACE, FILM = 0.05, 0.15
"""Time between two reports, and between two previews [s]."""


def design(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """Parameters that let a frame pass wanted places.

    Args:
        piece: The mechanism.
        q: Its pose.
        arguments: ``frame``; ``free``: parameter → lowest and highest value; ``points`` to pass
            [m], or ``box`` to cover, two corners and the number of places per edge; ``clear``:
            distance from singular poses; ``starts``, ``seed``. With ``about`` nothing is searched:
            the answer proposes curves and a box.
        report: Is told how far it is, and sent ``step`` now and then, ``best`` with the motion of
            the best design so far and ``design`` with that of every start (float64, nq numbers
            per pose).
    """
    model, asked = piece.model, Asked(arguments)
    frame = frame_of(model, asked)
    if asked.flag("about"):
        return _about(model, q, frame)
    free = asked.ranges("free")
    if not free:
        raise UsageError("free at least one parameter")
    wanted = _wanted(asked)
    starts = asked.whole("starts", 1, MOST_STARTS) or 8
    begin = time.perf_counter()
    told = _Told(report, starts, TRIES * starts, free)
    found = search(
        model, free, wanted, frame, starts=starts, tries=TRIES * (starts - 1),
        seed=asked.whole("seed", 0, 10**6) or 0, clear=asked.number("clear", 0.0, 1.0) or 0.0,
        progress=told,
    )  # fmt: skip
    return {
        "frame": frame,
        "starts": found.starts,
        "steps": found.steps,
        "designs": len(told.kept),
        "extent": found.extent,
        "seconds": time.perf_counter() - begin,
    }


class _Told:
    """Hands the news of a search on, not more often than a page can show."""

    def __init__(
        self, report: Progress, starts: int, tries: int, free: dict[str, tuple[float, float]]
    ) -> None:
        self.report, self.starts, self.tries = report, starts, tries
        self.free = free
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
            self._step(news)
        if news.is_best and news.best < self.least and now - self.filmed > FILM:
            self.filmed, self.least = now, news.best
            head = {"part": "best", "parameters": news.parameters, "error": news.error}
            self.report.piece(head, _numbers(news.motion()))
        if news.found is not None:
            self._keep(news.found)

    def _step(self, news: DesignProgress) -> None:
        label = f"Start {news.start + 1} of {self.starts}"
        if news.start == 0 and 0 < news.tried:
            label = "Trying random designs"
        self.report(label, news.share(self.tries))
        head = {"part": "step", "step": self.steps, "start": news.start, "best": news.best}
        self.report.piece(head, b"")

    def _keep(self, found: Candidate) -> None:
        """Send a design, unless it is one of those before."""
        if any(found.is_like(one, self.free) for one in self.kept):
            return
        self.kept.append(found)
        head = {
            "part": "design",
            "start": found.start,
            "parameters": found.parameters,
            "error": found.error,
            "worst": found.worst,
            "share": found.share if math.isfinite(found.share) else None,
            "connected": found.connected,
            "clearance": found.clearance if math.isfinite(found.clearance) else None,
        }
        self.report.piece(head, _numbers(found.motion))


def _numbers(rows: Floats) -> bytes:
    return np.ascontiguousarray(rows, "<f8").tobytes()


def _wanted(asked: Asked) -> Floats:
    """Places to pass, (n, 3) [m]."""
    box = asked.part("box")
    if box is None:
        return asked.rows("points", 3, MOST_POINTS)
    corners = box.rows("corners", 3, 2)
    if len(corners) != 2:
        raise UsageError(f"a box has two corners, got {len(corners)}")
    edge = box.whole("edge", 2, 8) or 4
    places = box_points(corners[0], corners[1], (edge, edge, edge))
    if len(places) > MOST_POINTS:
        raise UsageError(
            f"{len(places)} points fill the box: a search takes at most {MOST_POINTS}, so use "
            "fewer per edge"
        )
    return places


def _about(model: Model, q: Floats, frame: str) -> dict[str, Any]:
    """Curves to begin with, near the frame, and a box around it."""
    found = propose_goals(model, q, frame)
    return {
        "frame": found.frame,
        "curves": [
            {"name": one.name, "title": one.title, "closed": one.is_closed,
             **({"note": one.note} if one.note else {}), "points": one.points.tolist()}
            for one in found.curves
        ],
        "box": found.box.tolist(),
        "normal": found.normal.tolist(),
        "flat": found.is_flat,
        "at": found.at.tolist(),
    }  # fmt: skip
