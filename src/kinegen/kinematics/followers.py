"""Coupled variables of trees: which of them lead, and how the others follow from these."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kernels.backend import module
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelCoupling

__all__ = ["Follower", "Followers", "find_followers"]

_PIVOT = 1e-9
"""A factor below this share of its row's largest is rounding of a zero."""


@dataclass(frozen=True, slots=True)
class Follower:
    """One variable as the sum of a base, weighted variables and perhaps the profile of a cam."""

    variable: int
    """In q."""
    base: float
    weights: tuple[tuple[int, float], ...]
    """Variables with their weights."""
    cam: tuple[int, int, float] | None = None
    """The number of the coupling, its cam's variable and what multiplies the profile."""

    @property
    def sources(self) -> set[int]:
        """The variables that it is computed from."""
        return {one for one, _ in self.weights} | ({self.cam[1]} if self.cam else set())


@dataclass(frozen=True, slots=True, eq=False)
class Followers:
    """How the coupled variables of a model follow from the others."""

    model: Model
    steps: tuple[Follower, ...]
    """In the order in which they are computed."""

    @property
    def variables(self) -> set[int]:
        """Those that follow."""
        return {one.variable for one in self.steps}

    def leaders(self, variable: int) -> set[int]:
        """The variables that lead one: itself where it does not follow."""
        own = next((one for one in self.steps if one.variable == variable), None)
        if own is None:
            return {variable}
        return set().union(*(self.leaders(one) for one in own.sources))

    def line(self, variable: int) -> tuple[int, float, float] | None:
        """The leader, weight and base of one that follows a single variable in proportion."""
        at, weight, base = variable, 1.0, 0.0
        while own := next((one for one in self.steps if one.variable == at), None):
            if own.cam is not None or len(own.weights) != 1:
                return None
            at, factor = own.weights[0]
            weight, base = weight * factor, base + weight * own.base
        return at, weight, base

    def cut(self, leader: int, ends: Mapping[int, tuple[float, float]]) -> tuple[float, float]:
        """The ends of a leader with which all that follows it in proportion keeps its own.

        Args:
            leader: The variable.
            ends: Lowest and highest value of each variable; infinite where it has none.
        """
        lower, upper = ends[leader]
        for one in self.steps:
            line = self.line(one.variable)
            if line is None or line[0] != leader or line[1] == 0 or one.variable not in ends:
                continue
            low, high = sorted((end - line[2]) / line[1] for end in ends[one.variable])
            lower, upper = max(lower, low), min(upper, high)
        return lower, upper

    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """Targets, starts, sources, weights, bases, cams and factors, as the kernels take them."""
        steps = self.steps
        pairs = [pair for one in steps for pair in one.weights]
        cams = [one.cam or (-1, 0, 0.0) for one in steps]
        return (
            _ints([one.variable for one in steps]),
            _ints(np.cumsum([0, *(len(one.weights) for one in steps)])),
            _ints([source for source, _ in pairs]),
            np.array([weight for _, weight in pairs], float),
            np.array([one.base for one in steps], float),
            _ints([number for number, _, _ in cams]),
            np.array([factor for _, _, factor in cams], float),
        )

    def fill(self, qs: Floats, threads: int = 0) -> Floats:
        """Set what follows in configurations (nq, n), in place, and return them."""
        module().batch_follow(self.model.ints, self.model.reals, *self.arrays(), qs, threads)
        return qs


def find_followers(
    model: Model, lead: Collection[int] = (), prefer: Collection[int] = ()
) -> Followers | None:
    """How coupled variables follow from others; None where nothing is coupled.

    Args:
        model: The compiled mechanism.
        lead: Variables of q that must not follow: those whose values are given.
        prefer: Variables of q that should rather lead.

    Raises:
        UsageError: Where too many variables are to lead, or one is only known from an equation that
            cannot be turned round, such as that of a cam.
    """
    if not model.couplings:
        return None
    terms = {c.name: [(t.joint.q.start + t.variable, t.ratio) for t in model.coupling_terms(c)]
             for c in model.couplings}  # fmt: skip
    cams = [one for one in model.couplings if one.kind == "cam"]
    lifted = {terms[one.name][0][0]: one for one in cams}
    if len(lifted) < len(cams) or lifted.keys() & set(lead):
        both = next(
            (one for one in cams if lifted[terms[one.name][0][0]] is not one),
            next((one for v, one in lifted.items() if v in lead), cams[0]),
        )
        raise _backwards(both)
    columns = _order(model, terms, lifted, lead, prefer)
    lines = _eliminated(model, terms, columns)
    for own in lines:
        if own.variable in lifted:
            raise _backwards(lifted[own.variable])
        if own.variable in lead:
            by_cam = own.sources & lifted.keys()
            raise _backwards(lifted[min(by_cam)]) if by_cam else _overdetermined(model, own, lead)
    found = lines + [
        Follower(
            variable, model.coupling_offset(one), (),
            (one.loop - len(model.loops), terms[one.name][-1][0], 1.0),
        )
        for variable, one in lifted.items()
    ]  # fmt: skip
    return Followers(model, _sorted(found, lifted))


def _order(
    model: Model,
    terms: dict[str, list[tuple[int, float]]],
    lifted: dict[int, ModelCoupling],
    lead: Collection[int],
    prefer: Collection[int],
) -> list[int]:
    """All coupled variables, those first that should rather follow."""
    follows = {terms[one.name][0][0] for one in model.couplings if one.kind == "follows"}
    turns = {terms[one.name][-1][0] for one in lifted.values()}
    driven = {
        variable
        for joint in model.joints
        if joint.has_motor
        for variable in range(joint.q.start, joint.q.stop)
    }

    def rank(variable: int) -> tuple[bool | int, ...]:
        return (variable in lifted, variable in lead, variable in prefer, variable in driven,
                variable in turns, variable not in follows, -variable)  # fmt: skip

    return sorted({variable for own in terms.values() for variable, _ in own}, key=rank)


def _eliminated(
    model: Model, terms: dict[str, list[tuple[int, float]]], columns: list[int]
) -> list[Follower]:
    """The linear couplings solved for as many variables as there are, the first ones first."""
    linear = [one for one in model.couplings if one.kind != "cam"]
    A = np.zeros((len(linear), len(columns) + 1))
    for row, one in zip(A, linear, strict=True):
        for variable, ratio in terms[one.name]:
            row[columns.index(variable)] += ratio
        row[-1] = model.coupling_offset(one)
    A /= np.maximum(np.abs(A[:, :-1]).max(axis=1, initial=0.0, keepdims=True), 1e-300)
    found: list[tuple[int, int]] = []
    free = np.ones(len(A), dtype=bool)
    for k in range(len(columns)):
        sizes = np.where(free, np.abs(A[:, k]), 0.0)
        if not len(A) or sizes.max() < _PIVOT:
            continue
        pivot = int(sizes.argmax())
        free[pivot] = False
        A[pivot] /= A[pivot, k]
        for i in np.flatnonzero(A[:, k]):
            if i != pivot:
                size = np.abs(A[i, :-1]).max()
                A[i] -= A[i, k] * A[pivot]
                A[i, :-1][np.abs(A[i, :-1]) < _PIVOT * size] = 0.0
        found.append((pivot, k))
    return [
        Follower(
            columns[k], float(A[row, -1]),
            tuple((columns[j], -float(A[row, j])) for j in np.flatnonzero(A[row, :-1]) if j != k),
        )
        for row, k in found
    ]  # fmt: skip


def _sorted(found: list[Follower], lifted: dict[int, ModelCoupling]) -> tuple[Follower, ...]:
    """Those that lead others before them."""
    waiting, done = list(found), []
    while waiting:
        unknown = {one.variable for one in waiting}
        ready = [one for one in waiting if not one.sources & unknown]
        if not ready:
            raise _backwards(next(lifted[v] for v in sorted(unknown) if v in lifted))
        done += ready
        waiting = [one for one in waiting if one not in ready]
    return tuple(done)


def _backwards(coupling: ModelCoupling) -> UsageError:
    return UsageError(
        f"{coupling.text} would have to be computed from its follower to its cam, which has no "
        "single answer: specify the range of the cam's joint, or compute the zone (kg.zone, "
        "`kinegen "
        "zone`)"
    )


def _overdetermined(model: Model, own: Follower, lead: Collection[int]) -> UsageError:
    given = sorted({own.variable, *(one for one, _ in own.weights if one in lead)})
    names = [j.name for j in model.joints if set(given) & set(range(j.q.start, j.q.stop))]
    return UsageError(
        f"joints {' and '.join(repr(name) for name in names)} are coupled: specify a range for "
        "all but one of them, and that one follows"
    )


def _ints(values: object) -> npt.NDArray[np.int32]:
    return np.asarray(values, dtype=np.int32).reshape(-1)
