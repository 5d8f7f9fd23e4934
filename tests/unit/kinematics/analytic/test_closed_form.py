"""Closed-form inverse kinematics: recognised arms, all branches, reach, limits, bad input."""

from __future__ import annotations

import gc
import math
import weakref

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import backend
from kinegen.kinematics.analytic.closed_form import (
    AnalyticGeometry,
    AnalyticKind,
    AnalyticSolution,
    analytic_geometry,
    physical_reach,
    solve_analytic,
    solve_wrist_angle,
    why_not_analytic,
)
from tests.support.mechanisms.analytic_arms import FAMILIES, pose_error, random_arm, turns_apart

EXACT = 1e-9  # m, rad: what a solution may leave of its target
KNOWN = 1e-6  # rad: joint values lose digits near singular poses, where a random q may fall

RECOGNISED = {
    ("puma560", "tool"): AnalyticKind.SPHERICAL_WRIST,
    ("puma560", "wrist_centre"): AnalyticKind.SPHERICAL_WRIST,
    ("irb2400", "tool"): AnalyticKind.SPHERICAL_WRIST,
    ("arm-6", "tool"): AnalyticKind.SPHERICAL_WRIST,
    ("ur5e", "tool"): AnalyticKind.THREE_PARALLEL,
    ("lynx6", "tool"): AnalyticKind.PITCH_ARM,
    ("a255", "tool"): AnalyticKind.PITCH_ARM,
    ("rhino-xr3", "tool"): AnalyticKind.PITCH_ARM,
    ("teachmover", "tool"): AnalyticKind.PITCH_ARM,
    ("serial-5", "tool"): AnalyticKind.PITCH_ARM,
    ("so101", "tool"): AnalyticKind.PITCH_ARM,
    ("a255", "wrist_pitch"): AnalyticKind.PITCH_ARM,
    ("pioneer2", "tool"): AnalyticKind.SHORT_WRIST,
    ("irb2400", "wrist"): AnalyticKind.SHORT_WRIST,
    ("puma560", "wrist_1"): AnalyticKind.SHORT_WRIST,
    ("bionic-3", "tool"): AnalyticKind.POSITION,
    ("bionic-3", "wrist"): AnalyticKind.POSITION,
}
# The NumPy twin takes milliseconds for a pose; the compiled kernel is the one that is used.
POSES = 1000 if hasattr(backend.module(), "AnalyticArm") else 25


def compiled(name: str) -> kg.Model:
    return kg.load(name).compile()


def recognised(model: kg.Model, frame: str = "tool") -> AnalyticGeometry:
    geometry = analytic_geometry(model, frame)
    assert geometry is not None, why_not_analytic(model, frame)
    return geometry


def random_q(model: kg.Model, rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(np.maximum(model.lower, -3.1), np.minimum(model.upper, 3.1))


def check_all(
    model: kg.Model, frame: str, target: kg.SE3, solutions: list[AnalyticSolution]
) -> None:
    """Every solution that calls itself exact brings the frame to the target."""
    geometry = recognised(model, frame)
    for solution in solutions:
        distance, angle = pose_error(kg.pose(model, solution.q, frame), target)
        assert solution.exact
        assert distance < EXACT
        assert angle < EXACT or geometry.kind is AnalyticKind.POSITION


# Recognition


@pytest.mark.parametrize(("name", "frame"), RECOGNISED)
def test_library_arm_is_recognised(name: str, frame: str) -> None:
    model = compiled(name)
    geometry = recognised(model, frame)
    assert geometry.kind is RECOGNISED[name, frame]
    assert geometry.joints == tuple(j.name for j in model.joints)[: len(geometry.joints)]
    assert "parallel" in geometry.reason
    assert why_not_analytic(model, frame) == ""


@pytest.mark.parametrize(
    ("name", "frame", "words"),
    [
        ("franka", "tool", "7 revolute joints"),
        ("hybrid-9", "tool", "joint 'axis2' is part of a loop"),
        ("crawler", "tool", "joint 'body' is free"),
        ("slider-crank", "handle", "prismatic"),
        ("puma560", "shoulder", "2 revolute joints"),
        ("puma560", "elbow", "the forearm has no length"),
        ("franka", "joint6", "axes 'joint2' and 'joint3' are not parallel"),
    ],
)
def test_other_chains_are_refused_with_the_reason(name: str, frame: str, words: str) -> None:
    model = compiled(name)
    assert analytic_geometry(model, frame) is None
    assert words in why_not_analytic(model, frame)
    with pytest.raises(kg.errors.UsageError, match=words):
        solve_analytic(model, frame, kg.SE3())


@pytest.mark.parametrize(
    ("joint", "key", "value", "words"),
    [
        ("wrist_2", "d", 0.02, "'wrist_1', 'wrist_2', 'wrist_3' do not meet in a point"),
        ("shoulder", "alpha", 1.5, "'waist' and 'shoulder' are not at right angles"),
        ("elbow", "alpha", 0.1, "'shoulder' and 'elbow' are not parallel"),
        ("wrist_3", "alpha", 0.0, "'wrist_2' and 'wrist_3' are parallel"),
    ],
)
def test_an_edited_number_is_noticed(joint: str, key: str, value: float, words: str) -> None:
    model = compiled("puma560")
    recognised(model)
    before = model.number(joint, key)
    model.set_number(joint, key, value)
    assert words in why_not_analytic(model, "tool")
    model.set_number(joint, key, before)
    recognised(model)


def test_an_edited_length_moves_the_answer() -> None:
    model = compiled("puma560")
    q = model.start()
    for length in (0.4, 0.5):
        model.parameters["upper_arm"] = length
        target = kg.pose(model, q, "tool")
        assert min(turns_apart(s.q, q) for s in solve_analytic(model, "tool", target)) < KNOWN


def test_what_was_recognised_does_not_keep_the_model() -> None:
    model = compiled("bionic-3")
    recognised(model)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


# All branches of reachable poses


@pytest.mark.parametrize(("name", "frame"), RECOGNISED)
def test_finds_the_joint_values_that_made_the_pose(name: str, frame: str) -> None:
    model, rng = compiled(name), np.random.default_rng(1)
    geometry = recognised(model, frame)
    for _ in range(POSES):
        q = random_q(model, rng)
        target = kg.pose(model, q, frame)
        solutions = geometry.solve(target)
        check_all(model, frame, target, solutions)
        apart = [turns_apart(s.q[geometry.q_index], q[geometry.q_index]) for s in solutions]
        nearest = solutions[int(np.argmin(apart))]
        assert min(apart) < KNOWN or nearest.singular
        assert nearest.within_limits


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(6))
def test_any_arm_of_a_family_is_solved(family: str, seed: int) -> None:
    """Anywhere in space, either way round, with offsets, odd wrist twists and fixed joints."""
    model, rng = random_arm(family, seed), np.random.default_rng(seed)
    for _ in range(min(POSES, 40)):
        q = random_q(model, rng)
        target = kg.pose(model, q, "tool")
        solutions = solve_analytic(model, "tool", target)
        check_all(model, "tool", target, solutions)
        assert min(turns_apart(s.q, q) for s in solutions) < KNOWN


@pytest.mark.parametrize(
    ("name", "counts"),
    [("puma560", {8}), ("ur5e", {2, 4, 6, 8}), ("lynx6", {4}), ("bionic-3", {4}), ("so101", {2})],
)
def test_number_of_branches(name: str, counts: set[int]) -> None:
    model, rng = compiled(name), np.random.default_rng(3)
    found = set()
    for _ in range(min(POSES, 200)):
        target = kg.pose(model, random_q(model, rng), "tool")
        solutions = solve_analytic(model, "tool", target)
        found.add(len(solutions))
        assert len({s.branch for s in solutions}) == len(solutions)
        apart = [
            turns_apart(one.q, other.q)
            for i, one in enumerate(solutions)
            for other in solutions[:i]
        ]
        assert min(apart) > KNOWN
    assert found <= counts
    assert max(found) == max(counts)


def test_branch_names_say_what_is_seen() -> None:
    model = compiled("irb2400")
    sites = {name: model.site_names.index(name) for name in ("axis2", "axis3", "wrist")}
    rng = np.random.default_rng(4)
    for _ in range(min(POSES, 50)):
        target = kg.pose(model, random_q(model, rng), "tool")
        for solution in solve_analytic(model, "tool", target):
            poses = kg.forward(model, solution.q)
            shoulder, elbow, wrist = (poses[sites[name], 4:] for name in sites)
            ahead = np.array([math.cos(solution.q[0]), math.sin(solution.q[0]), 0])
            assert ("front" in solution.branch) == (wrist @ ahead > 0)
            # above the line from shoulder to wrist, seen from the arm's own side
            across = np.cross(wrist - shoulder, elbow - shoulder) @ np.cross([0, 0, 1], ahead)
            above = across < 0 if "front" in solution.branch else across > 0
            assert above == ("elbow up" in solution.branch)


def test_the_start_of_the_file_is_in_front_and_not_flipped() -> None:
    for name in ("puma560", "irb2400", "arm-6", "ur5e", "lynx6", "rhino-xr3", "so101", "bionic-3"):
        model = compiled(name)
        q = model.start()
        solutions = solve_analytic(model, "tool", kg.pose(model, q, "tool"), start=q)
        assert turns_apart(solutions[0].q, q) < KNOWN
        assert solutions[0].branch.startswith("front"), name
        assert "flipped" not in solutions[0].branch, name


# Limits and whole turns


def test_solutions_within_limits_come_first_and_lie_within_them() -> None:
    model, rng = compiled("puma560"), np.random.default_rng(5)
    seen = set()
    for _ in range(min(POSES, 200)):
        target = kg.pose(model, random_q(model, rng), "tool")
        solutions = solve_analytic(model, "tool", target)
        within = [s.within_limits for s in solutions]
        assert within == sorted(within, reverse=True)
        for s in solutions:
            seen.add(s.within_limits)
            inside = ((s.q >= model.lower - EXACT) & (s.q <= model.upper + EXACT)).all()
            assert inside == s.within_limits
    assert seen == {True, False}


def test_whole_turns_follow_the_seed_within_the_limits() -> None:
    model = compiled("irb2400")  # axis 6 has +-400 deg
    q = model.start()
    for degrees in (-390, -170, 30, 390):
        q[5] = math.radians(degrees)
        target = kg.pose(model, q, "tool")
        nearest = solve_analytic(model, "tool", target, start=q)[0]
        np.testing.assert_allclose(nearest.q, q, atol=KNOWN)
        plain = solve_analytic(model, "tool", target)
        assert all(abs(s.q[5]) <= math.pi for s in plain)


def test_an_angle_is_turned_into_limits_that_leave_out_the_half_turn() -> None:
    model = compiled("puma560")  # elbow -225 .. 45 deg
    q = np.radians([20, 30, -200, 10, 30, 0])
    target = kg.pose(model, q, "tool")
    found = min(solve_analytic(model, "tool", target), key=lambda s: turns_apart(s.q, q))
    np.testing.assert_allclose(found.q, q, atol=KNOWN)


def test_joints_off_the_chain_stay_as_in_the_seed() -> None:
    model = compiled("lynx6")
    seed = model.start()
    seed[5] = 0.003
    target = kg.pose(model, model.start(), "tool")
    for s in solve_analytic(model, "tool", target, start=seed):
        assert s.q[5] == 0.003


# Singular poses


@pytest.mark.parametrize("split", [-1.0, 0.4])
@pytest.mark.parametrize("name", ["puma560", "irb2400", "arm-6"])
def test_singular_wrist_keeps_the_seeds_fourth_joint(name: str, split: float) -> None:
    model = compiled(name)
    q = model.start()
    q[4], seed = 0.0, model.start()
    seed[3] = split
    target = kg.pose(model, q, "tool")
    solutions = solve_analytic(model, "tool", target, start=seed)
    check_all(model, "tool", target, solutions)
    # one per posture of the arm is singular; there both flips are one
    singular = [s for s in solutions if "wrist" in s.singular]
    assert singular
    for s in singular:
        assert s.q[3] == pytest.approx(split, abs=1e-12)
        assert "flipped" not in s.branch


@pytest.mark.parametrize("seed_angle", np.linspace(-3, 3, 7))
def test_singular_wrist_of_three_parallel_axes_always_has_an_answer(seed_angle: float) -> None:
    """The hand is free to turn, but not every turn leaves the elbow within reach."""
    model, rng = compiled("ur5e"), np.random.default_rng(6)
    for _ in range(10):
        q = random_q(model, rng)
        q[4] = 0.0
        seed = q.copy()
        seed[3] = seed_angle
        target = kg.pose(model, q, "tool")
        solutions = solve_analytic(model, "tool", target, start=seed)
        assert any("wrist" in s.singular for s in solutions)
        check_all(model, "tool", target, solutions)


def test_on_the_waist_axis_the_seed_turns_the_waist() -> None:
    model = compiled("bionic-3")
    target = kg.SE3(translation=np.array([0, 0, model.parameters["stand"] + 0.3]))
    for waist in (-1.0, 0.0, 0.7):
        seed = model.start()
        seed[0] = waist
        solutions = solve_analytic(model, "tool", target, start=seed)
        check_all(model, "tool", target, solutions)
        assert all("shoulder" in s.singular for s in solutions)
        assert {round(float(s.q[0]), 9) for s in solutions if "front" in s.branch} == {waist}


def test_a_stretched_arm_has_one_elbow() -> None:
    model = compiled("bionic-3")
    q = np.array([0.3, 0.5, 0.0])
    solutions = solve_analytic(model, "tool", kg.pose(model, q, "tool"))
    assert [s.singular for s in solutions] == [("elbow",), ("elbow",)]
    assert min(turns_apart(s.q, q) for s in solutions) < KNOWN
    check_all(model, "tool", kg.pose(model, q, "tool"), solutions)


@pytest.mark.parametrize("name", ["puma560", "ur5e", "lynx6", "so101", "pioneer2"])
def test_zero_pose_is_answered(name: str) -> None:
    model = compiled(name)
    target = kg.pose(model, model.zero(), "tool")
    solutions = solve_analytic(model, "tool", target)
    assert solutions
    check_all(model, "tool", target, solutions)


# Out of reach


@pytest.mark.parametrize("name", ["puma560", "irb2400", "arm-6"])
def test_out_of_reach_gives_the_nearest_place_with_the_orientation(name: str) -> None:
    model, rng = compiled(name), np.random.default_rng(7)
    geometry = recognised(model)
    q_any = [random_q(model, rng) for _ in range(3000)]
    for q in q_any:
        q[:3] = rng.uniform(-math.pi, math.pi, 3)
    # the point in which the wrist's axes meet, for many postures and seen from the tool
    p_TC = geometry.numbers.reals[49:52]
    centres = np.array([kg.pose(model, q, "tool").apply(p_TC) for q in q_any])
    for _ in range(10):
        target = kg.SE3(kg.SO3.exp(rng.normal(size=3)), rng.normal(size=3) * 3)
        solutions = geometry.solve(target)
        assert solutions
        for s in solutions:
            if s.exact:
                continue
            distance, angle = pose_error(kg.pose(model, s.q, "tool"), target)
            assert (s.distance, s.angle) == pytest.approx((distance, angle), abs=EXACT)
            assert angle < EXACT
            best = np.linalg.norm(centres - target.apply(p_TC), axis=1).min()
            assert best - 0.2 < distance <= best + EXACT


@pytest.mark.parametrize("family", ["position-3", "square-wrist-6", "parallel-6"])
@pytest.mark.parametrize("seed", range(4))
def test_out_of_reach_no_small_motion_comes_nearer(family: str, seed: int) -> None:
    model, rng = random_arm(family, seed), np.random.default_rng(seed)
    base = np.linalg.inv(recognised(model).numbers.X_AW)[:3, 3]
    for _ in range(5):
        target = kg.SE3(kg.SO3.exp(rng.normal(size=3)), base + 5 * rng.normal(size=3))
        for s in solve_analytic(model, "tool", target):
            if s.exact or (family != "position-3" and s.angle > EXACT):
                continue
            J = kg.jacobian(model, s.q, "tool")
            # motions that hold the orientation
            _, values, V = np.linalg.svd(J[3:])
            free = np.eye(3) if family == "position-3" else V[int((values > 1e-9).sum()) :].T
            missing = target.translation - kg.pose(model, s.q, "tool").translation
            assert np.abs(missing @ J[:3] @ free).max() < 1e-8 * np.linalg.norm(missing)


def test_stretches_towards_a_point_out_of_reach() -> None:
    model = compiled("bionic-3")
    stand = np.array([0, 0, model.parameters["stand"]])
    arm = sum(model.parameters[name] for name in ("upper_arm", "forearm", "hand"))
    away = np.array([3.0, 1.0, 2.0])
    nearest = solve_analytic(model, "tool", kg.SE3(translation=stand + away))
    assert {s.exact for s in nearest} == {False}
    assert nearest[0].distance == pytest.approx(np.linalg.norm(away) - arm, abs=EXACT)
    reached = kg.pose(model, nearest[0].q, "tool").translation
    np.testing.assert_allclose(reached, stand + away / np.linalg.norm(away) * arm, atol=EXACT)


@pytest.mark.parametrize("name", ["lynx6", "a255", "rhino-xr3", "teachmover", "serial-5"])
def test_five_joints_meet_the_position_of_a_pose_that_they_cannot_take(name: str) -> None:
    model, rng = compiled(name), np.random.default_rng(8)
    for _ in range(50):
        pose = kg.pose(model, random_q(model, rng), "tool")
        target = kg.SE3(pose.so3 @ kg.SO3.exp(rng.normal(size=3)), pose.translation)
        solutions = solve_analytic(model, "tool", target)
        assert solutions
        for s in solutions:
            distance, angle = pose_error(kg.pose(model, s.q, "tool"), target)
            assert not s.exact
            assert distance < EXACT
            assert (s.distance, s.angle) == pytest.approx((distance, angle), abs=EXACT)
            assert angle > 1e-3


def test_five_joints_with_a_wrist_in_a_point_report_what_remains() -> None:
    model, rng = compiled("pioneer2"), np.random.default_rng(9)
    pose = kg.pose(model, random_q(model, rng), "tool")
    target = kg.SE3(pose.so3 @ kg.SO3.exp([0.1, -0.2, 0.1]), pose.translation)
    solutions = solve_analytic(model, "tool", target)
    assert solutions
    for s in solutions:
        assert not s.exact
        left = pose_error(kg.pose(model, s.q, "tool"), target)
        assert (s.distance, s.angle) == pytest.approx(left, abs=EXACT)


# 3D-RAS: position and wrist angle


def paper_angles(
    model: kg.Model, xyz: np.ndarray, ground: float
) -> tuple[float, float, float, float]:
    """Equations 3 to 9, with atan2 of (z, x) and px the distance from the base axis.

    The paper prints the arguments of (4) to (6) as (x, z), and means the arm in the plane y = 0.
    """
    a1, d1, a2, a4 = (model.parameters[name] for name in ("a1", "d1", "a2", "a4"))
    x, y, z = xyz
    xb = (math.hypot(x, y) - a1 - a4 * math.cos(ground)) / (2 * a2)
    zb = (z - d1 - a4 * math.sin(ground)) / (2 * a2)
    q = math.sqrt(1 / (xb**2 + zb**2) - 1)
    forearm = math.atan2(zb - q * xb, xb + q * zb)
    shoulder = math.atan2(zb + q * xb, xb - q * zb)
    return math.atan2(y, x), shoulder, shoulder - forearm, ground - forearm


@pytest.mark.parametrize("offset", [0.0, 0.03])
def test_lynx6_agrees_with_the_papers_equations(offset: float) -> None:
    model, rng = compiled("lynx6"), np.random.default_rng(10)
    model.parameters["a1"] = offset
    compared = 0
    for _ in range(100):
        q = rng.uniform(np.radians([5, 10, 5, -80, -90, 0]), np.radians([175, 85, 85, 80, 90, 0]))
        xyz = kg.pose(model, q, "tool").translation
        if xyz @ [math.cos(q[0]), math.sin(q[0]), 0] < 0.01:
            continue  # over the back, which eq. 3 does not know
        ground = float(q[1] - q[2] + q[3])
        compared += 1
        expected = paper_angles(model, xyz, ground)
        up = next(
            s
            for s in solve_wrist_angle(model, "tool", xyz, ground)
            if s.branch == "front, elbow up"
        )
        np.testing.assert_allclose(up.q[:4], expected, atol=1e-9)
        np.testing.assert_allclose(up.q[:4], q[:4], atol=1e-9)
        assert up.within_limits
    assert compared > 50


def elevation(model: kg.Model, q: np.ndarray, xyz: np.ndarray) -> float:
    """Angle of the hand (z of the tool) above the direction from the waist towards the point."""
    pointing = kg.pose(model, q, "tool").rotation[:, 2]
    outward = np.array([*xyz[:2], 0]) / np.linalg.norm(xyz[:2])
    return math.atan2(pointing[2], float(pointing @ outward))


@pytest.mark.parametrize("name", ["lynx6", "a255", "teachmover", "serial-5", "rhino-xr3"])
def test_both_elbows_front_and_back_hold_the_wrist_angle(name: str) -> None:
    model, rng = compiled(name), np.random.default_rng(11)
    if name == "lynx6":
        model.parameters["a3"] = 0.09  # the paper needs a2 = a3; we do not
        model.parameters["a1"] = 0.02
    found = set()
    for _ in range(50):
        q = random_q(model, rng)
        xyz = kg.pose(model, q, "tool").translation
        angle = elevation(model, q, xyz)
        solutions = solve_wrist_angle(model, "tool", xyz, angle, start=q)
        assert min(turns_apart(s.q, q) for s in solutions) < KNOWN
        for s in solutions:
            found.add(s.branch)
            assert s.exact
            np.testing.assert_allclose(kg.pose(model, s.q, "tool").translation, xyz, atol=EXACT)
            assert elevation(model, s.q, xyz) == pytest.approx(angle, abs=EXACT)
            assert s.q[4] == q[4]
    assert found == {f"{side}, elbow {way}" for side in ("front", "back") for way in ("up", "down")}


def test_wrist_angle_of_a_tool_beside_the_roll_axis() -> None:
    model, rng = compiled("so101"), np.random.default_rng(12)
    for _ in range(30):
        q = random_q(model, rng)
        pose = kg.pose(model, q, "tool")
        roll_axis = -kg.pose(model, q, "wrist_roll").rotation[:, 2]  # towards the fingertips
        plane = kg.pose(model, q, "shoulder_pan").rotation[:, 0]
        angle = math.atan2(roll_axis[2], float(roll_axis @ plane))
        waist = kg.pose(model, q, "shoulder_pan").translation
        if (pose.translation - waist) @ plane < 0.02:
            continue  # over the back: the angle counts from the other side
        solutions = solve_wrist_angle(model, "tool", pose.translation, angle, start=q)
        assert min(turns_apart(s.q, q) for s in solutions) < KNOWN


def test_a_wrist_angle_out_of_reach_is_held() -> None:
    model = compiled("lynx6")
    solutions = solve_wrist_angle(model, "tool", [0.5, 0.2, 0.1], 0.3)
    assert solutions
    for s in solutions:
        assert not s.exact
        assert "elbow" in s.singular
        assert s.distance > 0.1
        assert elevation(model, s.q, np.array([0.5, 0.2, 0.1])) == pytest.approx(0.3, abs=EXACT)


def test_wrist_angle_is_for_pitch_arms() -> None:
    with pytest.raises(kg.errors.UsageError, match="three parallel axes and perhaps a roll"):
        solve_wrist_angle(compiled("puma560"), "tool", [0.5, 0, 0.5], 0.0)


# Reach


def test_physical_reach_follows_the_papers_equations() -> None:
    model, rng = compiled("lynx6"), np.random.default_rng(13)
    model.parameters["a1"] = 0.025
    a1, d1, a2, a3, a4 = (model.parameters[n] for n in ("a1", "d1", "a2", "a3", "a4"))
    for _ in range(50):
        xyz = rng.normal(size=3) * 0.4
        reach = physical_reach(model, "tool", xyz)
        assert reach.distance == pytest.approx(math.hypot(math.hypot(xyz[0], xyz[1]), xyz[2]))
        assert reach.longest == pytest.approx(math.sqrt((d1 + a2 + a3 + a4) ** 2 + a1**2))
        assert reach.beyond == pytest.approx(reach.distance - reach.longest)


@pytest.mark.parametrize("name", ["lynx6", "bionic-3", "puma560", "ur5e", "pioneer2"])
def test_what_the_arm_reaches_is_within_its_reach(name: str) -> None:
    model, rng = compiled(name), np.random.default_rng(14)
    for _ in range(30):
        reach = physical_reach(model, "tool", kg.pose(model, random_q(model, rng)).translation)
        assert reach.shortfall == 0
        assert reach.beyond < EXACT


def test_shortfall_is_the_distance_to_the_stretched_arm() -> None:
    model = compiled("lynx6")
    d1, a2, a3, a4 = (model.parameters[name] for name in ("d1", "a2", "a3", "a4"))
    for direction in ([1, 0, 0], [0, 1, 1], [-1, 2, 3]):
        unit = np.array(direction) / np.linalg.norm(direction)
        xyz = np.array([0, 0, d1]) + (a2 + a3 + a4 + 0.07) * unit
        assert physical_reach(model, "tool", xyz).shortfall == pytest.approx(0.07, abs=EXACT)
    # straight up the paper's limit is just as sharp
    assert physical_reach(model, "tool", [0, 0, 1]).beyond == pytest.approx(
        physical_reach(model, "tool", [0, 0, 1]).shortfall
    )


def test_shortfall_of_a_point_too_near() -> None:
    model = compiled("lynx6")
    model.parameters["a2"], model.parameters["a3"], model.parameters["a4"] = 0.3, 0.1, 0.05
    reach = physical_reach(model, "tool", [0.06, 0, model.parameters["d1"]])
    assert reach.shortfall == pytest.approx(0.3 - 0.1 - 0.05 - 0.06, abs=EXACT)
    assert reach.beyond < 0


# Files that round pi


def test_rounded_right_angles_are_recognised_and_corrected() -> None:
    text = """
raff: 1
name: rounded
joints:
  - {name: A, parent: base, r: 0.4}
  - {name: B, parent: A, alpha: 1.5708, d: 0.05}
  - {name: C, parent: B, d: 0.4, start: 1}
  - {name: D, parent: C, alpha: 1.5708, d: 0.03, r: 0.35}
  - {name: E, parent: D, alpha: -1.5708, start: 1}
  - {name: F, parent: E, alpha: 1.5708}
frames:
  - {name: tool, parent: F, r: 0.1}
"""
    model, rng = kg.load(text).compile(), np.random.default_rng(15)
    assert 1e-6 < recognised(model).numbers.misfit < 1e-5
    met = 0
    for _ in range(100):
        q = rng.uniform(-2.5, 2.5, 6)
        if min(abs(math.sin(q[2] - 0.08)), abs(math.sin(q[4]))) < 0.05:
            continue  # next to a double root the misfit counts by its square root
        target = kg.pose(model, q, "tool")
        solutions = solve_analytic(model, "tool", target)
        check_all(model, "tool", target, solutions)
        assert min(turns_apart(s.q, q) for s in solutions) < KNOWN
        met += 1
    assert met > 50


# Bad input


def test_numbers_that_are_none_are_refused() -> None:
    model = compiled("lynx6")
    with pytest.raises(kg.errors.UsageError, match="finite"):
        solve_analytic(model, "tool", kg.SE3(translation=np.array([np.nan, 0, 0])))
    with pytest.raises(kg.errors.UsageError, match="finite"):
        solve_analytic(model, "tool", kg.SE3.from_pose([np.nan, 0, 0, 1, 0, 0, 0]))
    with pytest.raises(kg.errors.UsageError, match="finite"):
        solve_analytic(model, "tool", kg.SE3(), start=np.full(6, np.nan))
    with pytest.raises(kg.errors.UsageError, match="SE3"):
        solve_analytic(model, "tool", [0, 0, 0])  # type: ignore[arg-type]
    with pytest.raises(kg.errors.UsageError, match="too far"):
        solve_analytic(model, "tool", kg.SE3(translation=np.array([1e200, 1e200, 0])))
    for xyz in ([0.1, np.inf, 0], [0.1, 0.2], "here"):
        with pytest.raises(kg.errors.UsageError, match="a position must be 3"):
            solve_wrist_angle(model, "tool", xyz, 0.0)
        with pytest.raises(kg.errors.UsageError, match="a position must be 3"):
            physical_reach(model, "tool", xyz)
    with pytest.raises(kg.errors.UsageError, match="wrist angle must be a finite number"):
        solve_wrist_angle(model, "tool", [0.1, 0.2, 0.1], math.nan)
    with pytest.raises(kg.errors.NameNotFoundError, match="'tol'"):
        solve_analytic(model, "tol", kg.SE3())
