"""Ranges of joint values, and how many values of each are tried: the plan of a sweep."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.batch import site_columns
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.mechanism.model import Model

__all__ = [
    "CoarseStepError",
    "JointRange",
    "Ranges",
    "by_factor",
    "by_step",
    "check_counts",
    "check_step",
    "joint_ranges",
    "moving_variables",
]

Ranges = Mapping[str, tuple[float, float]]
"""Joint or variable ('hip.theta1') → lowest and highest value [rad, m]."""
TURN = 2 * math.pi
STILL = 1e-9
"""A variable that moves no point by more than this share of the size counts as without effect."""
LEAST = 3
"""Values of an input below which a zone says nothing."""


@dataclass(frozen=True, slots=True)
class JointRange:
    """The values of one variable that a sweep tries."""

    name: str
    """The joint, or joint.variable where it has several."""
    variable: int
    """Index in q."""
    quantity: str
    """'angle' [rad] or 'length' [m]."""
    lower: float
    upper: float
    count: int = 1

    @property
    def width(self) -> float:
        """Upper minus lower [rad, m]."""
        return self.upper - self.lower

    @property
    def is_turn(self) -> bool:
        """Whether both ends are the same pose."""
        return self.quantity == "angle" and abs(self.width - TURN) < 1e-9

    @property
    def values(self) -> Floats:
        """The values, ends included; a whole turn has its end only once."""
        if self.count == 1 and not self.is_turn:
            return np.array([(self.lower + self.upper) / 2])
        return np.linspace(self.lower, self.upper, self.count, endpoint=not self.is_turn)


def joint_ranges(
    model: Model, given: Ranges | None = None, *, joints: Sequence[str] | None = None
) -> list[JointRange]:
    """Ranges of a model's variables: as given, else their limits.

    A variable without limits turns once around, or slides by the mechanism's size to either side.
    Quaternion joints have no ranges: they hold still.

    Args:
        model: The compiled mechanism.
        given: Ranges that replace the limits.
        joints: Only these joints; default: all.
    """
    wanted = None if joints is None else {model.joint(name).name for name in joints}
    asked = dict(given or {})
    found = []
    for joint in model.joints:
        if joint.type.info.has_quaternion:
            if joint.name in asked:
                raise UsageError(
                    f"joint '{joint.name}' ({joint.type.value}) has no range: it rotates freely in "
                    "space"
                )
            continue
        variables = joint.type.info.variables
        for k, (variable, quantity) in enumerate(variables):
            name = joint.name if len(variables) == 1 else f"{joint.name}.{variable}"
            low, high = float(model.lower[joint.v.start + k]), float(model.upper[joint.v.start + k])
            wide = math.pi if quantity == "angle" else model.size
            ends = asked.pop(name, None)
            if ends is None and wanted is not None and joint.name not in wanted:
                continue
            if ends is None:
                ends = (max(low, -wide) if math.isinf(low) else low,
                        min(high, wide) if math.isinf(high) else high)  # fmt: skip
            found.append(_checked(JointRange(name, joint.q.start + k, quantity, *ends)))
    for name in asked:
        joint = model.joint(name)  # refuses unknown names, and lists those there are
        names = [f"{joint.name}.{variable}" for variable, _ in joint.type.info.variables]
        raise UsageError(
            f"joint '{name}' has several variables: specify {', '.join(names) or 'none'}"
        )
    return found


def by_factor(ranges: Sequence[JointRange], factor: float, size: float) -> list[JointRange]:
    """Ranges with as many values as 3D-RAS takes (eq. 17): the range in degrees over the Factor.

    The values are spread over the whole range, both ends included. A slide counts a degree as
    pi/180 of the mechanism's ``size`` [m].
    """
    if not (math.isfinite(factor) and factor > 0):
        raise UsageError(f"the factor is {factor}: use a positive number of degrees, such as 15")
    return by_step(ranges, math.radians(factor), size)


def check_step(step: float) -> None:
    """Refuse a step [rad, m] of which a range would have no countable number."""
    if not (math.isfinite(step) and step >= SMALLEST):
        raise UsageError(
            f"the step is {step}: use a positive angle [rad] or length [m], at least {SMALLEST:g}"
        )


def by_step(ranges: Sequence[JointRange], step: float, size: float) -> list[JointRange]:
    """Ranges with one value per step [rad]; a slide counts a radian as the size [m]."""
    check_step(step)
    return [
        replace(
            one,
            count=max(1, round(one.width / (step * (1.0 if one.quantity == "angle" else size)))),
        )
        for one in ranges
    ]


SMALLEST = 1e-12
"""Of steps [rad, m]: finer ones are below the rounding of coordinates."""


class CoarseStepError(UsageError):
    """A step leaves hardly any values of an input."""


def check_counts(ranges: Sequence[JointRange], step: float, size: float) -> None:
    """Refuse a step so coarse that a range has hardly any values; ranges of no width hold."""
    for one in ranges:
        if one.width > 0 and one.count < LEAST:
            enough = one.width / (LEAST * (1.0 if one.quantity == "angle" else size))
            raise CoarseStepError(
                f"a step of {math.degrees(step):.4g} deg leaves fewer than {LEAST} values of input "
                f"'{one.name}': use at most {math.degrees(enough):.4g} deg"
            )


def moving_variables(
    model: Model, ranges: Sequence[JointRange], frames: Sequence[str], q: Configuration = None
) -> list[JointRange]:
    """Those of the ranges that move the origin of a frame, seen at a few poses of the tree."""
    home = configuration(model, q)
    rng = np.random.default_rng(1)
    poses = np.repeat(home[:, None], 8, axis=1)
    for one in ranges:
        poses[one.variable] = rng.uniform(one.lower, one.upper, 8)
    before = site_columns(model, poses, frames)
    kept = []
    for one in ranges:
        moved = poses.copy()
        moved[one.variable] += 0.37 if one.quantity == "angle" else 0.37 * model.size
        shift = np.abs(site_columns(model, moved, frames) - before).max()
        if shift > STILL * model.size:
            kept.append(one)
    return kept


def _checked(one: JointRange) -> JointRange:
    ends = f"the range of '{one.name}' is {one.lower:g} … {one.upper:g}"
    if not (math.isfinite(one.lower) and math.isfinite(one.upper)):
        raise UsageError(f"{ends}: use two finite numbers [rad, m]")
    if one.lower > one.upper:
        raise UsageError(
            f"{ends}, which is reversed: the lower end comes first ({one.upper:g} … {one.lower:g})"
        )
    return one
