"""Zones a little at a time: coarse at first, then finer, as fine as is useful or asked for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration
from kinegen.kinematics.neat import neat_number
from kinegen.kinematics.positions import pose
from kinegen.kinematics.solving.assembling.assembly import inputs_of
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.results import Result
from kinegen.workspace.budget import MOST_POSES
from kinegen.workspace.clouds.ranges import CoarseStepError, Ranges
from kinegen.workspace.clouds.sweep import golden_stride
from kinegen.workspace.zones.result import Zone, ZoneMode
from kinegen.workspace.zones.zone import zone, zone_slice

__all__ = ["KINDS", "ZonePlan", "even_points", "motion_through", "propose_zone", "zone_places"]

KINDS = ("inputs", "place", "turn")
FLAT, SOLID = 15_000, 4_000
"""Points of a zone, in a plane and in space, when nobody has chosen how fine it is."""
LONGEST = 0.5
"""[s] A zone that took this long is not made finer unasked."""
FINEST = 4e-3
"""Nor one with a smaller step [rad, sizes]."""
COARSER = (4.0, 2.0)
"""Coarser steps that are tried first, so that there is something to see."""
FIRST_INPUTS, FIRST_PLACE = 0.35, 0.5
"""The first step of inputs [rad], and of places and turns [sizes, rad]."""
FINER = 1.7
"""How much smaller the next step is, at least."""
LONGEST_WAY = 600
"""Poses of the way through a zone."""


@dataclass(frozen=True, slots=True, eq=False)
class ZonePlan(Result):
    """A zone that can be computed with any step."""

    model: Model
    frame: str
    kind: str
    """'inputs', 'place' or 'turn': what is swept."""
    step: float | None
    """[rad] or [m]; None: as fine as is useful."""
    make: Callable[[float], Zone]
    """The zone for a step."""

    def finer(self) -> Iterator[Zone]:
        """Zones with decreasing steps, down to the requested one."""
        return self._useful() if self.step is None else self._towards(self.step)

    def finest(self) -> Zone:
        """The last of :meth:`finer`."""
        return list(self.finer())[-1] if self.step is None else self.make(self.step)

    def _towards(self, step: float) -> Iterator[Zone]:
        for times in COARSER:
            if self.kind == "turn" and step * times > 1:
                continue
            try:
                made = self.make(step * times)
            except CoarseStepError:
                continue  # too coarse for these ranges: the step itself decides
            yield made
        yield self.make(step)

    def _useful(self) -> Iterator[Zone]:
        unit = self.model.size if self.kind == "place" else 1.0
        # angles are round in degrees
        per = 1.0 if self.kind == "place" else math.degrees(1.0)
        first = FIRST_INPUTS if self.kind == "inputs" else FIRST_PLACE
        step = neat_number(first * unit * per) / per
        while True:
            begin = time.perf_counter()
            try:
                made = self.make(step)
            except CoarseStepError:
                if step < FINEST * unit:
                    raise
                step = neat_number(step / FINER * per) / per
                continue
            yield made
            took = time.perf_counter() - begin
            found = sum(mode.count for mode in made.modes)
            enough = FLAT if min(made.measure.dimension, len(made.inputs)) < 3 else SOLID
            if found >= enough or took > LONGEST or step < FINEST * unit:
                return
            step = neat_number(step / FINER * per) / per


def propose_zone(
    model: AnyModel,
    q: Configuration = None,
    frame: str | None = None,
    *,
    kind: str | None = None,
    step: float | None = None,
    ranges: Ranges | None = None,
    inputs: Sequence[str] | None = None,
    tilt: float | None = None,
    modes: Sequence[str] | None = None,
    layer: str | None = None,
) -> ZonePlan:
    """The plan of a zone with its poses, with useful values for everything that is not given.

    Args:
        model: The mechanism or its model, with loops.
        q: The home pose; default: the file's start.
        frame: The frame or link; default: the last.
        kind: 'inputs' sweeps joints, 'place' and 'turn' the frame itself; default: 'inputs' for
            mechanisms with up to three inputs, else 'place'.
        step: Step between two values [rad; m for positions]; default: as fine as useful.
        ranges: As for :func:`kinegen.workspace.zone`.
        inputs: As there.
        tilt: As there.
        modes: As there.
        layer: As there.
    """
    model = model_of(model)
    if not model.constraint_count:
        raise UsageError(f"mechanism '{model.name}' has no loops: compute its cloud instead")
    tool = frame or model.site_names[-1]
    model.site(tool)
    names = list(inputs or inputs_of(model))
    swept = kind or ("inputs" if 0 < len(names) <= 3 else "place")
    if swept not in KINDS:
        raise UsageError(f"the kind of a zone must be one of {', '.join(KINDS)}, not '{swept}'")

    def make(size: float) -> Zone:
        if swept == "inputs":
            return zone(
                model, q, tool, step=size, ranges=ranges, inputs=names, tilt=tilt,
                modes=modes, poses=True, layer=layer,
            )  # fmt: skip
        return zone_slice(model, q, tool, step=size, kind=swept, poses=True, layer=layer)

    return ZonePlan(model, tool, swept, step, make)


def zone_places(model: Model, made: Zone) -> Floats:
    """Where the points of a zone with poses are shown [m], (n, 3): turns as a ball at the frame.

    The ball's radius, half a turn, is half the mechanism's size.
    """
    first = made.modes[0]
    if made.kind != "turn" or first.qs is None:
        return made.points
    place = pose(model, first.qs[0], made.frame).translation
    places: Floats = place + 0.5 * model.size / math.pi * made.points
    return places


def even_points(made: Zone, most: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Points of a zone in an order whose every beginning is spread over all of it.

    Returns:
        Which points they are, counted through all modes, and the mode of each, (n,) with n ≤ most.
    """
    ends = np.cumsum([mode.count for mode in made.modes])
    total = int(ends[-1])
    order = np.arange(min(total, most)) * golden_stride(total) % total if total else ends[:0]
    return order, np.searchsorted(ends, order, side="right")


def motion_through(mode: ZoneMode, most: int = LONGEST_WAY) -> Floats:
    """The poses of a mode as one motion, back and forth over the rows of the inputs, (n, nq).

    Args:
        mode: A mode that keeps its poses.
        most: Longer motions are thinned to this number of poses.
    """
    if mode.qs is None or not mode.count:
        raise UsageError(f"mode '{mode.name}' has no poses: compute the zone with poses=True")
    most = whole_number(most, "the largest number of poses", 2, MOST_POSES)
    order = _to_and_fro(mode.inputs.T)
    thin = order[np.linspace(0, len(order) - 1, min(len(order), most)).round().astype(int)]
    way: Floats = mode.qs[thin]
    return way


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
