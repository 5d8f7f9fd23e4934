"""Batch forward kinematics in NumPy: a site's position or pose for many configurations.

Configurations stand in columns: ``qs`` is (nq, N), results are rows of N numbers, all C-contiguous;
``qs`` may be the transpose of a C-contiguous array (N, nq) as well.
The type of ``out``, float64 or float32, decides the precision. A *site* is a link (its index) or a
named frame (link count + its index). ``threads`` is a hint for the compiled kernels; 0 means all.
"""

from __future__ import annotations

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.reference.batch.checks import Array, check, check_output, check_sites
from kinegen.kernels.reference.batch.columns import fill

__all__ = ["batch_forward", "batch_isa"]


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
    fill(blocks, lambda columns: qs[:, columns], sites.tolist(), out)
