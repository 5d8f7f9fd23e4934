"""Motion under the loops: velocities and accelerations are those of a closed motion in time."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import reference
from kinegen.kinematics.mobility.mobility import mobility

STEP = 1e-4
"""Of central differences: their error is about its square, 1e-8, times the fourth derivative."""


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "bricard", "delta", "stewart"])
def test_a_step_with_velocity_and_acceleration_keeps_loops_closed_to_third_order(name: str) -> None:
    model = kg.load(name).compile()
    found = mobility(model)
    bound = reference.BoundMotion(model.ints, model.reals)
    driven = np.zeros(model.nv, dtype=np.int32)
    for joint in [joint for joint in model.joints if joint.has_motor] or model.joints[:1]:
        driven[joint.v] = 1
    nothing = np.zeros((0, 2), dtype=np.int32), np.zeros((0, 6))
    given = np.linspace(0.5, 1, model.nv)
    v, vdot = np.zeros(model.nv), np.zeros(model.nv)
    rest = np.empty(int(driven.sum())), np.empty((model.nv, model.nv))
    residual, _, _ = bound.motion(found.q, None, driven, given, *nothing, model.size, v, *rest)
    assert residual < 1e-9
    bound.motion(found.q, v, driven, given, *nothing, model.size, vdot, *rest)
    # q ⊕ (v t + vdot t² / 2) stays closed to third order
    gaps = []
    for t in (1e-2, 1e-3):
        there = kg.kinematics.integrate(model, found.q, v * t + vdot * t**2 / 2)
        gaps.append(kg.kinematics.loop_gap(model, there).largest)
    assert gaps[1] < 3e-3 * gaps[0] + 1e-12


def test_all_frames_move_as_the_finite_difference_says() -> None:
    model = kg.load("puma560").compile()
    rng = np.random.default_rng(0)
    q, v, vdot = (rng.normal(size=6) for _ in range(3))
    twists = np.empty((len(model.site_names), 6))
    accelerations = np.empty_like(twists)
    bound = reference.BoundMotion(model.ints, model.reals)
    bound.site_motions(q, v, vdot, twists, accelerations)
    at = [kg.forward(model, q + v * t + vdot * t**2 / 2)[:, 4:] for t in (-STEP, 0.0, STEP)]
    np.testing.assert_allclose(twists[:, :3], (at[2] - at[0]) / (2 * STEP), atol=1e-6)
    second = (at[2] - 2 * at[1] + at[0]) / STEP**2
    np.testing.assert_allclose(accelerations[:, :3], second, atol=1e-5)
