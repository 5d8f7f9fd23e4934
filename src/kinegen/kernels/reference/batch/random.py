"""Configurations without end that fill the joint ranges evenly: an additive recurrence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.reference.base.joint_types import NQ, QUATERNIONS
from kinegen.kernels.reference.batch.checks import (
    Array,
    check,
    check_output,
    check_ranges,
    check_sites,
)
from kinegen.kernels.reference.batch.columns import fill

__all__ = ["batch_random", "even_quaternions", "mix_bits", "roberts_steps", "sequence"]

MASK = (1 << 64) - 1
"""Integers of the sequence wrap round at 64 bits."""


def roberts_steps(d: int) -> list[int]:
    """The d steps of R_d as fractions of 2^64: powers of 1/x, with x^(d + 1) = x + 1."""
    low, high = 1.0, 2.0
    for _ in range(64):
        x = 0.5 * (low + high)
        power = x
        for _ in range(d):
            power *= x
        low, high = (low, x) if power > x + 1 else (x, high)
    steps, step = [], 1.0
    for _ in range(d):
        step /= low
        steps.append(int(step * 2.0**53) << 11)
    return steps


def mix_bits(x: int) -> int:
    """A well mixed 64-bit number for each counter (SplitMix64: Steele, Lea, Flood 2014)."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def sequence(
    blocks: Blocks, lower: Floats, upper: Floats, seed: int
) -> Callable[[int, int], Floats]:
    """A function that makes ``count`` configurations from number ``first`` on, (nq, count)."""
    plan: list[tuple[int, bool]] = []  # first variable, whether it is a quaternion
    for kind, q in zip(
        blocks.int_part("joint_type").tolist(), blocks.int_part("joint_q").tolist(), strict=True
    ):
        k = 0
        if kind in QUATERNIONS and (lower[q : q + 4] != upper[q : q + 4]).any():
            plan.append((q, True))
            k = 4
        plan += [(q + i, False) for i in range(k, NQ[kind]) if lower[q + i] != upper[q + i]]
    steps = roberts_steps(sum(3 if quaternion else 1 for _, quaternion in plan))
    phases = [mix_bits((mix_bits(seed) + i) & MASK) for i in range(len(steps))]

    def draw(first: int, count: int) -> Floats:
        index = np.uint64(first & MASK) + np.arange(count, dtype=np.uint64)
        turned = (
            np.uint64(phase) + index * np.uint64(step)
            for phase, step in zip(phases, steps, strict=True)
        )
        # the upper 52 bits, as the compiled kernel takes them
        fractions: Iterator[Floats] = (
            np.asarray((at >> np.uint64(12)) * 2.0**-52, dtype=np.float64) for at in turned
        )
        qs = np.repeat(lower[:, None], count, axis=1)
        for q, quaternion in plan:
            if quaternion:
                qs[q : q + 4] = even_quaternions(next(fractions), next(fractions), next(fractions))
            else:
                qs[q] = lower[q] + (upper[q] - lower[q]) * next(fractions)
        return qs

    return draw


def even_quaternions(u: Floats, v: Floats, w: Floats) -> Floats:
    """Unit quaternions (4, N), even over all rotations, from numbers in [0, 1) (Shoemake 1992)."""
    a, b = np.sqrt(1 - u), np.sqrt(u)
    v, w = math.tau * v, math.tau * w
    return np.stack([b * np.cos(w), a * np.sin(v), a * np.cos(v), b * np.sin(w)])


def batch_random(
    ints: Ints,
    reals: Floats,
    lower: Floats,
    upper: Floats,
    seed: int,
    first: int,
    site: int,
    out: Array,
    qs: Array | None = None,
    threads: int = 0,
) -> None:
    """Positions of a site for configurations that fill the joint ranges evenly.

    Configuration i is entry i of an additive recurrence (Roberts' R_d, 2018), so any part of the
    cloud can be computed by itself: ``first`` says where it begins.

    Args:
        ints: Int block of the model.
        reals: Float block of the model.
        lower: Lower ends of the ranges, (nq).
        upper: Upper ends, (nq). Where both agree the variable is held; a quaternion is held when
            all four do, and drawn evenly from all rotations otherwise.
        seed: Shifts the whole sequence.
        first: Number of the first configuration.
        site: The site.
        out: Receives p_WS [m], (3, N).
        qs: Receives the configurations, (nq, N), of the same type as ``out``; None: not kept.
        threads: Number of threads, 0 for all cores.
    """
    blocks = Blocks(ints, reals)
    nq = blocks.counts.nq
    check_ranges(lower, upper, nq)
    check_output(out, "out", 2, "(3, N)")
    check(out, "out", (3, out.shape[1]), out.dtype)
    check_sites(blocks, np.array([site], dtype=np.int32))
    if qs is not None:
        check_output(qs, "qs", 2, "(nq, N)")
        check(qs, "qs", (nq, out.shape[1]), out.dtype)
    draw = sequence(blocks, lower, upper, seed)

    def columns_of(columns: slice) -> Array:
        made = draw(first + columns.start, columns.stop - columns.start)
        if qs is not None:
            qs[:, columns] = made
        return made

    fill(blocks, columns_of, [site], out[None])
