"""ServoTable: what the file says of every servo of a mechanism, simulated or real."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from kinegen.bridges.process.layout import ServoData
from kinegen.errors import UsageError
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint

__all__ = ["RATED", "servo_table"]

RATED = (1.9, 100.0)
"""Effort that counts as full load where the file gives none [N m, N]: a common hobby servo."""


def servo_table(mechanism: Mechanism, model: Model) -> tuple[ServoData, ...]:
    """All motors in the order of the file; those of joints that turn freely have no servo.

    Raises:
        UsageError: There are none.
    """
    found = []
    for name, row in mechanism.joints.items():
        joint = model.joint(name)
        if joint.has_motor and not joint.type.info.has_quaternion:
            found += [
                _data(model, joint, k, motor)
                for k, motor in enumerate(row.motors)
                if motor is not None
            ]
    if not found:
        raise UsageError(
            f"mechanism '{mechanism.name}' has no motors that a protocol can command; add "
            "'motor: true' or motor data to a joint"
        )
    return tuple(found)


def _data(model: Model, joint: ModelJoint, k: int, motor: Mapping[str, Any]) -> ServoData:
    (name, quantity), parts = joint.type.info.variables[k], joint.type.info.nv
    values, v = dict(model.parameters), joint.v.start + k
    effort = float(model.blocks.real_part("effort")[v])
    speed = float(model.blocks.real_part("speed")[v])
    curve = {
        key: float(motor[key].evaluate(values)) for key in ("stall", "no_load") if key in motor
    }
    largest = min(effort, curve.get("stall", math.inf))
    is_slide = quantity == "length"
    return ServoData(
        joint.name if parts == 1 else f"{joint.name}.{name}",
        joint.name, joint.q.start + k, is_slide,
        float(model.lower[v]), float(model.upper[v]),
        largest if math.isfinite(largest) else RATED[is_slide],
        min(speed, curve.get("no_load", math.inf)),
    )  # fmt: skip
