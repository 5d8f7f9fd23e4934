"""The reduced engine, compiled against NumPy: rows, forces, reactions, steps, stops, friction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import _native, reference
from kinegen.kernels.protocols.reduced import Integrator, ReducedReport, RunStatus
from kinegen.kinematics.limits import past_swing
from tests.support.mechanisms.balls import BALL_LOOP, BALL_PENDULUM, BALL_SPEEDS
from tests.support.mechanisms.dynamic_models import give_masses
from tests.support.mechanisms.random_mechanisms import random_mechanism, random_q

ROUNDING = 1e-8
"""Sums in another order, and factors in another form; near a singular place they differ most."""
SEEDS = range(4)


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


def closed(seed: int, loops: int = 3) -> tuple[kg.Model, np.ndarray, np.ndarray]:
    """A random mechanism of all joint types whose loops land where a random q puts them."""
    model = give_masses(random_mechanism(seed, loop_count=loops).compile(), seed)
    # dry friction has tests of its own
    for name in ("coulomb", "breakaway"):
        model.blocks.real_part(name)[:] = 0
    rng = np.random.default_rng(seed)
    q = random_q(model, rng)
    links = np.empty((model.link_count, 12))
    model.kernels.forward_links(q, links)
    for loop, poses in zip(model.loops, kg.kinematics.loop_poses(model, q), strict=True):
        X_WM, X_WL = kg.SE3.from_pose(poses[0]), links[model.joints[loop.joint].child]
        R = X_WL[:9].reshape(3, 3)
        landing = model.transforms[loop.placement]
        landing[:9] = (R.T @ X_WM.rotation).ravel()
        landing[9:] = R.T @ (X_WM.pose[4:] - X_WL[9:])
    assert kg.kinematics.loop_gap(model, q).largest < 1e-12
    return model, q, rng.normal(size=model.nv)


def start(
    pair: tuple[Any, Any],
    q: np.ndarray,
    v: np.ndarray,
    integrator: int,
    *,
    step: float = 1e-3,
    holds: bool = False,
    bounce: float = 0.0,
    refine: float = 1e9,
) -> None:
    """Begin alike; ``holds``: with stops and dry friction."""
    for twin in pair:
        twin.set(integrator, step, 1e-9, holds, holds, bounce, refine)
        assert twin.start(q, v, 0.0)[0]


def prepared(name: str, *, friction: bool, stops: float = np.inf) -> tuple[kg.Model, np.ndarray]:
    """A mechanism with masses and springs; joints stop so far from where they start."""
    model = give_masses(kg.load(name).compile(), 1)
    if not friction:
        for part in ("coulomb", "breakaway"):
            model.blocks.real_part(part)[:] = 0
    q = kg.assemble(model).q if model.loops else model.start()
    model.lower[:], model.upper[:] = -np.inf, np.inf
    for joint in model.joints:
        if joint.q.stop - joint.q.start == joint.v.stop - joint.v.start:
            model.lower[joint.v], model.upper[joint.v] = q[joint.q] - stops, q[joint.q] + stops
    return model, q


def agree(pair: tuple[Any, Any], steps: int, tau: np.ndarray, *, atol: float = 1e-8) -> Any:
    """Run both and compare all that they say; the compiled one's report."""
    ours, theirs = (ReducedReport(*twin.run(steps, tau, None)) for twin in pair)
    assert ours.status == theirs.status == RunStatus.OK
    np.testing.assert_allclose(pair[0].q, pair[1].q, atol=atol / 10)
    np.testing.assert_allclose(pair[0].v, pair[1].v, atol=atol)
    for part in ("time", "kinetic", "potential", "work"):
        size = 1 + abs(theirs.kinetic) + abs(theirs.work)
        assert getattr(ours, part) == pytest.approx(getattr(theirs, part), abs=atol * size), part
    size = 1 + np.abs(pair[1].held).max()
    np.testing.assert_allclose(pair[0].held / size, pair[1].held / size, atol=1e-5)
    assert ours.stops == theirs.stops and ours.refined == theirs.refined
    return ours


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


MACHINES = ["five-bar", "bricard", "cart", "slider-crank"]


@pytest.mark.parametrize("integrator", list(Integrator))
@pytest.mark.parametrize("name", MACHINES)
def test_steps_agree(name: str, integrator: Integrator) -> None:
    model, q = prepared(name, friction=False)
    pair = twins(model, springs=True)
    v = np.random.default_rng(2).normal(size=model.nv)
    start(pair, q, v, integrator, step=5e-3 if integrator == Integrator.ADAPTIVE else 1e-3)
    agree(pair, 2, np.random.default_rng(4).normal(size=model.nv))


@pytest.mark.parametrize("name", MACHINES)
def test_stiff_springs_of_all_kinds_agree(name: str) -> None:
    model, q = prepared(name, friction=False)
    for part, factor in (("stiffness", 1e6), ("viscous", 1e3)):
        model.blocks.real_part(part)[:] *= factor
    for joint in model.joints:
        if joint.q.stop - joint.q.start == joint.v.stop - joint.v.start:
            model.blocks.real_part("spring_rest")[joint.v] = q[joint.q] + 1e-3
    pair = twins(model, springs=True)
    for twin in pair:
        twin.set_springs(np.array([[3e3, 1e2], [0.0, 400.0], [0.5, 1.0]]))
    start(pair, q, np.random.default_rng(2).normal(size=model.nv), Integrator.IMPLICIT)
    assert pair[0].stiffness() == pytest.approx(pair[1].stiffness(), rel=1e-9)
    assert pair[0].stiffness() > 1
    agree(pair, 2, np.random.default_rng(4).normal(size=model.nv), atol=1e-6)


@pytest.mark.parametrize("integrator", list(Integrator))
@pytest.mark.parametrize("name", ["five-bar", "serial-5"])
def test_dry_friction_agrees(name: str, integrator: Integrator) -> None:
    model, q = prepared(name, friction=True)
    pair = twins(model)
    start(pair, q, np.random.default_rng(2).normal(size=model.nv), integrator, holds=True)
    assert agree(pair, 2, np.zeros(model.nv)).stops > 0


@pytest.mark.parametrize(
    ("integrator", "bounce"),
    [
        (Integrator.RK4, 0.0),
        (Integrator.RK4, 0.7),
        (Integrator.SEMI_IMPLICIT, 0.7),
        (Integrator.IMPLICIT, 0.0),
        (Integrator.ADAPTIVE, 0.7),
    ],
)
@pytest.mark.parametrize("name", ["five-bar", "four-bar"])
def test_stops_agree(name: str, integrator: Integrator, bounce: float) -> None:
    model, q = prepared(name, friction=name == "four-bar", stops=1e-3)
    pair = twins(model)
    v = 3 * np.random.default_rng(2).normal(size=model.nv)
    start(pair, q, v, integrator, step=1e-3, holds=True, bounce=bounce)
    # tree and cut joints hit their stops, then some rest on them
    report = agree(pair, 4, np.zeros(model.nv), atol=1e-7)
    assert report.stops >= 2
    held = np.minimum(pair[0].q - model.lower, model.upper - pair[0].q)
    assert held.min() > -1e-12


@pytest.mark.parametrize(
    ("text", "integrator", "bounce"),
    [
        *((BALL_PENDULUM, integrator, 0.0) for integrator in Integrator),
        (BALL_LOOP, Integrator.RK4, 0.7),
        (BALL_LOOP, Integrator.IMPLICIT, 0.0),
    ],
)
def test_swing_limits_agree(text: str, integrator: Integrator, bounce: float) -> None:
    model = kg.load(text.replace("limits: 40 deg", "limits: 5 deg")).compile()
    pair = twins(model)
    start(pair, model.start(), BALL_SPEEDS[: model.nv], integrator, holds=True, bounce=bounce)
    stops = 0
    for _ in range(3):  # it flies, meets the cone, slides along it
        stops += agree(pair, 4, np.zeros(model.nv), atol=1e-6).stops
        assert max(past_swing(model, pair[0].q).values()) < 1e-12
    assert stops >= (1 if bounce else 4)


@pytest.mark.parametrize("integrator", [Integrator.RK4, Integrator.IMPLICIT])
@pytest.mark.parametrize("text", [BALL_PENDULUM, BALL_LOOP])
def test_balls_slide_along_their_limits_alike(text: str, integrator: Integrator) -> None:
    model = kg.load(text).compile()
    model.blocks.real_part("gravity")[:] = 9.81, 0, -2
    pair = twins(model)
    start(pair, model.start(), 0.1 * BALL_SPEEDS[: model.nv], Integrator.RK4, holds=True)
    while not ReducedReport(*pair[0].run(1, np.zeros(model.nv), None)).stops:
        assert ReducedReport(*pair[0].run(0, np.zeros(model.nv), None)).time < 1
    start(pair, pair[0].q, pair[0].v, integrator, holds=True)
    # it rests on the cone: one push in every step
    assert agree(pair, 4, np.zeros(model.nv), atol=1e-6).stops >= 4
    assert abs(*past_swing(model, pair[0].q).values()) < 1e-9


@pytest.mark.parametrize(
    ("integrator", "refine"), [(Integrator.RK4, 1e-10), (Integrator.IMPLICIT, 1e-5)]
)
def test_steps_made_in_halves_agree(integrator: Integrator, refine: float) -> None:
    model, q = prepared("five-bar", friction=False)
    pair = twins(model)
    v = 20 * np.random.default_rng(2).normal(size=model.nv)
    start(pair, q, v, integrator, step=0.01, refine=refine)
    assert agree(pair, 1, np.zeros(model.nv)).refined > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_joints_of_all_types_rest_on_stops_alike(seed: int) -> None:
    model, q, v = closed(seed, loops=1)
    pair = twins(model)
    start(pair, q, v, Integrator.RK4)
    q, v = pair[0].q, pair[0].v
    # the speeds of some joints, cut ones among them, are taken: they stand on a stop
    variables = {
        joint.v.start + k: joint.q.start + k
        for joint in model.joints
        for k in range(joint.v.stop - joint.v.start)
        if joint.q.stop - joint.q.start == joint.v.stop - joint.v.start
    }
    J, C, _, _ = pair[0].rows(q)
    tree = np.ones(model.nv, dtype=bool)
    for joint in model.joints:
        tree[joint.v] = not joint.is_cut
    rows, stopped = [J], []
    for i in [*(i for i in variables if not tree[i])][:1] + [*(i for i in variables if tree[i])][
        :2
    ]:
        rows.append(C[i][None] if not tree[i] else np.eye(model.nv)[i][None])
        stopped.append(i)
    A = np.vstack(rows)
    free = np.where(tree, v, 0) - np.linalg.pinv(A) @ (A @ np.where(tree, v, 0))
    model.lower[:], model.upper[:] = -np.inf, np.inf
    for i in stopped:
        model.lower[i] = q[variables[i]]
    start(pair, q, free, Integrator.RK4, holds=True)
    assert np.abs(pair[0].v[stopped]).max() < 1e-9 and np.abs(pair[0].v).max() > 0.1
    agree(pair, 1, np.zeros(model.nv), atol=1e-6)


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
    twists = kg.kinematics.link_twists(model, q, pair[0].v)
    for i in range(count):
        speeds = [
            twists[k, :3] + np.cross(twists[k, 3:], points[i] - links[k, 9:])
            for k in (link_a[i], link_b[i])
        ]
        normals[i] *= -np.sign(normals[i] @ (speeds[1] - speeds[0]))
    rubs = np.array([[0.5, bounce, 0.0, 0.01], [0.0, bounce, 0.0, 0.0], [1.0, bounce, 0.02, 0.0]])
    given = (link_a, link_b, points, normals, np.array([-2e-4, 1e-4, -1e-3]), rubs, pair[0].v)
    (ours, impulses, _), (theirs, plain, _) = (twin.meet(*given) for twin in pair)
    size = 1 + np.abs(plain).max()
    assert np.abs(plain).max() > 1e-6
    if model.name == "five-bar" and bounce == 0:
        # two degrees of freedom and six rows that rub: more than one set of impulses holds them
        np.testing.assert_allclose(pair[0].v, pair[1].v, atol=1e-9)
        assert ours[8] == pytest.approx(theirs[8], rel=1e-9)
        return
    # sweeps end at 1e-8 of the change of speed, and converge slowly where rows repeat each other
    np.testing.assert_allclose(impulses / size, plain / size, atol=1e-5)
    np.testing.assert_allclose(pair[0].q, pair[1].q, atol=1e-8)
    np.testing.assert_allclose(pair[0].v, pair[1].v, atol=1e-5)
    np.testing.assert_allclose(ours[6:9], theirs[6:9], rtol=1e-5, atol=1e-6)
