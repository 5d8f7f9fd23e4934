"""Coupled variables of many configurations in NumPy: ``native/kernel/batch/follow.hpp``."""

from __future__ import annotations

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.reference.base.profile import cam_profile, is_cam
from kinegen.kernels.reference.batch.checks import check, check_output
from kinegen.kernels.reference.loops.coupling import coupling_terms

__all__ = ["batch_follow"]


def batch_follow(
    ints: Ints,
    reals: Floats,
    targets: Ints,
    starts: Ints,
    sources: Ints,
    weights: Floats,
    bases: Floats,
    cams: Ints,
    factors: Floats,
    qs: Floats,
    threads: int = 0,
) -> None:
    """Set coupled variables, one after the other, from those that lead them.

    Row ``targets[i]`` of ``qs`` becomes ``bases[i]`` + the sum of weight times row over its sources
    ``starts[i]`` … ``starts[i + 1] - 1``; a cam adds ``factors[i]`` times its profile.

    Args:
        ints: Int block of the model.
        reals: Float block of the model.
        targets: The m variables that follow, in an order in which they can be computed, int32.
        starts: Where the sources of each begin, and their end, (m + 1), int32.
        sources: Variables that lead, int32.
        weights: Their weights.
        bases: What is added, (m).
        cams: The coupling whose profile is added, -1 for none, (m), int32.
        factors: What multiplies the profile, (m).
        qs: Configurations, (nq, N), float64, changed in place.
        threads: Number of threads, 0 for all cores.
    """
    blocks = Blocks(ints, reals)
    _check_plan(blocks, targets, starts, sources, weights, bases, cams, factors)
    check_output(qs, "qs", 2, "(nq, N)")
    check(qs, "qs", (blocks.counts.nq, qs.shape[1]), np.float64)
    for i, target in enumerate(targets.tolist()):
        here = slice(int(starts[i]), int(starts[i + 1]))
        row = bases[i] + weights[here] @ qs[sources[here]]
        if cams[i] >= 0:
            cam = int(coupling_terms(blocks, int(cams[i]))[0][-1])
            heights = [cam_profile(blocks, int(cams[i]), x)[0] for x in qs[cam].tolist()]
            row = row + factors[i] * np.array(heights)
        qs[target] = row


def _check_plan(
    blocks: Blocks, targets: Ints, starts: Ints, sources: Ints, weights: Floats, bases: Floats,
    cams: Ints, factors: Floats,
) -> None:  # fmt: skip
    """Sizes and types, and that only variables and cams of the model are named."""
    nq, count, total = blocks.counts.nq, np.size(targets), np.size(sources)
    check(targets, "targets", (count,), np.int32)
    check(sources, "sources", (total,), np.int32)
    check(starts, "starts", (count + 1,), np.int32)
    check(cams, "cams", (count,), np.int32)
    check(weights, "weights", (total,), np.float64)
    check(bases, "bases", (count,), np.float64)
    check(factors, "factors", (count,), np.float64)
    for name, given in (("targets", targets), ("sources", sources)):
        for one in given.tolist():
            if not 0 <= one < nq:
                raise UsageError(f"{name} has {one} (allowed: 0 to {nq - 1})")
    if count and (starts[0] < 0 or (np.diff(starts) < 0).any() or starts[-1] > total):
        raise UsageError("starts must increase from 0 to the number of sources")
    for one in cams.tolist():
        if not -1 <= one < blocks.counts.coupling or (one >= 0 and not is_cam(blocks, one)):
            raise UsageError(f"cams names coupling {one}, which is not a cam of the model")
