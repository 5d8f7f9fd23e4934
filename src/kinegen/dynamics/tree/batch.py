"""Dynamics of many states at once: a row per state, as in ``forward_many``.

The kernels use every core and, where the processor has them, its wide registers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.tree.masses import refuse_massless
from kinegen.errors import UsageError, thread_count
from kinegen.kernels import Floats
from kinegen.kernels.backend import module
from kinegen.kernels.protocols.dynamics import DynamicsTask, Measure
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.memory import check_memory
from kinegen.results import Result

__all__ = [
    "Energies",
    "bias_many",
    "energy_many",
    "forward_dynamics_many",
    "gravity_forces_many",
    "inverse_dynamics_many",
    "mass_matrix_many",
]


@dataclass(frozen=True, slots=True, eq=False)
class Energies(Result):
    """Energies of a mechanism in many states [J]."""

    kinetic: Floats
    """Of links and rotors, (n,)."""
    gravity: Floats
    """Potential energy in gravity, (n,); 0 when everything is at the world's origin."""
    springs: Floats
    """Energy stored in the joints' springs, (n,)."""

    @property
    def potential(self) -> Floats:
        """Of gravity and springs, (n,)."""
        return self.gravity + self.springs

    @property
    def total(self) -> Floats:
        """Kinetic and potential, (n,)."""
        return self.kinetic + self.potential

    def columns(self) -> dict[str, Floats]:
        """A row per state."""
        return {
            "kinetic [J]": self.kinetic, "gravity [J]": self.gravity, "springs [J]": self.springs
        }  # fmt: skip


def inverse_dynamics_many(
    model: AnyModel,
    qs: npt.ArrayLike,
    vs: npt.ArrayLike,
    vdots: npt.ArrayLike,
    *,
    wrenches: npt.ArrayLike | None = None,
    threads: int = 0,
) -> Floats:
    """Efforts [N m, N] for many states, (n, nv).

    Args:
        model: A model or a mechanism.
        qs: Configurations, (n, nq).
        vs: Velocities, (n, nv).
        vdots: Accelerations, (n, nv).
        wrenches: External forces (n, link_count, 6), world axes, about the links' origins.
        threads: 0 for all cores.
    """
    return _run(model, DynamicsTask.INVERSE, qs, vs, ("vdots", vdots), wrenches, threads)


def bias_many(model: AnyModel, qs: npt.ArrayLike, vs: npt.ArrayLike, *, threads: int = 0) -> Floats:
    """:func:`bias` for many states, (n, nv)."""
    return _run(model, DynamicsTask.BIAS, qs, vs, None, None, threads)


def gravity_forces_many(model: AnyModel, qs: npt.ArrayLike, *, threads: int = 0) -> Floats:
    """:func:`gravity_forces` for many configurations, (n, nv)."""
    return _run(model, DynamicsTask.GRAVITY, qs, None, None, None, threads)


def forward_dynamics_many(
    model: AnyModel,
    qs: npt.ArrayLike,
    vs: npt.ArrayLike,
    taus: npt.ArrayLike,
    *,
    wrenches: npt.ArrayLike | None = None,
    threads: int = 0,
) -> Floats:
    """Accelerations for many states, (n, nv); arguments as in :func:`inverse_dynamics_many`."""
    return _run(model, DynamicsTask.FORWARD, qs, vs, ("taus", taus), wrenches, threads)


def mass_matrix_many(model: AnyModel, qs: npt.ArrayLike, *, threads: int = 0) -> Floats:
    """Mass matrices for many configurations, (n, nv, nv)."""
    model = model_of(model)
    flat = _run(model, DynamicsTask.MASS, qs, None, None, None, threads)
    return flat.reshape(-1, model.nv, model.nv)


def energy_many(
    model: AnyModel, qs: npt.ArrayLike, vs: npt.ArrayLike, *, threads: int = 0
) -> Energies:
    """Kinetic and potential energy of many states [J]."""
    rows = _run(model, DynamicsTask.MEASURES, qs, vs, None, None, threads)
    kinetic, gravity, springs = np.ascontiguousarray(
        rows[:, [Measure.KINETIC, Measure.POTENTIAL, Measure.SPRINGS]].T
    )
    return Energies(kinetic, gravity, springs)


def _run(
    model: AnyModel,
    task: DynamicsTask,
    qs: npt.ArrayLike,
    vs: npt.ArrayLike | None,
    more: tuple[str, npt.ArrayLike] | None,
    wrenches: npt.ArrayLike | None,
    threads: int,
) -> Floats:
    model = model_of(model)
    threads = thread_count(threads)
    q = _rows(model, "qs", qs, (model.nq,), None)
    count = len(q)
    v = None if vs is None else _rows(model, "vs", vs, (model.nv,), count)
    x = None if more is None else _rows(model, *more, (model.nv,), count)
    outer = None
    if wrenches is not None:
        outer = _rows(model, "wrenches", wrenches, (model.link_count, 6), count)
    for joint in model.quaternion_joints:
        squares = (q[:, joint.q.start : joint.q.start + 4] ** 2).sum(axis=1)
        bad = np.flatnonzero(~((squares > 1e-12) & (squares < 1e12)))
        if len(bad):
            raise UsageError(
                f"the quaternion of joint '{joint.name}' in row {bad[0]} of qs is not a rotation: "
                "use one of length 1"
            )
    model.dynamics  # noqa: B018  masses up to date
    widths = {DynamicsTask.MASS: model.nv**2, DynamicsTask.MEASURES: int(Measure.COUNT)}
    width = widths.get(task, model.nv)
    check_memory(8 * width * count, f"an array for {count:,} states", "Compute it in parts.")
    out = np.empty((count, width))
    status = module().batch_dynamics(
        int(task), model.ints, model.reals, q, v, x, outer, out, threads
    )
    if status > 0:
        refuse_massless(model, status - 1)
    return out


def _rows(
    model: Model, what: str, values: npt.ArrayLike, row: tuple[int, ...], count: int | None
) -> Floats:
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{what} takes numbers, got {values!r}") from error
    wanted = ", ".join(["n" if count is None else str(count), *map(str, row)])
    fits = array.shape[1:] == row and (count is None or len(array) == count)
    if array.ndim != len(row) + 1 or not fits:
        raise UsageError(
            f"{what} of mechanism '{model.name}' has a row per state: ({wanted}), got shape "
            f"{array.shape}"
        )
    if not np.isfinite(array).all():
        bad = int(np.argwhere(~np.isfinite(array))[0][0])
        raise UsageError(f"{what} contains a number that is not finite in row {bad}")
    return array
