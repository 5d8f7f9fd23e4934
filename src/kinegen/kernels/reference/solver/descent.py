"""The quick descent for open chains in NumPy, step by step as the compiled one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.reference.base.joint_types import FIXED, PRISMATIC, REVOLUTE
from kinegen.kernels.reference.solver.search_starts import Starts, within_limits

__all__ = ["Chain", "Descent", "find_chain"]

DESCENT_ITERATIONS = 24
DESCENT_LOOK, DESCENT_FALL = 3, 0.5
"""Every so many iterations the squared error must have fallen to this share, or the start is given
up."""
DESCENT_DAMPING = 0.1
"""Per scaled error."""
DESCENT_ROUNDS = 3
"""How often one step is taken again with more limits held."""
DESCENT_STUCK = 2e3
"""Damping that has grown by so much makes the step too short."""

QUICK = 3
"""Descents per attempt of a search: they cost a fifth of one."""
DRAWS = 4
"""Random configurations of which the nearest to the target is descended from."""

Equations = Callable[[Floats], tuple[Floats, Floats]]
"""Scaled rows (rows, nv) and right side of the handle at a configuration."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The hinges and slides between the base and a site, base first."""

    q: list[int]
    v: list[int]


def find_chain(blocks: Blocks, site: int) -> Chain | None:
    """The chain to a site; None when it has other joints than hinges and slides, or none moves."""
    counts = blocks.counts
    kinds, parents = blocks.int_part("joint_type"), blocks.int_part("joint_parent")
    joint_of = blocks.int_part("link_joint")
    link = site
    if site >= counts.link:
        link = int(blocks.int_part("frame_link")[site - counts.link])
    path: list[int] = []
    while (joint := int(joint_of[link])) >= 0:
        path.insert(0, joint)
        link = int(parents[joint])
    if any(kinds[joint] not in {REVOLUTE, PRISMATIC, FIXED} for joint in path):
        return None
    moving = [joint for joint in path if kinds[joint] != FIXED]
    q, v = blocks.int_part("joint_q"), blocks.int_part("joint_v")
    return Chain([int(q[j]) for j in moving], [int(v[j]) for j in moving]) if moving else None


class Descent:
    """Levenberg-Marquardt steps on the chain's own variables, limits held as they are met."""

    def __init__(
        self, chain: Chain, equations: Equations, blocks: Blocks, scale: Floats, size: float,
        locked: Ints | None, *, limits: bool, step: float, met: float,
    ) -> None:  # fmt: skip
        """Take a chain, and the handle's equations as functions of q."""
        self._chain, self._equations, self._blocks, self._size = chain, equations, blocks, size
        self._all_scales, self._all_locked, self._limits = scale, locked, limits
        wide = np.full(len(chain.v), math.inf)
        self._scale = scale[chain.v]
        self._lower = blocks.real_part("lower")[chain.v] if limits else -wide
        self._upper = blocks.real_part("upper")[chain.v] if limits else wide
        self._locked = np.zeros(len(chain.v), dtype=bool)
        if locked is not None:
            self._locked = locked[chain.v] != 0
        self._step, self._met = step, met**2

    def search(self, q: Floats, attempts: int, seed: int) -> tuple[int, Floats]:
        """Descend from q, then from random starts; attempts made (0: in vain) and the answer."""
        starts = Starts(self._blocks, self._all_scales, self._size, seed)
        places = self._chain.q, self._chain.v
        for attempt in range(QUICK * attempts if attempts > 1 else attempts):
            trial = q.copy()
            if attempt > 0:
                draws = [starts.draw_chain(q, *places, self._all_locked) for _ in range(DRAWS)]
                trial = min(draws, key=self.error)
            scale = self._all_scales
            if self.run(trial) and (not self._limits or within_limits(self._blocks, trial, scale)):
                return attempt + 1, trial
        return 0, q

    def error(self, q: Floats) -> float:
        """Squared scaled error of the handle."""
        _, rhs = self._equations(q)
        return float(rhs @ rhs)

    def run(self, q: Floats) -> bool:
        """Move q down the handle's error; whether it is met."""
        at, free = self._chain.q, ~self._locked
        rows, rhs = self._equations(q)
        soft = looked = float(rhs @ rhs)
        caution = 1.0
        for n in range(DESCENT_ITERATIONS):
            if soft <= self._met:
                return True
            if n % DESCENT_LOOK == DESCENT_LOOK - 1:
                if not soft <= DESCENT_FALL * looked:
                    return False
                looked = soft
            damping = caution * DESCENT_DAMPING * min(math.sqrt(soft), 1.0) + 1e-13
            x = self._find_step(q[at], rows[:, self._chain.v], rhs, damping)
            trial = q.copy()
            moved = np.clip(q[at] + x * self._scale, self._lower, self._upper)
            trial[at] = np.where(free, moved, q[at])
            next_rows, next_rhs = self._equations(trial)
            after = float(next_rhs @ next_rhs)
            if after < soft:
                q[:], soft, rows, rhs = trial, after, next_rows, next_rhs
                caution = max(0.3 * caution, 1.0)
                continue
            caution *= 10
            if caution > DESCENT_STUCK:
                return False
        return soft <= self._met

    def _find_step(self, here: Floats, A: Floats, rhs: Floats, damping: float) -> Floats:
        """The scaled step: limits that it would pass are gone to, the others solve again."""
        x, held = np.zeros(len(here)), self._locked.copy()
        for n in range(DESCENT_ROUNDS):
            B = A[:, ~held]
            left = rhs - A[:, held] @ x[held]
            x[~held] = B.T @ np.linalg.solve(B @ B.T + damping * np.eye(len(rhs)), left)
            longest = float(np.abs(x).max())
            share = self._step / longest if longest > self._step else 1.0
            bound = np.where(x > 0, self._upper, self._lower)
            there = here + share * x * self._scale
            passed = np.where(x > 0, there > bound, there < bound) & ~held
            if n == DESCENT_ROUNDS - 1 or not passed.any():
                break
            x[passed] = (bound[passed] - here[passed]) / self._scale[passed]
            held |= passed
        return share * x
