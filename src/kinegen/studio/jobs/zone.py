"""Zones for the page: coarse at first, then finer, by assembly mode, each point with its pose."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics import inputs_of, pose
from kinegen.mechanism.model import Model
from kinegen.studio.jobs.analyses import Progress
from kinegen.studio.jobs.arguments import Asked
from kinegen.studio.jobs.files import points_file
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.workspace.colours import palette_colours, value_ends
from kinegen.workspace.layers import Layer
from kinegen.workspace.measure import Measure
from kinegen.workspace.ranges import CoarseStepError
from kinegen.workspace.zones import zone as zones
from kinegen.workspace.zones.result import Zone

__all__ = ["ZonePlan", "measure_data", "zone", "zone_of"]

MOST_SENT = 300_000
KINDS = ("inputs", "place", "turn")
FLAT, SOLID = 15_000, 4_000
"""Points of a zone, in a plane and in space, when nobody has chosen how fine it is."""
LONGEST = 0.5
"""[s] A zone that took this long is not made finer unasked."""
FINEST = 4e-3
"""Nor one with a smaller step [rad, sizes]."""
COARSER = (4.0, 2.0)
"""Coarser steps that are tried first, so that there is something to see."""
LONGEST_WAY = 600
"""Poses of the way through a zone."""


@dataclass(frozen=True, slots=True, eq=False)
class ZonePlan:
    """What is swept."""

    model: Model
    frame: str
    kind: str
    step: float | None
    """[rad] or [m]; None: as fine as is useful."""
    key: str
    make: Callable[[float], Zone]
    """The zone for a step."""

    def finer(self) -> Iterator[tuple[Zone, float]]:
        """Zones of ever smaller steps, the last one as fine as it was asked for."""
        if self.step is not None:
            for times in COARSER:
                if self.kind == "turn" and self.step * times > 1:
                    continue
                try:
                    made = self.make(self.step * times)
                except CoarseStepError:
                    continue  # too coarse for these ranges: the step itself decides
                yield made, self.step * times
            yield self.make(self.step), self.step
            return
        unit = self.model.size if self.kind == "place" else 1.0
        per = 1.0 if self.kind == "place" else math.degrees(1.0)
        step = _nice((0.35 if self.kind == "inputs" else 0.5) * unit, per)
        while True:
            begin = time.perf_counter()
            try:
                made = self.make(step)
            except CoarseStepError:
                if step < FINEST * unit:
                    raise
                step = _nice(step / 1.7, per)
                continue
            yield made, step
            took = time.perf_counter() - begin
            found = sum(mode.count for mode in made.modes)
            enough = FLAT if min(made.measure.dimension, len(made.inputs)) < 3 else SOLID
            if found >= enough or took > LONGEST or step < FINEST * unit:
                return
            step = _nice(step / 1.7, per)


@dataclass(slots=True, eq=False)
class _Kept:
    """The last zone: its points lead back to poses, and have a body."""

    key: str = ""
    zone: Zone | None = None


_kept = _Kept()


def zone(piece: CompiledText, q: Floats, arguments: Mapping[str, Any], report: Progress) -> Any:
    """Where a frame of a mechanism with loops gets to.

    Answers the configuration of one point (``point``), a way through all (``way``), a file of
    the points (``file``), or the zone.
    """
    asked = Asked(arguments)
    plan = plan_of(piece, q, asked)
    if not any(asked.has(key) for key in ("point", "way", "file")):
        return _zone(plan, asked, report)
    made = _found(plan)
    if asked.has("file"):
        index = np.repeat(np.arange(len(made.modes)), [mode.count for mode in made.modes])
        names = np.array([mode.name for mode in made.modes])[index]
        stem = f"{made.name}-zone"
        colours = palette_colours(index)
        return points_file(stem, asked, made.points.T, colours, {"mode": names}).download()
    qs = np.concatenate([mode.qs for mode in made.modes if mode.qs is not None], axis=1)
    if asked.has("way"):
        return _way(made, asked.word("way") or "")
    point = asked.whole("point", 0, qs.shape[1] - 1)
    return {"q": qs[:, point].tolist()}


def plan_of(piece: CompiledText, q: Floats, asked: Asked) -> ZonePlan:
    """The zone that a page asks for."""
    model = piece.model
    if not model.loops:
        raise UsageError(f"mechanism '{model.name}' has no loops: compute its cloud instead")
    home = asked.floats("home", model.nq)
    home = q if home is None else piece.checked(home)
    frame = asked.word("frame") or model.site_names[-1]
    model.site(frame)
    names = asked.words("inputs") or list(inputs_of(model))
    usual = "inputs" if 0 < len(names) <= 3 else "place"
    kind = asked.choice("kind", KINDS, usual)
    step = asked.number("step", 1e-6, 1e6)
    modes, ranges, tilt = asked.words("modes"), asked.ranges(), asked.number("tilt", -1e3, 1e3)
    # points of a zone are coloured by mode where those of a cloud are by link
    word = asked.word("layer")
    layer = None if word == Layer.LINK else word

    def make(size: float) -> Zone:
        if kind == "inputs":
            return zones.zone(
                model, frame, step=size, ranges=ranges, inputs=names, tilt=tilt, q=home,
                modes=modes, poses=True, layer=layer,
            )  # fmt: skip
        return zones.zone_slice(model, frame, step=size, kind=kind, q=home, poses=True, layer=layer)

    key = repr((piece.text, home.tobytes(), frame, kind, step, modes, ranges, tilt, names, layer))
    return ZonePlan(model, frame, kind, step, key, make)


def zone_of(plan: ZonePlan) -> Zone:
    """The zone of a plan: the last one if it is the same."""
    return _found(plan)


def measure_data(measure: Measure, kind: str = "inputs") -> dict[str, Any]:
    """A measure as plain data; turns have no length."""
    unit = f"rad^{measure.dimension}" if kind == "turn" else measure.unit
    value = measure.cells * measure.cell**measure.dimension if kind == "turn" else measure.value
    return {
        "value": value, "error": measure.error, "dimension": measure.dimension, "unit": unit,
        "cell": measure.cell,
    }  # fmt: skip


def _zone(plan: ZonePlan, asked: Asked, report: Progress) -> dict[str, Any]:
    most = asked.whole("most", 1, MOST_SENT) or MOST_SENT
    told: dict[str, Any] = {}
    begin = time.perf_counter()
    for made, step in plan.finer():
        _kept.key, _kept.zone = plan.key, made
        told = {**_told(plan, made), "step": step, "seconds": time.perf_counter() - begin}
        total = sum(mode.count for mode in made.modes)
        report.piece({"what": "begin", **told, "shown": min(total, most)}, b"")
        if total:
            _send(report, plan, made, total, most)
    return told


def _send(report: Progress, plan: ZonePlan, made: Zone, total: int, most: int) -> None:
    """Points in an order whose every beginning is spread over all; tags count all modes' points."""
    stride = max(1, round(total * (math.sqrt(5) - 1) / 2))
    while math.gcd(stride, total) != 1:
        stride += 1
    order = np.arange(min(total, most)) * stride % total
    ends = np.cumsum([mode.count for mode in made.modes])
    points = _shown(plan, made)[:, order].T
    modes = np.searchsorted(ends, order, side="right")
    tags = (order * len(made.modes) + modes).astype("<u4")
    values = made.values
    head = {"what": "points", "count": len(order), "valued": values is not None}
    data = points.astype("<f4").tobytes() + tags.tobytes()
    if values is not None:
        data += values[order].astype("<f4").tobytes()
    report.piece(head, data)


def _shown(plan: ZonePlan, made: Zone) -> Floats:
    """Places of the points, (3, n): turns are shown as a ball around the frame."""
    if made.kind != "turn":
        return made.points
    place, scale = _ball(plan, made)
    return place[:, None] + scale * made.points


def _ball(plan: ZonePlan, made: Zone) -> tuple[Floats, float]:
    """Where turns are shown, and how long a radian is there [m]."""
    first = made.modes[0]
    assert first.qs is not None
    place = pose(plan.model, first.qs[:, 0], plan.frame).translation
    return place, 0.5 * plan.model.size / math.pi


def _told(plan: ZonePlan, made: Zone) -> dict[str, Any]:
    """A zone as plain data, without its points."""
    points = _shown(plan, made)
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


def _found(plan: ZonePlan) -> Zone:
    if _kept.key != plan.key or _kept.zone is None:
        for made, _ in plan.finer():
            _kept.key, _kept.zone = plan.key, made
    assert _kept.zone is not None
    return _kept.zone


def _way(made: Zone, name: str) -> dict[str, Any]:
    """Poses of a mode, neighbours after each other: to and fro over the inputs' rows."""
    mode = next((one for one in made.modes if one.name == name), None)
    if mode is None or mode.qs is None or not mode.count:
        known = ", ".join(one.name for one in made.modes)
        raise UsageError(f"no mode with poses is called '{name}'; modes: {known}")
    order = _to_and_fro(mode.inputs)
    thin = order[np.linspace(0, len(order) - 1, min(len(order), LONGEST_WAY)).round().astype(int)]
    return {"qs": mode.qs[:, thin].T.tolist()}


def _to_and_fro(inputs: Floats) -> npt.NDArray[np.int64]:
    """An order of points (d, n) in which each row is gone through against the one before."""
    rows = [np.unique(np.round(row, 9), return_inverse=True)[1] for row in inputs]
    keys, side = [rows[0]], rows[0]
    for row in rows[1:]:
        top = row.max(initial=0)
        keys.append(np.where(side % 2 == 0, row, top - row))
        side = side + row
    order: npt.NDArray[np.int64] = np.lexsort(keys[::-1])
    return order


def _nice(value: float, per: float) -> float:
    """The next lower 1, 2 or 5 times a power of ten, counted in parts of a unit."""
    number = value * per
    power = 10.0 ** math.floor(math.log10(number))
    return max(x for x in (1.0, 2.0, 5.0) if x * power <= number * (1 + 1e-9)) * power / per
