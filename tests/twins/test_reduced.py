"""The reduced engine, compiled against NumPy: rows, forces, reactions, steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import _native, reference
from kinegen.kernels.reduced_protocol import Integrator
from tests.support.dynamic_models import give_masses
from tests.support.random_mechanisms import random_mechanism, random_q

ROUNDING = 1e-8
"""Sums in another order, and factors in another form; near a singular place they differ most."""
SEEDS = range(6)


def twins(model: kg.Model, springs: bool = False) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    n = 2 if springs else 0
    args = (
        rng.integers(0, model.link_count, n).astype(np.int32),
        rng.normal(size=(n, 3)),
        rng.integers(0, model.link_count, n).astype(np.int32),
        rng.normal(size=(n, 3)),
        rng.uniform(0.5, 2, (3, n)),
    )
    return tuple(
        module.BoundReduced(model.ints, model.reals, *args) for module in (_native, reference)
    )


def closed(seed: int) -> tuple[kg.Model, np.ndarray, np.ndarray]:
    """A random mechanism of all joint types whose loops land where a random q puts them."""
    model = give_masses(random_mechanism(seed, loop_count=3).compile(), seed)
    # dry friction is the compiled engine's own
    for name in ("coulomb", "breakaway"):
        model.blocks.real_part(name)[:] = 0
    rng = np.random.default_rng(seed)
    q = random_q(model, rng)
    links = np.empty((model.link_count, 12))
    model.kernels.forward_links(q, links)
    for loop, poses in zip(model.loops, kg.loop_poses(model, q), strict=True):
        X_WM, X_WL = kg.SE3.from_pose(poses[0]), links[model.joints[loop.joint].child]
        R = X_WL[:9].reshape(3, 3)
        landing = model.transforms[loop.placement]
        landing[:9] = (R.T @ X_WM.rotation).ravel()
        landing[9:] = R.T @ (X_WM.pose[4:] - X_WL[9:])
    assert max(kg.loop_gap(model, q)) < 1e-12
    return model, q, rng.normal(size=model.nv)


def start(pair: tuple[Any, Any], q: np.ndarray, v: np.ndarray, integrator: int) -> None:
    for twin in pair:
        twin.set(integrator, 1e-3, 1e-9, False, False, 0.0, 1e9)
        assert twin.start(q, v, 0.0)[0]


def test_the_random_loops_cover_cut_joints_of_many_types() -> None:
    types = {joint.type for seed in SEEDS for joint in closed(seed)[0].joints if joint.is_cut}
    assert len(types) >= 4, types


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_and_targets_agree(seed: int) -> None:
    model, q, v = closed(seed)
    native, plain = twins(model)
    start((native, plain), q, v, Integrator.RK4)
    for ours, theirs in zip(native.rows(q), plain.rows(q), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-10)
    np.testing.assert_allclose(native.v, plain.v, atol=ROUNDING)
    np.testing.assert_allclose(
        native.targets(q, native.v), plain.targets(q, native.v), atol=ROUNDING
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_and_reactions_agree(seed: int) -> None:
    model, q, v = closed(seed)
    pair = twins(model, springs=True)
    start(pair, q, v, Integrator.RK4)
    rng = np.random.default_rng(seed)
    tau, wrenches = rng.normal(size=model.nv), rng.normal(size=(model.link_count, 6))
    (ours, forces), (theirs, _) = (twin.accelerations(tau, wrenches) for twin in pair)
    size = 1 + np.abs(theirs).max()
    np.testing.assert_allclose(ours / size, theirs / size, atol=1e-7)
    first, second = (twin.reactions(q, pair[0].v, ours, forces, tau, wrenches) for twin in pair)
    size = 1 + np.abs(second).max()
    np.testing.assert_allclose(first / size, second / size, atol=ROUNDING)


@pytest.mark.parametrize("integrator", [Integrator.RK4, Integrator.SEMI_IMPLICIT])
@pytest.mark.parametrize("name", ["five-bar", "stewart", "bricard", "cart"])
def test_steps_agree(name: str, integrator: Integrator) -> None:
    model = kg.load(name).compile()
    give_masses(model, 1)
    for part in ("coulomb", "breakaway"):
        model.blocks.real_part(part)[:] = 0
    q = kg.assemble(model).q if model.loops else model.start()
    pair = twins(model, springs=True)
    start(pair, q, np.random.default_rng(2).normal(size=model.nv), integrator)
    tau = np.random.default_rng(4).normal(size=model.nv)
    ours, theirs = (twin.run(5, tau, None) for twin in pair)
    np.testing.assert_allclose(pair[0].q, pair[1].q, atol=1e-9)
    np.testing.assert_allclose(pair[0].v, pair[1].v, atol=ROUNDING)
    # kinetic, potential, work
    np.testing.assert_allclose(ours[6:9], theirs[6:9], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("bounce", [0.0, 0.6])
@pytest.mark.parametrize("name", ["five-bar", "stewart", "cart", "humanoid-30"])
def test_contacts_agree(name: str, bounce: float) -> None:
    model = kg.load(name).compile()
    give_masses(model, 1)
    for part in ("coulomb", "breakaway"):
        model.blocks.real_part(part)[:] = 0
    q = kg.assemble(model).q if model.loops else model.start()
    pair = twins(model)
    rng = np.random.default_rng(7)
    start(pair, q, rng.normal(size=model.nv), Integrator.RK4)
    links = np.empty((model.link_count, 12))
    model.kernels.forward_links(q, links)
    count = 3
    link_b = rng.integers(1, model.link_count, count).astype(np.int32)
    link_a = np.array([0, 0, 1], dtype=np.int32)
    points = links[link_b, 9:] + 0.1 * rng.normal(size=(count, 3))
    normals = rng.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    # the bodies come nearer
    twists = kg.link_twists(model, q, pair[0].v)
    for i in range(count):
        speeds = [
            twists[k, :3] + np.cross(twists[k, 3:], points[i] - links[k, 9:])
            for k in (link_a[i], link_b[i])
        ]
        normals[i] *= -np.sign(normals[i] @ (speeds[1] - speeds[0]))
    given = (
        link_a, link_b, points, normals, np.array([-2e-4, 1e-4, -1e-3]),
        np.array([0.5, 0.0, 1.0]), np.full(count, bounce), 0.01 * rng.normal(size=(count, 3)),
    )  # fmt: skip
    (ours, impulses, _), (theirs, plain, _) = (twin.meet(*given) for twin in pair)
    size = 1 + np.abs(plain).max()
    # sweeps end at 1e-8
    np.testing.assert_allclose(impulses / size, plain / size, atol=1e-6)
    assert np.abs(plain).max() > 1e-6
    np.testing.assert_allclose(pair[0].q, pair[1].q, atol=1e-8)
    np.testing.assert_allclose(pair[0].v, pair[1].v, atol=1e-5)
    np.testing.assert_allclose(ours[6:9], theirs[6:9], rtol=1e-5, atol=1e-6)
