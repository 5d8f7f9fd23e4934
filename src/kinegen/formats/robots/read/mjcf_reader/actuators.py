"""Actuators of an MJCF file: motors of joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinegen.formats.robots.read.robot import MotionKind, RobotJoint

if TYPE_CHECKING:
    from kinegen.formats.robots.read.mjcf_reader.model import MjcfModel

__all__ = ["read_actuators"]

_AT_JOINT = (0, 1)
"""Transmissions to joints, as MuJoCo numbers them."""
_FIXED_GAIN, _NO_DYNAMICS = 0, 0


def read_actuators(found: MjcfModel) -> None:
    """Give motors to the joints of a robot; actuators that are no such are listed."""
    model, robot = found.model, found.robot
    driven: dict[str, str] = {}
    for i in range(model.nu):
        at = found.place("actuator", i)
        name = model.actuator(i).name or f"actuator{i + 1}"
        if int(model.actuator_trntype[i]) not in _AT_JOINT:
            robot.leave_out(at, f"actuator '{name}', which does not drive a joint")
            continue
        joint = robot.joints[found.joint_names[int(model.actuator_trnid[i, 0])]]
        if joint.kind not in {MotionKind.HINGE, MotionKind.SLIDER}:
            robot.leave_out(at, f"actuator '{name}' of a joint with several variables")
        elif int(model.actuator_gaintype[i]) != _FIXED_GAIN:
            robot.leave_out(at, f"actuator '{name}', whose gain is not constant")
        elif joint.name in driven:
            first = driven[joint.name]
            robot.leave_out(at, f"actuator '{name}': '{first}' drives joint '{joint.name}' already")
        else:
            driven[joint.name] = name
            _motor(found, i, joint)
            if int(model.actuator_dyntype[i]) != _NO_DYNAMICS:
                robot.leave_out(at, f"the activation dynamics of actuator '{name}'")


def _motor(found: MjcfModel, i: int, joint: RobotJoint) -> None:
    """Effort and servo of a joint's motor."""
    model = found.model
    gear = abs(float(model.actuator_gear[i, 0]))
    gain, bias = model.actuator_gainprm[i], model.actuator_biasprm[i]
    joint.has_motor = True
    efforts = [joint.effort] if joint.effort is not None else []
    if model.actuator_forcelimited[i]:
        efforts.append(float(np.abs(model.actuator_forcerange[i]).max()) * gear)
    elif model.actuator_ctrllimited[i] and not bias.any():
        most = float(np.abs(model.actuator_ctrlrange[i]).max())
        efforts.append(most * abs(float(gain[0])) * gear)
    joint.effort = min(efforts, default=0.0) or None
    if bias[1] < 0:
        joint.servo = (-float(bias[1]) * gear**2, -float(bias[2]) * gear**2)
    elif bias[2] < 0:
        joint.servo, joint.mode = (0.0, -float(bias[2]) * gear**2), "velocity"
