"""Hold of motors: rigid parts, dead centres, two motors on one degree of freedom, any size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.reduced.engine import ReducedEngine
from kinegen.dynamics.motors.hold import Hold, refuse_locked
from kinegen.dynamics.tree.loops import loop_equations
from kinegen.dynamics.tree.motion_torques import MotionTorques

# sides of no special lengths: rounding leaves levers of 1e-17 instead of 0
TRIANGLE = """
raff: 1
name: triangle
gravity: [0, -9.81, 0]
joints:
  - {name: S, parent: base, start: 0.3, SHOULDER BAR}
  - {name: A, parent: S, d: 0.3127 m, start: 0.9123, motor: true, BAR}
  - {name: B, parent: S, d: 1.2971 m, start: 1.9, BAR}
  - {name: C, parent: A, d: 0.8713 m, closes: {onto: B, d: 0.9117 m}}
"""
# crank, rod, slider in line: the slider's motor has no hold, but regains it
DEAD_CENTRE = """
raff: 1
name: press
gravity: GRAVITY
joints:
  - {name: crank, parent: base, BAR}
  - {name: rod, parent: crank, d: 0.3, BAR}
  - {name: slider, type: prismatic, parent: base, alpha: 90 deg, gamma: 90 deg, start: 1.3,
     motor: MOTOR, BAR}
  - {name: pin, parent: rod, d: 1, closes: {onto: slider, alpha: -90 deg, theta: -90 deg}}
"""
BAR = "mass: 1, centre: [0.4, 0.1, 0], inertia: [0.01, 0.1, 0.1]"


def triangle(shoulder: str = "") -> kg.Mechanism:
    return kg.load(TRIANGLE.replace("SHOULDER", shoulder).replace("BAR", BAR))


def press(gravity: str = "[0, -9.81, 0]", motor: str = "true") -> kg.Mechanism:
    text = DEAD_CENTRE.replace("GRAVITY", gravity).replace("MOTOR", motor)
    return kg.load(text.replace("BAR", BAR))


@pytest.mark.parametrize("shoulder", ["", "motor: true,"])
def test_a_motor_in_a_rigid_part_is_named(shoulder: str) -> None:
    mechanism = triangle(shoulder)
    locked = "motor 'A' moves nothing in mechanism 'triangle': the loops lock its joint"
    for call in (
        lambda: kg.dynamics.statics(mechanism),
        lambda: kg.dynamics.motor_efforts(mechanism, None, {"S": 1.0}),
        lambda: kg.simulate(mechanism, time=0.01, hold=True),
        lambda: kg.simulate(mechanism, time=0.01, hold=True, modes={"A": "computed"}),
        lambda: kg.simulate(mechanism, time=0.01, targets={"A": 1.0}),
    ):
        with pytest.raises(kg.errors.LoadError, match=locked):
            call()
    assert kg.dynamics.statics(mechanism, motors=["S"]).effort("S") != 0
    assert kg.simulate(mechanism, time=0.01).complete, "without its motors it swings"


def test_a_rigid_mechanism_has_no_motion_to_hold() -> None:
    text = TRIANGLE.replace("start: 0.3, SHOULDER BAR", "type: fixed").replace("BAR", BAR)
    with pytest.raises(kg.errors.LoadError, match="motors 'A', 'B' move nothing"):
        kg.dynamics.statics(kg.load(text), motors=["A", "B"])


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_size_does_not_matter(scale: float) -> None:
    model = kg.load("five-bar").compile()
    equations = loop_equations(model, kg.assemble(model).q)
    # as the same mechanism would be in other units of length
    long = np.abs(equations.T[:, :3]).any(axis=1)
    scaled = replace(
        equations,
        J=np.where(long[:, None], scale, 1.0) * equations.J,
        row_scale=np.where(long, scale, 1.0) * equations.row_scale,
    )
    driven = np.zeros(model.nv, dtype=bool)
    for name in kg.kinematics.inputs_of(model):
        driven[model.joint(name).v] = True
    hold = Hold.of(scaled, driven)
    assert hold.rank == 2 and len(hold.free) == 2 and not hold.idle.any()
    np.testing.assert_allclose(hold.levers, Hold.of(equations, driven).levers, rtol=1e-9)


def test_a_dead_centre_is_no_lock() -> None:
    with pytest.raises(
        kg.errors.LoadError, match=r"\(a dead centre\): its motors have no control of joints"
    ):
        kg.dynamics.statics(press())
    # nothing to hold: no effort is the smallest, any other moves nothing
    found = kg.dynamics.statics(press("[0, 0, 0]"))
    assert not found.efforts.any() and len(found.internal) == 1 and found.loose == 1
    model = press().compile()
    driven = np.zeros(model.nv, dtype=bool)
    driven[model.joint("slider").v] = True
    hold = Hold.of(loop_equations(model, kg.assemble(model).q), driven)
    assert hold.idle.all() and hold.rank == 0
    refuse_locked(model, kg.assemble(model).q, hold)


def test_gains_do_not_follow_from_a_dead_centre() -> None:
    with pytest.raises(
        kg.errors.LoadError, match=r"motor 'slider' .* moves nothing here.*'kp' and 'kd'"
    ):
        kg.simulate(press(), time=0.01, hold=True)
    assert kg.simulate(press(motor="{kp: 1000, kd: 10}"), time=0.05, hold=True).complete
    assert kg.simulate(press(), time=0.05, hold=True, modes={"slider": "torque"}).complete


def test_two_motors_on_one_degree_of_freedom_share() -> None:
    model = kg.dynamics.System.of(kg.load("four-bar"), gravity=(0, -9.81, 0)).model
    names = [joint.name for joint in model.joints if not joint.is_cut]
    found = kg.dynamics.statics(model, motors=names[:2])
    alone = kg.dynamics.statics(model, motors=names[:1])
    assert found.internal.shape == (1, model.nv) and alone.internal.shape == (0, model.nv)
    assert np.linalg.norm(found.efforts) < np.linalg.norm(alone.efforts)
    # the smallest of all that hold: perpendicular to what moves nothing
    assert found.internal[0] @ found.efforts == pytest.approx(0, abs=1e-9)


def test_computed_torques_of_redundant_motors_move_as_wanted() -> None:
    mechanism = kg.load("four-bar")
    names = [joint for joint, one in mechanism.joints.items() if one.closes is None][:2]
    system = kg.dynamics.System.of(mechanism, gravity=(0, -9.81, 0))
    model = system.model
    which = np.zeros(model.nv, dtype=bool)
    for name in names:
        which[model.joint(name).v] = True
    q = kg.assemble(model).q
    v = kg.kinematics.velocities(model, q, {names[0]: 1.0}).v
    wanted = kg.kinematics.accelerations(model, q, v, {names[0]: 2.0}).vdot
    still = np.zeros(model.nv)
    efforts = MotionTorques(system).for_motion(q, v, wanted, which, still)
    engine = ReducedEngine(system, 1e-3)
    engine.reset(q, v)
    rate = engine.accelerations(kg.dynamics.Loads.of(model, efforts=efforts))
    np.testing.assert_allclose(rate[which], wanted[which], atol=1e-8)
    assert np.abs(efforts[which]).min() > 0


@pytest.mark.parametrize(
    ("name", "q", "motor", "offset"),
    [
        ("slider-crank", 0.18, "piston", -1e-6),
        ("slider-crank", -0.18, "piston", 1e-6),
        ("slider-crank", 0.08, "piston", 1e-6),
        # crank and coupler stretched, then folded: 350 mm and 150 mm from pivot to pin
        ("four-bar", np.arctan2(0.24494897427831783, 0.05), "rocker", 1e-3),
        ("four-bar", np.arctan2(0.15, -0.2), "rocker", -1e-3),
    ],
)
def test_a_dead_centre_that_is_asked_for_is_one_though_loops_close_beside_it(
    name: str, q: float, motor: str, offset: float
) -> None:
    # closing leaves 1e-5 rad where the last motion is of second order: 7000 N were given for it
    with pytest.raises(kg.errors.LoadError, match=r"dead centre.*crank"):
        kg.dynamics.statics(kg.load(name), {motor: q}, motors=[motor])
    # some milliradians further, efforts are large but exact
    found = kg.dynamics.statics(kg.load(name), {motor: q + offset}, motors=[motor])
    assert 0.3 < abs(found.effort(motor)[0]) < 30


def test_stretched_distal_bars_of_a_five_bar_are_a_dead_centre() -> None:
    mechanism = kg.load("five-bar")
    mechanism.set_parameter("coupler", "0.22")
    lean = np.arccos(0.8)
    with pytest.raises(kg.errors.LoadError, match="no control of joints B, D"):
        kg.dynamics.statics(mechanism, {"A": np.pi - lean, "E": lean})
    found = kg.dynamics.statics(mechanism, {"A": np.pi - lean - 1e-5, "E": lean + 1e-5})
    assert found.effort("E")[0] == pytest.approx(8.746, rel=1e-3)


def test_a_motor_in_a_dead_centre_is_not_tuned_by_what_lies_beside() -> None:
    model = kg.load("slider-crank").compile()
    q = kg.assemble(model, {"piston": 0.18}, locked=["piston"]).q
    driven = np.zeros(model.nv, dtype=bool)
    driven[model.joint("piston").v] = True
    equations = loop_equations(model, q)
    assert not Hold.of(equations, driven).idle.any()
    assert Hold.at(model, q, equations, driven).idle.all()
