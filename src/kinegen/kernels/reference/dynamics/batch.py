"""Dynamics of many states at once, one after the other."""

from __future__ import annotations

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.dynamics import DynamicsTask
from kinegen.kernels.reference.dynamics.bound import BoundDynamics


def batch_dynamics(
    task: int, ints: Ints, reals: Floats, q: Floats, v: Floats | None, x: Floats | None,
    wrenches: Floats | None, out: Floats, threads: int,
) -> int:  # fmt: skip
    """One task of ``DynamicsTask`` for every row of q; 0, or 1 + a joint without mass.

    v and x (vdot or tau) have a row each as well, wrenches (n, link_count, 6) too; out has one of
    nv, nv² or 16 numbers. ``threads`` is of no use here.
    """
    bound = BoundDynamics(ints, reals)
    count, still = len(q), np.zeros(bound.nv)
    for array, width in ((q, bound.nq), (v, bound.nv), (x, bound.nv)):
        if array is not None and array.shape != (count, width):
            raise UsageError(f"an array of shape {array.shape} should have {(count, width)}")
    for n in range(count):
        vn = still if v is None else v[n]
        xn = still if x is None else x[n]
        made = _one(
            bound, DynamicsTask(task), q[n], vn, xn, None if wrenches is None else wrenches[n]
        )
        if isinstance(made, int):
            return 1 + made
        out.reshape(count, -1)[n] = np.nan if made is None else made.ravel()
    return 0


def _one(
    bound: BoundDynamics, task: DynamicsTask, q: Floats, v: Floats, x: Floats,
    wrenches: Floats | None,
) -> Floats | int | None:  # fmt: skip
    match task:
        case DynamicsTask.INVERSE:
            return bound.inverse(q, v, x, wrenches)
        case DynamicsTask.BIAS:
            return bound.bias(q, v, wrenches)
        case DynamicsTask.GRAVITY:
            return bound.gravity(q, wrenches)
        case DynamicsTask.FORWARD:
            return bound.forward(q, v, x, wrenches)
        case DynamicsTask.MASS:
            return bound.mass(q)
        case DynamicsTask.MEASURES:
            return bound.measures(q, v)
