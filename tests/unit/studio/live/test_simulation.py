"""Live simulations: they fall, are pulled and pushed, take targets, and report their state."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.studio.live.simulation import LiveSimulation
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.data.scene import motion_data
from kinegen.studio.wire.message import vec3
from kinegen.studio.wire.messages import LiveSettings, Touch
from tests.unit.studio.workbench import compiled_of

ORIGIN = (0.0, 0.0, 0.0)
DOWN = {"gravity": [0, -9.81, 0]}


def live(name: str, **settings: Any) -> LiveSimulation:
    compiled = compiled_of(name)
    return LiveSimulation(compiled, LiveSettings(**settings), compiled.start)


def place(simulation: LiveSimulation, link: str) -> Floats:
    q = simulation.frame().q
    return np.array(kg.poses(simulation.page, q)[link].translation)


@pytest.mark.parametrize("engine", ["reduced", "impulse"])
def test_a_five_bar_falls_with_closed_loops_and_no_new_energy(engine: str) -> None:
    simulation = live("five-bar", engine=engine, **DOWN)
    before = simulation.frame()
    simulation.step(200)
    frame = simulation.frame()
    assert frame.facts.time == pytest.approx(0.2)
    assert frame.facts.potential < before.facts.potential
    assert 0 < frame.facts.widest_gap < 1e-6
    assert frame.facts.drift < 1e-3 * frame.facts.scale
    assert not np.allclose(frame.q, before.q)


def test_a_pull_moves_the_part_towards_the_hand() -> None:
    simulation = live("five-bar", gravity=[0, 0, 0])
    link = simulation.page.link_names[-1]
    start = place(simulation, link)
    goal = start + [0.02, -0.0013, 0]  # the end of a crank: along its circle
    simulation.touch(Touch(4, link, ORIGIN, vec3(goal)))
    simulation.step(8)
    hand = simulation.frame().hands[0]
    assert hand.hand == 4 and np.dot(hand.force, goal - start) > 0
    assert hand.stiffness > 0 and hand.damping > 0
    simulation.step(1500)
    assert np.linalg.norm(place(simulation, link) - goal) < 0.5 * np.linalg.norm(goal - start)
    simulation.release(0, 4)
    assert len(simulation.frame().hands) == 0 and simulation.simulation.touches == []


def test_a_push_goes_into_the_surface_and_never_pulls() -> None:
    simulation = live("five-bar", gravity=[0, 0, 0])
    link = simulation.page.link_names[-1]
    start = place(simulation, link)
    given = Touch(1, link, ORIGIN, ORIGIN, normal=(0.0, 1.0, 0.0))
    simulation.touch(replace(given, target=vec3(start - [0, 0.01, 0])))
    simulation.step(4)
    force = simulation.frame().hands[0].force
    assert force[1] < 0 and abs(force[0]) < 1e-9
    # a tip that is away from the surface does nothing
    simulation.touch(replace(given, target=vec3(start + [0, 0.5, 0])))
    simulation.step(4)
    assert not any(simulation.frame().hands[0].force)


def test_stiffness_and_damping_follow_the_settings_at_once() -> None:
    simulation = live("five-bar", **DOWN)
    link = simulation.page.link_names[-1]
    where = place(simulation, link).tolist()
    simulation.touch(Touch(1, link, ORIGIN, vec3(where)))
    soft = simulation.frame().hands[0]
    simulation.set(replace(simulation.settings, firmness=4.0, damping=0.5))
    firm = simulation.frame().hands[0]
    assert firm.stiffness == pytest.approx(4 * soft.stiffness)
    assert firm.damping == pytest.approx(soft.damping)


def test_motors_go_to_their_targets() -> None:
    simulation = live("arm-6", hold=True)
    joint = simulation.page.joints[0]
    goal = float(simulation.frame().q[joint.q][0]) + 0.3
    simulation.target(joint.name, [goal])
    simulation.step(1500)
    frame = simulation.frame()
    assert frame.q[joint.q][0] == pytest.approx(goal, abs=0.02)
    assert np.abs(frame.efforts).max() > 0
    with pytest.raises(UsageError, match="takes 1 number, got"):
        simulation.target(joint.name, [1, 2])
    with pytest.raises(UsageError, match="motors are off"):
        live("arm-6").target(joint.name, [goal])


def test_a_saturated_motor_is_reported() -> None:
    mechanism = kg.load("arm-6")
    name = mechanism.compile().joints[1].name
    mechanism.set_value(name, "motor", {"torque": 0.01})
    compiled = CompiledText.read(mechanism.to_raff(), Project(Path.cwd()))
    simulation = LiveSimulation(compiled, LiveSettings(hold=True), compiled.start)
    simulation.step(50)
    frame = simulation.frame()
    v = compiled.model.joint(name).v
    assert frame.saturated[v][0] == 1 and abs(frame.efforts[v][0]) <= 0.01 + 1e-12


def test_forces_in_the_joints_carry_the_weight() -> None:
    simulation = live("arm-6", hold=True)
    simulation.step(400)
    reactions = simulation.frame(reactions=True).reactions
    model = simulation.page
    assert reactions.shape == (len(model.joints), 6)
    weight = 9.81 * float(model.inertia[1:, 0].sum())
    assert reactions[0, 2] == pytest.approx(weight, rel=0.05)


@pytest.mark.parametrize("engine", ["reduced", "impulse", "mujoco"])
def test_what_couplings_transmit_comes_with_forces_in_the_joints(engine: str) -> None:
    if engine == "mujoco":
        pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    simulation = live("geared-five-bar", engine=engine)
    simulation.step(40)
    assert simulation.frame().transmitted.shape == (0,)
    found = simulation.frame(reactions=True).transmitted
    assert found.shape == (1,) and found[0] != 0
    # MuJoCo knows no forces in the joints
    assert bool(simulation.reactions_refused) == (engine == "mujoco")


def test_objects_fall_on_the_floor_beside_the_mechanism() -> None:
    mechanism = kg.load("arm-6")
    text = mechanism.to_raff() + (
        "\nobjects:\n  - {name: ball, shape: {sphere: 50 mm}, mass: 1, at: {xyz: [1.5, 0, 0.3]}}\n"
    )
    compiled = CompiledText.read(text, Project(Path.cwd()))
    settings = LiveSettings(objects=True, floor=0.0)
    simulation = LiveSimulation(compiled, settings, compiled.start)
    assert simulation.simulation.system.object_names == ("ball",)
    simulation.step(600)
    frame = simulation.frame()
    assert frame.q.shape == (compiled.model.nq,)
    assert frame.objects[0, 6] == pytest.approx(0.05, abs=5e-3)
    then = simulation.moment()
    again = LiveSimulation(compiled, settings, then.q, v=then.v, places=then.places, at=then.time)
    assert again.frame().objects == pytest.approx(frame.objects, abs=1e-9)
    assert again.simulation.time == pytest.approx(then.time)


def test_real_time_passes_at_the_speed_that_was_asked() -> None:
    simulation = live("arm-6", speed=0.1)
    for _ in range(10):
        simulation.run(0.1)
    assert simulation.frame().facts.time <= 0.1 + 1e-9
    assert simulation.frame().facts.time > 0.05


def test_a_motion_is_followed_led_aside_and_gone_on_with() -> None:
    name = kg.load("arm-6").compile().joints[0].name
    text = kg.load("arm-6").to_raff() + (
        f"\nmotions:\n  - {{name: wave, joints: [{name}], times: [0 s, 1 s], "
        "values: [[0], [0.6]]}\n"
    )
    compiled = CompiledText.read(text, Project(Path.cwd()))
    settings = LiveSettings(motion="wave", resume="rejoin")
    simulation = LiveSimulation(compiled, settings, compiled.start)
    simulation.step(300)
    link = compiled.model.link_names[-1]
    aside = place(simulation, link) + [0, 0, 0.2]
    hand = Touch(1, link, ORIGIN, vec3(aside))
    simulation.touch(hand)
    simulation.step(300)
    assert simulation.frame().is_led and np.abs(simulation.frame().efforts).max() > 0
    simulation.release()
    simulation.step(1500)
    frame = simulation.frame()
    assert not frame.is_led and simulation.is_done and not simulation.reason
    assert frame.q[compiled.model.joint(name).q][0] == pytest.approx(0.6, abs=0.01)
    with pytest.raises(UsageError, match="no motion 'dance'; motions: wave"):
        LiveSimulation(compiled, replace(settings, motion="dance"), compiled.start)


def test_a_floor_alone_holds_what_floats() -> None:
    simulation = live("humanoid-30", floor=0.0, hold=True)
    simulation.step(300)
    facts = simulation.frame().facts
    assert facts.contacts > 3 and facts.kinetic < 20


def test_wheels_turn_at_their_target_speed() -> None:
    simulation = live("cart", hold=True, floor=0.0)
    wheels = [one for one in simulation.page.joints if one.name.startswith("wheel")]
    for wheel in wheels:
        simulation.target(wheel.name, [4.0], "velocity")
    simulation.step(1500)
    speeds = simulation.moment().v
    for wheel in wheels:
        assert speeds[wheel.name][0] == pytest.approx(4.0, rel=0.2)  # it goes round a curve
    with pytest.raises(UsageError, match="position, velocity, effort"):
        simulation.target(wheels[0].name, [4.0], "goal")


def test_a_motor_in_another_mode_gives_its_target_torque() -> None:
    simulation = live("arm-6", hold=True, modes={"waist": "torque"})
    joint = simulation.page.joint("waist")
    simulation.target("waist", [0.5], "effort")
    simulation.step(10)
    assert simulation.frame().efforts[joint.v][0] == pytest.approx(0.5)


def test_targets_outlive_a_change_of_settings() -> None:
    old = live("cart", hold=True, gravity=[0, 0, 0])
    old.target("wheel_rear_left", [4.0], "velocity")
    old.target("steer_left", [0.1])
    then = old.moment()
    settings = replace(old.settings, gravity=[0, 0, -1.0])
    fresh = LiveSimulation(
        old.compiled, settings, then.q, v=then.v, places=then.places, at=then.time
    )
    fresh.take_targets(old)
    fresh.step(1500)
    assert fresh.moment().v["wheel_rear_left"][0] == pytest.approx(4.0, rel=0.05)
    frame = fresh.frame()
    assert frame.q[fresh.page.joint("steer_left").q][0] == pytest.approx(0.1, abs=0.05)


@pytest.mark.parametrize("passed", [0.004, 0.013, 0.1])
def test_a_motion_ends_where_its_plan_ends_however_late_it_is_asked(passed: float) -> None:
    name = kg.load("arm-6").compile().joints[0].name
    # at full speed until the end, where it overshoots
    text = kg.load("arm-6").to_raff() + (
        f"\nmotions:\n  - {{name: dash, joints: [{name}], times: [0 s, 0.5 s], "
        "values: [[0], [0.8]]}\n"
    )
    compiled = CompiledText.read(text, Project(Path.cwd()))
    settings = LiveSettings(motion="dash", speed=1.0)
    simulation = LiveSimulation(compiled, settings, compiled.start)
    for _ in range(2000):
        if simulation.is_done:
            break
        simulation.run(passed)
    frame = simulation.frame()
    assert simulation.is_done and not simulation.reason
    assert abs(frame.q[compiled.model.joint(name).q][0] - 0.8) < 1e-3
    assert frame.facts.time < 0.5 + 1.3
    # and no time passes after it
    simulation.run(1.0)
    assert simulation.frame().facts.time == frame.facts.time


def test_an_arm_is_led_around_a_post_and_an_undone_touch_hits_it() -> None:
    compiled = compiled_of("arm-and-wall")
    plan = motion_data(compiled.mechanism, compiled.model)[0]
    settings = LiveSettings(motion=plan.name, resume="rejoin")
    simulation = LiveSimulation(compiled, settings, compiled.start)
    planned = simulation.plan_clearance()
    assert planned is not None and planned.nearest.object == "post"
    assert planned.nearest.distance < -0.02
    simulation.step(800)
    at = np.array(kg.pose(compiled.model, simulation.frame().q, "tool").translation)
    hand = Touch(1, "tool", (0.0, 0.0, 0.0), vec3(at))
    # up, over the post with the plan's own speed, and down behind it
    for i, way in enumerate(np.linspace(0, 1, 80)):
        along = 0.5 * way
        up = 0.22 * min(1.0, 4 * way, 4 * (1 - way))
        simulation.touch(replace(hand, target=vec3(at + [0, along, up])))
        simulation.step(25)
        assert simulation.frame().is_led or i < 2
    simulation.release()
    simulation.step(2000)
    frame = simulation.frame()
    assert simulation.is_done and frame.facts.least > 0.002, frame.facts
    assert frame.facts.least_object in (0, 1)
    goal = kg.pose(compiled.model, np.array(plan.values[-1]), "tool").translation
    end = kg.pose(compiled.model, frame.q, "tool").translation
    assert np.linalg.norm(np.subtract(end, goal)) < 1e-3
    # undone, it goes straight: energies and distances count from there
    assert simulation.undo() and not simulation.undo()
    assert simulation.frame().facts.time == pytest.approx(0.8, abs=0.01)
    simulation.step(2000)
    facts = simulation.frame().facts
    assert facts.least < -0.02 and facts.least_object == 1
    assert facts.drift < 2e-3 * facts.scale


def test_a_missing_engine_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise UsageError("contact between bodies needs MuJoCo")

    monkeypatch.setattr("kinegen.dynamics.contact.clearance.Collisions", refuse)
    simulation = live("arm-and-wall")
    assert "needs MuJoCo" in simulation.clearance_refused
    assert simulation.plan_clearance() is None and np.isinf(simulation.frame().facts.clearance)
