"""Laws of kinematics on random mechanisms: finite differences, group structure, axes."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import kinegen as kg
from tests.support.mechanisms.random_mechanisms import random_model, random_q

seeds = st.integers(0, 10_000)
STEP = 1e-6
# Central differences of step h: h² truncation of third derivatives up to ~1e2, plus 1e-16/h noise.
DIFFERENCE_TOLERANCE = 2e-7


def case(seed: int) -> tuple[kg.Model, np.ndarray, np.random.Generator]:
    model = random_model(seed)
    rng = np.random.default_rng(seed)
    return model, random_q(model, rng), rng


def moved(model: kg.Model, q: np.ndarray, v: np.ndarray, dt: float) -> np.ndarray:
    return kg.kinematics.integrate(model, q, v, dt=dt)


@given(seeds)
@settings(max_examples=40)
def test_jacobian_is_the_derivative_of_the_pose(seed: int) -> None:
    model, q, rng = case(seed)
    v, point = rng.normal(size=model.nv), rng.normal(size=3)
    for frame in ("f0", "f1", "j0"):
        ahead, behind = (kg.pose(model, moved(model, q, v, dt), frame) for dt in (STEP, -STEP))
        here = kg.pose(model, q, frame)
        linear = (ahead.apply(point) - behind.apply(point)) / (2 * STEP)
        angular = here.so3.apply((ahead.so3.minus(behind.so3)) / (2 * STEP))
        twist = kg.jacobian(model, q, frame, point=point) @ v
        np.testing.assert_allclose(twist[:3], linear, atol=DIFFERENCE_TOLERANCE * 10)
        np.testing.assert_allclose(twist[3:], angular, atol=DIFFERENCE_TOLERANCE * 10)


@given(seeds)
@settings(max_examples=40)
def test_jacobian_dot_is_the_derivative_of_the_jacobian(seed: int) -> None:
    model, q, rng = case(seed)
    v, point = rng.normal(size=model.nv), rng.normal(size=3)
    for axes in (kg.kinematics.WORLD, "f0", "f1"):
        ahead, behind = (
            kg.jacobian(model, moved(model, q, v, dt), "f0", point=point, axes=axes)
            for dt in (STEP, -STEP)
        )
        exact = kg.kinematics.jacobian_dot(model, q, "f0", v, point=point, axes=axes)
        np.testing.assert_allclose(exact, (ahead - behind) / (2 * STEP), atol=1e-5)


@given(seeds)
@settings(max_examples=40)
def test_loop_jacobian_is_the_derivative_of_the_residual(seed: int) -> None:
    model, q, rng = case(seed)
    phi = kg.kinematics.loop_residual(model, q).reshape(-1, 6)
    if np.linalg.norm(phi[:, 3:], axis=1).max() > np.pi - 0.05:
        return  # the rotation vector jumps at half a turn
    v = rng.normal(size=model.nv)
    ahead, behind = (
        kg.kinematics.loop_residual(model, moved(model, q, v, dt)) for dt in (STEP, -STEP)
    )
    rows = kg.kinematics.loop_jacobian(model, q) @ v
    np.testing.assert_allclose(rows, (ahead - behind) / (2 * STEP), atol=1e-4, rtol=1e-4)


@given(seeds)
@settings(max_examples=40)
def test_integrate_and_difference_are_inverse(seed: int) -> None:
    model, q0, rng = case(seed)
    q1 = random_q(model, rng)
    v = kg.kinematics.difference(model, q0, q1)
    back = kg.kinematics.difference(model, q1, kg.kinematics.integrate(model, q0, v))
    np.testing.assert_allclose(back, 0, atol=1e-9)
    small = rng.uniform(-1, 1, model.nv)  # less than half a turn of any quaternion
    again = kg.kinematics.difference(model, q0, kg.kinematics.integrate(model, q0, small))
    np.testing.assert_allclose(again, small, atol=1e-9)


@given(seeds)
@settings(max_examples=40)
def test_integrating_in_two_halves_is_integrating_once(seed: int) -> None:
    model, q, rng = case(seed)
    v = rng.normal(size=model.nv)
    once = kg.kinematics.integrate(model, q, v)
    twice = kg.kinematics.integrate(model, kg.kinematics.integrate(model, q, v, dt=0.5), v, dt=0.5)
    np.testing.assert_allclose(kg.kinematics.difference(model, once, twice), 0, atol=1e-9)


@given(seeds)
@settings(max_examples=30)
def test_axes_only_turn_the_rows(seed: int) -> None:
    model, q, _ = case(seed)
    world = kg.jacobian(model, q, "f0")
    for axes in ("f1", "base"):
        R = kg.pose(model, q, axes).rotation
        turned = kg.jacobian(model, q, "f0", axes=axes)
        np.testing.assert_allclose(turned[:3], R.T @ world[:3], atol=1e-12)
        np.testing.assert_allclose(turned[3:], R.T @ world[3:], atol=1e-12)


@given(seeds)
@settings(max_examples=30)
def test_twists_of_links_are_jacobians_times_velocity(seed: int) -> None:
    model, q, rng = case(seed)
    v = rng.normal(size=model.nv)
    twists = kg.kinematics.link_twists(model, q, v)
    for link, name in enumerate(model.link_names):
        np.testing.assert_allclose(twists[link], kg.jacobian(model, q, name) @ v, atol=1e-9)


@given(seeds)
@settings(max_examples=30)
def test_augmented_jacobian_stacks_its_parts(seed: int) -> None:
    model, q, _ = case(seed)
    tasks = [
        kg.kinematics.FrameTask("f0", kg.kinematics.TaskKind.POINT),
        kg.kinematics.FrameTask("f1"),
        kg.kinematics.FrameTask("f2", kg.kinematics.TaskKind.ROTATION),
    ]
    stacked = np.vstack(
        [
            kg.jacobian(model, q, "f0")[:3],
            kg.jacobian(model, q, "f1"),
            kg.jacobian(model, q, "f2")[3:],
            kg.kinematics.loop_jacobian(model, q),
        ]
    )
    np.testing.assert_allclose(
        kg.kinematics.augmented_jacobian(model, q, tasks), stacked, atol=1e-12
    )
