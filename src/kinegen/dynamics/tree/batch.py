"""Dynamics of many states at once: a column per state, as in ``forward_many``.

The kernels use every core and, where the processor has them, its wide registers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.tree.masses import refuse_massless
from kinegen.errors import UsageError, thread_count
from kinegen.kernels import Floats
from kinegen.kernels.backend import module
from kinegen.kernels.dynamics_protocol import DynamicsTask, Measure
from kinegen.mechanism.model import Model
from kinegen.memory import check_memory

__all__ = [
    "bias_many",
    "energy_many",
    "forward_dynamics_many",
    "gravity_forces_many",
    "inverse_dynamics_many",
    "mass_matrix_many",
]


def inverse_dynamics_many(
    model: Model,
    qs: npt.ArrayLike,
    vs: npt.ArrayLike,
    vdots: npt.ArrayLike,
    *,
    wrenches: npt.ArrayLike | None = None,
    threads: int = 0,
) -> Floats:
    """Efforts for many states, (nv, n).

    Args:
        model: The compiled mechanism.
        qs: Configurations, (nq, n).
        vs: Velocities, (nv, n).
        vdots: Accelerations, (nv, n).
        wrenches: Outer forces (link_count, 6, n), world axes, about the links' origins.
        threads: 0 for all cores.
    """
    return _run(model, DynamicsTask.INVERSE, qs, vs, ("vdots", vdots), wrenches, threads)


def bias_many(model: Model, qs: npt.ArrayLike, vs: npt.ArrayLike, *, threads: int = 0) -> Floats:
    """:func:`bias` for many states, (nv, n)."""
    return _run(model, DynamicsTask.BIAS, qs, vs, None, None, threads)


def gravity_forces_many(model: Model, qs: npt.ArrayLike, *, threads: int = 0) -> Floats:
    """:func:`gravity_forces` for many configurations, (nv, n)."""
    return _run(model, DynamicsTask.GRAVITY, qs, None, None, None, threads)


def forward_dynamics_many(
    model: Model,
    qs: npt.ArrayLike,
    vs: npt.ArrayLike,
    taus: npt.ArrayLike,
    *,
    wrenches: npt.ArrayLike | None = None,
    threads: int = 0,
) -> Floats:
    """Accelerations for many states, (nv, n); arguments as in :func:`inverse_dynamics_many`."""
    return _run(model, DynamicsTask.FORWARD, qs, vs, ("taus", taus), wrenches, threads)


def mass_matrix_many(model: Model, qs: npt.ArrayLike, *, threads: int = 0) -> Floats:
    """Mass matrices for many configurations, (nv, nv, n)."""
    flat = _run(model, DynamicsTask.MASS, qs, None, None, None, threads)
    return flat.reshape(model.nv, model.nv, -1)


def energy_many(
    model: Model, qs: npt.ArrayLike, vs: npt.ArrayLike, *, threads: int = 0
) -> tuple[Floats, Floats]:
    """Kinetic and potential energy (gravity and springs) of many states, (n,) each [J]."""
    rows = _run(model, DynamicsTask.MEASURES, qs, vs, None, None, threads)
    return rows[Measure.KINETIC], rows[Measure.POTENTIAL] + rows[Measure.SPRINGS]


def _run(
    model: Model,
    task: DynamicsTask,
    qs: npt.ArrayLike,
    vs: npt.ArrayLike | None,
    more: tuple[str, npt.ArrayLike] | None,
    wrenches: npt.ArrayLike | None,
    threads: int,
) -> Floats:
    threads = thread_count(threads)
    q = _columns(model, "qs", qs, (model.nq,), None)
    count = q.shape[-1]
    v = None if vs is None else _columns(model, "vs", vs, (model.nv,), count)
    x = None if more is None else _columns(model, *more, (model.nv,), count)
    outer = None
    if wrenches is not None:
        outer = _columns(model, "wrenches", wrenches, (model.link_count, 6), count)
    for joint in model.quaternion_joints:
        squares = (q[joint.q.start : joint.q.start + 4] ** 2).sum(axis=0)
        bad = np.flatnonzero(~((squares > 1e-12) & (squares < 1e12)))
        if len(bad):
            raise UsageError(
                f"the quaternion of joint '{joint.name}' in column {bad[0]} of qs is not a "
                "rotation: give one of length 1"
            )
    model.dynamics  # noqa: B018  masses up to date
    rows = {DynamicsTask.MASS: model.nv**2, DynamicsTask.MEASURES: int(Measure.COUNT)}
    height = rows.get(task, model.nv)
    check_memory(8 * height * count, f"an array for {count:,} states", "Compute it in parts.")
    out = np.empty((height, count))
    status = module().batch_dynamics(
        int(task), model.ints, model.reals, q, v, x, outer, out, threads
    )
    if status > 0:
        refuse_massless(model, status - 1)
    return out


def _columns(
    model: Model, what: str, values: npt.ArrayLike, rows: tuple[int, ...], count: int | None
) -> Floats:
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{what} takes numbers, got {values!r}") from error
    wanted = ", ".join([*map(str, rows), "n" if count is None else str(count)])
    fits = array.shape[:-1] == rows and (count is None or array.shape[-1] == count)
    if array.ndim != len(rows) + 1 or not fits:
        raise UsageError(
            f"{what} of mechanism '{model.name}' has a column per state: ({wanted}), got shape "
            f"{array.shape}"
        )
    if not np.isfinite(array).all():
        column = int(np.argwhere(~np.isfinite(array))[0][-1])
        raise UsageError(f"{what} holds a number that is not finite in column {column}")
    return array
