"""Calibration: offsets and directions of real servos, found while a hand moves the joints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kinegen.bridges.servos.wiring import Shaft
from kinegen.errors import UsageError
from kinegen.mechanism.editing.structure import set_values
from kinegen.mechanism.graph import Mechanism
from kinegen.results import Result

__all__ = ["ServoZero", "find_zero", "write_fits", "write_zeros"]

LEAST = math.radians(5)
"""Least turn of a shaft by which a hand shows a direction [rad]."""


@dataclass(frozen=True, slots=True)
class ServoZero(Result):
    """Offset and direction of a servo on its joint."""

    joint: str
    offset: float
    """Value of the joint in the middle of the servo [rad, m]."""
    direction: int
    """1 or -1."""


def find_zero(shaft: Shaft, at_known: float, known: float, moved: float) -> ServoZero:
    """Offset and direction of a servo, from two poses of its joint.

    Args:
        shaft: The servo's shaft as the file gives it, with which positions were measured.
        at_known: Measured position at a pose whose value is known [rad, m].
        known: That value [rad, m].
        moved: Measured position after the joint was moved towards larger values [rad, m].

    Raises:
        UsageError: The joint was not moved far enough.
    """
    first, second = shaft.to_angle(at_known), shaft.to_angle(moved)
    turn = second - first
    if abs(turn) < LEAST:
        raise UsageError(
            f"'{shaft.data.name}' has turned its servo by {math.degrees(turn):.1f}° only: move it "
            f"by at least {math.degrees(LEAST):.0f}°"
        )
    direction = 1 if turn > 0 else -1
    return ServoZero(shaft.data.joint, known - first / (direction * abs(shaft.per_unit)), direction)


def write_zeros(mechanism: Mechanism, found: Sequence[ServoZero]) -> None:
    """Write offsets and directions into the text of a mechanism, keeping its comments.

    Raises:
        UsageError: A joint has several motors.
    """
    for one in found:
        _write_motor(
            mechanism, one.joint, {"offset": round(one.offset, 5), "direction": one.direction}
        )


def write_fits(mechanism: Mechanism, values: Mapping[str, Mapping[str, Any]]) -> None:
    """Write backlash and friction by joint into the text of a mechanism; comments stay."""
    rows = [(name, key, value) for name, keys in values.items() for key, value in keys.items()]
    set_values(mechanism, rows)


def _write_motor(mechanism: Mechanism, name: str, keys: Mapping[str, Any]) -> None:
    joint = mechanism.joints[name]
    if len(joint.motors) != 1:
        raise UsageError(
            f"joint '{name}' has {len(joint.motors)} motors: write their offsets by hand"
        )
    if joint.motors[0]:
        set_values(mechanism, [(name, f"motor.{key}", value) for key, value in keys.items()])
    else:  # motor: true
        set_values(mechanism, [(name, "motor", dict(keys))])
