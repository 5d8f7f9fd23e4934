import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.curves import (
    CurvePoints,
    circle,
    ellipse_by_corners,
    formula_curve,
    pipe_seam,
    segment,
    surface,
)
from kinegen.errors import KinegenError, UsageError
from kinegen.mechanism.headings import q_headings
from kinegen.motion.follow import follow, path_branches

DOWN = kg.SO3.from_rpy(math.pi, 0, 0)


@pytest.fixture(scope="module")
def ur5e() -> kg.Model:
    return kg.load("ur5e").compile()


def places(path) -> np.ndarray:  # type: ignore[no-untyped-def, type-arg]
    rows = path.q[path.reachable]
    return np.array([kg.pose(path.model, q, path.frame).translation for q in rows])


def test_an_arm_follows_with_its_rotation_kept(ur5e: kg.Model) -> None:
    path = follow(ur5e, circle((0.35, 0.1, 0.3), 0.1), frame="tool", points=60, tool=DOWN)
    assert path.is_complete
    assert np.allclose(places(path), path.xyz, atol=1e-7)
    turned = [kg.pose(ur5e, q, "tool").so3.minus(DOWN) for q in path.q]
    assert np.abs(turned).max() < 1e-6


def test_speeds_are_those_of_the_jacobian(ur5e: kg.Model) -> None:
    path = follow(
        ur5e, circle((0.35, 0.1, 0.3), 0.1), frame="tool", points=200, tool=DOWN, speed=0.2
    )
    assert abs(path.duration - 0.2 * math.pi / 0.2) < 1e-5
    for i in (0, 50, 123, 199):
        angle = math.atan2(path.xyz[i, 1] - 0.1, path.xyz[i, 0] - 0.35)
        linear = 0.2 * np.array([-math.sin(angle), math.cos(angle), 0])
        inward = -0.4 * np.array([math.cos(angle), math.sin(angle), 0])
        exact = kg.kinematics.velocities(ur5e, path.q[i], frames={"tool": [*linear, 0, 0, 0]})
        assert np.allclose(path.v[i], exact.v, atol=2e-5)
        rise = kg.kinematics.accelerations(
            ur5e, path.q[i], exact, frames={"tool": [*inward, 0, 0, 0]}
        )
        assert np.allclose(path.vdot[i], rise.vdot, atol=5e-3)


def test_branches_are_kept_and_offered(ur5e: kg.Model) -> None:
    curve = circle((0.35, 0.1, 0.3), 0.1)
    branches = path_branches(ur5e, curve, frame="tool", tool=DOWN)
    assert len(branches) == 8
    paths = [follow(ur5e, curve, frame="tool", points=30, tool=DOWN, branch=k) for k in (0, 3)]
    assert not np.allclose(paths[0].q, paths[1].q, atol=0.1)
    for path in paths:
        signs = {kg.kinematics.branch_signature(ur5e, q, "tool") for q in path.q}
        assert len(signs) == 1
    with pytest.raises(UsageError, match="from 0 to 7, not 8"):
        follow(ur5e, curve, frame="tool", points=30, tool=DOWN, branch=8)


def test_unreachable_points_are_skipped_with_the_reason(ur5e: kg.Model) -> None:
    path = follow(ur5e, segment((0.4, 0, 0.3), (1.4, 0, 0.3)), frame="tool", points=50)
    assert 0 < path.reachable_count < 50
    (gap,) = path.gaps()
    first = gap.first
    assert gap.last == 49
    assert "out of reach" in gap.reason
    assert np.isnan(path.q[first:]).all()
    assert np.isnan(path.v[first:]).all()
    assert np.isfinite(path.v[:first]).all()


def test_a_path_may_begin_out_of_reach(ur5e: kg.Model) -> None:
    there = follow(ur5e, segment((0.4, 0, 0.3), (1.4, 0, 0.3)), frame="tool", points=50)
    back = follow(ur5e, segment((1.4, 0, 0.3), (0.4, 0, 0.3)), frame="tool", points=50)
    assert abs(back.reachable_count - there.reachable_count) <= 1
    assert not back.reachable[0]
    assert back.reachable[-1]


def test_nothing_in_reach() -> None:
    model = kg.load("lynx6").compile()
    path = follow(model, segment((2, 0, 0), (3, 0, 0)), frame="tool", points=5)
    assert path.reachable_count == 0
    assert path.runs == ()
    assert set(path.reasons) == set(range(5))
    assert path.too_fast == {}


def test_closed_loops_stay_closed_and_gaps_keep_the_branch() -> None:
    model = kg.load("five-bar").compile()
    path = follow(
        model, ellipse_by_corners((0, 0.2, 0), (0.2, 0.45, 0)), frame="handle", points=120
    )
    assert 0 < path.reachable_count < 120
    assert len(path.runs) == 2
    assert max(kg.kinematics.loop_gap(model, q).distance for q in path.q[path.reachable]) < 1e-9
    assert np.allclose(places(path), path.xyz[path.reachable], atol=1e-7)
    signs = {kg.kinematics.branch_signature(model, q, "handle") for q in path.q[path.reachable]}
    assert len(signs) == 1


def test_the_tool_points_at_the_surface(ur5e: kg.Model) -> None:
    curve = surface("bowl").curve(10).moved((0.2, 0, 0.1))
    path = follow(ur5e, curve, frame="tool", points=20, tool="normal")
    assert path.is_complete
    points = curve.sample(20)
    assert points.normals is not None
    for q, normal in zip(path.q, points.normals, strict=True):
        assert np.allclose(kg.pose(ur5e, q, "tool").so3.apply((0, 0, 1)), -normal, atol=1e-6)


def test_the_papers_seam_with_its_arm() -> None:
    model = kg.load("lynx6").compile()
    path = follow(model, pipe_seam(0.04, 0.045, (0.15, 0.15, 0.1)), frame="tool", points=32)
    assert path.is_complete
    assert q_headings(path.model)[:2] == ["waist [rad]", "shoulder [rad]"]


def test_points_without_value_are_marked(ur5e: kg.Model) -> None:
    curve = formula_curve("35 cm", "t", "30 cm + 1 mm/(t - 5 cm)*0", t=(0, 0.1))
    found = follow(ur5e, curve, frame="tool", points=21)
    assert not found.reachable[10]
    assert "division by zero" in found.reasons[10]
    assert len(found.runs) == 2


def test_singular_crossings_are_reported_before_running() -> None:
    model = kg.load("puma560").compile()
    path = follow(model, circle((0.45, 0.1, 0.3), 0.1), frame="tool", points=200, tool=DOWN)
    crossed = [c for c in path.crossings if c.kind == "task"]
    assert len(crossed) == 2
    for crossing in crossed:
        assert path.singular[crossing.index : crossing.index + 2].min() < 0.02
        before, after = path.q[crossing.index], path.q[crossing.index + 1]
        assert kg.kinematics.branch_signature(
            model, before, "tool"
        ) != kg.kinematics.branch_signature(model, after, "tool")


def test_speed_limits_of_motors_are_watched() -> None:
    model = kg.load("five-bar").compile()
    curve = segment((0.05, 0.3, 0), (0.15, 0.3, 0))
    assert follow(model, curve, frame="handle", points=20, speed=0.05).too_fast == {}
    fast = follow(model, curve, frame="handle", points=20, speed=5)
    assert fast.too_fast
    assert all(times > 1 for times in fast.too_fast.values())


def test_locked_joints_hold_still(ur5e: kg.Model) -> None:
    start = kg.solve(ur5e, kg.Handle("tool", [0.35, 0.1, 0.3])).q
    path = follow(
        ur5e, segment((0.35, 0.1, 0.3), (0.4, 0.1, 0.3)), frame="tool", points=9, start=start,
        locked=["wrist_3"],
    )  # fmt: skip
    assert path.is_complete
    assert np.ptp(path.q[:, 5]) == 0


@pytest.mark.parametrize(
    "options",
    [
        {"speed": 0}, {"speed": float("nan")}, {"points": 1}, {"points": 5, "step": 0.1},
        {"tool": "sideways"}, {"tool": "normal"}, {"tool": (0, 0, 0)}, {"tool": (1, 2)},
        {"frame": "nose"}, {"locked": ["nose"]}, {"start": [1, 2]},
    ],
)  # fmt: skip
def test_bad_input_is_refused(ur5e: kg.Model, options: dict[str, object]) -> None:
    with pytest.raises(KinegenError):
        follow(ur5e, segment((0.3, 0, 0.3), (0.4, 0, 0.3)), **options)  # type: ignore[arg-type]


def test_a_curve_without_points_is_refused(ur5e: kg.Model) -> None:
    with pytest.raises(UsageError, match="sqrt"):
        follow(ur5e, formula_curve("sqrt(-1 - t)", "0", "0"))
    with pytest.raises(UsageError, match="none"):
        follow(ur5e, CurvePoints(np.zeros(0), np.zeros((0, 3))))
    with pytest.raises(UsageError, match="Curve"):
        follow(ur5e, "circle")  # type: ignore[arg-type]


def test_redundant_arms_are_watched_too() -> None:
    model = kg.load("franka").compile()
    path = follow(model, segment((0.4, 0, 0.4), (0.5, 0.1, 0.4)), points=12)
    assert path.is_complete
    assert np.isfinite(path.singular).all()
    exact = [
        kg.kinematics.singularities(model, q, kg.Handle(path.frame, [0, 0, 0])).task_distance
        for q in path.q
    ]
    assert np.allclose(path.singular, exact, rtol=1e-6)


def test_the_papers_wrist_angle_is_kept() -> None:
    model = kg.load("lynx6").compile()
    curve = segment((0.2, 0.15, 0.15), (0.16, 0.19, 0.15))
    path = follow(model, curve, frame="tool", points=15, wrist_angle=-1.0)
    assert path.is_complete
    assert np.allclose(places(path), path.xyz, atol=1e-9)
    shoulder, elbow, wrist = path.q[:, 1], path.q[:, 2], path.q[:, 3]
    assert np.allclose(shoulder - elbow + wrist, -1.0)
    assert len(path_branches(model, curve, frame="tool", wrist_angle=-1.0, limits=False)) == 4
    far = follow(model, segment((0.2, 0.15, 0.15), (0.6, 0.15, 0.15)), frame="tool", points=15,
                 wrist_angle=-1.0)  # fmt: skip
    assert 0 < far.reachable_count < 15
    assert all("with this wrist angle" in why for why in far.reasons.values())
    with pytest.raises(UsageError, match="lynx6"):
        follow(kg.load("ur5e").compile(), curve, frame="tool", wrist_angle=0.0)
    with pytest.raises(UsageError, match="not both"):
        follow(model, curve, frame="tool", tool=(0, 0, -1), wrist_angle=0.0)
