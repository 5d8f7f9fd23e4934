"""Inverse kinematics from any start: reached within limits, or a reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg

ARMS = [
    "serial-5", "redundant-7", "lynx6", "bionic-3", "a255", "irb2400", "pioneer2", "puma560",
    "rhino-xr3", "teachmover", "pa10", "amtec-7", "arm-6", "ur5e", "franka", "so101",
]  # fmt: skip


def random_arm_q(model: kg.Model, rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(np.maximum(model.lower, -np.pi), np.minimum(model.upper, np.pi))


@pytest.mark.parametrize("name", ARMS)
def test_reachable_poses_are_reached_within_limits(name: str) -> None:
    model = kg.load(name).compile()
    rng = np.random.default_rng(11)
    for _ in range(100):
        target = kg.pose(model, random_arm_q(model, rng), "tool")
        found = kg.solve(
            model, kg.Handle.pose("tool", target), start=random_arm_q(model, rng), attempts=500
        )
        assert found.reached, found.reason
        assert kg.pose(model, found.q, "tool").is_close(target, tolerance=1e-6)
        assert (found.q <= model.upper + 1e-8).all()
        assert (found.q >= model.lower - 1e-8).all()


def test_closed_mechanisms_are_solved_too() -> None:
    model = kg.load("stewart").compile()
    target = kg.SE3(kg.SO3.exp([0.1, 0.05, -0.1]), np.array([0.1, 0.05, 2.1]))
    found = kg.solve(model, kg.Handle.pose("handle", target))
    assert found.reached, found.reason
    assert kg.pose(model, found.q, "handle").is_close(target, tolerance=1e-7)
    assert kg.kinematics.loop_gap(model, found.q).distance <= 1e-9


def test_poses_beside_a_wrist_singularity_are_reached() -> None:
    """Steps get short there, and an attempt that is nearly met must be allowed to continue."""
    model = kg.load("hybrid-9").compile()
    motors = [joint for joint in model.joints if joint.has_motor]
    rng = np.random.default_rng(23)

    def random_q(bend: float) -> np.ndarray:
        q = model.start()
        for joint in motors:
            q[joint.q] = rng.uniform(model.lower[joint.v], model.upper[joint.v])
        q[model.joint("axis5").q] *= bend
        return kg.assemble(model, q, locked=[joint.name for joint in motors]).q

    for _ in range(150):
        target = kg.pose(model, random_q(0.01), "tool")
        found = kg.solve(model, kg.Handle.pose("tool", target), start=random_q(1.0))
        assert found.reached, found.reason
        assert kg.pose(model, found.q, "tool").is_close(target, tolerance=1e-6)


def test_joints_beside_the_chain_stay_where_they_are() -> None:
    """Random starts too move only what the handle hangs on."""
    model = kg.load(
        """
raff: 1
name: two-arms
joints:
  - {name: a1, parent: base, limits: [-1, 1]}
  - {name: a2, parent: a1, d: 1, limits: [0.1, 3]}
  - {name: a3, parent: a2, d: 1, type: prismatic, alpha: 90 deg, limits: [0, 0.5]}
  - {name: b1, parent: base, d: 0.3}
  - {name: b2, parent: b1, d: 0.5}
frames:
  - {name: tip, parent: a3}
"""
    ).compile()
    q = {"a1": -0.9, "a2": 2.9, "a3": 0.3}
    target = kg.pose(model, q, "tip")
    start = [1.0, 0.1, 0.0, 0.4, -0.7]
    found = kg.solve(model, kg.Handle.pose("tip", target), start=start)
    assert found.reached, found.reason
    assert found.q[3:].tolist() == start[3:]
    np.testing.assert_allclose(found.q[:3], list(q.values()), atol=1e-6)


def test_a_changed_number_is_seen_by_the_closed_form() -> None:
    model = kg.load("puma560").compile()
    q = np.array([0.3, 0.7, -2.2, 0.4, 0.6, 0.2])
    target = kg.pose(model, q, "tool")
    handle = kg.Handle.pose("tool", target)
    np.testing.assert_allclose(kg.solve(model, handle, start=q).q, q, atol=1e-9)
    model.parameters["forearm"] += 0.05
    found = kg.solve(model, handle, start=q)
    assert found.reached
    assert np.abs(found.q - q).max() > 1e-3
    assert kg.pose(model, found.q, "tool").is_close(target, tolerance=1e-6)


def test_a_target_beyond_all_reach_has_a_reason() -> None:
    model = kg.load("puma560").compile()
    far = kg.SE3(kg.SO3.identity(), np.array([1e12, 0.0, 0.0]))
    found = kg.solve(model, kg.Handle.pose("tool", far), attempts=3)
    assert not found.reached
    assert "away" in found.reason


def test_all_branches_of_a_puma() -> None:
    """A spherical-wrist arm of this kind has eight, fewer when limits take some."""
    model = kg.load("puma560").compile()
    target = kg.pose(model, {"waist": 0.3, "shoulder": 0.7, "elbow": -2.2, "wrist_2": 0.6}, "tool")
    free = kg.solve_all(model, kg.Handle.pose("tool", target), limits=False)
    assert len(free) == 8
    for solution in free:
        assert kg.pose(model, solution.q, "tool").is_close(target, tolerance=1e-6)
    limited = kg.solve_all(model, kg.Handle.pose("tool", target))
    assert 1 <= len(limited) <= 8


def test_out_of_reach_says_by_how_much() -> None:
    model = kg.load("bionic-3").compile()
    X = kg.pose(model, None, "tool")
    far = X.translation / np.linalg.norm(X.translation) * 10
    found = kg.solve(model, kg.Handle("tool", far))
    assert not found.reached
    assert "away" in found.reason
    assert found.handles[0].distance > 5


def test_a_limit_in_the_way_is_named() -> None:
    model = kg.load("puma560").compile()
    behind = kg.SE3(kg.SO3.identity(), np.array([-0.6, 0.1, 0.6]))
    found = kg.solve(model, kg.Handle("tool", behind.translation), locked=["shoulder", "elbow"])
    assert not found.reached
    assert found.limits or "out of reach" in found.reason


def test_degrees_of_freedom_left_are_counted() -> None:
    model = kg.load("puma560").compile()
    here = kg.pose(model, None, "tool")
    assert kg.solve(model, kg.Handle("tool", here.translation)).dof_left == 3
    assert kg.solve(model, kg.Handle.pose("tool", here)).dof_left == 0


def test_nothing_asked_is_an_error() -> None:
    model = kg.load("puma560").compile()
    with pytest.raises(kg.errors.KinegenError, match="at least one handle"):
        kg.solve(model, [])


def test_no_answer_has_a_table_too(tmp_path: Path) -> None:
    model = kg.load("five-bar").compile()
    far = kg.solve_all(model, kg.Handle("handle", [9.0, 0, 0]), attempts=2)
    near = kg.solve_all(model, kg.Handle("handle", [0.1, 0.3, 0]), attempts=2)
    assert len(far) == 0 < len(near)
    far.save(tmp_path / "none.csv")
    near.save(tmp_path / "some.csv")
    (head,) = (tmp_path / "none.csv").read_text().splitlines()
    assert head == (tmp_path / "some.csv").read_text().splitlines()[0]


FINGERS = """raff: 1
name: level-arm
joints:
  - {name: waist, parent: base, limits: [-170 deg, 170 deg], motor: true}
  - {name: shoulder, parent: waist, alpha: 90 deg, start: 60 deg, motor: true}
  - {name: elbow, parent: shoulder, d: 0.4, start: -90 deg, motor: true}
  - {name: wrist, parent: elbow, d: 0.3}
  - {name: left, type: prismatic, parent: wrist, xyz: [0.1, 0, 0], axis: y, limits: [0, 40 mm],
     start: 20 mm, motor: true}
  - {name: right, type: prismatic, parent: wrist, xyz: [0.1, 0, 0], axis: -y, limits: [0, 40 mm],
     follows: {joint: left}}
couplings: [{name: level, relation: {wrist: 1, shoulder: 1, elbow: 1}}]
frames: [{name: tool, parent: wrist, d: 0.1}]
"""


@pytest.mark.parametrize("text", [FINGERS, FINGERS.replace("follows: {joint: left}", "start: 0")])
def test_all_solutions_of_coupled_arms_leave_the_fingers_alone(text: str) -> None:
    model = kg.load(text).compile()
    goal = np.array([0.4, 0.1, 0.2])
    found = kg.solve_all(model, kg.Handle("tool", goal))
    # elbow up and down, to the front and over the back
    assert 2 <= len(found) <= 4
    for one in found:
        np.testing.assert_array_equal(one.q[4:], model.start()[4:])
        assert kg.kinematics.loop_gap(model, one.q).largest < 1e-12
        np.testing.assert_allclose(kg.pose(model, one.q, "tool").translation, goal, atol=1e-9)


def test_a_closed_form_needs_no_search_for_joints_beside_the_chain() -> None:
    text = """raff: 1
name: arm-with-hand
robots: [{name: arm, include: puma560}]
joints:
  - {name: left, type: prismatic, parent: arm.tool, axis: y, xyz: [0, 0, 0], limits: [0, 40 mm],
     start: 10 mm}
  - {name: right, type: prismatic, parent: arm.tool, axis: -y, xyz: [0, 0, 0],
     follows: {joint: left}}
"""
    model = kg.load(text).compile()
    q = model.start().copy()
    fingers, arm = slice(0, 2), slice(2, 8)
    q[arm] += 0.2
    target = kg.pose(model, q, "arm.tool")
    goal = kg.Handle("arm.tool", target.translation, rotation=target.so3)
    found = kg.solve(model, goal)
    assert found.reached and found.attempts == 1
    np.testing.assert_array_equal(found.q[fingers], model.start()[fingers])
    bare = kg.load("puma560").compile()
    alone = kg.solve_all(bare, kg.Handle("tool", target.translation, rotation=target.so3))
    both = kg.solve_all(model, goal)
    assert len(both) == len(alone) > 1
    for one, other in zip(both, alone, strict=True):
        np.testing.assert_allclose(one.q[arm], other.q, atol=1e-12)
