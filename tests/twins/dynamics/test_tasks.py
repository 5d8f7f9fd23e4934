"""Compiled dynamics against the NumPy twin; batches against single calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels.backend import module
from kinegen.kernels.backend import name as backend_name
from kinegen.kernels.protocols.dynamics import DynamicsTask
from kinegen.kernels.reference.dynamics.batch import batch_dynamics as reference_batch
from kinegen.kernels.reference.dynamics.bound import BoundDynamics as ReferenceDynamics
from tests.support.mechanisms.dynamic_models import heavy_model, random_state
from tests.support.mechanisms.random_mechanisms import random_q

# Recursions against sums of Jacobians, in double precision; H is inverted in two ways, which costs
# its condition (1e4 for wrists that weigh little).
TOLERANCE = 1e-11
INVERTED = 1e-8
CASES = [f"random-{seed}" for seed in range(20)] + kg.library_names()


def compiled(case: str) -> kg.Model:
    if case.startswith("random-"):
        return heavy_model(int(case.removeprefix("random-")))
    return kg.load(case).compile()


@pytest.fixture(params=CASES)
def model(request: pytest.FixtureRequest) -> kg.Model:
    if backend_name() != "native":
        pytest.skip("KINEGEN_KERNELS=reference: there is no second set of kernels to compare with")
    return compiled(request.param)


def close(ours: Any, theirs: Any, tolerance: float = TOLERANCE) -> None:
    assert isinstance(ours, np.ndarray) and isinstance(theirs, np.ndarray)
    size = max(1.0, float(np.abs(theirs).max(initial=0)))
    np.testing.assert_allclose(ours, theirs, atol=tolerance * size, rtol=0)


def test_kernels(model: kg.Model) -> None:
    q, v, x, wrenches = random_state(model, 1)
    ours, theirs = model.dynamics, ReferenceDynamics(model.ints, model.reals)
    for push in (None, wrenches):
        close(ours.inverse(q, v, x, push), theirs.inverse(q, v, x, push))
        close(ours.bias(q, v, push), theirs.bias(q, v, push))
        close(ours.gravity(q, push), theirs.gravity(q, push))
        close(ours.forward(q, v, x, push), theirs.forward(q, v, x, push), INVERTED)
    close(ours.mass(q), theirs.mass(q))
    rows = np.random.default_rng(2).normal(size=(3, model.nv))
    close(ours.inverse_mass(q, rows), theirs.inverse_mass(q, rows), INVERTED)
    close(ours.inverse_mass(q, rows[0].copy()), theirs.inverse_mass(q, rows[0].copy()), INVERTED)
    close(ours.factored_mass(q, rows), theirs.factored_mass(q, rows), INVERTED)
    close(ours.measures(q, v), theirs.measures(q, v))
    close(ours.passive(q, v), theirs.passive(q, v))


@pytest.mark.parametrize("kernels", ["native", "reference"])
@pytest.mark.parametrize("case", ["random-3", "random-7", "humanoid-30", "stewart"])
def test_batches(case: str, kernels: str) -> None:
    model = compiled(case)
    dynamics = model.dynamics
    batch = module().batch_dynamics if kernels == "native" else reference_batch
    rng = np.random.default_rng(3)
    # one lane, all lanes of any width, and a remainder; more than a thread takes at a time
    for count in (1, 3) if kernels == "reference" else (1, 8, 13, 600):
        qs = np.stack([random_q(model, rng) for _ in range(count)])
        vs, xs = rng.normal(size=(2, count, model.nv))
        pushes = rng.normal(size=(count, model.link_count, 6))
        for task in DynamicsTask:
            widths = {DynamicsTask.MASS: model.nv**2, DynamicsTask.MEASURES: 16}
            out = np.full((count, widths.get(task, model.nv)), np.nan)
            moved = task not in (DynamicsTask.GRAVITY, DynamicsTask.MASS)
            driven = task in (DynamicsTask.INVERSE, DynamicsTask.FORWARD)
            pushed = task <= DynamicsTask.FORWARD
            status = batch(
                task, model.ints, model.reals, qs, vs if moved else None, xs if driven else None,
                pushes if pushed else None, out, 2,
            )  # fmt: skip
            assert status == 0
            for n in {0, count // 2, count - 1}:
                q, v, x, push = qs[n], vs[n], xs[n], pushes[n]
                one = {
                    DynamicsTask.INVERSE: lambda: dynamics.inverse(q, v, x, push),  # noqa: B023
                    DynamicsTask.BIAS: lambda: dynamics.bias(q, v, push),  # noqa: B023
                    DynamicsTask.GRAVITY: lambda: dynamics.gravity(q, push),  # noqa: B023
                    DynamicsTask.FORWARD: lambda: dynamics.forward(q, v, x, push),  # noqa: B023
                    DynamicsTask.MASS: lambda: dynamics.mass(q),  # noqa: B023
                    DynamicsTask.MEASURES: lambda: dynamics.measures(q, v),  # noqa: B023
                }[task]()
                assert isinstance(one, np.ndarray)
                close(out[n], one.ravel(), INVERTED)


def test_threads_change_no_digit() -> None:
    model = kg.load("puma560").compile()
    rng = np.random.default_rng(4)
    qs, vs, xs = rng.normal(size=(3, 3000, 6))
    one = kg.dynamics.forward_dynamics_many(model, qs, vs, xs, threads=1)
    assert np.array_equal(one, kg.dynamics.forward_dynamics_many(model, qs, vs, xs, threads=3))


@pytest.mark.parametrize("kernels", ["native", "reference"])
def test_both_name_the_joint_without_mass(kernels: str) -> None:
    model = heavy_model(5, loop_count=0, drives=False)
    tips = {joint.child for joint in model.joints} - {joint.parent for joint in model.joints}
    tip = next(j for j in model.joints if j.child in tips and j.v.stop > j.v.start)
    model.inertia[tip.child] = 0
    q, v, x, _ = random_state(model, 1)
    dynamics = model.dynamics if kernels == "native" else ReferenceDynamics(model.ints, model.reals)
    assert dynamics.forward(q, v, x, None) == model.joint_index(tip.name)
    assert dynamics.inverse_mass(q, x[None]) == model.joint_index(tip.name)
    assert dynamics.factored_mass(q, x[None]) == model.joint_index(tip.name)


@pytest.mark.parametrize("kernels", ["native", "reference"])
def test_both_decline_what_they_cannot_take(kernels: str) -> None:
    model = heavy_model(7)
    q, v, x, push = random_state(model, 1)
    dynamics = model.dynamics if kernels == "native" else ReferenceDynamics(model.ints, model.reals)
    bad = v.copy()
    bad[0] = np.nan
    for wrong in (
        None,
        v[:-1],
        v.tolist(),
        v.astype(np.float32),
        bad,
        v[None],
        np.repeat(v, 2)[::2],
    ):
        assert dynamics.inverse(q, wrong, x, None) is None
        assert dynamics.forward(q, v, wrong, None) is None
        if np.ndim(wrong) != 2:
            assert dynamics.inverse_mass(q, wrong) is None
    for wrong in (np.stack([v, bad]), v[None, None], np.ones((2, model.nv + 1))):
        assert dynamics.inverse_mass(q, wrong) is None
    for wrong in (q[:-1], np.full_like(q, np.inf), "q"):
        assert dynamics.mass(wrong) is None
        assert dynamics.gravity(wrong, None) is None
    for wrong in (push[:-1], push.ravel(), push * np.nan):
        assert dynamics.bias(q, v, wrong) is None
    quats = kg.load("humanoid-30").compile()
    lost = quats.start()
    lost[:4] = 0
    bound = quats.dynamics if kernels == "native" else ReferenceDynamics(quats.ints, quats.reals)
    assert bound.mass(quats.start()) is not None
    assert bound.mass(lost) is None
