"""Servos as the kernels take them, where their laws are those of the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinegen.dynamics.motors.motor import Mode
from kinegen.kernels import Floats, Ints, ServoArrays, ServoMode, ServoRow

if TYPE_CHECKING:
    from kinegen.dynamics.motors.servos import Servos

__all__ = ["servo_arrays"]

_INSIDE = {
    Mode.POSITION: ServoMode.POSITION,
    Mode.VELOCITY: ServoMode.VELOCITY,
    Mode.TORQUE: ServoMode.TORQUE,
}
"""Modes of servos that the kernels know."""


def servo_arrays(servos: Servos) -> ServoArrays | None:
    """The motors as they are set now, with the servos' own state and room for targets.

    None where the kernels lack a law: computed torque, controllers and actuators of plug-ins,
    motors at cut joints.
    """
    model, motors = servos.model, servos.motors
    cut = np.zeros(model.nv, dtype=bool)
    for joint in model.joints:
        cut[joint.v] = joint.is_cut
    pairs = list(zip(motors.modes, servos.on, strict=True))
    if servos.laws or (motors.driven & cut).any():
        return None
    if any(on and mode not in _INSIDE for mode, on in pairs):
        return None
    modes: Ints = np.array(
        [_INSIDE[mode] if on else ServoMode.NONE for mode, on in pairs], np.int32
    )
    targets = np.zeros(model.nq + 2 * model.nv)
    return ServoArrays(bool(servos.is_stiff), modes, _numbers(servos), targets, servos.state)


def _numbers(servos: Servos) -> Floats:
    """Of the motors, by :class:`ServoRow`, (rows, nv)."""
    motors, rows = servos.motors, np.zeros((len(ServoRow), servos.model.nv))
    named = {
        ServoRow.KP: motors.kp, ServoRow.KD: motors.kd, ServoRow.SPEED: motors.speed,
        ServoRow.EFFORT: motors.effort, ServoRow.STALL: motors.stall,
        ServoRow.NO_LOAD: motors.no_load, ServoRow.INERTIA: motors.inertia,
        **servos.heat.arrays(),
    }  # fmt: skip
    for row, numbers in named.items():
        rows[row] = numbers
    if servos.backlash is not None:
        index = servos.backlash.index
        rows[ServoRow.HALF, index] = servos.backlash.half
        rows[ServoRow.ROTOR, index] = servos.backlash.rotor
        rows[ServoRow.FLANK_STIFFNESS, index] = servos.backlash.stiffness
        rows[ServoRow.FLANK_DAMPING, index] = servos.backlash.damping
    return rows
