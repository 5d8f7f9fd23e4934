"""The robot as protocols see it: servos, sensors, pictures, one step at a time."""

from __future__ import annotations

import math

import pytest

import kinegen as kg
from kinegen.bridges.process.physics import local_robot
from kinegen.errors import KinegenError, UsageError
from tests.support.bridged import arm

SEEING = """
raff: 1
name: seeing
world: {step: 2 ms}
joints:
  - {name: turn, parent: base, mass: 1, start: 0.1, motor: {torque: 5}}
  - {name: slide, type: cylindrical, parent: turn, d: 0.2, mass: 0.5, motor: [{}, {force: 20}]}
objects: [{name: wall, shape: {box: [0.1, 4, 4]}, at: {xyz: [2, 0, 0]}, fixed: true}]
sensors:
  - {name: ahead, type: distance, parent: base, at: {xyz: [1, 0, 0.5]}}
  - {name: eye, type: camera, parent: base, at: {xyz: [1, 0, 0.5]}, pixels: [8, 6], rate: 50,
     images: [color, depth]}
"""


def test_servos_of_joints_with_several_variables() -> None:
    robot = local_robot(kg.load(SEEING.partition("objects:")[0]))
    assert [one.name for one in robot.servos] == ["turn", "slide.theta", "slide.r"]
    servo = robot.servo("slide.r")
    assert servo.data.is_slide
    servo.on = True
    servo.goal = 0.05
    robot.advance(1.0)
    assert servo.position == pytest.approx(0.05, abs=0.02)
    assert robot.q[servo.data.index] == servo.position
    with pytest.raises(KinegenError, match="'turn'"):
        robot.servo("trun")


def test_sensors_and_pictures_belong_to_a_time() -> None:
    pytest.importorskip("mujoco", reason="pictures are drawn by MuJoCo")
    robot = local_robot(kg.load(SEEING))
    assert robot.signals == ("ahead.distance",)
    assert [one.shape for one in robot.pictures] == [(6, 8, 3), (6, 8)]
    assert robot.picture("eye.color") is None
    robot.advance(0.05)
    assert robot.signal("ahead.distance") == (pytest.approx(0.048), pytest.approx(0.95))
    found = robot.picture("eye.depth")
    assert found is not None
    taken, depths = found
    assert taken == pytest.approx(0.04)
    assert depths[3, 4] == pytest.approx(0.95, rel=1e-3)
    with pytest.raises(KinegenError, match=r"eye\.depth"):
        robot.picture("eye.deph")


def test_commands_together_take_effect_in_one_step() -> None:
    robot = local_robot(arm(), step=2e-3)
    for servo in robot.servos:
        servo.on = True
        servo.goal = servo.position - 0.2
    assert [one.load for one in robot.servos] == [0, 0]
    robot.advance(0.002)
    assert all(one.load < 0 for one in robot.servos)
    assert robot.tick == 1


def test_a_velocity_is_kept_against_the_weight_and_does_not_wind_up() -> None:
    robot = local_robot(arm(), step=2e-3)
    lift = robot.servo("lift")
    lift.mode = "velocity"
    lift.on = True
    lift.goal_velocity = 1.0
    robot.advance(0.5)
    assert lift.velocity == pytest.approx(1.0, abs=0.05)
    robot.advance(2.0)  # at its stop by now
    assert lift.position == pytest.approx(math.radians(100), abs=0.02)
    lift.goal_velocity = -1.0
    robot.advance(0.5)
    assert lift.velocity == pytest.approx(-1.0, abs=0.05)


def test_time_that_runs_by_itself_is_not_advanced() -> None:
    robot = local_robot(arm())
    with pytest.raises(UsageError, match="seconds"):
        robot.advance(math.nan)
    robot.clock = "wall"
    with pytest.raises(UsageError, match="--clock client"):
        robot.advance(0.1)
