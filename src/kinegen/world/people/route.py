"""Route: a person of the file who walks from place to place and shows gestures at set times."""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.world.people.person import HEIGHT, Gesture, Person, Side, check_person, standing

if TYPE_CHECKING:
    from kinegen.world.bodies.stage import Stage

__all__ = ["COLORS", "Route", "routes_of"]

COLORS = ("orange", "teal", "violet", "gold", "tomato", "steelblue")
"""Of people whose file gives none, in turn."""
RAISE = 0.5
"""A hand that shows a gesture at some time begins to move so much earlier, and needs as long to go
back [s]."""
TURN = 0.5
"""A person turns around in this time [s]."""
STEP = 1.4
"""Two steps of a person of the usual height are so long [m]."""
STRIDE = 0.3
"""How far a foot is ahead at most [m]."""
STANDS = 1e-3
"""Who goes less far than this stands still [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Where a person is at a time, and what they do from then on."""

    time: float
    xyz: Floats
    facing: float | None
    """[rad]; None: where they walk, or as before."""
    gesture: Gesture
    side: Side


class Route:
    """Where a person of the file is at any time: the same at the same time, always."""

    def __init__(
        self, name: str, points: Sequence[Point], *, height: float, color: str, facing: float
    ) -> None:
        """Set up a route.

        Args:
            name: Of the person.
            points: At least one, their times increasing.
            height: [m]
            color: Of the figure.
            facing: At first [rad], where no point gives it and nobody walks.
        """
        self.name, self.height, self.color = name, height, color
        self._points = list(points)
        self._times = [one.time for one in points]
        steps = [b.xyz - a.xyz for a, b in pairwise(points)]
        lengths = [float(np.linalg.norm(one)) for one in steps]
        self._ways: list[float] = [0.0, *np.cumsum(lengths).tolist()]
        self._headings: list[float] = []
        """From each point on [rad]."""
        for i, point in enumerate(points):
            if point.facing is not None:
                facing = point.facing
            elif i < len(steps) and math.hypot(*steps[i][:2]) > STANDS:
                facing = math.atan2(steps[i][1], steps[i][0])
            self._headings.append(facing)
        check_person(self.at(points[0].time))

    def at(self, time: float) -> Person:
        """The person at a time [s]: before the first point and after the last one, as there."""
        i = max(bisect.bisect_right(self._times, time) - 1, 0)
        here, after = self._points[i], self._points[min(i + 1, len(self._points) - 1)]
        span = after.time - here.time
        share = min(max((time - here.time) / span, 0.0), 1.0) if span > 0 else 0.0
        feet = here.xyz + share * (after.xyz - here.xyz)
        gesture, shape, raised, side = self._hand(i, time)
        return standing(
            self.name, feet, facing=self._heading(i, time), height=self.height,
            gesture=gesture, shape=shape, side=side, color=self.color, raised=raised,
            stride=self._stride(i, share),
        )  # fmt: skip

    def _heading(self, i: int, time: float) -> float:
        now, before = self._headings[i], self._headings[max(i - 1, 0)]
        turn = math.remainder(now - before, math.tau)
        share = min(max((time - self._times[i]) / TURN, 0.0), 1.0)
        return before + turn * share**2 * (3 - 2 * share)

    def _stride(self, i: int, share: float) -> float:
        """Feet alternate with the way that was walked, and come together where it ends."""
        leg = self._ways[min(i + 1, len(self._ways) - 1)] - self._ways[i]
        if leg < STANDS:
            return 0.0
        size = self.height / HEIGHT
        walked, left = share * leg, (1 - share) * leg
        ease = min(1.0, walked / (0.4 * size), left / (0.4 * size))
        return STRIDE * ease * math.sin(math.tau * walked / (STEP * size))

    def _hand(self, i: int, time: float) -> tuple[Gesture, Gesture, float, Side]:
        """The gesture that is shown; that to which a hand is raised, how far, and which hand."""
        here, following = self._points[i], self._points[i + 1 : i + 2]
        if here.gesture != "none":
            return here.gesture, here.gesture, 1.0, here.side
        for after in following:
            share = 1 - (after.time - time) / RAISE
            if after.gesture != "none" and share > 0:
                return "none", after.gesture, share, after.side
        for before in self._points[max(i - 1, 0) : i]:
            share = 1 - (time - here.time) / RAISE
            if before.gesture != "none" and share > 0:
                return "none", before.gesture, share, before.side
        return "none", "none", 0.0, here.side


def routes_of(stage: Stage) -> dict[str, Route]:
    """The people that the file of a world declares, by name."""
    rows = stage.mechanism.scene.get("people", ())
    return {row["name"]: _route(stage, row, COLORS[i % len(COLORS)]) for i, row in enumerate(rows)}


def _route(stage: Stage, row: Mapping[str, Any], color: str) -> Route:
    start = Point(
        -math.inf, _place(stage, row.get("xyz"), np.zeros(3)), None, row.get("gesture", "none"),
        row.get("hand", "right"),
    )  # fmt: skip
    points: list[Point] = []
    last = start
    for entry in row.get("route", ()):
        facing = entry.get("facing")
        last = Point(
            stage.number(entry.get("time"), 0.0), _place(stage, entry.get("xyz"), last.xyz),
            None if facing is None else stage.number(facing, 0.0),
            entry.get("gesture", last.gesture), entry.get("hand", last.side),
        )  # fmt: skip
        if points and last.time <= points[-1].time:
            raise UsageError(
                f"the times of person '{row['name']}' must increase: {last.time:g} s comes after "
                f"{points[-1].time:g} s"
            )
        points.append(last)
    if not points:
        points = [replace(start, time=0.0)]
    return Route(
        row["name"], points, height=stage.number(row.get("height"), HEIGHT),
        color=row.get("color", color), facing=stage.number(row.get("facing"), 0.0),
    )  # fmt: skip


def _place(stage: Stage, given: Any, default: Floats) -> Floats:
    if given is None:
        return default
    return np.array([stage.number(one, 0.0) for one in given])
