"""What an arm of Universal Robots reports, derived from the robot's state."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import kinegen as kg
from kinegen.bridges.process.layout import CLOCK
from kinegen.bridges.process.physics import local_robot
from kinegen.bridges.ur.outputs import UrArm
from kinegen.errors import UsageError
from kinegen.spatial.rotation import SO3


@pytest.fixture
def arm() -> UrArm:
    return UrArm(local_robot(kg.load("ur5e"), step=2e-3, hold=True))


def values(arm: UrArm, name: str) -> list[float]:
    return list(struct.unpack(">6d", arm.pack([name])))


def test_the_tool_is_where_the_joints_put_it(arm: UrArm) -> None:
    arm.robot.advance(0.1)
    X = kg.pose(arm.robot.model, arm.robot.q, "tool")
    found = values(arm, "actual_TCP_pose")
    assert found[:3] == pytest.approx(X.translation)
    assert SO3.exp(found[3:]).is_close(X.so3)
    assert values(arm, "actual_q") == pytest.approx(arm.robot.q)


def test_speeds_are_slopes_of_places(arm: UrArm) -> None:
    servo = arm.robot.servos[1]
    servo.goal += 0.5
    arm.robot.advance(0.1)
    before = values(arm, "actual_TCP_pose")
    arm.robot.advance(0.002)
    speed = values(arm, "actual_TCP_speed")
    arm.robot.advance(0.002)
    slope = (np.array(values(arm, "actual_TCP_pose")) - before) / 0.004
    assert np.linalg.norm(speed[:3]) > 0.05
    assert speed[:3] == pytest.approx(slope[:3], abs=0.02)


def test_a_force_on_the_tool_is_found_from_the_torques(arm: UrArm) -> None:
    robot = arm.robot
    robot.state = robot.state.copy()
    start = CLOCK + robot.model.nq
    robot.state[start : start + robot.model.nv] = 0.0
    rest = kg.dynamics.inverse_dynamics(robot.model, robot.q, np.zeros(6), np.zeros(6))
    pull = np.array([3.0, -2.0, -20.0, 0.1, 0.2, -0.3])
    # motors hold against what pulls at the tool
    efforts = rest - kg.jacobian(robot.model, robot.q, "tool").T @ pull
    robot.state[start + robot.model.nv : start + 2 * robot.model.nv] = efforts
    assert values(arm, "actual_TCP_force") == pytest.approx(pull)


def test_types_and_registers(arm: UrArm) -> None:
    assert arm.type_of("actual_q") == "VECTOR6D"
    assert arm.type_of("output_int_register_47") == "INT32"
    assert arm.type_of("output_int_register_48") == "NOT_FOUND"
    assert arm.type_of("output_double_register_1", is_input=True) == "NOT_FOUND"
    assert arm.type_of("input_bit_register_127", is_input=True) == "BOOL"
    arm.write("standard_digital_output_mask", 0b11)
    arm.write("standard_digital_output", 0b110)
    arm.write("input_double_register_3", 2.5)
    found = struct.unpack(
        ">Qd", arm.pack(["actual_digital_output_bits", "input_double_register_3"])
    )
    assert found == (0b10, 2.5)
    every = [name for name in arm._outputs if arm.type_of(name) != "NOT_FOUND"]
    assert len(arm.pack(every)) > 1000


def test_other_robots_are_refused() -> None:
    for name, words in (("stewart", "0 of them on revolute joints"), ("franka", "has 7 motors")):
        with pytest.raises(UsageError, match=words):
            UrArm(local_robot(kg.load(name)))
