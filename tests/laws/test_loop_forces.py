"""Virtual work: along every motion that loops allow, motors give what loads and inertia ask."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinegen as kg
from kinegen.dynamics.tree.loops import loop_equations

MACHINES = {name: kg.load(name).compile() for name in ("five-bar", "stewart", "delta", "four-bar")}
seeds = st.integers(0, 2**32 - 1)


def near(model: kg.Model, rng: np.random.Generator) -> np.ndarray:
    """A closed pose around the start."""
    q = kg.kinematics.integrate(model, None, rng.normal(size=model.nv) * 0.05)
    return kg.assemble(model, q, limits=False).q


@pytest.mark.parametrize("name", MACHINES)
@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_motors_do_the_work_of_loads(name: str, seed: int) -> None:
    model, rng = MACHINES[name], np.random.default_rng(seed)
    q, frame = near(model, rng), MACHINES[name].site_names[-1]
    load = rng.normal(size=6) * 10
    found = kg.dynamics.statics(model, q, loads={frame: load})
    motors = kg.kinematics.inputs_of(model)
    v = kg.kinematics.velocities(model, q, dict.fromkeys(motors, 0.0) | {motors[-1]: 1.0}).v
    # weight sinks or rises, the frame moves: the motors do the work of both
    tree = np.where(loop_equations(model, q).tree, v, 0)
    work = kg.dynamics.momentum(model, q, tree).linear @ model.gravity
    work += kg.jacobian(model, q, frame) @ v @ load
    scale = 1 + np.abs(found.efforts).max()
    assert found.efforts @ v == pytest.approx(-work, abs=1e-8 * scale)


@pytest.mark.parametrize("name", MACHINES)
@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_rows_are_what_closed_loops_do_not_do(name: str, seed: int) -> None:
    model, rng = MACHINES[name], np.random.default_rng(seed)
    q = near(model, rng)
    motors = kg.kinematics.inputs_of(model)
    state = kg.kinematics.velocities(
        model, q, dict(zip(motors, rng.normal(size=len(motors)), strict=True))
    )
    equations = loop_equations(model, q, state.v)
    scale = 1 + np.abs(state.v).max()
    tree = np.where(equations.tree, state.v, 0)
    np.testing.assert_allclose(equations.J @ tree, 0, atol=1e-9 * scale)
    # cut joints' speeds follow from the tree's
    cut = ~equations.tree
    np.testing.assert_allclose((equations.C @ tree)[cut], state.v[cut], atol=1e-8 * scale)
    # and so do accelerations of any motion that stays closed
    rate = kg.kinematics.accelerations(model, q, state, dict.fromkeys(motors, 0.3)).vdot
    np.testing.assert_allclose(
        equations.J @ np.where(equations.tree, rate, 0), equations.targets, atol=1e-7 * scale**2
    )
