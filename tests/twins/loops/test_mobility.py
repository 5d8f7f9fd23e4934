"""Mobility, velocities and accelerations: the compiled kernels against their NumPy twins."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kernels import reference
from kinegen.kernels.backend import name as backend_name
from kinegen.kinematics.solving.assembling.assembly import close
from kinegen.mechanism.model import Model
from kinegen.spatial.rotation import SO3
from tests.support.mechanisms.random_mechanisms import random_model
from tests.unit.kinematics.mobility.test_mobility import BALL_ROD, four_bar, ladder

pytestmark = pytest.mark.skipif(
    backend_name() != "native", reason="KINEGEN_KERNELS=reference: there is no second set"
)

RANK_TOLERANCE = 1e-6
CLOSED = [name for name in kg.library_names() if kg.load(name).compile().loops]
# singular poses, idle rods, loops that stay open, separate groups, no loop at all
SPECIAL = {
    "flat": four_bar(1, 2, 1, 2, 0, 0, 0, 0),
    "shaky": four_bar(1, 1, 1, 3, 0, 0, 180, 0),
    "too short": four_bar(0.1, 0.2, 0.1, 1, 0, 0, 180, 0),
    "rod": BALL_ROD,
    "ladder": ladder(6),
    "arm": "puma560",
    "nothing": "raff: 1\njoints:\n  - {name: A, type: fixed, parent: base}\n",
}
CASES = [*CLOSED, *SPECIAL]


@pytest.fixture(scope="module")
def native() -> ModuleType:
    return importlib.import_module("kinegen.kernels._native")


def model_of(name: str) -> Model:
    return kg.load(SPECIAL.get(name, name)).compile()


class Counted:
    """What one set of kernels finds about a mechanism."""

    def __init__(
        self, kernels: Any, model: Model, q: np.ndarray, locked: np.ndarray | None = None
    ) -> None:
        loops, nv = model.constraint_count, model.nv
        self.q = q.copy()
        self.values, self.directions = np.zeros(6 * loops), np.zeros((nv, nv))
        self.groups, self.reports = np.zeros(loops, dtype=np.int32), np.zeros((loops, 6))
        motors = np.zeros(nv, dtype=np.int32)
        for joint in model.joints:
            motors[joint.v] = joint.has_motor
        bound = kernels.BoundMotion(model.ints, model.reals)
        self.report = bound.mobility(
            self.q, locked, motors, RANK_TOLERANCE, self.values, self.directions, self.groups,
            self.reports,
        )  # fmt: skip
        made = self.directions[: self.report[0]]
        self.projector = made.T @ made


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("locking", [False, True])
def test_mobility(native: ModuleType, name: str, locking: bool) -> None:
    model = model_of(name)
    locked = np.zeros(model.nv, dtype=np.int32) if locking else None
    if locked is not None:
        for joint in [joint for joint in model.joints if joint.has_motor] or model.joints[:1]:
            locked[joint.v] = 1
    ours = Counted(native, model, model.start(), locked)
    theirs = Counted(reference, model, model.start(), locked)
    assert ours.report[:8] == theirs.report[:8]
    np.testing.assert_array_equal(ours.groups, theirs.groups)
    count = ours.report[6]
    np.testing.assert_array_equal(ours.reports[:count, 2:5], theirs.reports[:count, 2:5])
    np.testing.assert_allclose(ours.reports[:, 0], theirs.reports[:, 0], rtol=1e-12)
    # closing ends at 1e-14; where rank is lost a gap of 1e-16 leaves its root, 1e-8, in q
    precise = 1e-7 if ours.report[0] != ours.report[1] else 1e-10
    np.testing.assert_allclose(kg.kinematics.difference(model, ours.q, theirs.q), 0, atol=precise)
    if ours.report[5]:
        np.testing.assert_allclose(ours.values, theirs.values, atol=10 * precise)
        np.testing.assert_allclose(ours.projector, theirs.projector, atol=100 * precise)


@pytest.mark.parametrize("seed", range(12))
def test_mobility_of_random_mechanisms(native: ModuleType, seed: int) -> None:
    """All joint types; where the loops cannot be closed, both say so."""
    model = random_model(seed)
    ours = Counted(native, model, model.start())
    theirs = Counted(reference, model, model.start())
    assert ours.report[5:8] == theirs.report[5:8]
    if ours.report[5]:
        assert ours.report[:5] == theirs.report[:5]


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("held", [False, True])
def test_loops_as_equations(native: ModuleType, name: str, held: bool) -> None:
    model = kg.load(name).compile()
    rng = np.random.default_rng(0)
    every = np.arange(model.constraint_count, dtype=np.int32)
    variables = np.arange(model.nv, dtype=np.int32)
    both = [
        kernels.BoundLoops(model.ints, model.reals, every, variables, 0.7)
        for kernels in (native, reference)
    ]
    rows, q = 6 * len(every) + 3 * held, model.start() + 0.1
    R = SO3.exp(rng.normal(size=3)).matrix
    found = []
    for system in both:
        if held:
            system.hold(model.link_count - 1, np.ascontiguousarray(R))
        phi, J = np.zeros(rows), np.zeros((rows, model.nv))
        system.residual(q, phi)
        system.jacobian(q, J)
        found.append((phi, J))
    for mine, other in zip(*found, strict=True):
        # sums of a dozen products
        np.testing.assert_allclose(mine, other, atol=1e-12)


@pytest.mark.parametrize("name", CLOSED)
def test_closing_takes_the_same_steps(native: ModuleType, name: str) -> None:
    """A QR with damped rows on one side, an SVD on the other: one damped least squares."""
    model = kg.load(name).compile()
    every = np.arange(model.constraint_count, dtype=np.int32)
    variables = np.arange(model.nv, dtype=np.int32)
    rng = np.random.default_rng(2)
    closed = close(model, model.start())[0]
    within = np.linalg.qr(rng.normal(size=(model.nv, model.nv)))[0][:, : max(1, model.nv - 1)]
    start = kg.kinematics.integrate(model, closed, 0.03 * rng.normal(size=model.nv))
    for space in (None, np.ascontiguousarray(within)):
        poses = [start.copy(), start.copy()]
        gaps = [
            kernels.BoundLoops(model.ints, model.reals, every, variables, 0.7).close(q, space, 3)
            for q, kernels in zip(poses, (native, reference), strict=True)
        ]
        # damping of 1e-8 beside rounding of 1e-16 leaves 1e-8 of each step to chance at worst
        np.testing.assert_allclose(kg.kinematics.difference(model, *poses), 0, atol=1e-9)
        assert gaps[0] == pytest.approx(gaps[1], rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_free_motion_of_a_matrix(native: ModuleType, seed: int) -> None:
    """Ranks by the gap, near the tolerance as well; free and forbidden directions."""
    rng = np.random.default_rng(seed)
    m, n = (int(size) for size in rng.integers(0, 14, 2))
    k = min(m, n)
    values = np.sort(10.0 ** rng.uniform(-9, 0, k))[::-1] * (rng.uniform(size=k) < 0.8)
    U, V = (np.linalg.qr(rng.normal(size=(size, size)))[0][:, :k] for size in (m, n))
    J = np.ascontiguousarray(U * values @ V.T)
    s, V1, rank, gap = native.free_motion(J, RANK_TOLERANCE)
    s2, V2, rank2, gap2 = reference.free_motion(J, RANK_TOLERANCE)
    assert rank == rank2
    np.testing.assert_allclose(s, s2, atol=1e-14)
    np.testing.assert_allclose(V1 @ V1.T, np.eye(n), atol=1e-8)
    # a direction is as clear as its value is above rounding
    np.testing.assert_allclose(V1[rank:].T @ V1[rank:], V2[rank:].T @ V2[rank:], atol=1e-6)
    if np.isfinite(gap2) and s2[rank] > 1e-12:
        assert gap == pytest.approx(gap2, rel=1e-3)


def moved(
    kernels: Any, model: Model, q: np.ndarray, v: np.ndarray | None, seed: int
) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    driven = np.zeros(model.nv, dtype=np.int32)
    driven[rng.integers(0, model.nv, 2)] = 1
    frames = np.array([[len(model.site_names) - 1, 3 if seed % 2 else 6]], dtype=np.int32)
    if seed % 3 == 0:
        frames = frames[:0]
    rows = int(driven.sum() + frames[:, 1].sum())
    out, missed, free = np.zeros(model.nv), np.zeros(rows), np.zeros((model.nv, model.nv))
    residual, smallest, count = kernels.BoundMotion(model.ints, model.reals).motion(
        q, v, driven, rng.normal(size=model.nv), frames, rng.normal(size=(len(frames), 6)),
        model.size, out, missed, free,
    )  # fmt: skip
    left = free[:count]
    return [out, missed, left.T @ left, np.array([residual, smallest, count])]


@pytest.mark.parametrize("name", [*CLOSED, "arm"])
def test_velocities_and_accelerations(native: ModuleType, name: str) -> None:
    model = model_of(name)
    q = Counted(native, model, model.start()).q
    for seed in range(6):
        v = moved(native, model, q, None, seed)[0]
        for speed in (None, v):
            ours = moved(native, model, q, speed, seed)
            theirs = moved(reference, model, q, speed, seed)
            # inputs that hardly act on a motion (1e-6 is the least that counts) ask for large ones
            size = 1 + float(np.abs(theirs[0]).max())
            for mine, other in zip(ours, theirs, strict=True):
                np.testing.assert_allclose(mine, other, atol=1e-9 * size, rtol=1e-7)


@pytest.mark.parametrize("name", [*CLOSED, "arm", *(f"random-{seed}" for seed in range(6))])
def test_bias_and_motions_of_all_frames(native: ModuleType, name: str) -> None:
    model = random_model(int(name[7:])) if "random" in name else model_of(name)
    rng = np.random.default_rng(3)
    q = Counted(native, model, model.start()).q
    v, vdot = rng.normal(size=model.nv), rng.normal(size=model.nv)
    if name in CLOSED:
        v = moved(native, model, q, None, 1)[0]
    found = []
    for kernels in (native, reference):
        bound = kernels.BoundMotion(model.ints, model.reals)
        bias = np.zeros(6 * model.constraint_count)
        twists, accelerations = (np.zeros((len(model.site_names), 6)) for _ in range(2))
        bound.loop_bias(q, v, bias)
        bound.site_motions(q, v, vdot, twists, accelerations)
        found.append([twists, accelerations, *([bias] if name in CLOSED else [])])
    for mine, other in zip(*found, strict=True):
        # sums over chains of 40 joints that move with about 1 rad/s
        np.testing.assert_allclose(mine, other, atol=1e-10, rtol=1e-10)


def test_what_is_not_finite_is_refused(native: ModuleType) -> None:
    model = model_of("five-bar")
    q = model.start()
    q[1] = np.nan
    for kernels in (native, reference):
        with pytest.raises(UsageError, match="finite"):
            Counted(kernels, model, q)
        with pytest.raises(UsageError, match="finite"):
            moved(kernels, model, q, None, 1)
        with pytest.raises(UsageError, match="finite"):
            kernels.free_motion(np.full((2, 2), np.inf), 1e-6)
