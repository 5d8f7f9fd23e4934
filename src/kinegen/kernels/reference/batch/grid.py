"""Positions of a site over a grid of joint values; arguments as in ``batch``."""

from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.reference.batch.checks import (
    Array,
    check,
    check_axes,
    check_output,
    check_sites,
)
from kinegen.kernels.reference.batch.columns import fill

__all__ = ["batch_grid"]


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

    fill(blocks, columns_of, sites.tolist(), out)
