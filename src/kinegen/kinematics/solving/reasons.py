"""Why a mechanism stands where it stands: residuals, limits and one sentence for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats, Ints, Outcome
from kinegen.kernels.call_records import SolverReport
from kinegen.kernels.tolerances import SHUT
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.limits import swing_angles
from kinegen.kinematics.positions import forward
from kinegen.mechanism.model import Model
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["HandleResidual", "HeldLimit", "held_limits", "reason", "residuals"]

AT_LIMIT = 1e-6
"""A joint stands at its limit below this distance [rad, sizes]."""


@dataclass(frozen=True, slots=True)
class HandleResidual:
    """What one handle lacks."""

    frame: str
    distance: float
    """[m]"""
    angle: float
    """[rad]"""


@dataclass(frozen=True, slots=True)
class HeldLimit:
    """A joint that stands at a limit and would move beyond it."""

    joint: str
    side: str
    """'lower' or 'upper'."""
    value: float
    """The limit [rad or m]."""
    unit: str
    """'rad' or 'm'."""

    def __str__(self) -> str:
        """The limit in the units people read."""
        number = f"{math.degrees(self.value):.4g}°" if self.unit == "rad" else f"{self.value:.4g} m"
        return f"the {self.side} limit of joint '{self.joint}' ({number})"


def residuals(
    model: Model, q: Floats, handles: Sequence[Handle], targets: Floats
) -> tuple[HandleResidual, ...]:
    """Distance and angle that each handle lacks at q; targets as packed for the kernels."""
    rows = forward(model, q)
    lacks = []
    for handle, numbers in zip(handles, targets, strict=True):
        X = SE3.from_pose(rows[model.site(handle.frame)])
        distance = angle = 0.0
        if handle.position is not None:
            distance = float(np.linalg.norm(X.apply(numbers[0:3]) - numbers[6:9]))
        if handle.rotation is not None:
            angle = float(np.linalg.norm(SO3(numbers[9:13]).minus(X.so3)))
        elif handle.direction is not None:
            cosine = float(X.so3.apply(numbers[3:6]) @ numbers[9:12])
            angle = math.acos(min(1.0, max(-1.0, cosine)))
        lacks.append(HandleResidual(handle.frame, distance, angle))
    return tuple(lacks)


def held_limits(model: Model, q: Floats, held: Ints) -> tuple[HeldLimit, ...]:
    """The limits that hold joints back, from the kernel's flags per variable."""
    found = []
    for joint in model.joints:
        for k, (_, quantity) in enumerate(joint.type.info.variables):
            side = int(held[joint.v.start + k])
            bounds = model.upper if side > 0 else model.lower
            unit = 1.0 if quantity == "angle" else model.size
            # a step towards a limit is cut short too, but then the joint need not stand there
            here = swing_angles(q[joint.q]) if joint.type.info.swings else q[joint.q][k]
            away = abs(float(here - bounds[joint.v.start + k]))
            if side and away < AT_LIMIT * unit:
                found.append(
                    HeldLimit(
                        joint.name,
                        "upper" if side > 0 else "lower",
                        float(bounds[joint.v.start + k]),
                        "rad" if quantity == "angle" else "m",
                    )
                )
    return tuple(found)


def reason(
    model: Model,
    outcome: Outcome,
    lacks: Sequence[HandleResidual],
    held: Sequence[HeldLimit],
    report: SolverReport,
    obstacle: tuple[str, str] | None = None,
) -> str:
    """One sentence: reached, or what stands in the way and by how much."""
    if outcome is Outcome.REACHED:
        return "reached"
    if outcome is Outcome.STUCK:
        if report.pin_error > SHUT:
            return (
                "the pins cannot all be kept (they are missed by "
                f"{_length(report.pin_error * model.size)}): they contradict each other, the loops "
                "or the limits"
            )
        return (
            f"the loops cannot be closed from here (open by {_length(report.gap * model.size)}); "
            "the last closed pose is kept"
        )
    slight = SHUT * model.size
    missing = "; ".join(
        _lack(lack, slight) for lack in lacks if lack.distance > slight or lack.angle > SHUT
    )
    if outcome is Outcome.MOVING:
        return f"still moving: {missing or 'the posture is changing'}"
    if obstacle is not None:
        return f"'{obstacle[0]}' is stopped by '{obstacle[1]}': {missing}"
    if held:
        return f"held by {', '.join(map(str, held))}: {missing}"
    return f"out of reach: {missing}"


def _lack(lack: HandleResidual, slight: float) -> str:
    parts = []
    if lack.distance > slight:
        parts.append(_length(lack.distance))
    if lack.angle > SHUT:
        parts.append(f"{math.degrees(lack.angle):.3g}°")
    return f"'{lack.frame}' is {' and '.join(parts)} away"


def _length(metres: float) -> str:
    if metres >= 10:
        return f"{metres:.4g} m"
    return f"{metres * 1000:.4g} mm" if metres >= 1e-4 else f"{metres * 1e6:.4g} µm"
