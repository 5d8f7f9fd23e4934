"""Closed mechanisms of the library: they stand closed, move as the literature says, and obey it."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np
import pytest

import kinegen as kg

CLOSED = 1e-9  # m, rad: files give formulas, or numbers with nine digits
MOVED = 1e-10  # m, rad: what Newton's method leaves of a gap, with lengths of about 1
SMALLEST = 1e-6  # of the largest singular value; the smallest real one in the library is 6e-3


class Facts(NamedTuple):
    """What is known about a mechanism."""

    joints: int
    loops: int
    nv: int
    mobility: int
    held: int = 0
    """Degrees of freedom left when all motors hold."""


FACTS = {
    "five-bar": Facts(5, 1, 5, 2),
    "five-bar-b": Facts(5, 1, 5, 2),
    "five-bar-spatial": Facts(5, 1, 9, 3, held=1),  # the swing has no motor
    "eight-bar": Facts(9, 2, 9, 3),
    "eight-bar-b": Facts(9, 2, 9, 3),
    "four-bar": Facts(4, 1, 4, 1),
    "slider-crank": Facts(4, 1, 4, 1),
    "peaucellier": Facts(10, 3, 10, 1),
    "bricard": Facts(6, 1, 6, 1, held=1),  # falls freely in the benchmark: no motor
    "3-rrr": Facts(9, 2, 9, 3),
    "delta": Facts(16, 5, 33, 3),  # 3 arms, 6 rods, 6 balls, and a fixed row for the middle
    "stewart": Facts(18, 5, 36, 6),
    "tricept": Facts(11, 3, 21, 3),
    "hybrid-9": Facts(9, 1, 9, 6),  # CINEGEN's table 1: 9 joints, 1 loop
    "parallel-18": Facts(18, 3, 18, 3),  # CINEGEN's table 1: 18 joints, 3 loops
}
# Grübler's count nv - 6 loops is wrong for these: they move because their axes are special.
OVERCONSTRAINED = set(FACTS) - {"five-bar-spatial", "delta", "stewart", "tricept"}


def compiled(name: str) -> kg.Model:
    return kg.load(name).compile()


def free_motions(model: kg.Model, q: np.ndarray) -> np.ndarray:
    """Velocities that keep the loops closed, (mobility, nv)."""
    _, values, rows = np.linalg.svd(kg.kinematics.loop_jacobian(model, q))
    return rows[int((values > SMALLEST * values[0]).sum()) :]


def reclose(model: kg.Model, q: np.ndarray, held: list[int] | None = None) -> np.ndarray:
    """The closed pose near q; velocities in ``held`` do not change."""
    move = [i for i in range(model.nv) if i not in (held or [])]
    for _ in range(20):
        gap = kg.kinematics.loop_residual(model, q)
        if np.abs(gap).max() < 1e-13:
            break
        step = np.zeros(model.nv)
        J_phi = kg.kinematics.loop_jacobian(model, q)[:, move]
        step[move] = -np.linalg.lstsq(J_phi, gap, rcond=SMALLEST)[0]
        q = kg.kinematics.integrate(model, q, step)
    return q


def drive(model: kg.Model, q: np.ndarray, to: dict[str, float], steps: int = 20) -> np.ndarray:
    """Move one-variable joints to the given values in small steps, loops closed."""
    joints = [model.joint(name) for name in to]
    held = [joint.v.start for joint in joints]
    starts = [q[joint.q.start] for joint in joints]
    for k in range(1, steps + 1):
        q = q.copy()
        for joint, start, end in zip(joints, starts, to.values(), strict=True):
            q[joint.q.start] = start + (end - start) * k / steps
        q = reclose(model, q, held)
    return q


def walk(model: kg.Model, seed: int, steps: int = 15, size: float = 0.04) -> list[np.ndarray]:
    """Closed poses along a random course that keeps its direction as well as the loops let it."""
    rng = np.random.default_rng(seed)
    q = model.start()
    direction = free_motions(model, q).T @ rng.normal(size=len(free_motions(model, q)))
    poses = []
    for _ in range(steps):
        free = free_motions(model, q)
        direction = free.T @ (free @ direction)
        direction /= np.linalg.norm(direction)
        q = reclose(model, kg.kinematics.integrate(model, q, size * direction))
        poses.append(q)
    return poses


def point(model: kg.Model, q: np.ndarray, frame: str) -> np.ndarray:
    return kg.pose(model, q, frame).translation


def value(model: kg.Model, q: np.ndarray, joint: str) -> float:
    return float(q[model.joint(joint).q.start])


@pytest.mark.parametrize("name", FACTS)
def test_it_is_built_as_the_literature_says(name: str) -> None:
    model = compiled(name)
    facts = FACTS[name]
    assert model.name == name
    assert (len(model.joints), len(model.loops), model.nv) == facts[:3]
    assert (model.nv - 6 * len(model.loops) != facts.mobility) == (name in OVERCONSTRAINED)


@pytest.mark.parametrize("name", FACTS)
def test_it_stands_closed_and_within_its_limits(name: str) -> None:
    model = compiled(name)
    q = model.start()
    assert np.abs(kg.kinematics.loop_residual(model, q)).max() <= CLOSED
    for joint in model.joints:
        if joint.type in {kg.JointType.REVOLUTE, kg.JointType.PRISMATIC}:
            i = joint.v.start
            assert model.lower[i] <= q[joint.q.start] <= model.upper[i], joint.name


@pytest.mark.parametrize("name", FACTS)
def test_its_mobility_is_finite_not_only_instantaneous(name: str) -> None:
    model = compiled(name)
    mobility = FACTS[name].mobility
    assert len(free_motions(model, model.start())) == mobility
    for seed in range(3):
        for q in walk(model, seed):
            assert np.abs(kg.kinematics.loop_residual(model, q)).max() <= MOVED
            assert len(free_motions(model, q)) == mobility


@pytest.mark.parametrize("name", FACTS)
def test_its_motors_hold_it(name: str) -> None:
    model = compiled(name)
    driven = [i for j in model.joints if j.has_motor for i in range(j.v.start, j.v.stop)]
    free = free_motions(model, model.start())
    assert len(free) - np.linalg.matrix_rank(free[:, driven], tol=1e-3) == FACTS[name].held


@pytest.mark.parametrize("name", FACTS)
def test_it_describes_itself(name: str) -> None:
    mechanism = kg.load(name)
    assert mechanism.title and mechanism.description and mechanism.source
    assert mechanism.parameters
    assert set(mechanism.frames) & {"handle", "tool", "platform"}
    for parameter in mechanism.parameters.values():
        assert not parameter.formula.names, f"{parameter.name} would not be a slider of its own"


def test_cinegens_eighteen_joint_robot_fits_in_forty_lines() -> None:
    document = kg.load("parallel-18").document
    assert document is not None
    assert len(document.text.splitlines()) <= 40


def test_five_bar_is_symmetric_at_its_start() -> None:
    model = compiled("five-bar")
    handle = point(model, model.start(), "handle")
    assert handle == pytest.approx([0.1, 0.15 + math.sqrt(0.25**2 - 0.1**2), 0])


def test_five_bar_b_keeps_its_triangle() -> None:
    model = compiled("five-bar-b")
    model.parameters["l6"] = 0.28
    q = reclose(model, model.start())
    X_WC = kg.pose(model, q, "C")
    p_B = X_WC.apply([0.30, 0, 0])
    p_H = point(model, q, "handle")
    assert np.linalg.norm(p_H - p_B) == pytest.approx(0.28)
    assert np.linalg.norm(p_H - X_WC.translation) == pytest.approx(0.25)


def test_spatial_five_bar_swings_its_middle_joint_on_a_circle() -> None:
    model = compiled("five-bar-spatial")
    q = model.start()
    held = [model.joint("O").v.start, model.joint("D").v.start]
    radius = 0.24  # of a 5-12-13 triangle: half the ground 0.1, rod 0.26
    heights = []
    for _ in range(40):
        free = free_motions(model, q)
        # the combination of motions in which neither crank turns
        swing = np.linalg.svd(free[:, held].T)[2][-1] @ free
        swing *= np.sign(swing @ kg.jacobian(model, q, "handle")[2]) / np.linalg.norm(swing)
        q = reclose(model, kg.kinematics.integrate(model, q, 0.02 * swing), held)
        x, y, z = point(model, q, "handle")
        assert x == pytest.approx(0.1)
        assert math.hypot(y - 0.15, z) == pytest.approx(radius)
        heights.append(z)
    assert max(heights) - 0.6 * radius > 0.05


@pytest.mark.parametrize("seed", range(3))
def test_eight_bar_keeps_its_bars(seed: int) -> None:
    model = compiled("eight-bar")
    A, B = np.array([0.24, -0.07, 0]), np.array([0.48, 0, 0])
    for q in walk(model, seed):
        X_WF = kg.pose(model, q, "F")
        # J is the paper's point I
        F, G, J = X_WF.translation, X_WF.apply([0.12, -0.09, 0]), X_WF.apply([0.24, 0, 0])
        C, D, E, H = (point(model, q, name) for name in ("C", "D", "E", "handle"))
        bars = [C, D - A, E - B, F - C, G - D, J - E, F - G, G - J, J - F, F - H, J - H]
        lengths = [0.20, 0.20, 0.20, 0.30, 0.20, 0.30, 0.15, 0.15, 0.24, 0.20, 0.20]
        assert [np.linalg.norm(bar) for bar in bars] == pytest.approx(lengths)


def test_eight_bar_b_carries_its_wrist_plate_level() -> None:
    model = compiled("eight-bar-b")
    q = drive(model, model.start(), {"O": 2.6, "forearm": -0.3})
    level = kg.pose(model, q, "F").rotation
    assert level == pytest.approx(np.eye(3), abs=1e-9)
    assert point(model, q, "F") == pytest.approx(
        [
            0.30 * math.cos(2.6) + 0.25 * math.cos(-0.3),
            0.30 * math.sin(2.6) + 0.25 * math.sin(-0.3),
            0,
        ]
    )


def test_four_bar_crank_turns_fully_and_its_point_runs_almost_straight() -> None:
    model = compiled("four-bar")
    q = model.start()
    start = point(model, q, "handle")
    path = []
    for step in range(1, 73):
        q = drive(model, q, {"crank": math.radians(90 + 5 * step)}, steps=1)
        path.append(point(model, q, "handle"))
    assert path[-1] == pytest.approx(start, abs=1e-9)
    # Hoecken: while the crank runs from 90 to 270 deg the point stays at y = 0.4 to 2 % of its way
    straight = np.array([start, *path[:36]])
    assert np.ptp(straight[:, 1]) < 0.02 * np.ptp(straight[:, 0])
    assert np.ptp(straight[:, 0]) > 0.39


@pytest.mark.parametrize("offset", [0.0, 0.02])
def test_slider_crank_follows_its_closed_form(offset: float) -> None:
    model = compiled("slider-crank")
    model.parameters["offset"] = offset
    q = reclose(model, model.start(), [model.joint("crank").v.start])
    for angle in (2.0, 3.0, 4.5, 6.0, 7.5):
        q = drive(model, q, {"crank": angle})
        x = 0.05 * math.cos(angle)
        x += math.sqrt(0.13**2 - (0.05 * math.sin(angle) - offset) ** 2)
        assert value(model, q, "piston") == pytest.approx(x)
        assert point(model, q, "handle") == pytest.approx([x, offset, 0])


def test_peaucellier_draws_a_straight_line() -> None:
    model = compiled("peaucellier")
    line = (0.2**2 - 0.13**2) / (2 * 0.055)
    path = []
    for angle in (-1.6, 1.6):
        q = model.start()
        for step in range(1, 9):
            q = drive(model, q, {"PB": angle * step / 8}, steps=4)
            path.append(point(model, q, "handle"))
    assert np.array(path)[:, 0] == pytest.approx(line, abs=1e-10)
    assert np.ptp(np.array(path)[:, 1]) > 0.3


def test_peaucellier_with_unequal_ground_draws_an_arc() -> None:
    model = compiled("peaucellier")
    model.parameters["ground"] = 0.05
    q = reclose(model, model.start(), [model.joint("PB").v.start])
    there = [point(model, drive(model, q, {"PB": angle}), "handle")[0] for angle in (0.0, 0.8)]
    assert abs(there[0] - there[1]) > 1e-3


def test_bricard_starts_on_the_cube_and_moves() -> None:
    model = compiled("bricard")
    corners = {
        "P1": (0, 0, 0),
        "P2": (1, 0, 0),
        "P3": (1, -1, 0),
        "P4": (1, -1, 1),
        "P5": (0, -1, 1),
    }
    axes = {"P1": (0, 1, 0), "P2": (0, 0, 1), "P3": (1, 0, 0), "P4": (0, 1, 0), "P5": (0, 0, 1)}
    poses = kg.poses(model, model.start())
    for name, corner in corners.items():
        assert poses[name].translation == pytest.approx(corner, abs=1e-12)
        assert poses[name].rotation[:, 2] == pytest.approx(axes[name], abs=1e-12)
    assert poses["handle"].translation == pytest.approx([1, -1, 0], abs=1e-12)
    assert model.inertia[1:, 0] == pytest.approx(np.ones(5))
    q = drive(model, model.start(), {"P1": 0.5})
    assert np.abs(kg.kinematics.loop_residual(model, q)).max() <= MOVED
    assert np.linalg.norm(point(model, q, "handle") - [1, -1, 0]) > 0.4


def with_turned_axis(name: str, joint: str, cut: str) -> kg.Model:
    """A library mechanism with one axis turned by 5 deg; where ``cut`` lands moves along."""
    document = kg.load(name).document
    assert document is not None
    text, turned = re.subn(rf"(name: {joint},.*?alpha: )(-?90 deg)", r"\1\2 + 5 deg", document.text)
    assert turned == 1
    model = kg.load(text).compile()
    loop = [model.joints[loop.joint].name for loop in model.loops].index(cut)
    onto = kg.pose(model, None, model.link_names[model.joint(cut).child])
    K = onto.inverse() @ kg.SE3.from_pose(kg.kinematics.loop_poses(model)[loop][0])
    place = f"xyz: {[*map(float, K.translation)]}, rpy: {[*map(float, K.so3.rpy)]}"
    text, moved = re.subn(rf"(name: {cut},[^}}]*?onto: \w+), [^}}]*", rf"\1, {place}", text)
    assert moved == 1
    return kg.load(text).compile()


@pytest.mark.parametrize(
    ("name", "joint", "cut", "left"), [("bricard", "P3", "P6", 0), ("parallel-18", "C2", "D2", 2)]
)
def test_it_loses_a_degree_of_freedom_when_one_axis_is_turned(
    name: str, joint: str, cut: str, left: int
) -> None:
    model = with_turned_axis(name, joint, cut)
    assert np.abs(kg.kinematics.loop_residual(model)).max() < 1e-12
    assert len(free_motions(model, model.start())) == left


def test_three_rrr_is_symmetric_and_turns_about_its_centre() -> None:
    model = compiled("3-rrr")
    q = model.start()
    assert kg.pose(model, q, "handle").matrix == pytest.approx(np.eye(4), abs=1e-12)
    start = value(model, q, "A1")
    q = drive(model, q, {name: start + 0.2 for name in ("A1", "A2", "A3")})
    X = kg.pose(model, q, "handle")
    assert X.translation == pytest.approx([0, 0, 0], abs=1e-9)
    assert abs(X.so3.log()[2]) > 0.1


def test_delta_moves_in_all_directions_and_never_turns() -> None:
    model = compiled("delta")
    q = model.start()
    level = kg.pose(model, q, "tool")
    assert level.translation[:2] == pytest.approx([0, 0], abs=1e-12)
    assert level.translation[2] == pytest.approx(1.5 - math.sqrt(1.244**2 - 0.644**2))
    assert level.rotation == pytest.approx(np.diag([1, -1, -1]), abs=1e-12)
    q = drive(model, q, {"arm1": 0.5, "arm2": -0.2, "arm3": 0.1})
    X = kg.pose(model, q, "tool")
    assert X.rotation == pytest.approx(level.rotation, abs=1e-9)
    # three spheres about the elbows, moved inwards by the platform's radius, meet at the tool
    for k, angle in enumerate((0.5, -0.2, 0.1)):
        out = 0.164 - 0.044 + 0.524 * math.cos(angle)
        elbow = [out * math.cos(2 * math.pi * k / 3), out * math.sin(2 * math.pi * k / 3)]
        sphere = X.translation - [*elbow, 1.5 - 0.524 * math.sin(angle)]
        assert np.linalg.norm(sphere) == pytest.approx(1.244)


def stewart_lengths(X: kg.SE3) -> list[float]:
    """Leg lengths by inverse kinematics from the published geometry."""
    base = np.radians([2.5, 117.5, 122.5, 237.5, 242.5, -2.5])
    top = np.radians([50, 70, 170, 190, 290, 310])
    return [
        float(
            np.linalg.norm(X.apply([np.cos(t), np.sin(t), 0]) - [3 * np.cos(b), 3 * np.sin(b), 0])
        )
        for b, t in zip(base, top, strict=True)
    ]


def test_stewart_stands_level_at_two_metres() -> None:
    model = compiled("stewart")
    X = kg.pose(model, model.start(), "handle")
    assert X.translation == pytest.approx([0, 0, 2], abs=CLOSED)
    assert X.rotation == pytest.approx(np.eye(3), abs=CLOSED)


@pytest.mark.parametrize("seed", range(4))
def test_stewart_legs_are_as_long_as_their_anchors_are_apart(seed: int) -> None:
    model = compiled("stewart")
    for q in [model.start(), *walk(model, seed)]:
        legs = [value(model, q, f"leg{i}") for i in range(1, 7)]
        assert legs == pytest.approx(stewart_lengths(kg.pose(model, q, "handle")), abs=1e-8)


def test_tricept_tool_stays_on_the_central_tube() -> None:
    model = compiled("tricept")
    gimbal = np.array([0, 0, 1.6])
    assert point(model, model.start(), "tool") == pytest.approx([0, 0, 1.6 - 0.84 - 0.2])
    q = drive(model, model.start(), {"leg1": 1.0, "leg2": 0.85, "leg3": 0.9})
    tool = point(model, q, "tool")
    assert np.linalg.norm(tool - gimbal) == pytest.approx(value(model, q, "platform") + 0.2)
    assert abs(tool[0]) > 0.05
    for i, azimuth in enumerate(np.radians([0, 120, 240]), start=1):
        anchor = [0.6 * np.cos(azimuth), 0.6 * np.sin(azimuth), 1.6]
        ball = kg.pose(model, q, "platform").apply(
            [0.25 * np.cos(-azimuth), 0.25 * np.sin(-azimuth), 0]
        )
        assert np.linalg.norm(ball - anchor) == pytest.approx(value(model, q, f"leg{i}"))


def test_hybrid_9_is_the_serial_irb2400_with_its_parallel_rod() -> None:
    hybrid, serial = compiled("hybrid-9"), compiled("irb2400")
    to = {"axis1": 0.4, "axis2": 0.6, "axis3": -0.2, "axis4": 0.5, "axis5": 0.7, "axis6": -0.9}
    q = drive(hybrid, hybrid.start(), to)
    # the rod holds the forearm's tilt against the ground, not against the lower arm
    direct = np.array([*to.values()])
    direct[2] = to["axis3"] - to["axis2"]
    X, Y = kg.pose(hybrid, q, "tool"), kg.pose(serial, direct, "tool")
    assert X.is_close(Y, tolerance=1e-9)


def test_parallel_18_turns_about_its_centre() -> None:
    model = compiled("parallel-18")
    for seed in range(3):
        q = walk(model, seed)[-1]
        X = kg.pose(model, q, "platform")
        assert X.translation == pytest.approx([0, 0, 0.45])
        assert np.linalg.norm(X.so3.log()) > 0.05
        for i, azimuth in enumerate(np.radians([0, 120, 240]), start=1):
            radial = np.array([np.cos(azimuth), np.sin(azimuth), 0])
            down = 0.4 * np.array([*(radial[:2] / math.sqrt(3)), -math.sqrt(2 / 3)])
            hinge = X.apply(0.3 * np.array([-radial[1], radial[0], 0]))
            foot = np.array([0, 0, 0.45]) + down
            assert np.linalg.norm(hinge - foot) == pytest.approx(value(model, q, f"leg{i}"))
