"""The starts of a design search: chosen, improved here or by workers, and taken in their order.

Every start is worked out by itself and the steps of all are taken in the order of the starts, so
that the result is the same whoever worked on them, and however many they were.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from kinegen.cluster import Workers, in_order
from kinegen.kernels import Floats
from kinegen.motion.design.search import DesignSearch, DesignStep

__all__ = ["DesignTask", "improve_design", "score_designs", "search_starts"]

BATCH = 25
"""Random designs that a worker compares at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class DesignTask:
    """What a worker needs to know of a search."""

    model: bytes
    """The model, pickled: who works on it changes its numbers, and needs one of its own."""
    frame: str
    ranges: dict[str, tuple[float, float]]
    targets: Floats
    clear: float

    def search(self) -> DesignSearch:
        """The search, on a model of its own."""
        model = pickle.loads(self.model)
        return DesignSearch(model, self.frame, self.ranges, self.targets, 1, None, self.clear)


def search_starts(
    search: DesignSearch,
    first: Mapping[str, float],
    tries: int,
    rng: np.random.Generator,
    workers: Workers | None,
) -> None:
    """Improve the model as it is, then the most promising random designs."""
    search.take(_starts(search, first, tries, rng, workers))


def _starts(
    search: DesignSearch,
    first: Mapping[str, float],
    tries: int,
    rng: np.random.Generator,
    workers: Workers | None,
) -> Iterator[Iterable[DesignStep]]:
    """The steps of each start, in order; the random designs are compared after the first start."""
    here = np.clip(np.array([first[n] for n in search.names]), search.low, search.high)
    drawn = rng.uniform(search.low, search.high, (max(0, tries), len(search.names)))
    task = None if workers is None else _task(search)
    yield search.improve(here)
    scored: Iterable[float]
    if workers is None:
        scored = (search.score(p) for p in drawn)
    else:
        batches = (drawn[k : k + BATCH] for k in range(0, len(drawn), BATCH))
        made = in_order(workers, score_designs, ((task, batch) for batch in batches))
        scored = (score for scores in made for score in scores)
    found = []
    for score, p in zip(scored, drawn, strict=True):
        if math.isfinite(score):
            found.append((score, p))
        search.count_tried()
    found.sort(key=lambda pair: pair[0])
    chosen = [p for _, p in found[: max(0, search.starts - 1)]]
    if workers is None:
        yield from (search.improve(p) for p in chosen)
    else:
        yield from in_order(workers, improve_design, ((task, p) for p in chosen))


def score_designs(task: DesignTask, designs: Floats) -> list[float]:
    """How promising designs (n, k) are: what a worker runs."""
    search = task.search()
    return [search.score(p) for p in designs]


def improve_design(task: DesignTask, p: Floats) -> list[DesignStep]:
    """All steps from one start: what a worker runs."""
    return list(task.search().improve(p))


def _task(search: DesignSearch) -> DesignTask:
    ends = zip(search.low.tolist(), search.high.tolist(), strict=True)
    ranges = dict(zip(search.names, ends, strict=True))
    return DesignTask(
        pickle.dumps(search.model), search.frame, ranges, search.targets, search.clearance.wanted
    )
