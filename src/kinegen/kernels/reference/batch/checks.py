"""What the batch kernels refuse, in words."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels.layout import Blocks, Floats, Ints
from kinegen.kernels.reference.base.joint_types import QUATERNIONS

__all__ = ["Array", "check", "check_axes", "check_output", "check_ranges", "check_sites"]

Array: TypeAlias = npt.NDArray[Any]


def check_output(array: Array, name: str, dimensions: int, shape: str) -> None:
    """Refuse an array that results cannot be written to."""
    usable = isinstance(array, np.ndarray) and array.flags.c_contiguous
    if not usable or not array.flags.writeable:
        raise UsageError(f"{name} must be a C-contiguous, writable array")
    if array.ndim != dimensions:
        raise UsageError(f"{name} must have shape {shape}")
    if array.dtype not in {np.dtype(np.float64), np.dtype(np.float32)}:
        raise UsageError(f"{name} must be of type float64")


def check(
    array: Array,
    name: str,
    shape: tuple[int, ...],
    dtype: npt.DTypeLike,
    *,
    any_order: bool = False,
) -> None:
    """Refuse an array that is not of this shape and type, stored by rows (or in any order)."""
    flags = array.flags if isinstance(array, np.ndarray) else None
    if flags is None or not (flags.c_contiguous or (any_order and flags.f_contiguous)):
        raise UsageError(f"{name} must be a {'' if any_order else 'C-'}contiguous array")
    if array.shape != shape:
        raise UsageError(f"{name} must have shape {shape}, has {array.shape}")
    if array.dtype != dtype:
        raise UsageError(f"{name} must be of type {np.dtype(dtype)}")


def check_sites(blocks: Blocks, sites: Ints) -> None:
    """Refuse sites that the model does not have."""
    check(sites, "sites", (np.size(sites),), np.int32)
    count = blocks.counts.link + blocks.counts.frame
    for site in sites.tolist():
        if not 0 <= site < count:
            raise UsageError(f"site {site} is not one of the model's {count} links and frames")


def check_ranges(lower: Floats, upper: Floats, nq: int) -> None:
    """Refuse ranges that no value can be drawn from."""
    check(lower, "lower", (nq,), np.float64)
    check(upper, "upper", (nq,), np.float64)
    good = (lower <= upper) & np.isfinite(lower) & np.isfinite(upper)
    if not good.all():
        raise UsageError(f"variable {int(np.argmin(good))} needs a finite range, lower <= upper")


def check_axes(blocks: Blocks, variables: Ints, lower: Floats, upper: Floats, counts: Ints) -> None:
    """Refuse axes that make no grid."""
    size = (np.size(variables),)
    check(variables, "variables", size, np.int32)
    check(counts, "counts", size, np.int32)
    check(lower, "lower", size, np.float64)
    check(upper, "upper", size, np.float64)
    if not len(variables):
        raise UsageError("a grid needs at least one variable")
    kinds, firsts = blocks.int_part("joint_type"), blocks.int_part("joint_q")
    quaternions = {int(q) + i for q in firsts[np.isin(kinds, list(QUATERNIONS))] for i in range(4)}
    seen: set[int] = set()
    axes = zip(variables.tolist(), lower.tolist(), upper.tolist(), counts.tolist(), strict=True)
    for variable, low, high, count in axes:
        name = f"variable {variable}"
        if not 0 <= variable < blocks.counts.nq:
            raise UsageError(f"{name} is not one of the model's {blocks.counts.nq} numbers of q")
        if count < 1:
            raise UsageError(f"{name} has no values: its count must be at least 1")
        if not (math.isfinite(low) and math.isfinite(high)):
            raise UsageError(f"{name} has a range that is not finite")
        if variable in quaternions:
            raise UsageError(f"{name} is part of a quaternion, which cannot be swept by components")
        if variable in seen:
            raise UsageError(f"{name} is given twice")
        seen.add(variable)
