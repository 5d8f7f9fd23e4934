"""Design by goal: parameters that let a mechanism follow a curve, or cover a box."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from kinegen.cluster import Executors, open_workers
from kinegen.curves.curve import MOST_POINTS, Curve, CurvePoints
from kinegen.errors import NumberError, UsageError, seed_number, whole_number
from kinegen.kernels import Floats
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.memory import names_memory
from kinegen.motion.design.data import Candidate, Design, DesignProgress, Progress
from kinegen.motion.design.search import DesignSearch
from kinegen.motion.design.starts import search_starts

__all__ = ["Candidate", "Design", "DesignProgress", "box_points", "design"]


@names_memory("a design: use fewer points or starts")
def design(
    model: AnyModel,
    free: Mapping[str, tuple[float, float]] | Sequence[str],
    goal: Curve | CurvePoints | npt.ArrayLike,
    *,
    frame: str | None = None,
    points: int = 36,
    starts: int = 12,
    tries: int = 300,
    seed: int = 0,
    clear: float = 0.0,
    executor: Executors = None,
    progress: Progress | None = None,
) -> Design:
    """Search for parameters with which a frame passes target points as closely as possible.

    The points need not be passed at given times: for each of them, the nearest pose of the
    mechanism counts. Each start is improved by Gauss-Newton steps (Levenberg-Marquardt) with
    gradients
    through the closure; the first start is the current model, the others are the most promising of
    ``tries`` random designs. The model itself does not change.

    Args:
        model: The mechanism or its model.
        free: Parameters that may change, with their ranges; for names alone, from a third to three
            times the current value.
        goal: A curve to follow, or points (n, 3) [m], such as :func:`box_points` to cover a box.
        frame: The frame whose origin should pass the points; default: the file's last frame.
        points: Number of points on a curve.
        starts: Number of designs to improve.
        tries: Number of random designs from which the starts are chosen.
        seed: Seed of the random starts.
        clear: Distance to keep from singular poses (dimensionless, such as 0.1); 0: none.
        executor: Where starts are improved: an executor of ``concurrent.futures``, a Dask client,
            the address of a scheduler, or 'local:4' for four processes; default: in this process.
            The result is the same in every case.
        progress: Called after every step and sometimes in between; with an executor, after every
            start. If it returns False, the search ends with the best design so far.
    """
    model = model_of(model)
    whole_number(points, "the number of points", 1, MOST_POINTS)
    whole_number(starts, "the number of starts", 1, MOST_POINTS)
    whole_number(tries, "the number of tries", 0, MOST_POINTS)
    seed_number(seed)
    if not (math.isfinite(clear) and clear >= 0):
        raise UsageError(f"the clearance from singular poses must be 0 or more, not {clear:g}")
    ranges = _ranges(model, free)
    name = model.site_names[-1] if frame is None else frame
    model.site(name)
    targets = _targets(goal, points)
    before = {key: model.parameters[key] for key in ranges}
    search = DesignSearch(model, name, ranges, targets, starts, progress, clear)
    try:
        rng = np.random.default_rng(seed)
        if executor is None:
            search_starts(search, before, tries, rng, None)
        else:
            with open_workers(executor) as workers:
                search_starts(search, before, tries, rng, workers)
        return search.result()
    finally:
        for key, value in before.items():
            model.parameters[key] = value


def box_points(
    corner: npt.ArrayLike, opposite: npt.ArrayLike, counts: tuple[int, int, int] = (4, 4, 4)
) -> Floats:
    """A grid of points that fills a box [m], (n, 3): what a mechanism should cover."""
    low, high = np.asarray(corner, dtype=float), np.asarray(opposite, dtype=float)
    if low.shape != (3,) or high.shape != (3,) or not np.isfinite([low, high]).all():
        raise UsageError("a box needs two corners of 3 finite numbers [m]")
    for count in counts:
        whole_number(count, "the number of points along an edge", 1, 100_000)
    if math.prod(counts) > 100_000:
        raise UsageError(f"a box must have 1 to 100,000 points, got {counts}")
    axes = [
        np.linspace(a, b, n if a != b else 1) for a, b, n in zip(low, high, counts, strict=True)
    ]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def _ranges(
    model: Model, free: Mapping[str, tuple[float, float]] | Sequence[str]
) -> dict[str, tuple[float, float]]:
    if isinstance(free, str) or not free:
        raise UsageError("name at least one free parameter, in a list or with its range")
    found: dict[str, tuple[float, float]] = {}
    for name in free:
        value = model.parameters[name]
        if model.parameters.formula(name) is not None:
            raise NumberError(
                f"parameter '{name}' follows a formula: free the parameters that it uses"
            )
        low, high = sorted((value / 3, value * 3))
        if value == 0:
            low, high = -model.size, model.size
        if isinstance(free, Mapping):
            low, high = free[name]
        if not (math.isfinite(low) and math.isfinite(high) and low != high):
            raise UsageError(
                f"the range of '{name}' must be two different numbers, not {low}, {high}"
            )
        if low > high:
            raise UsageError(
                f"the range of '{name}' is {low:g} … {high:g}, which is reversed: the lower end "
                f"comes first ({high:g} … {low:g})"
            )
        found[name] = (float(low), float(high))
    return found


def _targets(wanted: Curve | CurvePoints | npt.ArrayLike, points: int) -> Floats:
    if isinstance(wanted, Curve):
        # the end of a closed curve is its beginning: not twice
        count = points + 1 if wanted.is_closed else points
        xyz = wanted.sample(count).xyz[: -1 if wanted.is_closed else None]
    elif isinstance(wanted, CurvePoints):
        xyz = wanted.xyz
    else:
        xyz = np.asarray(wanted, dtype=float)
    if xyz.ndim != 2 or xyz.shape[1] != 3 or len(xyz) < 1:
        raise UsageError(f"target points must be (n, 3) numbers [m], got shape {xyz.shape}")
    if not np.isfinite(xyz).all():
        raise UsageError("target points must be finite")
    return xyz
