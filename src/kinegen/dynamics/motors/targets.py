"""Targets of servos: where to be, how fast, and with what effort."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from kinegen.dynamics.motors.motor import Mode
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint

__all__ = ["Target", "TargetValue", "Targets", "targets_of"]

Number: TypeAlias = float | Sequence[float] | Floats


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The target of one joint; a position of None keeps the last one, with other values 0."""

    position: Number | None = None
    """[rad, m]"""
    velocity: Number | None = None
    """[rad/s, m/s]"""
    acceleration: Number | None = None
    """[rad/s², m/s²]"""
    effort: Number | None = None
    """[N m, N]"""


TargetValue: TypeAlias = Number | Target
"""A target, or only the number that the joint's mode is about: place, speed or effort."""


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """The targets of all joints."""

    q: Floats
    """(nq,)"""
    v: Floats
    """(nv,)"""
    vdot: Floats
    """(nv,)"""
    effort: Floats
    """Added to the efforts of the servos; in torque mode the whole effort, (nv,)."""

    @classmethod
    def at(cls, model: AnyModel, q: Configuration = None) -> Targets:
        """To stay at q."""
        model = model_of(model)
        return cls(configuration(model, q).copy(), *np.zeros((3, model.nv)))


_MEANT = {
    Mode.POSITION: "position",
    Mode.COMPUTED: "position",
    Mode.VELOCITY: "velocity",
    Mode.TORQUE: "effort",
}


def targets_of(
    model: Model,
    given: Targets | Mapping[str, TargetValue] | None,
    modes: Sequence[Mode],
    before: Targets,
) -> Targets:
    """Targets of all joints; those that are not named keep what was before.

    Raises:
        UsageError: A joint is not known, or a target is not as many finite numbers as the joint
            has; it is named.
    """
    if given is None:
        return before
    if isinstance(given, Targets):
        _check(model, given)
        return given
    if not isinstance(given, Mapping):
        raise UsageError(f"targets must be values by joint name, got {type(given).__name__}")
    made = Targets(before.q.copy(), before.v.copy(), before.vdot.copy(), before.effort.copy())
    for name, value in given.items():
        joint = model.joint(name)
        if joint.v.stop == joint.v.start:
            raise UsageError(f"joint '{name}' does not move: it takes no target")
        target = value
        if not isinstance(target, Target):
            meant = [_MEANT[mode] for mode in modes[joint.v]]
            if len(set(meant)) > 1:
                _set_each(made, joint, meant, value)
                continue
            target = Target(**{_MEANT[modes[joint.v.start]]: value})  # type: ignore[arg-type]
        if target.position is not None:
            made.q[joint.q] = _numbers(joint, "position", target.position, joint.q)
        for key, part in (
            ("velocity", made.v),
            ("acceleration", made.vdot),
            ("effort", made.effort),
        ):
            wanted = getattr(target, key)
            part[joint.v] = 0.0 if wanted is None else _numbers(joint, key, wanted, joint.v)
    return made


def _set_each(made: Targets, joint: ModelJoint, meant: Sequence[str], value: Any) -> None:
    """Targets of a joint whose motors have different modes: each number as its own has it."""
    if joint.q.stop - joint.q.start != len(meant):
        raise UsageError(
            f"the motors of joint '{joint.name}' have different modes: use a kg.dynamics.Target"
        )
    made.v[joint.v] = made.vdot[joint.v] = made.effort[joint.v] = 0.0
    for k, (key, number) in enumerate(
        zip(meant, _numbers(joint, "value", value, joint.v), strict=True)
    ):
        if key == "position":
            made.q[joint.q.start + k] = number
        else:
            (made.v if key == "velocity" else made.effort)[joint.v.start + k] = number


def _numbers(joint: ModelJoint, key: str, value: Number, part: slice) -> Floats:
    try:
        numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        raise UsageError(f"the target {key} of joint '{joint.name}' is {value!r}") from None
    count = part.stop - part.start
    if numbers.shape != (count,):
        raise UsageError(
            f"the target {key} of joint '{joint.name}' takes {count} "
            f"number{'' if count == 1 else 's'}, got shape {numbers.shape}"
        )
    if not np.isfinite(numbers).all():
        raise UsageError(f"the target {key} of joint '{joint.name}' is not a finite number")
    return numbers


def _check(model: Model, given: Targets) -> None:
    sizes = (("q", model.nq), ("v", model.nv), ("vdot", model.nv), ("effort", model.nv))
    for key, size in sizes:
        numbers = getattr(given, key)
        if np.shape(numbers) != (size,):
            raise UsageError(f"targets {key} must be {size} numbers, got shape {np.shape(numbers)}")
        if np.isfinite(numbers).all():
            continue
        for joint in model.joints:
            if not np.isfinite(numbers[joint.q if key == "q" else joint.v]).all():
                raise UsageError(f"the target {key} of joint '{joint.name}' is not a finite number")
