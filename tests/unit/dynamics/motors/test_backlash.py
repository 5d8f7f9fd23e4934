"""BacklashRotors between a motor and its joint."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.motors.backlash import GEAR_SHARE, BacklashRotors, BacklashServo
from kinegen.dynamics.motors.motor import Motors
from tests.support.contacts.touching import turntable

pytestmark = pytest.mark.slow


def backlash() -> BacklashRotors:
    system = kg.dynamics.System.of(turntable("{gear: 10, inertia: 0.0002}", backlash=0.02))
    made = BacklashRotors.of(Motors.of(system, system.model.start()), 1e-3)
    assert made is not None
    made.reset(np.zeros(1))
    return made


def given(effort: float) -> BacklashServo:
    """A motor that gives an effort whatever its rotor does."""
    one, none = np.array([effort]), np.zeros(1)
    return BacklashServo(one, none, none, one, one)


def test_nothing_reaches_the_joint_within_the_play() -> None:
    made = backlash()
    push, still = given(0.01), np.zeros(1)
    while made.angle[0] < 0.0099:
        assert made.through(push, still, still)[0] == 0
    assert made.rotor[0] == pytest.approx((1 - GEAR_SHARE) * 0.02)


def test_at_a_flank_all_of_it_reaches_the_joint() -> None:
    made = backlash()
    push, still = given(0.5), np.zeros(1)
    for _ in range(2000):
        effort = made.through(push, still, still)[0]
        assert effort >= 0  # teeth never pull
    assert effort == pytest.approx(0.5, rel=1e-6)
    assert made.angle[0] == pytest.approx(0.01 + 0.5 / made.stiffness[0], rel=1e-9)


def test_without_backlash_there_is_no_play() -> None:
    system = kg.dynamics.System.of(turntable())
    assert BacklashRotors.of(Motors.of(system, system.model.start()), 1e-3) is None


STEP = 2e-3


def swing(backlash: float, mode: str = "torque", *, integral: bool = True) -> np.ndarray:
    """The joint's angle for 2 s after a kick, all poles of its servo at 20 rad/s.

    In torque mode the servo is written here and sees the joint; in position mode it is the
    motor's own, which sees the rotor.
    """
    keys: dict[str, object] = {"backlash": backlash} if backlash else {}
    if mode == "position":
        keys["friction"] = "{coulomb: 0.01}"  # else the joint drifts from flank to flank
    motor = f"{{gear: 10, inertia: 0.0002, mode: {mode}}}"
    pole, inertia, wound = 20.0, 0.12, 0.0

    def law(time: float) -> dict[str, float]:
        nonlocal wound
        error, speed = -float(simulation.engine.q[0]), float(simulation.engine.v[0])
        wound += STEP * error if integral else 0.0
        push = 3 * pole**2 * error + pole**3 * wound - 3 * pole * speed
        return {"A": inertia * push}

    targets = law if mode == "torque" else {"A": 0.0}
    simulation = kg.Simulation(turntable(motor, **keys), step=STEP, targets=targets, v={"A": 0.5})
    angles = []
    for _ in range(1000):
        simulation.advance(STEP)
        angles.append(float(simulation.engine.q[0]))
    return np.array(angles)


def cycle(angles: np.ndarray) -> tuple[float, float]:
    """Span and period of the last 0.6 s."""
    tail = angles[-300:] - angles[-300:].mean()
    (up,) = np.nonzero(np.diff(np.sign(tail)) > 0)
    return float(np.ptp(tail)), float(np.diff(up).mean() * STEP) if len(up) > 2 else np.inf


@pytest.mark.parametrize("integral", [True, False])
def test_a_servo_that_sees_the_joint_cycles_in_the_play(integral: bool) -> None:
    angles = swing(0.02, integral=integral)
    span, period = cycle(angles)
    assert 0.1 * 0.02 < span < 0.02
    # it continues: as wide as before
    assert span == pytest.approx(np.ptp(angles[-600:-300]), rel=0.05)
    # nothing else gives it a size, so the cycle scales with the backlash and keeps its time
    half, same = cycle(swing(0.01, integral=integral))
    assert half == pytest.approx(span / 2, rel=0.05)
    assert same == pytest.approx(period, rel=0.05)


def test_without_play_or_from_the_rotor_s_angle_there_is_no_cycle() -> None:
    assert cycle(swing(0.0))[0] < 1e-9
    angles = swing(0.02, "position")
    assert np.abs(angles[-1]) < 0.02
    assert np.ptp(angles[-300:]) < 1e-6


def test_a_system_keeps_its_rotors_for_other_simulations() -> None:
    system = kg.dynamics.System.of(turntable("{gear: 50, inertia: 2e-3}", backlash=0.02))
    held = kg.Simulation(system, hold=True)
    # the rotor moves by itself; gears behind the backlash turn with the joint
    assert kg.dynamics.mass_matrix(held.model)[0, 0] == pytest.approx(
        0.1 + GEAR_SHARE * 2500 * 2e-3
    )
    assert kg.dynamics.mass_matrix(system.model)[0, 0] == pytest.approx(0.1 + 2500 * 2e-3)
    free = kg.Simulation(system, v={"A": 1.0})
    assert free.system is system and free.report.kinetic == pytest.approx(0.5 * 5.1)


def test_backlash_in_every_joint_of_a_light_arm_is_stable() -> None:
    """Six STS3215 with their 0.5 deg: each link is far lighter than with its neighbours held."""
    targets = {"shoulder_lift": 0.3, "elbow_flex": -0.2, "wrist_flex": 0.5, "wrist_roll": 1.0}
    run = kg.Simulation(kg.load("so101"), targets=targets)
    assert run.servos is not None and run.servos.backlash is not None
    assert len(run.servos.backlash.index) == 6 and run.servos.backlash.stiffness.min() > 500
    run.advance(1.5)
    assert run.reason == ""
    assert np.abs(run.last.v).max() < 1e-3  # friction brings it to rest within the clearance
    for joint, target in targets.items():
        assert float(run.last.q[run.model.joint(joint).q][0]) == pytest.approx(target, abs=0.06)


@pytest.mark.parametrize("rotor", [1e-7, 1e-5, 2e-3])
def test_a_reversed_joint_lags_by_the_gap_whatever_its_rotor(rotor: float) -> None:
    """Friction stops the joint at the flank that pushed it: there and back differ by the gap."""
    motor = f"{{gear: 10, inertia: {rotor}, kp: 200, kd: 8}}"
    friction = "{coulomb: 0.01, viscous: 8}"
    simulation = kg.Simulation(
        turntable(motor, backlash=0.02, friction=friction), targets={"A": 0.5}
    )
    simulation.advance(1.5)
    there = float(simulation.engine.q[0])
    assert simulation.servos is not None
    simulation.servos.set_targets({"A": 1.0})
    simulation.advance(1.5)
    simulation.servos.set_targets({"A": 0.5})
    simulation.advance(1.5)
    assert simulation.reason == "" and abs(simulation.engine.v[0]) < 1e-6
    # pushed from below, then from above
    assert there == pytest.approx(0.49, abs=1e-3)
    assert float(simulation.engine.q[0]) == pytest.approx(0.51, abs=1e-3)


@pytest.mark.parametrize("rotor", [1e-8, 1e-5, 2e-3])
def test_teeth_bring_no_energy(rotor: float) -> None:
    """A joint that is thrown against the teeth of an idle motor only loses energy."""
    mechanism = turntable(f"{{gear: 10, inertia: {rotor}, mode: torque}}", backlash=0.02)
    simulation = kg.Simulation(mechanism, targets={"A": 0.0}, v={"A": 2.0})
    servos = simulation.servos
    assert servos is not None and servos.backlash is not None
    joint = kg.dynamics.mass_matrix(simulation.model)[0, 0]
    energy = [0.5 * joint * 2.0**2]
    for _ in range(300):
        simulation.advance(1e-3)
        speed = float(servos.backlash.speed[0])
        kinetic = 0.5 * joint * float(simulation.engine.v[0]) ** 2
        kinetic += 0.5 * float(servos.backlash.rotor[0]) * speed**2
        depth = max(0.0, abs(servos.backlash.angle[0] - simulation.engine.q[0]) - 0.01)
        energy.append(kinetic + 0.5 * float(servos.backlash.stiffness[0]) * depth**2)
    assert np.diff(energy).max() < 1e-6 * energy[0]
    # at the end they turn together, with the momentum of the start
    together = joint * 2.0 / (joint + float(servos.backlash.rotor[0]))
    assert simulation.engine.v[0] == pytest.approx(together, rel=1e-2)
