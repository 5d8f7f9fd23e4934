"""Batch forward kinematics in NumPy: the specification of ``native/kernel/batch*.hpp``.

Configurations stand in columns: ``qs`` is (nq, N), results are rows of N numbers, all C-contiguous;
``qs`` may be the transpose of a C-contiguous array (N, nq) as well.
The type of ``out``, float64 or float32, decides the precision. A *site* is a link (its index) or a
named frame (link count + its index). ``threads`` is a hint for the compiled kernels; 0 means all.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.reference.batch.checks import (
    Array,
    check,
    check_axes,
    check_output,
    check_ranges,
    check_sites,
)
from kinegen.kernels.reference.batch.columns import forward_columns, matrices_to_quats
from kinegen.kernels.reference.batch.random import sequence

__all__ = ["batch_forward", "batch_grid", "batch_isa", "batch_random"]

COLUMNS = 1 << 14
"""Configurations worked on together: keeps the intermediate matrices small."""


def batch_isa() -> str:
    """The instruction set that the batch kernels use: ``plain``, ``avx2``, ``avx512``."""
    return "numpy"


def batch_forward(
    ints: Ints, reals: Floats, qs: Array, sites: Ints, out: Array, threads: int = 0
) -> None:
    """Positions or poses of sites for many configurations.

    Args:
        ints: Int block of the model.
        reals: Float block of the model.
        qs: Configurations, (nq, N), of the same type as ``out``.
        sites: The k sites, int32.
        out: Receives p_WS [m] when it is (k, 3, N), the poses X_WS (quaternion w x y z with
            w >= 0, translation) when it is (k, 7, N).
        threads: Number of threads, 0 for all cores.
    """
    blocks = Blocks(ints, reals)
    check_output(out, "out", 3, "(sites, 3 or 7, N)")
    if np.ndim(qs) != 2:
        raise UsageError("qs must have shape (nq, N)")
    check(qs, "qs", (blocks.counts.nq, qs.shape[1]), out.dtype, any_order=True)
    check_sites(blocks, sites)
    rows = 7 if out.shape[1] == 7 else 3
    check(out, "out", (len(sites), rows, qs.shape[1]), out.dtype)
    _fill(blocks, lambda columns: qs[:, columns], sites.tolist(), out)


def batch_grid(
    ints: Ints,
    reals: Floats,
    variables: Ints,
    lower: Floats,
    upper: Floats,
    counts: Ints,
    q: Floats,
    sites: Ints,
    out: Array,
    threads: int = 0,
) -> None:
    """Positions of sites over a grid of joint values, the last variable fastest.

    The compiled kernel works out what a row shares once, so the cheapest order of variables is
    from the base to the tip.

    Args:
        ints: Int block of the model.
        reals: Float block of the model.
        variables: Indices into q of the a swept variables, int32; no part of a quaternion.
        lower: First value of each, (a).
        upper: Last value of each, (a).
        counts: Number of values of each, (a), int32.
        q: The configuration of all other variables, (nq).
        sites: The k sites, int32.
        out: Receives p_WS [m], (k, 3, product of the counts).
        threads: Number of threads, 0 for all cores.
    """
    blocks = Blocks(ints, reals)
    check_axes(blocks, variables, lower, upper, counts)
    check(q, "q", (blocks.counts.nq,), np.float64)
    check_sites(blocks, sites)
    shape = tuple(counts.tolist())
    check_output(out, "out", 3, "(sites, 3, N)")
    check(out, "out", (len(sites), 3, math.prod(shape)), out.dtype)
    axes = [np.linspace(*ends) for ends in zip(lower, upper, shape, strict=True)]

    def columns_of(columns: slice) -> Array:
        qs = np.repeat(q[:, None], columns.stop - columns.start, axis=1)
        at = np.unravel_index(np.arange(columns.start, columns.stop), shape)
        for variable, values, index in zip(variables, axes, at, strict=True):
            qs[variable] = values[index]
        return qs

    _fill(blocks, columns_of, sites.tolist(), out)


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

    _fill(blocks, columns_of, [site], out[None])


def _fill(
    blocks: Blocks, columns_of: Callable[[slice], Array], sites: list[int], out: Array
) -> None:
    count = out.shape[2]
    for first in range(0, count, COLUMNS):
        columns = slice(first, min(first + COLUMNS, count))
        qs = np.asarray(columns_of(columns), dtype=float)
        for site, rows in zip(sites, out, strict=True):
            R, p = forward_columns(blocks, qs, site)
            rows[-3:, columns] = p
            if len(rows) == 7:
                rows[:4, columns] = matrices_to_quats(R)
