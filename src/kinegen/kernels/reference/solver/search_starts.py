"""Random starts for the searches: the same numbers as the compiled ones draw."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.reference.base.joint_types import (
    FREE,
    NV,
    SPHERICAL,
    WHOLE_TURNS,
)
from kinegen.kernels.reference.base.manifold import swing_angle, with_swing
from kinegen.kernels.tolerances import LIMIT_SLACK

_MASK = (1 << 64) - 1


class Starts:
    """Random configurations within the limits (SplitMix64; Steele, Lea, Flood 2014)."""

    def __init__(self, blocks: Blocks, scale: Floats, size: float, seed: int) -> None:
        self._blocks, self._scale, self._size = blocks, scale, size
        self._state = seed & _MASK

    def _unit(self) -> float:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return float((z ^ (z >> 31)) >> 11) / 9007199254740992.0

    def draw(self, q: Floats, locked: Ints | None) -> Floats:
        """A random configuration; locked variables keep their value from q."""
        out = q.copy()
        held = np.zeros(self._blocks.counts.nv, dtype=bool) if locked is None else locked != 0
        for kind, at, v in zip(
            self._blocks.int_part("joint_type").tolist(),
            self._blocks.int_part("joint_q").tolist(),
            self._blocks.int_part("joint_v").tolist(),
            strict=True,
        ):
            if kind in {SPHERICAL, FREE}:
                if held[v]:
                    continue
                # uniform over all rotations (Shoemake 1992)
                a, b, c = self._unit(), math.tau * self._unit(), math.tau * self._unit()
                out[at : at + 4] = (
                    math.sqrt(1 - a) * math.sin(b), math.sqrt(1 - a) * math.cos(b),
                    math.sqrt(a) * math.sin(c), math.sqrt(a) * math.cos(c),
                )  # fmt: skip
                limit = float(self._blocks.real_part("upper")[v]) if kind == SPHERICAL else math.inf
                if limit < math.pi:
                    quat = out[at : at + 4]
                    quat[:] = with_swing(quat, swing_angle(quat) * (limit / math.pi - 1))
                if kind == FREE:
                    for i in range(3):
                        out[at + 4 + i] += self._size * 2 * (2 * self._unit() - 1)
                continue
            for k in range(NV[kind]):
                value = self._value(v + k)
                if not held[v + k]:
                    out[at + k] = value
        return out

    def draw_chain(
        self, q: Floats, at: Sequence[int], v: Sequence[int], locked: Ints | None
    ) -> Floats:
        """A configuration with some one-variable joints random, given by their places."""
        out = q.copy()
        for i, k in zip(at, v, strict=True):
            value = self._value(k)
            if locked is None or not locked[k]:
                out[i] = value
        return out

    def _value(self, i: int) -> float:
        """A random value of a variable: within its limits, or a turn, or a few sizes."""
        reach = math.pi if self._scale[i] == 1 else 3 * self._size
        low = float(self._blocks.real_part("lower")[i])
        high = float(self._blocks.real_part("upper")[i])
        if math.isinf(low):
            low = -reach if math.isinf(high) else high - 2 * reach
        if math.isinf(high):
            high = low + 2 * reach
        return low + self._unit() * (high - low)


def within_limits(blocks: Blocks, q: Floats, scale: Floats) -> bool:
    """Bring angles within a turn of their limits, in place; whether all are then within.

    A whole turn of a coupled variable alone is another pose: these stay as they are.
    """
    coupled = set(blocks.int_part("term_v").tolist())
    lower, upper = blocks.real_part("lower"), blocks.real_part("upper")
    inside = True
    for kind, at, v in zip(
        blocks.int_part("joint_type").tolist(),
        blocks.int_part("joint_q").tolist(),
        blocks.int_part("joint_v").tolist(),
        strict=True,
    ):
        if kind == SPHERICAL and swing_angle(q[at : at + 4]) > upper[v] + LIMIT_SLACK:
            inside = False
        if kind in {SPHERICAL, FREE}:
            continue
        for k in range(NV[kind]):
            low, high, slack = lower[v + k], upper[v + k], LIMIT_SLACK * scale[v + k]
            turns = k in WHOLE_TURNS[kind] and v + k not in coupled
            if turns and math.isinf(low) and math.isinf(high):
                q[at + k] = math.remainder(q[at + k], math.tau)
            if turns and q[at + k] > high + slack and q[at + k] - math.tau >= low:
                q[at + k] -= math.tau
            if turns and q[at + k] < low - slack and q[at + k] + math.tau <= high:
                q[at + k] += math.tau
            inside = inside and low - slack <= q[at + k] <= high + slack
    return bool(inside)
