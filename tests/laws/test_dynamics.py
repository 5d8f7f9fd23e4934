"""Laws of dynamics: what Newton, Euler and the conservation of energy demand of any mechanism."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinegen as kg
from tests.support.mechanisms.dynamic_models import heavy_model, random_state

pytestmark = pytest.mark.slow

seeds = st.integers(0, 10_000)
# Central differences of step 1e-5: their square times third derivatives of energies up to 1e4 J.
STEP = 1e-5
DIFFERENCE = 1e-5
EXACT = 1e-9


def close(ours: object, theirs: object, tolerance: float) -> None:
    size = max(1.0, float(np.abs(theirs).max(initial=0)))  # type: ignore[call-overload]
    np.testing.assert_allclose(ours, theirs, atol=tolerance * size, rtol=0)  # type: ignore[arg-type]


def in_tree(model: kg.Model) -> np.ndarray:
    """True for the degrees of freedom of the tree."""
    mask = np.zeros(model.nv, dtype=bool)
    for joint in model.joints:
        mask[joint.v] = not joint.is_cut
    return mask


@settings(max_examples=40)
@given(seeds)
def test_efforts_and_accelerations_are_inverse(seed: int) -> None:
    model = heavy_model(seed)
    q, v, x, push = random_state(model, seed)
    x = x * in_tree(model)
    tau = kg.dynamics.inverse_dynamics(model, q, v, x, wrenches=push)
    close(kg.dynamics.forward_dynamics(model, q, v, tau, wrenches=push), x, EXACT)
    H = kg.dynamics.mass_matrix(model, q)
    close(H @ x + kg.dynamics.bias(model, q, v, wrenches=push), tau, EXACT)
    close(kg.dynamics.mass_solve(model, q, H @ x), x, EXACT)


@settings(max_examples=40)
@given(seeds)
def test_the_mass_matrix_is_that_of_the_kinetic_energy(seed: int) -> None:
    model = heavy_model(seed)
    q, v, _, _ = random_state(model, seed)
    v = v * in_tree(model)
    H = kg.dynamics.mass_matrix(model, q)
    assert np.array_equal(H, H.T)
    tree = in_tree(model)
    assert (np.linalg.eigvalsh(H[np.ix_(tree, tree)]) > 0).all()
    assert not H[~tree].any()
    close(0.5 * v @ H @ v, kg.dynamics.energy(model, q, v).kinetic, EXACT)


@settings(max_examples=40)
@given(seeds)
def test_power_in_is_energy_gained(seed: int) -> None:
    """Along any motion d/dt (kinetic + gravity) = v · tau + power of the wrenches."""
    model = heavy_model(seed)
    q, v, x, push = random_state(model, seed)
    v, x = (a * in_tree(model) for a in (v, x))
    tau = kg.dynamics.inverse_dynamics(model, q, v, x, wrenches=push)

    def energy(t: float) -> float:
        moved = kg.dynamics.energy(
            model, kg.kinematics.integrate(model, q, v * t + x * t * t / 2), v + x * t
        )
        return moved.kinetic + moved.gravity

    gained = (energy(STEP) - energy(-STEP)) / (2 * STEP)
    pushed = float((kg.kinematics.link_twists(model, q, v)[1:] * push[1:]).sum())
    close(v @ tau + pushed, gained, DIFFERENCE)


@settings(max_examples=40)
@given(seeds)
def test_gravity_and_springs_are_gradients(seed: int) -> None:
    model = heavy_model(seed)
    q = random_state(model, seed)[0]
    rest = np.zeros(model.nv)
    slopes = np.zeros((2, model.nv))
    for k in range(model.nv):
        step = np.eye(model.nv)[k] * STEP
        ahead, behind = (
            kg.dynamics.energy(model, kg.kinematics.integrate(model, q, s * step)) for s in (1, -1)
        )
        slopes[:, k] = (
            (ahead.gravity - behind.gravity) / (2 * STEP),
            (ahead.springs - behind.springs) / (2 * STEP),
        )
    close(kg.dynamics.gravity_forces(model, q), slopes[0], DIFFERENCE)
    # a ball's spring pulls along its rotation vector: the gradient at equal stiffness, rest at 0
    plain = np.ones(model.nv, dtype=bool)
    for joint in model.quaternion_joints:
        plain[joint.v] = False
    close(-kg.dynamics.passive_forces(model, q, rest)[plain], slopes[1][plain], DIFFERENCE)


@settings(max_examples=40)
@given(seeds)
def test_wrenches_act_through_jacobians(seed: int) -> None:
    model = heavy_model(seed)
    q, v, x, _ = random_state(model, seed)
    force = np.random.default_rng(seed).normal(size=6)
    free = kg.dynamics.inverse_dynamics(model, q, v, x)
    for name in (model.link_names[-1], model.frames[0].name):
        pushed = kg.dynamics.inverse_dynamics(model, q, v, x, wrenches={name: force})
        close(free - pushed, kg.jacobian(model, q, name).T @ force, EXACT)


@settings(max_examples=40)
@given(seeds)
def test_momentum_follows_the_centre_and_changes_by_what_pushes(seed: int) -> None:
    """A body that floats alone: momentum changes by its weight and by nothing inside."""
    model = kg.load("humanoid-30").compile()
    q, v, x, _ = random_state(model, seed)
    x[:6] = 0  # nothing pushes the base
    vdot = kg.dynamics.forward_dynamics(model, q, v, x)

    def state(t: float) -> tuple[np.ndarray, np.ndarray]:
        return kg.kinematics.integrate(model, q, v * t + vdot * t * t / 2), v + vdot * t

    ahead, behind = (
        kg.dynamics.momentum(model, *state(STEP)),
        kg.dynamics.momentum(model, *state(-STEP)),
    )
    mass = model.inertia[1:, 0].sum()
    close((ahead.linear - behind.linear) / (2 * STEP), mass * model.gravity, DIFFERENCE)
    close((ahead.angular - behind.angular) / (2 * STEP), np.zeros(3), 1e-4)
    centres = [kg.dynamics.centre_of_mass(model, state(t)[0]) for t in (STEP, -STEP)]
    close(
        mass * (centres[0] - centres[1]) / (2 * STEP),
        kg.dynamics.momentum(model, q, v).linear,
        1e-5,
    )
