"""Design by goal, as the page asks for it: starts improved one after the other, told as they go."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.positions import pose, poses
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes.skeleton import read_skeleton
from kinegen.motion.curves.ellipse import plane_axes
from kinegen.motion.design.design import Candidate, DesignProgress, box_points
from kinegen.motion.design.design import design as search
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
SAME = 1e-3
"""Designs whose parameters differ by less, as shares of their ranges, are one."""
POINTS = 12
"""Of a ready curve."""


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
        "extent": float(np.linalg.norm(np.ptp(wanted, axis=0))),
        "seconds": time.perf_counter() - begin,
    }


class _Told:
    """Hands the news of a search on, not more often than a page can show."""

    def __init__(
        self, report: Progress, starts: int, tries: int, free: dict[str, tuple[float, float]]
    ) -> None:
        self.report, self.starts, self.tries = report, starts, tries
        self.spans = {name: high - low for name, (low, high) in free.items()}
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
        # trying takes about as long as a start or two
        done = news.start + min(1.0, news.iteration / 40) + news.tried / max(self.tries, 1)
        label = f"Start {news.start + 1} of {self.starts}"
        if news.start == 0 and 0 < news.tried:
            label = "Trying random designs"
        self.report(label, min(1.0, done / (self.starts + 1)))
        head = {"part": "step", "step": self.steps, "start": news.start, "best": news.best}
        self.report.piece(head, b"")

    def _keep(self, found: Candidate) -> None:
        """Send a design, unless it is one of those before."""
        for one in self.kept:
            far = max(
                abs(one.parameters[name] - value) / self.spans[name]
                for name, value in found.parameters.items()
            )
            if far < SAME:
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
    here = pose(model, q, frame).translation
    sites = np.array([X.translation for X in poses(model, q).values()])
    span = float(np.linalg.norm(np.ptp(sites, axis=0))) or model.size
    plane = read_skeleton(model, {}).plane
    normal = np.array([0.0, 0.0, 1.0]) if plane is None else np.asarray(plane.normal, dtype=float)
    across, along = plane_axes(normal)
    size = _round(0.15 * span)
    # round numbers are easier to think about than those of the moment
    grid = 10.0 ** math.floor(math.log10(size))
    centre = np.round(here / grid) * grid
    if plane is not None:
        centre = centre + normal * float(normal @ (here - centre))
    curves = [
        _curve(name, shape, centre, size * across, size * along) for name, shape in SHAPES.items()
    ]
    if plane is not None and abs(normal[2]) > 1 - 1e-9:
        curves.append(_published(float(here[2])))
    low = centre - size * (np.abs(across) + np.abs(along) + (normal if plane is None else 0))
    high = 2 * centre - low
    return {
        "frame": frame,
        "curves": curves,
        "box": [low.tolist(), high.tolist()],
        "normal": normal.tolist(),
        "flat": plane is not None,
        "at": here.tolist(),
    }


Shape = tuple[str, bool, Callable[[Floats], Floats]]
SHAPES: dict[str, Shape] = {
    "line": ("Straight line", False, lambda s: np.array([2 * s - 1, 0 * s])),
    "circle": ("Circle", True, lambda s: np.array([np.cos(math.tau * s), np.sin(math.tau * s)])),
    "ellipse": (
        "Ellipse",
        True,
        lambda s: np.array([np.cos(math.tau * s), 0.6 * np.sin(math.tau * s)]),
    ),
    "eight": (
        "Figure eight",
        True,
        lambda s: np.array([np.sin(math.tau * s), 0.5 * np.sin(2 * math.tau * s)]),
    ),
    "drop": (
        "Step (flat below)",
        True,
        lambda s: np.array([np.cos(math.tau * s), 0.5 * np.maximum(0, np.sin(math.tau * s))]),
    ),
}
"""Title, whether it closes, and its places in the plane over a share of 0 … 1."""


def _curve(name: str, shape: Shape, centre: Floats, u: Floats, v: Floats) -> dict[str, Any]:
    title, closed, form = shape
    shares = np.linspace(0, 1, POINTS, endpoint=not closed)
    a, b = form(shares)
    xyz = centre + a[:, None] * u + b[:, None] * v
    return {"name": name, "title": title, "closed": closed, "points": xyz.tolist()}


def _published(z: float) -> dict[str, Any]:
    """Case 3 of Acharyya and Mandal: nine points of an ellipse, their numbers as centimetres.

    Performance of EAs for four-bar linkage synthesis, Mechanism and Machine Theory 44, 2009.
    """
    angle = np.radians(40 * np.arange(9))
    xyz = np.stack([0.1 + 0.1 * np.cos(angle), 0.1 + 0.08 * np.sin(angle), z + 0 * angle], axis=1)
    return {
        "name": "published",
        "title": "Published ellipse (2009)",
        "note": "Acharyya and Mandal, Mechanism and Machine Theory 44, case 3: a classic test for "
        "four-bars",
        "closed": True,
        "points": xyz.tolist(),
    }


def _round(x: float) -> float:
    """1, 2, 3, 5 or 8 times a power of ten, not above x."""
    power = 10.0 ** math.floor(math.log10(max(x, 1e-9)))
    return max(k for k in (1, 2, 3, 5, 8) if k * power <= x * (1 + 1e-9)) * power
