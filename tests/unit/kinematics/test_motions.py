"""Velocities and accelerations under loops, against textbook formulas."""

from __future__ import annotations

import math
from math import cos, sin

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import NameNotFoundError, UsageError
from kinegen.kinematics.motions import accelerations, loop_bias, velocities
from kinegen.kinematics.solving.assembling.assembly import assemble, close

LIBRARY_CLOSED = [name for name in kg.library_names() if kg.load(name).compile().loops]


@pytest.fixture
def four_bar() -> kg.Model:
    return kg.load("four-bar").compile()


@pytest.fixture
def five_bar() -> kg.Model:
    return kg.load("five-bar").compile()


@pytest.mark.parametrize("crank", [0.3, 1.2, 2.5, 3.9, 5.5])
@pytest.mark.parametrize("alpha2", [0.0, 7.0])
def test_four_bar_against_the_textbook(four_bar: kg.Model, crank: float, alpha2: float) -> None:
    """R. L. Norton, "Design of Machinery", chapters 6.7 and 7.3: pin-jointed four-bar."""
    q, gap = close(four_bar, {"crank": crank}, locked=["crank"])
    assert gap < 1e-10
    a, b, c = (four_bar.parameters[name] for name in ("crank", "coupler", "rocker"))
    t2, t3, t4 = q[0], q[0] + q[1], q[2]
    w2 = 3.0
    w3 = a * w2 / b * sin(t4 - t2) / sin(t3 - t4)
    w4 = a * w2 / c * sin(t2 - t3) / sin(t4 - t3)
    state = velocities(four_bar, q, {"crank": w2})
    assert state.reason == "determined"
    np.testing.assert_allclose(state.v, [w2, w3 - w2, w4, w4 - w3], atol=1e-9)

    A, B, D, E = c * sin(t4), b * sin(t3), c * cos(t4), b * cos(t3)
    C = a * alpha2 * sin(t2) + a * w2**2 * cos(t2) + b * w3**2 * cos(t3) - c * w4**2 * cos(t4)
    F = a * alpha2 * cos(t2) - a * w2**2 * sin(t2) - b * w3**2 * sin(t3) + c * w4**2 * sin(t4)
    alpha3, alpha4 = (C * D - A * F) / (A * E - B * D), (C * E - B * F) / (A * E - B * D)
    found = accelerations(four_bar, q, state, {"crank": alpha2})
    expected = [alpha2, alpha3 - alpha2, alpha4, alpha4 - alpha3]
    np.testing.assert_allclose(found.vdot, expected, atol=1e-7)
    # the coupler's pin turns about the crank's and the rocker's centre alike
    pin = found.frame("coupler", point=(b, 0, 0))[:3]
    along, across = np.array([cos(t4), sin(t4), 0]), np.array([-sin(t4), cos(t4), 0])
    np.testing.assert_allclose(pin, c * (alpha4 * across - w4**2 * along), atol=1e-8)


@pytest.mark.parametrize("theta", [0.0, 0.4, 1.3, 2.6, 4.4])
def test_slider_crank_piston(theta: float) -> None:
    """x = r cos θ + √(l² - r² sin² θ), differentiated twice at constant speed."""
    model = kg.load("slider-crank").compile()
    r, rod = model.parameters["crank"], model.parameters["rod"]
    lean = math.asin(r / rod * sin(theta))
    x = r * cos(theta) + rod * cos(lean)
    q = [theta, -theta - lean, x, lean]
    ratio = r / rod
    w, s = 20.0, sin(theta)
    root = math.sqrt(1 - ratio**2 * s**2)
    speed = -r * w * (s + ratio * sin(2 * theta) / (2 * root))
    acceleration = -r * w**2 * (
        cos(theta) + ratio * (cos(2 * theta) + ratio**2 * s**4) / root**3
    )  # fmt: skip
    state = velocities(model, q, {"crank": w})
    assert state.joint("piston")[0] == pytest.approx(speed, abs=1e-9)
    found = accelerations(model, q, state, {"crank": 0.0})
    assert found.joint("piston")[0] == pytest.approx(acceleration, abs=1e-8)
    np.testing.assert_allclose(found.frame("handle")[:3], [acceleration, 0, 0], atol=1e-8)


def test_the_inverse_gives_the_motors_of_a_five_bar(five_bar: kg.Model) -> None:
    """Both cranks stand upright: the handle's speed along a coupler moves the crank's end so."""
    state = velocities(five_bar, None, frames={"handle": (0.3, -0.1, 0)})
    assert state.is_determined and state.is_consistent
    np.testing.assert_allclose(state.frame("handle").linear, [0.3, -0.1, 0], atol=1e-12)
    # crank ends move along -x with crank · w: its part along each coupler is the handle's
    h = kg.pose(five_bar, None, "handle").translation
    for motor, pin in (("A", (0.0, 0.15)), ("E", (0.2, 0.15))):
        bar = h[:2] - np.array(pin)
        expected = (bar @ [0.3, -0.1]) / (bar @ [-0.15, 0])
        assert state.joint(motor)[0] == pytest.approx(expected, abs=1e-12)
    again = velocities(five_bar, None, {name: state.joint(name) for name in ("A", "E")})
    np.testing.assert_allclose(again.v, state.v, atol=1e-12)


def test_frame_accelerations_can_be_given(five_bar: kg.Model) -> None:
    """A handle that moves straight at constant speed has none."""
    state = velocities(five_bar, None, frames={"handle": (0.3, -0.1, 0)})
    found = accelerations(five_bar, None, state, frames={"handle": (0, 0, 0)})
    np.testing.assert_allclose(found.frame("handle")[:3], 0, atol=1e-11)
    assert np.abs(found.vdot).max() > 0.1  # the joints do accelerate
    # and by differences of the inverse at two places of the line
    h = 1e-4
    speeds = []
    for t in (h, -h):
        q, _ = close(
            five_bar, kg.kinematics.integrate(five_bar, None, state.v * t + found.vdot * t**2 / 2)
        )
        speeds.append(velocities(five_bar, q, frames={"handle": (0.3, -0.1, 0)}).v)
    np.testing.assert_allclose(found.vdot, (speeds[0] - speeds[1]) / (2 * h), rtol=1e-5)


def test_what_is_left_open_is_reported(five_bar: kg.Model) -> None:
    state = velocities(five_bar, None, {"A": 1.0})
    assert state.is_consistent and not state.is_determined
    assert state.free.shape == (5, 1)
    assert state.reason.startswith("1 degree of freedom is left open (joints '")
    assert state.joint("A")[0] == pytest.approx(1)
    # of all answers the one with the least motion: more of the free one only adds
    assert abs(state.v @ state.free[:, 0]) < 1e-12


def test_inputs_that_contradict_the_loops_are_named(four_bar: kg.Model) -> None:
    state = velocities(four_bar, None, {"crank": 2.0, "rocker": 1.0})
    assert not state.is_consistent
    assert state.residual > 0.05
    assert "'crank'" in state.reason and "'rocker'" in state.reason
    assert state.reason.startswith("the inputs contradict the loops")
    # consistent ones do not
    right = velocities(four_bar, None, {"crank": 2.0, "rocker": 0.8})
    assert right.reason == "determined" and right.residual < 1e-12


def test_a_plane_mechanism_cannot_be_lifted(five_bar: kg.Model) -> None:
    state = velocities(five_bar, None, frames={"handle": (0.1, 0, 0.2)})
    assert not state.is_consistent and "'handle'" in state.reason
    np.testing.assert_allclose(state.frame("handle").linear, [0.1, 0, 0], atol=1e-12)


def test_singular_inputs_are_reported() -> None:
    """With the crank in line with the rod the piston cannot drive it."""
    model = kg.load("slider-crank").compile()
    q, _ = close(model, {"crank": 1e-4}, locked=["crank"])
    near = velocities(model, q, {"piston": -0.001})
    assert "near a singular pose" in near.reason
    assert abs(near.joint("crank")[0]) > 50
    q0 = kg.configuration(model, {"crank": 0, "rod": 0, "piston": 0.18, "pin": 0})
    at = velocities(model, q0, {"piston": -0.001})
    assert not at.is_consistent and np.abs(at.v).max() < 1e-9


def test_a_rigid_triangle_does_not_move() -> None:
    model = kg.load("""raff: 1
joints:
  - {name: A, parent: base, start: 60 deg}
  - {name: B, parent: base, d: 1, start: 120 deg}
  - {name: C, parent: A, d: 1, start: 60 deg, closes: {onto: B, d: 1}}
""").compile()
    assert velocities(model, None, {"A": 0.0}).reason == "determined"
    asked = velocities(model, None, {"A": 1.0})
    assert not asked.is_consistent and "impossible in this pose" in asked.reason
    np.testing.assert_array_equal(asked.v, 0)


def test_serial_arms_need_no_loops() -> None:
    arm = kg.load("puma560").compile()
    v = np.array([0.1, -0.2, 0.3, 0.1, 0.5, -0.4])
    names = [joint.name for joint in arm.joints]
    state = velocities(arm, None, dict(zip(names, v, strict=True)))
    twist = kg.jacobian(arm, None, "tool") @ v
    np.testing.assert_allclose(state.frame("tool").vector, twist, atol=1e-12)
    back = velocities(arm, None, frames={"tool": kg.Twist(twist[:3], twist[3:])})
    np.testing.assert_allclose(back.v, v, atol=1e-9)
    assert loop_bias(arm, None, v).shape == (0,)


@pytest.mark.parametrize("name", LIBRARY_CLOSED)
def test_every_closed_mechanism_moves_with_closed_loops(name: str) -> None:
    model = kg.load(name).compile()
    q = assemble(model).q
    frame = model.site_names[-1]
    state = velocities(model, q, frames={frame: np.array([0.01, -0.02, 0.015])})
    found = accelerations(model, q, state.v, frames={frame: np.zeros(3)})
    assert np.abs(state.v).max() > 1e-4
    h = 1e-3
    there = kg.kinematics.integrate(model, q, state.v * h + found.vdot * h**2 / 2)
    assert kg.kinematics.loop_gap(model, there).largest < 1e-9


def test_speeds_that_tear_a_loop_open_have_no_acceleration(four_bar: kg.Model) -> None:
    with pytest.raises(UsageError, match=r"opens the loop closed by 'pin'"):
        accelerations(four_bar, None, {"crank": 1.0}, {"crank": 0.0})


def test_open_loops_are_refused(four_bar: kg.Model) -> None:
    with pytest.raises(UsageError, match=r"'four-bar' are open by \d+ mm and"):
        velocities(four_bar, {"crank": 1.0}, {"crank": 1.0})


@pytest.mark.parametrize("motion", [(1, 2), (1, 2, math.nan), "x", (1, 2, 3, 4)])
def test_a_frames_motion_has_3_or_6_numbers(four_bar: kg.Model, motion: object) -> None:
    with pytest.raises(UsageError, match=r"'handle' takes 3 numbers \(linear\) or 6"):
        velocities(four_bar, None, frames={"handle": motion})  # type: ignore[dict-item]


def test_nothing_asked_is_refused(four_bar: kg.Model) -> None:
    with pytest.raises(UsageError, match="at least one joint or frame"):
        velocities(four_bar, None, {})


def test_unknown_names_are_refused(four_bar: kg.Model) -> None:
    with pytest.raises(NameNotFoundError, match="did you mean 'crank'"):
        velocities(four_bar, None, {"cranc": 1.0})
    with pytest.raises(NameNotFoundError, match="did you mean 'handle'"):
        velocities(four_bar, None, frames={"handel": (1, 0, 0)})
