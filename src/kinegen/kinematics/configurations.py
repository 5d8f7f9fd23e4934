"""Configurations q and velocities v: from what people give, and moving between them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint

__all__ = [
    "Configuration",
    "Velocity",
    "checked",
    "configuration",
    "difference",
    "integrate",
    "tangent",
    "velocity",
]

Configuration: TypeAlias = npt.ArrayLike | Mapping[str, float | Sequence[float]] | None
"""nq numbers, or values by joint name (others as in the file), or None for the file's start."""
Velocity: TypeAlias = npt.ArrayLike | Mapping[str, float | Sequence[float]]
"""nv numbers, or values by joint name (others 0)."""

_QUATERNION_RANGE = 1e6
"""Quaternions longer than this, or shorter than its inverse, are slips, not rounding."""


def configuration(model: AnyModel, q: Configuration = None) -> Floats:
    """A checked q of shape (nq,) [rad, m; quaternions wxyz]."""
    return checked(model_of(model), q)


def checked(model: Model, q: Configuration) -> Floats:
    """The same for a model: what other functions call."""
    if model.kernels.is_configuration(q):
        return q
    if q is None:
        return model.start()
    if isinstance(q, Mapping):
        return _by_name(model, q, model.start(), "q")
    return _checked(model, q, model.nq, "q")


def velocity(model: Model, v: Velocity) -> Floats:
    """A checked v of shape (nv,) [rad/s, m/s]."""
    return tangent(model, v, "v")


def tangent(model: Model, values: Velocity, what: str) -> Floats:
    """Checked numbers, one per v, shape (nv,); ``what`` is their name in errors."""
    if model.kernels.is_tangent(values):
        return values
    if isinstance(values, Mapping):
        return _by_name(model, values, np.zeros(model.nv), what)
    return _checked(model, values, model.nv, what)


def integrate(model: AnyModel, q: Configuration, v: Velocity, *, dt: float = 1.0) -> Floats:
    """The q reached from q with velocity v held for dt [s]; quaternions stay of length 1."""
    model = model_of(model)
    step, out = tangent(model, v, "v"), np.empty(model.nq)
    if not -1.0 <= dt <= 1.0:
        # by Python's numbers, which overflow without a warning: the check names the joint
        step, dt = velocity(model, np.array([x * dt for x in step.tolist()])), 1.0
    model.kernels.integrate(checked(model, q), step, out, dt)
    return out


def difference(model: AnyModel, q0: Configuration, q1: Configuration) -> Floats:
    """The v with ``integrate(model, q0, v) == q1``, (nv,)."""
    model = model_of(model)
    out = np.empty(model.nv)
    model.kernels.difference(checked(model, q0), checked(model, q1), out)
    return out


def _checked(model: Model, values: npt.ArrayLike, size: int, what: str) -> Floats:
    array = _numbers(values, what)
    if array.shape != (size,):
        raise UsageError(
            f"{what} of mechanism '{model.name}' has {size} numbers ({_order(model, what)}), got "
            f"shape {array.shape}"
        )
    if not np.isfinite(array).all():
        bad = int(np.flatnonzero(~np.isfinite(array))[0])
        owner = next(j for j in model.joints if bad < _part(j, what).stop)
        raise UsageError(
            f"{what}[{bad}] (joint '{owner.name}') is {array[bad]}: use finite numbers"
        )
    if what == "q" and model.quaternion_joints:
        _check_quaternions(model, array)
    return array


def _numbers(values: npt.ArrayLike, what: str) -> Floats:
    try:
        array = np.ascontiguousarray(values)
        if array.dtype.kind == "c":
            raise TypeError("complex numbers")
        return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{what} takes numbers, got {values!r}") from error


def _check_quaternions(model: Model, q: Floats) -> None:
    """Refuse quaternions that are no rotation; any sensible length is as good as 1."""
    numbers = q.tolist()
    for joint in model.quaternion_joints:
        length = math.hypot(*numbers[joint.q.start : joint.q.start + 4])
        if not 1 / _QUATERNION_RANGE < length < _QUATERNION_RANGE:
            raise UsageError(
                f"the quaternion w x y z of joint '{joint.name}' has length {length:.3g}: use one "
                "of length 1; no rotation is 1 0 0 0 (model.zero() has it)"
            )


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
        numbers = _numbers(value, f"joint '{name}'")
        if numbers.shape != (part.stop - part.start,):
            raise UsageError(
                f"joint '{name}' of mechanism '{model.name}' takes {part.stop - part.start} "
                f"numbers in {what}, got {value!r}"
            )
        out[part] = numbers
    return _checked(model, out, len(out), what)


def _part(joint: ModelJoint, what: str) -> slice:
    return joint.q if what == "q" else joint.v
