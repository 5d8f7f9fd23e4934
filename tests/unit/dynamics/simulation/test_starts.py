"""Where runs start."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.simulation.starts import (
    beyond_limits,
    closed_pose,
    closed_start,
    project_velocity,
    start_remarks,
    velocity_gap,
)

FLAT = """\
raff: 1
gravity: [0, -9.81, 0]
joints:
  - {name: A, parent: base, start: 60 deg, motor: true, mass: 1, centre: [0.15, 0, 0]}
  - {name: B, parent: A, d: 0.3, start: -60 deg, mass: 2, centre: [0.1, 0, 0]}
  - {name: D, parent: base, d: 0.5, start: 60 deg, mass: 0.2, centre: [0.25, 0, 0]}
  - {name: C, parent: B, d: 0.5, closes: {onto: D, d: 0.3}}
"""
"""A parallelogram: where it is flat, it may go over into an antiparallelogram."""


def test_loops_are_closed_and_stay_closed() -> None:
    model = kg.load("five-bar").compile()
    q, v = closed_start(model, {"A": 1.0}, {"A": 2.0, "E": -1.0})
    assert kg.kinematics.loop_gap(model, q).distance < 1e-9
    assert velocity_gap(model, q, v) < 1e-9
    assert v[model.joint("A").v] == pytest.approx(2) and v[model.joint("E").v] == pytest.approx(-1)


def test_all_velocities_together_are_projected() -> None:
    model = kg.load("four-bar").compile()
    wild = np.ones(model.nv)
    q, v = closed_start(model, None, wild)
    assert velocity_gap(model, q, wild) > 0.01 and velocity_gap(model, q, v) < 1e-12
    np.testing.assert_allclose(project_velocity(model, q, v), v, atol=1e-12)


def test_velocities_that_open_the_loops_are_refused() -> None:
    model = kg.load("four-bar").compile()
    with pytest.raises(kg.errors.KinegenError, match="open the loops"):
        closed_start(model, None, {"crank": 1.0, "rocker": -5.0, "coupler": 3.0})


def test_a_loop_that_cannot_close_is_reported() -> None:
    model = kg.load("four-bar").compile()
    model.parameters["ground"] = 2.0
    with pytest.raises(kg.errors.AssemblyError, match="cannot be assembled"):
        closed_start(model, None, None)


def test_named_joints_keep_their_values_and_the_others_follow() -> None:
    model = kg.load("four-bar").compile()
    for degrees in (30, 200, -60):
        q = closed_pose(model, {"crank": np.radians(degrees)})
        assert q[model.joint("crank").q] == pytest.approx(np.radians(degrees), abs=1e-12)
        assert kg.kinematics.loop_gap(model, q).distance < 1e-9
    held = kg.dynamics.statics(model, {"crank": np.radians(30)})
    assert held.q[model.joint("crank").q] == pytest.approx(np.radians(30))
    # all of them by name, as a run gives them, with digits lost
    final = {joint.name: round(float(q[joint.q][0]), 7) for joint in model.joints}
    np.testing.assert_allclose(closed_pose(model, final), q, atol=1e-6)


def test_names_that_contradict_the_loops_are_reported_with_what_would_do() -> None:
    model = kg.load("five-bar").compile()
    with pytest.raises(
        kg.errors.AssemblyError, match=r"values of A, B, C; they close nearest .* B = .*°"
    ) as error:
        closed_pose(model, {"A": 1.0, "B": 2.0, "C": 3.0})
    assert error.value.gap > 0.01


def test_joints_beyond_their_limits_are_named() -> None:
    arm, legs = kg.load("puma560").compile(), kg.load("stewart").compile()
    assert not beyond_limits(arm, arm.start()) and not beyond_limits(legs, legs.start())
    q = kg.configuration(arm, {"elbow": np.radians(60)})
    assert beyond_limits(arm, q) == "joint 'elbow' is at 60°, beyond its limits -225° … 45°"
    q = kg.configuration(legs, {"leg3": 4.5})
    assert beyond_limits(legs, q) == "joint 'leg3' is at 4.5 m, beyond its limits 2.4 m … 4 m"


def test_a_swing_limit_is_named_at_the_start() -> None:
    text = """
raff: 1
name: pendulum
joints:
  - {name: ball, type: spherical, parent: base, limits: 40 deg, mass: 1, centre: [0, 0, -1],
     inertia: [0.1, 0.1, 0.1]}
"""
    mechanism = kg.load(text.lstrip())
    model = mechanism.compile()
    tilted = np.array([np.cos(0.5), np.sin(0.5), 0, 0])
    assert beyond_limits(model, tilted) == "joint 'ball' swings by 57.296°, beyond its limit 40°"
    assert beyond_limits(model, np.array([np.cos(0.5), 0, 0, np.sin(0.5)])) == ""
    with pytest.raises(kg.errors.KinegenError, match="'ball' swings by"):
        kg.Simulation(mechanism, q=tilted)
    run = kg.Simulation(mechanism, q=tilted, stops=False)
    assert np.allclose(run.engine.q, tilted)


@pytest.mark.parametrize("start", [0.0, np.pi, -2 * np.pi])
@pytest.mark.parametrize("speed", [None, {"A": 0.01}, {"A": -1.0}])
def test_where_branches_meet_a_run_stays_on_the_one_that_leads_there(
    start: float, speed: dict[str, float] | None, tmp_path: Path
) -> None:
    (tmp_path / "flat.raff").write_text(FLAT, encoding="utf-8")
    simulation = kg.Simulation(kg.load(tmp_path / "flat.raff"), q={"A": start}, v=speed)
    A, B, D, _ = simulation.engine.q
    assert start == pytest.approx(A, abs=2e-5)
    energy = simulation.report.kinetic + simulation.report.potential
    simulation.advance(0.8)
    A, B, D, _ = simulation.engine.q
    assert abs(A - start) > 2 and pytest.approx([A, A], abs=1e-6) == [D, -B]
    end = simulation.report.kinetic + simulation.report.potential
    assert end == pytest.approx(energy, abs=1e-7)
    assert "several branches meet" in simulation.remarks[-1]


@pytest.mark.parametrize("joint", ["A", "D"])
def test_a_flat_start_is_left_as_the_speeds_say(joint: str, tmp_path: Path) -> None:
    text = FLAT.replace("start: 60 deg", "start: 0").replace("start: -60 deg", "start: 0")
    (tmp_path / "flat.raff").write_text(text, encoding="utf-8")
    simulation = kg.Simulation(kg.load(tmp_path / "flat.raff"), v={joint: 1.0})
    energy = simulation.report.kinetic + simulation.report.potential
    simulation.advance(0.2)
    assert not simulation.reason
    end = simulation.report.kinetic + simulation.report.potential
    assert end == pytest.approx(energy, abs=1e-4)


def test_motors_that_hold_nothing_in_a_singular_start_are_remarked_on(tmp_path: Path) -> None:
    (tmp_path / "flat.raff").write_text(FLAT, encoding="utf-8")
    model = kg.load(tmp_path / "flat.raff").compile()
    flat = closed_pose(model, {"A": 0.0})
    (_, remark) = start_remarks(model, flat, driven=True)
    assert remark.startswith("the start is a singular pose: 'B'")
    assert start_remarks(model, kg.assemble(model).q, driven=True) == ()


@pytest.mark.parametrize("speed", [None, {"A": 1.0}])
def test_three_parallel_cranks_leave_their_flat_pose(
    speed: dict[str, float] | None, tmp_path: Path
) -> None:
    (tmp_path / "cranks.raff").write_text(
        "raff: 1\ngravity: [0, -9.81, 0]\njoints:\n"
        "  - {name: A, parent: base, start: 60 deg, motor: true, mass: 1, centre: [0.5, 0, 0]}\n"
        "  - {name: R, parent: A, d: 1, start: -60 deg, mass: 2, centre: [0.7, 0, 0]}\n"
        "  - {name: B, parent: base, d: 1, start: 60 deg, mass: 0.3, centre: [0.5, 0, 0]}\n"
        "  - {name: C, parent: base, d: 2, start: 60 deg, mass: 0.7, centre: [0.5, 0, 0]}\n"
        "  - {name: E, parent: R, d: 1, closes: {onto: B, d: 1}}\n"
        "  - {name: F, parent: R, d: 2, closes: {onto: C, d: 1}}\n",
        encoding="utf-8",
    )
    simulation = kg.Simulation(kg.load(tmp_path / "cranks.raff"), q={"A": 0.0}, v=speed)
    assert any("several branches meet" in remark for remark in simulation.remarks)
    simulation.advance(0.5)
    A, R, B, C = simulation.engine.q[:4]
    assert A < -0.5 and pytest.approx([A, A, A], abs=1e-6) == [B, C, -R]
