"""Laws of motion under loops: closed to second order, and the same forwards and backwards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinegen as kg
from kinegen.joint_types import JointType
from kinegen.kinematics import loop_residual
from kinegen.kinematics.mobility.scaled_motion import ScaledMotion
from kinegen.kinematics.motions import accelerations, loop_bias, velocities
from kinegen.mechanism.graph import Closure, Mechanism, Placement, PlacementKind
from kinegen.raff.formulas.formula import Formula
from kinegen.spatial.pose import SE3
from tests.support.mechanisms.random_mechanisms import couple, random_mechanism, random_q

seeds = st.integers(0, 10_000)
CUT_TYPES = [kind for kind in JointType if kind is not JointType.FIXED]
# Central differences of step 1e-5: their square times third derivatives up to 1e3.
DIFFERENCE = 1e-5
TOLERANCE = 1e-6


def closed_case(
    seed: int, cut_type: JointType | None = None
) -> tuple[kg.Model, np.ndarray, np.random.Generator]:
    """A random mechanism whose loops are placed so that they close at a random q."""
    mechanism = random_mechanism(seed, joint_count=7, loop_count=1 + seed % 2)
    rng = np.random.default_rng(seed)
    if cut_type is not None:
        for joint in mechanism.joints.values():
            if joint.closes:
                pitch = Formula.constant(0.3) if cut_type is JointType.SCREW else None
                mechanism.joints[joint.name] = replace(joint, type=cut_type, pitch=pitch)
    if seed % 3 == 0:
        couple(mechanism, rng)
    model = mechanism.compile()
    q = random_q(model, rng)
    ends, links = kg.kinematics.loop_poses(model, q), kg.poses(model, q)
    couple_at(mechanism, model, q)
    for loop, (X_WM, _) in zip(model.loops, ends, strict=False):
        joint = mechanism.joints[model.joints[loop.joint].name]
        assert joint.closes is not None
        X_LK = links[joint.closes.onto].inverse() @ SE3.from_pose(X_WM)
        numbers = (*X_LK.translation, *X_LK.so3.rpy)
        placement = Placement(
            PlacementKind.POSE,
            tuple(Formula.constant(float(number)) for number in numbers),  # type: ignore[arg-type]
        )
        closure = Closure(joint.closes.onto, placement)
        mechanism.joints[joint.name] = replace(joint, closes=closure)
    closed = mechanism.compile()
    assert kg.kinematics.loop_gap(closed, q).largest < 1e-12
    return closed, q, rng


def couple_at(mechanism: Mechanism, model: kg.Model, q: np.ndarray) -> None:
    """Give all couplings the offsets with which they hold at q."""
    phi = loop_residual(model, q)
    for coupling in model.couplings:
        lack = float(phi[coupling.row])
        joint, own = mechanism.joints.get(coupling.name), mechanism.couplings.get(coupling.name)
        if joint is not None and joint.follows is not None:
            joint.follows.offset = Formula.constant(joint.follows.offset.evaluate({}) + lack)
        if own is not None:
            # a relation is divided by its first factor
            factor = own.numbers[0].evaluate({}) if own.numbers else 1.0
            old = own.offset.evaluate({}) if own.offset is not None else 0.0
            own.offset = Formula.constant(old + factor * lack)


def free_velocity(model: kg.Model, q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random v that keeps the loops closed."""
    motion = ScaledMotion(model)
    free = motion.free(q)
    return motion.scale * (free @ rng.normal(size=free.shape[1]))


@pytest.mark.parametrize("cut_type", CUT_TYPES, ids=lambda kind: kind.value)
@given(seeds)
@settings(max_examples=15, deadline=None)
def test_the_bias_is_the_change_of_the_loop_rows(cut_type: JointType, seed: int) -> None:
    model, q, rng = closed_case(seed, cut_type)
    v = free_velocity(model, q, rng)
    ahead, behind = (
        kg.kinematics.loop_jacobian(model, kg.kinematics.integrate(model, q, v, dt=dt))
        for dt in (DIFFERENCE, -DIFFERENCE)
    )
    expected = (ahead - behind) @ v / (2 * DIFFERENCE)
    scale = 1 + float(np.abs(v).max()) ** 3
    np.testing.assert_allclose(loop_bias(model, q, v), expected, atol=TOLERANCE * scale)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_accelerations_keep_the_loops_closed_to_second_order(seed: int) -> None:
    model, q, rng = closed_case(seed)
    v = free_velocity(model, q, rng)
    v /= max(1.0, float(np.abs(v).max()))
    joint = next(j for j in model.joints if j.v.stop > j.v.start)
    found = accelerations(model, q, v, {joint.name: rng.normal(size=joint.v.stop - joint.v.start)})
    if not found.is_consistent or np.abs(found.vdot).max() > 100:
        return  # a rigid joint, or next to a singular pose

    def opening(h: float) -> np.ndarray:
        there = kg.kinematics.integrate(model, q, v * h + found.vdot * h**2 / 2)
        return kg.kinematics.loop_residual(model, there)

    # phi(h) = c1 h + c2 h² + c3 h³ + c4 h⁴: velocities make c1 vanish, accelerations c2
    h, size = 1e-3, 1 + float(np.abs(found.vdot).max()) ** 2
    odd, even = (opening(h) - opening(-h)) / 2, (opening(h) + opening(-h)) / 2
    np.testing.assert_allclose(odd, 0, atol=1e-7 * size)
    np.testing.assert_allclose(even, 0, atol=1e-10 * size)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_velocities_keep_the_loops_closed_and_meet_the_inputs(seed: int) -> None:
    model, q, rng = closed_case(seed)
    v = free_velocity(model, q, rng)
    names = [j.name for j in model.joints if j.v.stop > j.v.start][:3]
    state = velocities(model, q, {name: v[model.joint(name).v] for name in names})
    assert state.is_consistent
    scale = 1 + float(np.abs(state.v).max())
    np.testing.assert_allclose(
        kg.kinematics.loop_jacobian(model, q) @ state.v, 0, atol=1e-8 * scale
    )
    for name in names:
        np.testing.assert_allclose(state.joint(name), v[model.joint(name).v], atol=1e-8 * scale)
    # what the inputs leave open opens no loop and moves no input
    np.testing.assert_allclose(kg.kinematics.loop_jacobian(model, q) @ state.free, 0, atol=1e-6)
    held = np.concatenate([state.free[model.joint(name).v] for name in names])
    np.testing.assert_allclose(held, 0, atol=1e-6)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_the_inverse_gives_back_a_frames_own_motion(seed: int) -> None:
    model, q, rng = closed_case(seed)
    v = free_velocity(model, q, rng)
    forward = velocities(model, q, {j.name: v[j.v] for j in model.joints if j.v.stop > j.v.start})
    np.testing.assert_allclose(forward.v, v, atol=1e-9 * (1 + np.abs(v).max()))
    back = velocities(model, q, frames={"f0": forward.frame("f0")})
    assert back.is_consistent
    scale = 1 + float(np.abs(back.v).max())
    np.testing.assert_allclose(
        back.frame("f0").vector, forward.frame("f0").vector, atol=1e-7 * scale
    )


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_frame_accelerations_are_the_change_of_frame_velocities(seed: int) -> None:
    model, q, rng = closed_case(seed)
    v = free_velocity(model, q, rng)
    v /= max(1.0, float(np.abs(v).max()))
    joint = next(j for j in model.joints if j.v.stop > j.v.start)
    found = accelerations(model, q, v, {joint.name: np.zeros(joint.v.stop - joint.v.start)})
    if not found.is_consistent or np.abs(found.vdot).max() > 100:
        return

    def twist(h: float) -> np.ndarray:
        there = kg.kinematics.integrate(model, q, v * h + found.vdot * h**2 / 2)
        return np.asarray(kg.jacobian(model, there, "f1") @ (v + found.vdot * h))

    h = 1e-5
    expected = (twist(h) - twist(-h)) / (2 * h)
    scale = 1 + float(np.abs(found.vdot).max())
    np.testing.assert_allclose(found.frame("f1"), expected, atol=1e-5 * scale**2)
