"""Configurations q and velocities v: from what people give, and moving between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model, ModelJoint

__all__ = ["Configuration", "Velocity", "configuration", "difference", "integrate", "velocity"]

Configuration: TypeAlias = npt.ArrayLike | Mapping[str, float | Sequence[float]] | None
"""nq numbers, or values by joint name (others as in the file), or None for the file's start."""
Velocity: TypeAlias = npt.ArrayLike | Mapping[str, float | Sequence[float]]
"""nv numbers, or values by joint name (others 0)."""


def configuration(model: Model, q: Configuration = None) -> Floats:
    """A checked q of shape (nq,) [rad, m; quaternions wxyz]."""
    if q is None:
        return model.start()
    if isinstance(q, Mapping):
        return _by_name(model, q, model.start(), "q")
    return _checked(model, q, model.nq, "q")


def velocity(model: Model, v: Velocity) -> Floats:
    """A checked v of shape (nv,) [rad/s, m/s]."""
    if isinstance(v, Mapping):
        return _by_name(model, v, np.zeros(model.nv), "v")
    return _checked(model, v, model.nv, "v")


def integrate(model: Model, q: Configuration, v: Velocity, dt: float = 1.0) -> Floats:
    """The q reached from q with velocity v held for dt [s]; quaternions stay of length 1."""
    out = np.empty(model.nq)
    step = np.ascontiguousarray(velocity(model, v) * dt)
    model.kernels.integrate(configuration(model, q), step, out)
    return out


def difference(model: Model, q0: Configuration, q1: Configuration) -> Floats:
    """The v with ``integrate(model, q0, v) == q1``, (nv,)."""
    out = np.empty(model.nv)
    model.kernels.difference(configuration(model, q0), configuration(model, q1), out)
    return out


def _checked(model: Model, values: npt.ArrayLike, size: int, what: str) -> Floats:
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{what} takes numbers, got {values!r}") from error
    if array.shape != (size,):
        raise UsageError(
            f"{what} of mechanism '{model.name}' has {size} numbers ({_order(model, what)}), got "
            f"shape {array.shape}"
        )
    if not np.isfinite(array).all():
        bad = int(np.flatnonzero(~np.isfinite(array))[0])
        raise UsageError(f"{what}[{bad}] is {array[bad]}: give finite numbers")
    return array


def _order(model: Model, what: str) -> str:
    """Which joint takes which numbers, for an error message."""
    sizes = [(j.name, j.q if what == "q" else j.v) for j in model.joints]
    listed = [
        name if part.stop - part.start == 1 else f"{name}×{part.stop - part.start}"
        for name, part in sizes
        if part.stop > part.start
    ]
    return ", ".join(listed[:12]) + (", …" if len(listed) > 12 else "")


def _by_name(
    model: Model, values: Mapping[str, float | Sequence[float]], out: Floats, what: str
) -> Floats:
    for name, value in values.items():
        part = _part(model.joint(name), what)
        numbers = np.atleast_1d(np.asarray(value, dtype=float))
        if numbers.shape != (part.stop - part.start,):
            raise UsageError(
                f"joint '{name}' of mechanism '{model.name}' takes {part.stop - part.start} "
                f"numbers in {what}, got {value!r}"
            )
        out[part] = numbers
    return _checked(model, out, len(out), what)


def _part(joint: ModelJoint, what: str) -> slice:
    return joint.q if what == "q" else joint.v
