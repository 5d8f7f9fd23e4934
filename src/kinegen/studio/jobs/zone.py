"""Zones as a page asks for them: points by assembly mode, a point's pose, a way, a file."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.studio.jobs.analyses import Progress
from kinegen.studio.jobs.arguments import Asked
from kinegen.studio.jobs.files import points_file
from kinegen.studio.jobs.last import Last
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.workspace.colours import palette_colours, value_ends
from kinegen.workspace.layers import Layer
from kinegen.workspace.measure import Measure
from kinegen.workspace.progressive.zone import (
    KINDS,
    ZonePlan,
    even_points,
    propose_zone,
    way_through,
    zone_places,
)
from kinegen.workspace.zones.result import Zone, unit_of

__all__ = ["Planned", "measure_data", "plan_of", "zone", "zone_of"]

MOST_SENT = 300_000

Planned = tuple[str, ZonePlan]
"""What was asked for in words, and the plan."""
_last: Last[Zone] = Last()
"""Its points lead back to poses, and have a body."""


def zone(piece: CompiledText, q: Floats, arguments: Mapping[str, Any], report: Progress) -> Any:
    """Where a frame of a mechanism with loops gets to.

    Answers the configuration of one point (``point``), a way through all (``way``), a file of
    the points (``file``), or the zone.
    """
    asked = Asked(arguments)
    planned = plan_of(piece, q, asked)
    if not any(asked.has(key) for key in ("point", "way", "file")):
        return _zone(planned, asked, report)
    made = zone_of(planned)
    if asked.has("file"):
        index = np.repeat(np.arange(len(made.modes)), [mode.count for mode in made.modes])
        names = np.array([mode.name for mode in made.modes])[index]
        stem = f"{made.name}-zone"
        colours = palette_colours(index)
        return points_file(stem, asked, made.points, colours, {"mode": names}).download()
    if asked.has("way"):
        return {"qs": way_through(_mode(made, asked.word("way") or "")).tolist()}
    qs = np.concatenate([mode.qs for mode in made.modes if mode.qs is not None])
    point = asked.whole("point", 0, len(qs) - 1)
    return {"q": qs[point].tolist()}


def plan_of(piece: CompiledText, q: Floats, asked: Asked) -> Planned:
    """The zone that a page asks for."""
    home = asked.floats("home", piece.model.nq)
    home = q if home is None else piece.checked(home)
    word = asked.word("layer")
    settings: dict[str, Any] = {
        "kind": asked.choice("kind", KINDS, "") if asked.has("kind") else None,
        "step": asked.number("step", 1e-6, 1e6),
        "ranges": asked.ranges(),
        "inputs": asked.words("inputs"),
        "tilt": asked.number("tilt", -1e3, 1e3),
        "modes": asked.words("modes"),
        # points of a zone are coloured by mode where those of a cloud are by link
        "layer": None if word == Layer.LINK else word,
    }
    plan = propose_zone(piece.model, home, asked.word("frame"), **settings)
    return repr((piece.text, home.tobytes(), plan.frame, settings)), plan


def zone_of(planned: Planned) -> Zone:
    """The zone of a plan: the last one if it is the same."""
    key, plan = planned
    made = _last.get(key)
    if made is None:
        made = plan.finest()
        _last.put(key, made)
    return made


def measure_data(measure: Measure, kind: str = "inputs") -> dict[str, Any]:
    """A measure as plain data."""
    return {
        "value": measure.value, "error": measure.error, "dimension": measure.dimension,
        "unit": unit_of(measure, kind), "cell": measure.cell,
    }  # fmt: skip


def _zone(planned: Planned, asked: Asked, report: Progress) -> dict[str, Any]:
    key, plan = planned
    most = asked.whole("most", 1, MOST_SENT) or MOST_SENT
    told: dict[str, Any] = {}
    begin = time.perf_counter()
    for made in plan.finer():
        _last.put(key, made)
        told = {**_told(plan, made), "step": made.step, "seconds": time.perf_counter() - begin}
        order, modes = even_points(made, most)
        report.piece({"what": "begin", **told, "shown": len(order)}, b"")
        if not len(order):
            continue
        tags = (order * len(made.modes) + modes).astype("<u4")
        values = made.values
        head = {"what": "points", "count": len(order), "valued": values is not None}
        data = zone_places(plan.model, made)[order].astype("<f4").tobytes() + tags.tobytes()
        if values is not None:
            data += values[order].astype("<f4").tobytes()
        report.piece(head, data)
    return told


def _told(plan: ZonePlan, made: Zone) -> dict[str, Any]:
    """A zone as plain data, without its points."""
    points = zone_places(plan.model, made)
    bounds = None
    if points.shape[1]:
        bounds = [points.min(axis=1).tolist(), points.max(axis=1).tolist()]
    values = made.values
    return {
        "frame": made.frame,
        "kind": made.kind,
        "layer": made.layer,
        "ends": None if values is None or not len(values) else value_ends(values),
        "method": made.method,
        "inputs": list(made.inputs),
        "held": {name: math.remainder(value, math.tau) for name, value in made.held.items()},
        "tried": made.tried,
        "points": int(points.shape[1]),
        "bounds": bounds,
        "measure": measure_data(made.measure, made.kind),
        "modes": [
            {
                "name": mode.name,
                "points": mode.count,
                "measure": measure_data(mode.measure, made.kind),
            }
            for mode in made.modes
        ],
    }


def _mode(made: Zone, name: str) -> Any:
    for mode in made.modes:
        if mode.name == name and mode.count:
            return mode
    known = ", ".join(one.name for one in made.modes)
    raise UsageError(f"no mode with poses is called '{name}'; modes: {known}")
