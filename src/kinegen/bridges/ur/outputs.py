"""Outputs: what an arm of Universal Robots reports, by the names of RTDE.

Names, types and meanings: Universal Robots, "Real-Time Data Exchange (RTDE) guide".
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from kinegen.bridges.robot import Robot
from kinegen.dynamics.tree.motion_equations import inverse_dynamics
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.jacobians import jacobian
from kinegen.kinematics.positions import pose

__all__ = ["AXES", "INPUTS", "STRUCT_FORMATS", "UrArm"]

Output: TypeAlias = tuple[str, Callable[[], Any]]
"""The type of a variable, and its value now."""
AXES = 6
STRUCT_FORMATS = {
    "DOUBLE": "d", "UINT64": "Q", "UINT32": "I", "INT32": "i", "UINT8": "B", "BOOL": "?",
    "VECTOR3D": "3d", "VECTOR6D": "6d", "VECTOR6INT32": "6i",
}  # fmt: skip
"""Of each type, for struct; numbers are big-endian."""
IDLE, RUNNING = 5, 7
"""Modes of the robot."""
JOINT_IDLE, JOINT_RUNNING = 255, 253
NORMAL = 1
"""Safety mode."""
PLAYING = 2
"""State of the program."""
SUPPLY = 48.0
"""[V]"""

_REGISTER = re.compile(r"(in|out)put_(bit|int|double)_register_(\d+)")
_REGISTERS = {"bit": (128, "BOOL"), "int": (48, "INT32"), "double": (48, "DOUBLE")}
_BITS = re.compile(r"(in|out)put_bit_registers(0_to_31|32_to_63)")

INPUTS = {
    "speed_slider_mask": "UINT32", "speed_slider_fraction": "DOUBLE",
    "standard_digital_output_mask": "UINT8", "standard_digital_output": "UINT8",
    "configurable_digital_output_mask": "UINT8", "configurable_digital_output": "UINT8",
    "standard_analog_output_mask": "UINT8", "standard_analog_output_type": "UINT8",
    "standard_analog_output_0": "DOUBLE", "standard_analog_output_1": "DOUBLE",
    "external_force_torque": "VECTOR6D",
}  # fmt: skip
"""Types of what a client may write, beside registers."""


class UrArm:
    """A robot with six motors that turn, as RTDE shows it."""

    def __init__(self, robot: Robot) -> None:
        """Of a robot.

        Raises:
            UsageError: It is not like an arm of Universal Robots.
        """
        servos = robot.servos
        turning = [one for one in servos if not one.data.is_slide]
        if len(servos) != AXES or len(turning) != AXES or robot.model.loops:
            raise UsageError(
                "rtde needs an arm with six motors on revolute joints and no loops; "
                f"'{robot.mechanism.name}' has {len(servos)} motors, {len(turning)} of them on "
                f"revolute joints, and {len(robot.model.loops)} loops"
            )
        self.robot, self._servos = robot, servos
        self._places = [robot.model.joint(one.data.joint).v.start for one in servos]
        self._tool = robot.model.site_names[-1]
        self.written: dict[str, Any] = {}
        """What clients wrote."""
        self._outputs = {**self._motion_outputs(), **self._state_outputs()}

    def _motion_outputs(self) -> dict[str, Output]:
        """How the joints and the tool move, and with which forces."""
        robot, servos = self.robot, self._servos
        return {
            "target_q": ("VECTOR6D", lambda: [one.goal for one in servos]),
            "target_qd": ("VECTOR6D", lambda: [one.goal_velocity for one in servos]),
            "target_qdd": ("VECTOR6D", lambda: [0.0] * AXES),
            "target_current": ("VECTOR6D", lambda: [one.current for one in servos]),
            "target_moment": ("VECTOR6D", lambda: [one.effort for one in servos]),
            "actual_q": ("VECTOR6D", lambda: [one.position for one in servos]),
            "actual_qd": ("VECTOR6D", lambda: [one.velocity for one in servos]),
            "actual_current": ("VECTOR6D", lambda: [one.current for one in servos]),
            "actual_current_as_torque": ("VECTOR6D", lambda: [one.effort for one in servos]),
            "actual_current_window": ("VECTOR6D", lambda: [0.0] * AXES),
            "joint_control_output": ("VECTOR6D", lambda: [one.current for one in servos]),
            "actual_TCP_pose": ("VECTOR6D", lambda: self._pose(robot.q)),
            "actual_TCP_speed": ("VECTOR6D", self._speed),
            "actual_TCP_force": ("VECTOR6D", self._force),
            "ft_raw_wrench": ("VECTOR6D", self._force),
            "target_TCP_pose": ("VECTOR6D", self._target_pose),
            "target_TCP_speed": ("VECTOR6D", lambda: [0.0] * AXES),
            "joint_temperatures": ("VECTOR6D", lambda: [one.temperature for one in servos]),
            "actual_tool_accelerometer": ("VECTOR3D", self._felt),
            "elbow_position": ("VECTOR3D", lambda: self._joint_place(2)),
        }

    def _state_outputs(self) -> dict[str, Output]:
        """Time, modes, inputs and outputs, supply, payload."""
        robot, servos = self.robot, self._servos
        return {
            "timestamp": ("DOUBLE", lambda: robot.time),
            "actual_digital_input_bits": ("UINT64", lambda: 0),
            "actual_digital_output_bits": ("UINT64", self._digital),
            "actual_execution_time": ("DOUBLE", lambda: 0.0),
            "robot_mode": ("INT32", lambda: RUNNING if self._is_on() else IDLE),
            "joint_mode": ("VECTOR6INT32", self._joint_modes),
            "safety_mode": ("INT32", lambda: NORMAL),
            "safety_status": ("INT32", lambda: NORMAL),
            "safety_status_bits": ("UINT32", lambda: 1),
            "robot_status_bits": ("UINT32", lambda: 3 if self._is_on() else 0),
            "runtime_state": ("UINT32", lambda: PLAYING if self._is_on() else 1),
            "speed_scaling": ("DOUBLE", lambda: 1.0),
            "target_speed_fraction": ("DOUBLE", self._slider),
            "actual_momentum": ("DOUBLE", lambda: 0.0),
            "actual_main_voltage": ("DOUBLE", lambda: SUPPLY),
            "actual_robot_voltage": ("DOUBLE", lambda: SUPPLY),
            "actual_robot_current": ("DOUBLE", lambda: sum(abs(one.current) for one in servos)),
            "actual_joint_voltage": ("VECTOR6D", lambda: [SUPPLY] * AXES),
            "standard_analog_input0": ("DOUBLE", lambda: 0.0),
            "standard_analog_input1": ("DOUBLE", lambda: 0.0),
            "standard_analog_output0": ("DOUBLE", lambda: self._last("standard_analog_output_0")),
            "standard_analog_output1": ("DOUBLE", lambda: self._last("standard_analog_output_1")),
            "tcp_offset": ("VECTOR6D", lambda: [0.0] * AXES),
            "payload": ("DOUBLE", lambda: 0.0),
            "payload_cog": ("VECTOR3D", lambda: [0.0] * 3),
            "payload_inertia": ("VECTOR6D", lambda: [0.0] * AXES),
            "script_control_line": ("UINT32", lambda: 0),
        }

    def type_of(self, name: str, *, is_input: bool = False) -> str:
        """The type of a variable; ``NOT_FOUND`` where there is none."""
        known = INPUTS if is_input else {key: one[0] for key, one in self._outputs.items()}
        if name in known:
            return known[name]
        if _BITS.fullmatch(name) and (not is_input or name.startswith("in")):
            return "UINT32"
        found = _REGISTER.fullmatch(name)
        if found is None or (is_input and found[1] == "out"):
            return "NOT_FOUND"
        count, kind = _REGISTERS[found[2]]
        return kind if int(found[3]) < count else "NOT_FOUND"

    def pack(self, names: Sequence[str]) -> bytes:
        """The values of some variables, as a data package has them."""
        out = b""
        for name in names:
            kind, value = self._value(name)
            numbers = value if kind.startswith("VECTOR") else [value]
            out += struct.pack(f">{STRUCT_FORMATS[kind]}", *numbers)
        return out

    def _value(self, name: str) -> tuple[str, Any]:
        if name in self._outputs:
            kind, get = self._outputs[name]
            return kind, get()
        kind = self.type_of(name)
        zero: Any = {"DOUBLE": 0.0, "BOOL": False}.get(kind, 0)
        return kind, self.written.get(name, zero)

    # What is derived

    def _is_on(self) -> bool:
        return all(one.on for one in self._servos)

    def _joint_modes(self) -> list[int]:
        return [JOINT_RUNNING if one.on else JOINT_IDLE for one in self._servos]

    def _pose(self, q: Floats) -> list[float]:
        """Position [m] and rotation vector [rad] of the tool in the base."""
        X = pose(self.robot.model, q, self._tool)
        return [*X.translation.tolist(), *X.so3.log().tolist()]

    def _target_pose(self) -> list[float]:
        q = self.robot.q.copy()
        for one in self._servos:
            q[one.data.index] = one.goal
        return self._pose(q)

    def _jacobian(self) -> Floats:
        return jacobian(self.robot.model, self.robot.q, self._tool)

    def _speed(self) -> list[float]:
        speed: list[float] = (self._jacobian() @ self.robot.v).tolist()
        return speed

    def _force(self) -> list[float]:
        """What the world exerts on the tool [N, N m], from the motors' torques, as URs estimate it.

        Torques that gravity and speed explain are taken off; accelerations are not known.
        """
        robot = self.robot
        known = inverse_dynamics(robot.model, robot.q, robot.v, np.zeros(robot.model.nv))
        wrench = np.linalg.lstsq(self._jacobian().T, known - robot.efforts, rcond=1e-3)[0]
        return [float(one) for one in wrench]

    def _felt(self) -> list[float]:
        """Of a tool that is not accelerated: gravity, in its axes [m/s²]."""
        R = pose(self.robot.model, self.robot.q, self._tool).rotation
        return [float(one) for one in -R.T @ self.robot.model.gravity]

    def _joint_place(self, k: int) -> list[float]:
        name = self.robot.model.link_names[self.robot.model.joint(self._servos[k].data.joint).child]
        found: list[float] = pose(self.robot.model, self.robot.q, name).translation.tolist()
        return found

    # What clients write

    def write(self, name: str, value: Any) -> None:
        """An input of a client."""
        self.written[name] = value

    def _last(self, name: str) -> float:
        return float(self.written.get(name, 0.0))

    def _slider(self) -> float:
        used = self.written.get("speed_slider_mask", 0)
        return float(self.written.get("speed_slider_fraction", 1.0)) if used else 1.0

    def _digital(self) -> int:
        """Eight standard and eight configurable outputs."""
        found = 0
        for shift, word in ((0, "standard"), (8, "configurable")):
            mask = int(self.written.get(f"{word}_digital_output_mask", 0))
            found |= (int(self.written.get(f"{word}_digital_output", 0)) & mask) << shift
        return found
