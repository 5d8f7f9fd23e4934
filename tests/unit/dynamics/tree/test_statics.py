"""Statics and motor efforts: virtual work, balance, redundancy, what cannot be held."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.reduced.engine import ReducedEngine
from kinegen.dynamics.simulation.system import System
from kinegen.dynamics.tree.wrenches import wrench_rows

DOWN = (0.0, -9.81, 0.0)
MACHINES = ["five-bar", "stewart", "3-rrr", "delta", "four-bar", "puma560"]


def model_of(name: str) -> kg.Model:
    return System.of(kg.load(name), gravity=DOWN).model


@pytest.mark.parametrize("name", MACHINES)
def test_what_stands_on_the_ground_carries_weight_and_load(name: str) -> None:
    model = model_of(name)
    load = np.array([3.0, -4.0, 5.0, 0.1, 0.2, -0.3])
    found = kg.dynamics.statics(model, None, loads={model.site_names[-1]: load})
    total = np.zeros(3)
    for joint, row in zip(model.joints, found.reactions, strict=True):
        total += row[:3] * ((joint.parent == 0) - (joint.child == 0))
    weight = model.inertia[1:, 0].sum() * model.gravity
    np.testing.assert_allclose(total, -weight - load[:3], atol=1e-9 * np.linalg.norm(weight) + 1e-9)


WELDED = """
raff: 1
name: welded
joints:
  - {name: A, parent: base, BAR}
  - {name: plate, type: fixed, parent: A, xyz: [0.5, 0, 0], rpy: [20 deg, 0, 10 deg], BAR}
  - {name: B, parent: A, d: 1, start: 60 deg, BAR}
  - {name: bracket, type: fixed, parent: B, d: 0.5, BAR}
  - {name: C, parent: bracket, d: 0.5, start: 60 deg, BAR}
  - {name: foot, CLOSING}
""".replace("BAR", "mass: 1, centre: [0.5, 0.1, 0.2], inertia: [0.01, 0.1, 0.1]")
CLOSINGS = {
    "a hinge": "parent: C, d: 1, closes: {onto: base, d: 1.5}",
    "a weld": "type: fixed, parent: C, d: 1, closes: {onto: hub}",
}
HUB = "  - {name: hub, parent: base, d: 1.5, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"


@pytest.mark.parametrize("closing", CLOSINGS)
def test_every_link_balances_also_on_welds(tmp_path: Path, closing: str) -> None:
    text = WELDED.replace("CLOSING", CLOSINGS[closing])
    if closing == "a weld":
        text = text.replace("  - {name: foot", HUB + "  - {name: foot")
    file = tmp_path / "welded.raff"
    file.write_text(text)
    model = System.of(kg.load(str(file)), gravity=(1.0, -9.0, 2.0)).model
    load = np.array([3.0, -4.0, 5.0, 0.1, 0.2, -0.3])
    found = kg.dynamics.statics(model, None, loads={"plate": load}, motors=["A"])
    X = np.empty((model.link_count, 12))
    model.kernels.forward_links(found.q, X)
    total = np.zeros((model.link_count, 6))

    def add(link: int, force: np.ndarray, moment: np.ndarray, at: np.ndarray) -> None:
        total[link] += np.concatenate([force, moment + np.cross(at, force)])

    for link in range(1, model.link_count):
        mass, centre = model.inertia[link, 0], model.inertia[link, 1:4]
        R = X[link, :9].reshape(3, 3)
        add(link, mass * model.gravity, np.zeros(3), X[link, 9:] + R @ centre)
    plate = model.link_names.index("plate")
    add(plate, load[:3], load[3:], X[plate, 9:])
    for joint, row in zip(model.joints, found.reactions, strict=True):
        R = X[joint.parent, :9].reshape(3, 3)
        at = X[joint.parent, 9:] + R @ model.transforms[joint.placement][9:]
        add(joint.child, row[:3], row[3:], at)
        add(joint.parent, -row[:3], -row[3:], at)
    np.testing.assert_allclose(total[1:], 0, atol=1e-9)
    assert np.abs(found.reaction("plate")[:3] - -(load[:3] + model.gravity)).max() < 1e-9


@pytest.mark.parametrize("name", MACHINES)
def test_with_its_motors_efforts_a_mechanism_stays_at_rest(name: str) -> None:
    system = System.of(kg.load(name), gravity=DOWN)
    model = system.model
    load = {model.site_names[-1]: [3.0, -4.0, 5.0, 0.1, 0.2, -0.3]}
    found = kg.dynamics.statics(model, None, loads=load)
    engine = ReducedEngine(system, 1e-3)
    engine.reset(found.q)
    wrenches, links = wrench_rows(model, found.q, load), np.arange(model.link_count)
    loads = kg.dynamics.Loads.of(model, efforts=found.efforts, wrenches=wrenches, links=links)
    rate = engine.accelerations(loads)
    free = engine.accelerations(None)
    assert np.abs(rate).max() < 1e-8 * max(1.0, np.abs(free).max())


@pytest.mark.parametrize("name", ["five-bar", "stewart", "delta"])
def test_efforts_for_a_motion_make_that_motion(name: str) -> None:
    system = System.of(kg.load(name), gravity=DOWN)
    model = system.model
    motors = kg.kinematics.inputs_of(model)
    v = {motor: 0.1 * (i + 1) for i, motor in enumerate(motors)}
    vdot = {motor: 0.5 - 0.2 * i for i, motor in enumerate(motors)}
    found = kg.dynamics.motor_efforts(model, None, v, vdot)
    engine = ReducedEngine(system, 1e-3)
    engine.reset(found.q, v)
    rate = engine.accelerations(kg.dynamics.Loads.of(model, efforts=found.efforts))
    for motor, wanted in vdot.items():
        assert rate[model.joint(motor).v][0] == pytest.approx(wanted, abs=1e-8)


def test_the_engine_s_reactions_are_those_of_the_same_motion() -> None:
    system = System.of(kg.load("stewart"), gravity=DOWN)
    engine = ReducedEngine(system, 1e-3, stops=False)
    engine.advance(None, 100)
    vdot = engine.accelerations()
    found = kg.dynamics.motor_efforts(
        engine.model, engine.q, engine.v, vdot, motors=[j.name for j in engine.model.joints[:12]]
    )
    np.testing.assert_allclose(found.efforts, 0, atol=1e-6)
    np.testing.assert_allclose(found.reactions, engine.reactions(), atol=1e-6)


def test_redundant_motors_share_and_may_press_against_each_other() -> None:
    model = model_of("five-bar")
    found = kg.dynamics.statics(
        model, None, loads={"handle": [0, -10, 0, 0, 0, 0]}, motors=["A", "E", "B"]
    )
    assert found.internal.shape == (1, model.nv)
    few = kg.dynamics.statics(model, None, loads={"handle": [0, -10, 0, 0, 0, 0]})
    assert np.linalg.norm(found.efforts) < np.linalg.norm(few.efforts)
    # what is added moves nothing: along the free motion it does no work
    from kinegen.dynamics.tree.loops import loop_equations

    equations = loop_equations(model, found.q)
    work = equations.free_motion @ equations.generalized @ found.internal[0]
    np.testing.assert_allclose(work, 0, atol=1e-12)
    assert np.linalg.norm(found.internal[0]) == pytest.approx(1)


def test_a_motor_at_the_cut_joint_holds_as_well() -> None:
    model = model_of("four-bar")
    cut = next(joint.name for joint in model.joints if joint.is_cut)
    found = kg.dynamics.statics(model, None, motors=[cut])
    crank = kg.dynamics.statics(model, None)
    assert np.abs(found.effort(cut)).max() > 0
    # both hold the same weight: power along the one motion is equal
    v = kg.kinematics.velocities(model, found.q, {model.joints[0].name: 1.0}).v
    assert found.efforts @ v == pytest.approx(crank.efforts @ v)


def test_over_constrained_loops_bear_the_least() -> None:
    model = model_of("bricard")
    found = kg.dynamics.statics(model, None, motors=["P1"])
    assert found.redundant == 1 and found.loose == 0
    assert np.isfinite(found.reactions).all()


@pytest.mark.parametrize(("pull", "count"), [((0, 0, 0), 0), ((0, -9.81, 0), 5)])
def test_what_two_bearings_share_is_not_reported(
    pull: tuple[float, float, float], count: int, tmp_path: Path
) -> None:
    (tmp_path / "shaft.raff").write_text(
        f"raff: 1\ngravity: {list(pull)}\njoints:\n"
        "  - {name: A, parent: base, motor: true, mass: 1, centre: [0.1, 0, 0.5]}\n"
        "  - {name: C, parent: A, r: 1, closes: {onto: base, b: 1}}\n",
        encoding="utf-8",
    )
    assert kg.dynamics.statics(kg.load(tmp_path / "shaft.raff")).redundant == count


def test_a_linkage_loaded_in_its_plane_is_determined(tmp_path: Path) -> None:
    (tmp_path / "bars.raff").write_text(
        "raff: 1\ngravity: [0, -9.81, 0]\njoints:\n"
        "  - {name: A, parent: base, start: 60 deg, motor: true, mass: 1, centre: [0.1, 0, 0]}\n"
        "  - {name: B, parent: A, d: 0.3, mass: 1, centre: [0.2, 0, 0]}\n"
        "  - {name: D, parent: base, d: 0.5, mass: 1, centre: [0.1, 0, 0]}\n"
        "  - {name: C, parent: B, d: 0.5, closes: {onto: D, d: 0.4}}\n",
        encoding="utf-8",
    )
    mechanism = kg.load(tmp_path / "bars.raff")
    assert kg.dynamics.statics(mechanism).redundant == 0
    assert kg.dynamics.statics(mechanism, loads={"B": (0, 0, 5, 0, 0, 0)}).redundant == 3


def test_too_few_motors_are_reported_with_the_joints_that_fall() -> None:
    with pytest.raises(
        kg.errors.LoadError,
        match=r"no motor .* holds joints? .*it has 2 degrees of freedom, and its motors hold 1",
    ):
        kg.dynamics.statics(model_of("five-bar"), None, motors=["A"])


def test_an_unloaded_loose_motion_is_only_counted() -> None:
    model = System.of(kg.load("five-bar"), gravity=(0, 0, -9.81)).model
    found = kg.dynamics.statics(model, None, motors=["A"])
    assert found.loose == 1
    np.testing.assert_allclose(found.efforts, 0, atol=1e-9)


def test_a_singular_pose_cannot_hold_its_load(tmp_path: Path) -> None:
    # two bars of 1 m over 2 m of ground, flat: the middle gives way at first
    text = """
raff: 1
name: flat
joints:
  - {name: A, parent: base, mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  - {name: B, parent: A, d: 1, mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  - {name: C, parent: B, d: 1, closes: {onto: base, d: 2}}
"""
    file = tmp_path / "flat.raff"
    file.write_text(text)
    model = System.of(kg.load(str(file)), gravity=DOWN).model
    with pytest.raises(kg.errors.LoadError, match="the pose is singular: its loops let joints"):
        kg.dynamics.statics(model)


def test_shares_are_of_the_motors_limits() -> None:
    model = model_of("five-bar")
    found = kg.dynamics.statics(model, None, loads={"handle": [0, -10, 0, 0, 0, 0]})
    at = model.joint("A").v.start
    assert found.shares[at] == pytest.approx(abs(found.efforts[at]) / 2)
    assert found.shares[model.joint("B").v.start] == 0
    np.testing.assert_array_equal(found.reaction("A"), found.reactions[0])


def test_at_rest_a_motion_is_none() -> None:
    model = kg.load("five-bar").compile()
    np.testing.assert_allclose(
        kg.dynamics.motor_efforts(model, None).efforts,
        kg.dynamics.statics(model, None).efforts,
        atol=1e-12,
    )
    bricard = kg.load("bricard").compile()
    with pytest.raises(kg.errors.LoadError):
        kg.dynamics.motor_efforts(bricard, None)


def test_springs_between_points_count_in_a_motion() -> None:
    text = """
raff: 1
name: held
joints: [{name: x, type: prismatic, parent: base, mass: 2, inertia: [1, 1, 1], motor: true}]
frames: [{name: f, parent: x}]
springs: [{name: s, from: {frame: f}, to: {xyz: [0, 0, 2]}, stiffness: 50, damping: 3, rest: 1}]
"""
    system = kg.dynamics.System.of(kg.load(text))
    # weight 19.62 N down, spring 50 N up and 3 N s/m against the motion, 2 kg at 4 m/s²
    found = kg.dynamics.motor_efforts(system, None, {"x": 2.0}, {"x": 4.0})
    assert found.effort("x")[0] == pytest.approx(19.62 - 50 + 6 + 8)
    same = kg.dynamics.motor_efforts(system.model, None, {"x": 2.0}, {"x": 4.0})
    assert same.effort("x")[0] == found.effort("x")[0]


def test_efforts_are_a_table(tmp_path: Path) -> None:
    found = kg.dynamics.statics(kg.load("stewart"))
    found.save(tmp_path / "held.csv")
    head, *rows = (tmp_path / "held.csv").read_text().splitlines()
    assert head == "joint,variable,effort,unit,share of the limit"
    assert len(rows) == found.model.nv
    assert [float(row.split(",")[2]) for row in rows] == found.efforts.tolist()
    assert {row.split(",")[3] for row in rows} == {"N", "N m"}


def test_a_mechanism_or_one_motor_by_name_will_do() -> None:
    held = kg.dynamics.statics(kg.load("five-bar"))
    np.testing.assert_array_equal(
        held.efforts, kg.dynamics.statics(kg.load("five-bar").compile()).efforts
    )
    alone = kg.dynamics.statics(kg.load("bricard"), motors="P1")  # type: ignore[arg-type]
    assert np.flatnonzero(alone.efforts).tolist() == [0]


def test_a_dead_centre_is_reported() -> None:
    model = kg.load("slider-crank").compile()
    turned = {"crank": [0, 0, 0, 0, 0, 1]}
    with pytest.raises(
        kg.errors.LoadError, match=r"dead centre\): its motors have no control of joints cr"
    ):
        kg.dynamics.statics(model, {"crank": 0.0}, loads=turned, motors=["piston"])
    assert (
        kg.dynamics.statics(model, {"crank": 0.5}, loads=turned, motors=["piston"]).effort(
            "piston"
        )[0]
        > 1
    )
