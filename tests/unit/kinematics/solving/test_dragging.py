"""Dragging: loops closed at every tick, limits kept, reasons given."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.closure import loop_gap
from kinegen.kinematics.solving.assembling.assembly import close

CLOSED = [
    name for name in kg.library_names() if any(j.closes for j in kg.load(name).joints.values())
]
GAP = 1e-9  # metres: what the project promises


@pytest.mark.parametrize("name", kg.library_names())
def test_a_long_random_walk_keeps_every_loop_closed(name: str) -> None:
    model = kg.load(name).compile()
    frame = model.site_names[-1]
    home = kg.pose(model, None, frame).translation
    dragger = kg.Dragger(model, None, [kg.Handle(frame, home)])
    rng = np.random.default_rng(7)
    target = home.copy()
    for tick in range(400):
        target = home.copy() if tick % 100 == 0 else target + rng.normal(size=3) * 0.05 * model.size
        dragger.move(0, target)
        dragger.tick()
        assert loop_gap(model, dragger.q).distance <= GAP
        assert np.isfinite(dragger.q).all()


@pytest.mark.parametrize("name", CLOSED)
def test_a_reachable_target_is_reached(name: str) -> None:
    """The handle is sent where another closed pose has it."""
    model = kg.load(name).compile()
    frame = model.site_names[-1]
    rng = np.random.default_rng(3)
    wanted, gap = close(
        model, kg.kinematics.integrate(model, None, 0.02 * rng.normal(size=model.nv))
    )
    assert gap <= GAP
    result = kg.drag(model, None, kg.Handle(frame, kg.pose(model, wanted, frame).translation))
    assert result.reached, result.reason
    assert result.handles[0].distance < 1e-8
    assert result.reason == "reached"


def test_out_of_reach_says_by_how_much() -> None:
    model = kg.load("five-bar").compile()
    # both legs stretched: the handle stands on the circle about the nearer ground joint
    reach = model.parameters["crank"] + model.parameters["coupler"]
    result = kg.drag(model, None, kg.Handle("handle", [0.1, 2.0, 0.0]))
    assert not result.reached
    height = np.sqrt(reach**2 - 0.1**2)
    assert result.handles[0].distance == pytest.approx(2.0 - height, abs=1e-4)
    assert "out of reach" in result.reason
    assert "mm" in result.reason


def test_a_limit_in_the_way_is_named() -> None:
    model = kg.load("stewart").compile()
    result = kg.drag(model, None, kg.Handle("handle", [0.0, 0.0, 6.0]))
    assert not result.reached
    assert {limit.joint for limit in result.limits} == {f"leg{i}" for i in range(1, 7)}
    assert all(limit.side == "upper" for limit in result.limits)
    assert "upper limit of joint 'leg1' (4 m)" in result.reason
    legs = [result.q[model.joint(f"leg{i}").q.start] for i in range(1, 7)]
    assert max(legs) <= 4.0 + 1e-9


def test_standing_still_does_not_drift() -> None:
    model = kg.load("3-rrr").compile()
    frame = model.site_names[-1]
    dragger = kg.Dragger(model, None, [kg.Handle(frame, [3.0, 3.0, 0.0])])
    for _ in range(60):
        dragger.tick()
    before = dragger.q.copy()
    for _ in range(2000):
        dragger.tick()
    np.testing.assert_allclose(dragger.q, before, atol=1e-6)


def test_a_far_and_fast_target_moves_joints_by_bounded_steps() -> None:
    model = kg.load("puma560").compile()
    dt = 0.01
    dragger = kg.Dragger(model, None, [kg.Handle("tool", [5, 5, 5])], dt=dt)
    rng = np.random.default_rng(0)
    for _ in range(200):
        before = dragger.q.copy()
        dragger.move(0, 10 * rng.normal(size=3))
        dragger.tick()
        assert (np.abs(dragger.q - before) <= model.speed * dt + 1e-12).all()
        assert (dragger.q <= model.upper + 1e-9).all()
        assert (dragger.q >= model.lower - 1e-9).all()


def test_pins_hold_while_a_handle_moves() -> None:
    model = kg.load("redundant-7").compile()
    q = model.start()
    elbow = model.link_names[4]
    pin = kg.Handle(elbow, kg.pose(model, q, elbow).translation, pin=True)
    tool = kg.pose(model, q, "tool").translation + [0.02, -0.01, 0.03]
    result = kg.drag(model, q, [pin, kg.Handle("tool", tool)])
    assert result.handles[0].distance < 1e-9
    assert result.handles[1].distance < 1e-8


def test_contradictory_pins_are_said_to_be_so() -> None:
    model = kg.load("puma560").compile()
    here = kg.pose(model, None, "tool").translation
    pins = [kg.Handle("tool", here, pin=True), kg.Handle("tool", here + 0.1, pin=True)]
    result = kg.drag(model, None, pins)
    assert result.outcome is kg.kinematics.Outcome.STUCK
    assert "pins cannot all be kept" in result.reason


def test_two_handles_at_once() -> None:
    model = kg.load("humanoid-30").compile()
    hands = [frame.name for frame in model.frames if "hand" in frame.name][:2]
    assert len(hands) == 2
    targets = [kg.pose(model, None, hand).translation + [0.05, 0, 0.05] for hand in hands]
    result = kg.drag(model, None, [kg.Handle(h, t) for h, t in zip(hands, targets, strict=True)])
    assert result.reached, result.reason


def test_a_direction_leaves_the_turn_about_it_free() -> None:
    model = kg.load("ur5e").compile()
    X = kg.pose(model, None, "tool")
    down = kg.Handle("tool", X.translation + [0, 0, 0.05], direction=[0, 0, -1])
    result = kg.drag(model, None, down)
    assert result.reached, result.reason
    axis = kg.pose(model, result.q, "tool").so3.apply([0, 0, 1])
    np.testing.assert_allclose(axis, [0, 0, -1], atol=1e-7)


def test_a_dragger_can_be_put_elsewhere() -> None:
    model = kg.load("puma560").compile()
    X = kg.pose(model, None, "tool")
    dragger = kg.Dragger(model, None, [kg.Handle("tool", X.translation)], limits=False)
    q = dragger.q
    dragger.q = [0.1, 0.2, -0.3, 0.1, 0.2, 0.3]
    assert q is dragger.q
    assert q[0] == 0.1
    report = dragger.tick()
    assert report.reached and not report.moving and report.outcome is kg.kinematics.Outcome.REACHED
    full = dragger.result(report)
    assert (report.gap, report.iterations) == (full.gap, full.iterations)
    assert report.handle_error < 1e-8 and set(report.to_dict()) > {"outcome", "pin_error"}
    np.testing.assert_allclose(kg.pose(model, q, "tool").translation, X.translation, atol=1e-8)


def test_locked_joints_stand_still() -> None:
    model = kg.load("franka").compile()
    q = model.start()
    held = model.joints[2].name
    target = kg.pose(model, q, "tool").translation + [0.03, 0.02, 0.0]
    result = kg.drag(model, q, kg.Handle("tool", target), locked=[held])
    assert result.reached, result.reason
    assert result.q[2] == q[2]


def test_weights_make_costly_joints_move_less() -> None:
    model = kg.load("redundant-7").compile()
    q = model.start()
    target = kg.pose(model, q, "tool").translation + [0.03, 0.02, 0.01]
    even = kg.drag(model, q, kg.Handle("tool", target)).q - q
    weights = np.ones(model.nv)
    weights[1] = 1e4
    stiff = kg.drag(model, q, kg.Handle("tool", target), weights=weights).q - q
    assert abs(stiff[1]) < 0.02 * abs(even[1])


def test_posture_is_approached_where_there_is_a_choice() -> None:
    model = kg.load("redundant-7").compile()
    q = model.start()
    home = q.copy()
    home[2] += 0.4
    hold = kg.Handle.pose("tool", kg.pose(model, q, "tool"))
    result = kg.drag(model, q, hold, posture=home, posture_gain=0.3, ticks=50)
    assert np.linalg.norm(result.q - home) < 0.9 * np.linalg.norm(q - home)
    assert result.handles[0].distance < 1e-6


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda m: kg.Handle("tool", [np.nan, 0, 0]), "3 finite numbers"),
        (lambda m: kg.Handle("tool", [0, 0]), "3 finite numbers"),
        (lambda m: kg.Handle("tool"), "specify a position"),
        (lambda m: kg.Handle("tool", [0, 0, 0], kg.SO3.identity(), [0, 0, 1]), "not both"),
        (lambda m: kg.Handle("tool", [0, 0, 0], direction=[0, 0, 0]), "zero length"),
        (lambda m: kg.Handle("tool", [0, 0, 0], weight=0.0), "must be positive"),
        (lambda m: kg.Handle("tol", [0, 0, 0]), "did you mean 'tool'"),
    ],
)
def test_bad_handles_are_named(make: object, said: str) -> None:
    model = kg.load("puma560").compile()
    with pytest.raises(kg.errors.KinegenError, match=said):
        kg.drag(model, None, make(model))  # type: ignore[operator]


def test_a_change_of_branch_is_reported() -> None:
    """Pulled through the straight pose and back, an elbow may bend the other way."""
    text = """
raff: 1
name: elbow
joints:
  - {name: A, parent: base, start: 30 deg}
  - {name: B, parent: A, d: 0.3, start: 20 deg}
frames:
  - {name: tip, parent: B, d: 0.3}
"""
    model = kg.load(text).compile()
    for _ in range(2):  # the second time from what is remembered of the mechanism
        calm = kg.drag(model, None, kg.Handle("tip", [0.4, 0.3, 0]))
        assert calm.crossed == ()
        # the same place with the elbow on the other side
        other = kg.drag(model, {"A": 1.2, "B": -1.0}, kg.Handle("tip", [0.4, 0.3, 0]))
        assert np.sign(other.q[1]) == -np.sign(calm.q[1])
    path = kg.drag(model, {"A": 0.0, "B": 0.05}, kg.Handle("tip", [0.3, -0.29, 0]))
    assert path.reached
    assert (path.crossed == ("A+B",)) == (path.q[1] < 0)
    assert ("another branch" in path.reason) == bool(path.crossed)


@pytest.mark.parametrize("name", ["lynx6", "four-bar", "stewart"])
@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d))])
def test_a_copy_of_a_dragger_continues_bit_for_bit(
    name: str, way: Callable[[kg.Dragger], kg.Dragger]
) -> None:
    model = kg.load(name).compile()
    home, frame = kg.assemble(model).q, model.site_names[-1]
    at = kg.pose(model, home, frame).translation
    dragger = kg.Dragger(model, home, [kg.Handle(frame, at + [0.3, 0.2, -0.1])], dt=1e-3)
    for _ in range(20):
        dragger.tick()
    before = dragger.q.copy()
    other = way(dragger)
    reports = [dragger.tick() for _ in range(30)]
    np.testing.assert_array_equal(other.q, before)  # of its own
    assert [other.tick() for _ in range(30)] == reports
    np.testing.assert_array_equal(other.q, dragger.q)
    other.move(0, at)
    other.q = home
    assert other.tick() != dragger.tick()


# Local minima


@pytest.mark.parametrize("side", [1, -1])
def test_a_local_minimum_is_distinguished_from_out_of_reach(side: int) -> None:
    """A four-bar's coupler point on the other branch: the drag alone stands still before it."""
    model = kg.load("four-bar").compile()
    home = kg.assemble(model).q
    modes = kg.assembly_modes(model, {"crank": home[model.joint("crank").q.start] + 0.4 * side})
    target = kg.pose(model, modes[-1].q, "handle").translation
    handle = kg.Handle("handle", target)
    alone = kg.drag(model, home, handle, attempts=0)
    assert not alone.reached
    assert alone.local_minimum is None
    found = kg.drag(model, home, handle)
    assert found.reached
    np.testing.assert_allclose(kg.pose(model, found.q, "handle").translation, target, atol=1e-7)
    assert loop_gap(model, found.q).distance <= GAP
    np.testing.assert_allclose(found.local_minimum, alone.q, atol=1e-9)
    assert found.reason.startswith("reached, on another branch")
    assert "ends in a local minimum, where 'handle' is" in found.reason
    assert f"{alone.handles[0].distance * 1000:.4g} mm away" in found.reason


def test_what_is_out_of_reach_is_no_local_minimum() -> None:
    model = kg.load("five-bar").compile()
    result = kg.drag(model, None, kg.Handle("handle", [0.1, 2.0, 0.0]))
    assert result.local_minimum is None
    assert result.reason.startswith("out of reach: 'handle' is")


def test_locked_joints_hold_in_the_search_as_well() -> None:
    model = kg.load("five-bar").compile()
    home = kg.assemble(model).q
    result = kg.drag(model, home, kg.Handle("handle", [0.1, -0.3, 0.0]), locked=["A"])
    assert result.q[model.joint("A").q] == pytest.approx(home[model.joint("A").q])


def test_limits_are_not_blamed_for_what_is_out_of_reach_without_them() -> None:
    model = kg.load("arm-6").compile()
    far = kg.drag(model, None, kg.Handle("tool", [-5, 1, 2]))
    assert far.reason.startswith("out of reach even without joint limits") and not far.limits


def test_a_limit_that_decides_is_named() -> None:
    text = "raff: 1\nname: lever\njoints:\n  - {name: A, parent: base, limits: [-1, 1]}\nframes:\n"
    model = kg.load(text + "  - {name: tip, parent: A, d: 1}\n").compile()
    found = kg.drag(model, None, kg.Handle("tip", [np.cos(2), np.sin(2), 0]))
    assert [limit.joint for limit in found.limits] == ["A"]
    assert found.reason.startswith("held by the upper limit of joint 'A'")
