"""Motors: what they can give, and their gains."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.motors.motor import BANDWIDTH, Mode, Motors, motor_mobility, motor_modes
from tests.support.contacts.touching import turntable

OMEGA = 2 * math.pi * BANDWIDTH


def motors(mechanism: kg.Mechanism) -> Motors:
    system = kg.dynamics.System.of(mechanism)
    return Motors.of(
        system, kg.assemble(system.model).q if system.model.loops else system.model.start()
    )


def test_gains_follow_from_inertia_where_the_file_gives_none() -> None:
    made = motors(turntable())
    assert made.inertia[0] == pytest.approx(0.1)
    assert made.kp[0] == pytest.approx(OMEGA**2 * 0.1)
    assert made.kd[0] == pytest.approx(2 * OMEGA * 0.1)


def test_one_gain_gives_the_other_critically_damped() -> None:
    stiff, damped = motors(turntable("{kp: 40}")), motors(turntable("{kd: 4}"))
    assert stiff.kd[0] == pytest.approx(2 * math.sqrt(40 * 0.1))
    assert damped.kp[0] == pytest.approx(4**2 / (4 * 0.1))


def test_rotors_count_by_the_square_of_the_gear() -> None:
    made = motors(turntable("{gear: 10, inertia: 0.002}"))
    assert made.rotor[0] == pytest.approx(0.2)
    assert made.inertia[0] == pytest.approx(0.3)


def test_the_inertia_of_a_loop_is_what_a_crank_moves_while_the_other_is_held() -> None:
    model = kg.load("five-bar").compile()
    q = kg.assemble(model).q
    driven = np.array([joint.has_motor for joint in model.joints])
    mobility = motor_mobility(model, q, driven)
    made = motors(kg.load("five-bar"))
    for crank, other in (("A", "E"), ("E", "A")):
        state = kg.kinematics.velocities(model, q, {crank: 1.0, other: 0.0})
        kinetic = kg.dynamics.energy(model, q, state.v).kinetic
        i = model.joint(crank).v.start
        assert made.inertia[i] == pytest.approx(2 * kinetic, rel=1e-9)
    assert mobility.shape == (2, 2)


def test_effort_falls_with_speed_along_the_motors_curve() -> None:
    made = motors(turntable("{stall: 2, no_load: 10}"))
    for speed, low, high in ((0, -2, 2), (5, -3, 1), (10, -4, 0), (-5, -1, 3)):
        found = made.span(np.array([float(speed)]))
        assert (found[0][0], found[1][0]) == pytest.approx((low, high))


def test_a_torque_limit_cuts_the_curve() -> None:
    made = motors(turntable("{torque: 1.5, stall: 2, no_load: 10}"))
    low, high = made.span(np.array([5.0]))
    assert (low[0], high[0]) == pytest.approx((-1.5, 1.0))


def test_a_curve_needs_its_stall_torque() -> None:
    with pytest.raises(kg.errors.KinegenError, match="no_load needs 'stall'"):
        turntable("{no_load: 10}")
    changed = turntable("{stall: 2, no_load: 10}")
    (motor,) = changed.joints["A"].motors
    assert motor is not None
    changed.joints["A"].motors = ({"no_load": motor["no_load"]},)
    with pytest.raises(kg.errors.KinegenError, match="joint 'A' has 'no_load' but no 'stall'"):
        motors(changed)


def test_stable_steps_are_where_held_efforts_begin_to_diverge() -> None:
    for gains in ("{kp: 40, kd: 1.2}", "{kp: 4000, kd: 2}"):
        made = motors(turntable(gains))
        for factor, grows in ((0.98, False), (1.02, True)):
            h, x, v = factor * made.stable_step, 1.0, 0.0
            for _ in range(2000):
                a = -(made.kp[0] * x + made.kd[0] * v) / 0.1
                x, v = x + h * v + h * h / 2 * a, v + h * a
                if abs(x) > 1e6:
                    break
            assert (abs(x) > 1) == grows


def test_modes_are_those_of_the_file_or_given() -> None:
    system = kg.dynamics.System.of(kg.load("cart"))
    wheel = system.model.joint("wheel_rear_left").v.start
    assert motor_modes(system)[wheel] is Mode.VELOCITY
    assert motor_modes(system, {"wheel_rear_left": "torque"})[wheel] is Mode.TORQUE
    with pytest.raises(kg.errors.KinegenError, match="position, velocity, torque, computed"):
        motor_modes(system, {"wheel_rear_left": "fast"})
