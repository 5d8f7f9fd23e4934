"""Couplings under forces: closed forms, independent engines, and Pinocchio's mimic joints."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.engine import Loads
from kinegen.dynamics.engines.registry import make_engine
from kinegen.kernels import reference
from kinegen.kernels.backend import name as backend_name
from kinegen.kinematics import loop_residual

ENGINES = ("reduced", "mujoco", "impulse")
TOLERANCE = {"reduced": 1e-12, "mujoco": 1e-6, "impulse": 2e-6}
"""Of reduced, rounding over 500 steps; MuJoCo's equations are as stiff as its step allows, and rows
of impulse give way by 1e-6 of their masses."""

PAIR = """raff: 1
name: pair
gravity: [0, 0, 0]
joints:
  - {name: a, parent: base, mass: 1, inertia: [1, 1, 0.02]}
  - {name: b, parent: base, d: 60 mm, mass: 1, inertia: [1, 1, 0.3]}
couplings: [{name: mesh, gears: [a, b], teeth: [20, 40]}]
"""
RACK = """raff: 1
name: hoist
joints:
  - {name: drum, parent: base, alpha: 90 deg, mass: 1, inertia: [1, 1, 0.002]}
  - {name: load, type: prismatic, parent: base, mass: 2, inertia: [1, 1, 1]}
couplings: [{name: line, rack: load, pinion: drum, radius: 20 mm}]
"""
CAM = """raff: 1
name: cam
gravity: [0, 0, 0]
joints:
  - {name: shaft, parent: base, mass: 1, inertia: [1, 1, 1000]}
  - {name: lift, type: prismatic, parent: base, mass: 2, inertia: [1, 1, 1]}
couplings: [{name: lobe, cam: shaft, follower: lift, profile: 10 mm * (1 - cos(x))}]
"""


def engine(text: str, name: str, **options: object) -> kg.dynamics.Engine:
    if name == "mujoco":
        pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    return make_engine(kg.dynamics.System.of(kg.load(text)), name, 1e-3, **options)


@pytest.mark.parametrize("name", ENGINES)
def test_a_geared_pair_has_the_inertia_of_both(name: str) -> None:
    made = engine(PAIR, name)
    report = made.advance(Loads.of(made.model, efforts=[0.5, 0.0]), 500)
    inertia = 0.02 + 0.3 * 0.5**2
    assert made.q[0] == pytest.approx(0.5 * 0.5 / inertia * 0.5**2, rel=TOLERANCE[name])
    assert made.q[0] + 2 * made.q[1] == pytest.approx(0, abs=TOLERANCE[name])
    assert report.kinetic == pytest.approx(0.5 * made.q[0], rel=TOLERANCE[name])


@pytest.mark.parametrize("name", ENGINES)
def test_a_falling_rack_turns_its_pinion(name: str) -> None:
    made = engine(RACK, name)
    made.advance(None, 500)
    fall = -9.81 * 2 / (2 + 0.002 / 0.02**2)
    assert made.q[1] == pytest.approx(0.5 * fall * 0.5**2, rel=TOLERANCE[name])
    assert made.q[1] == pytest.approx(0.02 * made.q[0], abs=TOLERANCE[name])


@pytest.mark.parametrize(("name", "tolerance"), [("mujoco", 1e-6), ("impulse", 1e-6)])
def test_a_cam_moves_alike_in_all_engines(name: str, tolerance: float) -> None:
    """Seven turns of a cam that its follower slows down and speeds up."""
    text = CAM.replace("1000", "1.5").replace("10 mm * (1 - cos(x))", "0.4 * sin(x)")
    ends = []
    for one in ("reduced", name):
        made = make_engine(kg.dynamics.System.of(kg.load(text)), one, 5e-4)
        made.reset(None, np.array([6.0, 2.4]))
        report = made.advance(None, 2000)
        assert made.q[1] == pytest.approx(0.4 * math.sin(made.q[0]), abs=tolerance)
        ends.append(made.q)
    assert report.gap < tolerance
    np.testing.assert_allclose(*ends, atol=10 * tolerance)


def test_a_pickled_cam_continues_in_mujoco() -> None:
    made = engine(CAM.replace("1000", "1.5"), "mujoco")
    made.reset(None, np.array([6.0, 0.0]))
    made.advance(None, 50)
    other = pickle.loads(pickle.dumps(made))
    for one in (made, other):
        one.advance(None, 50)
    assert made.q.tobytes() == other.q.tobytes()


def test_a_cam_accelerates_its_follower() -> None:
    made = engine(CAM, "reduced")
    made.reset(None, np.array([3.0, 0.0]))
    made.advance(None, 700)
    x, speed = made.q[0], made.v[0]
    assert made.q[1] == pytest.approx(0.01 * (1 - math.cos(x)), abs=1e-12)
    bend = 0.01 * (math.cos(x) * speed**2 + math.sin(x) * made.accelerations(None)[0])
    assert made.accelerations(None)[1] == pytest.approx(bend, abs=1e-12)


def test_energy_stays_over_many_turns() -> None:
    """A heavy arm of a planetary gear swings, loops closed and couplings held."""
    text = """raff: 1
name: swing
gravity: [0, -9.81, 0]
joints:
  - {name: sun, parent: base, mass: 0.1, inertia: [1e-4, 1e-4, 1e-4]}
  - {name: arm, parent: base, mass: 1, centre: [0.1, 0, 0], inertia: [1e-3, 1e-3, 1e-3]}
  - {name: planet, parent: arm, d: 30 mm, mass: 0.2, inertia: [1e-4, 1e-4, 1e-4]}
couplings:
  - {name: inner, gears: [sun, planet], teeth: [20, 10]}
  - {name: outer, gears: [base, planet], teeth: [40, 10], internal: true}
"""
    made = engine(text, "reduced")
    first = made.advance(None, 1)
    last = made.advance(None, 3000)
    total = [one.kinetic + one.potential for one in (first, last)]
    assert total[0] == pytest.approx(total[1], abs=1e-8)
    assert kg.kinematics.loop_gap(made.model, made.q).largest < 1e-12


COUPLED = [
    name
    for name in kg.library_names()
    if kg.load(name).couplings or any(joint.follows for joint in kg.load(name).joints.values())
]


@pytest.mark.parametrize("other", ["mujoco", "impulse"])
@pytest.mark.parametrize("name", COUPLED)
def test_engines_fall_alike(name: str, other: str) -> None:
    if other == "mujoco":
        pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    system = kg.dynamics.System.of(kg.load(name), gravity=(4.0, -6.0, -6.5))
    ends = []
    for engine_name in ("reduced", other):
        made = make_engine(system, engine_name, 5e-4, stops=False)
        made.advance(None, 300)
        ends.append(made.q)
        assert kg.kinematics.loop_gap(system.model, made.q).largest < 1e-5
    # MuJoCo's loops open by some 1e-6; impulse errs by 1.1e-4 in the light parallel gripper
    np.testing.assert_allclose(*ends, atol=2e-5 if other == "mujoco" else 3e-4)


@pytest.mark.parametrize("name", COUPLED)
def test_impulse_errs_by_the_square_of_its_step(name: str) -> None:
    """Gaps stay within Dmax, energy does not drift, and the motion becomes that of reduced.

    After 0.12 s the gripper, without its stops, lies flat: a singular pose.
    """
    system = kg.dynamics.System.of(kg.load(name), gravity=(4.0, -6.0, -6.5))
    speeds = np.random.default_rng(5).normal(size=system.model.nv)
    errors = []
    for step in (1e-3, 2.5e-4):
        ends = []
        for engine_name in ("reduced", "impulse"):
            made = make_engine(system, engine_name, step, stops=False)
            made.reset(None, speeds)
            start = made.advance(None, 0)
            report = made.advance(None, round(0.12 / step))
            ends.append(made.q)
        errors.append(float(np.abs(ends[0] - ends[1]).max()))
        assert max(report.gap, report.angle_gap) <= 1e-7
        moving = max(start.kinetic, report.kinetic)
        assert abs(report.balance - start.balance) < 1e-3 * moving + 1e-9
    # of second order, down to what the gap of 1e-7 lets it see
    assert errors[1] < max(errors[0] / 8, 1e-6)


@pytest.mark.parametrize("name", ENGINES)
def test_engines_know_what_gears_transmit(name: str) -> None:
    """What turns gear a beyond its own inertia goes through the mesh: as torque over radius."""
    made = engine(PAIR, name)
    made.advance(Loads.of(made.model, efforts=[0.5, 0.0]), 50)
    speeding = 0.5 / (0.02 + 0.3 * 0.5**2)
    through = 0.02 * speeding - 0.5
    assert made.coupling_efforts() == pytest.approx([through], rel=1e-5)
    if name == "mujoco":
        return
    # a has its motor and the mesh, b the mesh alone, with twice the teeth
    moments = made.reactions()[:, 5]
    assert moments == pytest.approx([0.5 + through, 2 * through], rel=1e-6)
    tooth = abs(through) / 0.020
    assert tooth == pytest.approx(abs(moments[1]) / 0.040, rel=1e-6)


@pytest.mark.parametrize("name", ENGINES)
def test_engines_know_what_a_rack_and_a_cam_transmit(name: str) -> None:
    made = engine(RACK, name)
    made.advance(None, 50)
    fall = -9.81 * 2 / (2 + 0.002 / 0.02**2)
    assert made.coupling_efforts() == pytest.approx([2 * (9.81 + fall)], rel=1e-5)
    made = engine(CAM.replace("1000", "1.5"), name)
    made.reset(None, np.array([3.0, 0.0]))
    made.advance(None, 700)
    # a cam pushes its follower along its travel: mass times acceleration, bend · speed² and more
    x, speed = made.q[0], made.v[0]
    push = 2 * 0.01 * math.cos(x) * speed**2
    assert made.coupling_efforts() == pytest.approx([push], rel=3e-3)


def test_statics_name_what_is_transmitted() -> None:
    found = kg.dynamics.statics(kg.load(RACK), motors=["drum"])
    assert found.effort("drum")[0] == pytest.approx(2 * 9.81 * 0.02)
    assert found.coupling_effort("line") == pytest.approx(2 * 9.81)
    with pytest.raises(KeyError, match="did you mean 'line'"):
        found.coupling_effort("lime")


def test_statics_of_gears_a_belt_and_a_cam() -> None:
    """Tooth force, difference of a belt's tensions, push of a cam: torque over radius each."""
    weight = 9.81 * 0.05
    wheels = """raff: 1
name: wheels
gravity: [0, -9.81, 0]
joints:
  - {name: a, parent: base, motor: true}
  - {name: b, parent: base, d: 60 mm, mass: 1, centre: [50 mm, 0, 0], inertia: [1e-3, 1e-3, 1e-3]}
couplings: [ROW]
"""
    gears = kg.load(wheels.replace("ROW", "{name: mesh, gears: [a, b], teeth: [20, 40]}"))
    found = kg.dynamics.statics(gears)
    tooth = weight / 0.040
    assert found.effort("a")[0] == pytest.approx(-tooth * 0.020)
    assert found.coupling_effort("mesh") == pytest.approx(tooth * 0.020)
    assert found.reaction("b")[5] == pytest.approx(weight)
    belt = kg.load(wheels.replace("ROW", "{name: drive, belt: [a, b], radii: [15 mm, 30 mm]}"))
    found = kg.dynamics.statics(belt)
    tension = weight / 0.030
    assert found.effort("a")[0] == pytest.approx(tension * 0.015)
    assert abs(found.coupling_effort("drive")) == pytest.approx(tension * 0.015)
    cam = kg.load(CAM.replace("[0, 0, 0]", "[0, 0, -9.81]"))
    found = kg.dynamics.statics(cam, [1.0, 0.01 * (1 - math.cos(1))], motors=["shaft"])
    assert found.coupling_effort("lobe") == pytest.approx(2 * 9.81)
    # the normal is tilted by the pressure angle, whose tangent is slope over distance
    slope, distance = 0.01 * math.sin(1), 0.03 + 0.01 * (1 - math.cos(1))
    normal = 2 * 9.81 / math.cos(math.atan(slope / distance))
    lever = distance * math.sin(math.atan(slope / distance))
    assert found.effort("shaft")[0] == pytest.approx(normal * lever)


def test_compiled_and_numpy_engines_agree() -> None:
    if backend_name() != "native":
        pytest.skip("KINEGEN_KERNELS=reference: there is no second set of kernels to compare with")
    model = kg.load("geared-five-bar").compile()
    from kinegen.dynamics.tree.loops import bind_reduced

    q, none = kg.assemble(model).q, np.zeros(0, dtype=np.int32)
    twin = reference.BoundReduced(
        model.ints, model.reals, none, np.zeros((0, 3)), none, np.zeros((0, 3)), np.zeros((3, 0))
    )
    v = kg.kinematics.velocities(model, q, {"A": 2.0}).v
    ours = bind_reduced(model)
    for one, other in zip(ours.rows(q), twin.rows(q), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    np.testing.assert_allclose(ours.targets(q, v), twin.targets(q, v), atol=1e-10)
    found = []
    for kernel in (ours, twin):
        kernel.start(q, v, 0.0)
        found.append(kernel.accelerations(np.zeros(model.nv), None)[0])
    np.testing.assert_allclose(*found, atol=1e-8)


def test_pinocchio_moves_mimic_joints_alike() -> None:
    """Inverse dynamics along a motion of both fingers, theirs summed by the ratio."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this platform")
    text = """raff: 1
name: fingers
joints:
  - {name: wrist, parent: base, mass: 1, centre: [0.1, 0, 0], inertia: [0.1, 0.2, 0.3]}
  - {name: left, parent: wrist, alpha: 90 deg, d: 0.2, mass: 0.3, centre: [0, 0.05, 0.02],
     inertia: [0.01, 0.02, 0.03]}
  - {name: right, parent: wrist, alpha: 90 deg, d: 0.25, mass: 0.2, centre: [0, -0.04, 0.02],
     inertia: [0.02, 0.01, 0.02], follows: {joint: left, ratio: -0.7, offset: 0.3}}
"""
    model = kg.load(text).compile()
    theirs = pin.Model()
    theirs.gravity.linear = np.array([0.0, 0.0, -9.81])
    carried = {0: 0}
    for joint in model.joints:
        row, X = model.inertia[joint.child], model.transforms[joint.placement]
        place = pin.SE3(X[:9].reshape(3, 3), X[9:])
        index = theirs.addJoint(carried[joint.parent], pin.JointModelRZ(), place, joint.name)
        body = pin.Inertia(row[0], row[1:4], np.diag(row[4:7]))
        theirs.appendBodyToJoint(index, body, pin.SE3.Identity())
        carried[joint.child] = index
    both = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -0.7]])
    q = both @ [0.4, 0.5] + [0, 0, 0.3]
    v, vdot = both @ [1.5, -2.0], both @ [0.3, 0.8]
    assert np.abs(loop_residual(model, q)).max() < 1e-15
    expected = both.T @ pin.rnea(theirs, theirs.createData(), q, v, vdot)
    found = kg.dynamics.motor_efforts(model, q, v, vdot, motors=["wrist", "left"])
    np.testing.assert_allclose(found.efforts[:2], expected, atol=1e-12)
