"""The batch kernels against their NumPy twins and the one-at-a-time kernel, on all mechanisms."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kernels import reference
from kinegen.kernels.backend import name as backend_name
from kinegen.kernels.reference.batch import follow
from kinegen.kinematics.followers import find_followers
from tests.support.mechanisms.random_mechanisms import random_mechanism, random_q

pytestmark = pytest.mark.skipif(
    backend_name() != "native", reason="KINEGEN_KERNELS=reference: there is no second set"
)

# Double precision along different formulas, chains of up to 40 joints.
TOLERANCE = 1e-12
# Angles of some radians and lengths of some metres in single precision, added up along the chain.
TOLERANCE_FLOAT = 3e-5

CASES = [f"random-{seed}" for seed in range(20)] + kg.library_names()
# One column, less than a vector, whole vectors, more than a block, more than one thread's share.
COUNTS = (1, 3, 16, 300)
MANY = 20_000


def compiled(case: str) -> kg.Model:
    if case.startswith("random-"):
        return random_mechanism(int(case.removeprefix("random-"))).compile()
    return kg.load(case).compile()


@pytest.fixture(params=CASES)
def model(request: pytest.FixtureRequest) -> kg.Model:
    return compiled(request.param)


@pytest.fixture
def native() -> ModuleType:
    return importlib.import_module("kinegen.kernels._native")


def scale(model: kg.Model) -> float:
    """The size of the mechanism [m], at least 1: errors grow with it."""
    return max(1.0, float(np.abs(model.transforms[:, 9:]).sum()))


def some_sites(model: kg.Model) -> np.ndarray:
    last = len(model.site_names) - 1
    return np.array(sorted({0, last // 2, model.link_count - 1, last}), dtype=np.int32)


def configurations(model: kg.Model, count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.ascontiguousarray(np.array([random_q(model, rng) for _ in range(count)]).T)


def same(model: kg.Model, ours: np.ndarray, theirs: np.ndarray) -> None:
    """Compare positions (…, 3, N) or poses (…, 7, N) of either precision."""
    tolerance = TOLERANCE if ours.dtype == np.float64 else TOLERANCE_FLOAT
    assert ours.dtype == theirs.dtype
    if ours.shape[-2] == 7:
        # both have w >= 0, but near w = 0 rounding may choose the other of the two
        flip = np.sum(ours[..., :4, :] * theirs[..., :4, :], axis=-2, keepdims=True) < 0
        assert np.all(np.abs(ours[..., :1, :][flip]) < tolerance)
        theirs = np.where(flip & (np.arange(7)[:, None] < 4), -theirs, theirs)
    np.testing.assert_allclose(ours, theirs, atol=tolerance * scale(model), rtol=0)


@pytest.mark.parametrize("rows", [3, 7])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_forward(model: kg.Model, native: ModuleType, rows: int, dtype: type) -> None:
    sites = some_sites(model)
    for count in COUNTS:
        qs = configurations(model, count).astype(dtype)
        ours = np.full((len(sites), rows, count), np.nan, dtype=dtype)
        theirs = ours.copy()
        native.batch_forward(model.ints, model.reals, qs, sites, ours)
        reference.batch_forward(model.ints, model.reals, qs.copy("F"), sites, theirs)
        same(model, ours, theirs)


@pytest.mark.parametrize("rows", [3, 7])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_give_the_same_bits_as_columns(native: ModuleType, rows: int, dtype: type) -> None:
    """A row per configuration is read as it is, by any number of threads."""
    for name, count in (("ur5e", MANY), ("tricept", 700)):
        model = kg.load(name).compile()
        qs = np.random.default_rng(3).uniform(-3, 3, (model.nq, count)).astype(dtype)
        qs[0, [3, 400]] = 1e7, np.nan  # two blocks that need the slower sine
        sites = some_sites(model)
        by_columns = np.zeros((len(sites), rows, count), dtype)
        native.batch_forward(model.ints, model.reals, qs, sites, by_columns)
        for threads in (1, 3):
            by_rows = np.zeros_like(by_columns)
            turned = np.ascontiguousarray(qs.T).T
            assert not turned.flags.c_contiguous
            native.batch_forward(model.ints, model.reals, turned, sites, by_rows, threads)
            np.testing.assert_array_equal(by_rows, by_columns)


def test_forward_is_that_of_one_configuration(model: kg.Model, native: ModuleType) -> None:
    sites = np.arange(len(model.site_names), dtype=np.int32)
    qs = configurations(model, 5)
    ours = np.zeros((len(sites), 7, 5))
    native.batch_forward(model.ints, model.reals, qs, sites, ours)
    singles = np.zeros((5, len(sites), 7))
    for q, poses in zip(qs.T, singles, strict=True):
        model.kernels.forward_poses(np.ascontiguousarray(q), poses)
    same(model, ours, singles.transpose(1, 2, 0))


def test_far_angles_and_numbers_that_are_none(native: ModuleType) -> None:
    """Beyond the range of the fast sine, NaN, infinity, and quaternions of any length."""
    model = compiled("random-3")
    qs = configurations(model, 300)
    rng = np.random.default_rng(5)
    turned = [q for q in range(model.nq) if q not in quaternion_variables(model)]
    qs[turned, 7] = 1e7 * rng.normal(size=len(turned))
    qs[quaternion_variables(model), 8] *= 10
    qs[quaternion_variables(model), 9] = 0
    sites = some_sites(model)
    for rows in (3, 7):
        ours = np.zeros((len(sites), rows, 300))
        theirs = ours.copy()
        native.batch_forward(model.ints, model.reals, qs, sites, ours)
        reference.batch_forward(model.ints, model.reals, qs, sites, theirs)
        # 1e7 is also a length of the sliding variables
        np.testing.assert_allclose(ours[..., -3:, :], theirs[..., -3:, :], rtol=1e-9, atol=1e-9)
        same(model, ours[..., :7, 8:10], theirs[..., :7, 8:10])

    # what is no number spoils its own column only, and hides no far angle beside it
    puma = kg.load("puma560").compile()
    qs = configurations(puma, 40)
    qs[1, 3], qs[0, 21], qs[2, 11] = np.nan, np.inf, 3e6
    ours, theirs = np.zeros((1, 3, 40)), np.zeros((1, 3, 40))
    tool = np.array([len(puma.site_names) - 1], dtype=np.int32)
    native.batch_forward(puma.ints, puma.reals, qs, tool, ours)
    bad = ~np.isfinite(ours[0]).all(axis=0)
    assert np.flatnonzero(bad).tolist() == [3, 21]
    with np.errstate(invalid="ignore"):
        reference.batch_forward(puma.ints, puma.reals, qs, tool, theirs)
    np.testing.assert_allclose(ours[..., ~bad], theirs[..., ~bad], atol=TOLERANCE)


def quaternion_variables(model: kg.Model) -> list[int]:
    turning = {kg.JointType.SPHERICAL, kg.JointType.FREE}
    return [j.q.start + i for j in model.joints if j.type in turning for i in range(4)]


def axes_of(model: kg.Model, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Up to three variables in any order, with ranges and counts."""
    free = sorted(set(range(model.nq)) - set(quaternion_variables(model)))
    chosen = rng.permutation(free)[: rng.integers(1, 4)]
    lower = rng.uniform(-3, 1, len(chosen))
    counts = rng.integers(1, 9, len(chosen))
    return chosen.astype(np.int32), lower, lower + rng.uniform(0, 4), counts.astype(np.int32)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_grid(model: kg.Model, native: ModuleType, dtype: type) -> None:
    sites = some_sites(model)
    rng = np.random.default_rng(6)
    q = configurations(model, 1)[:, 0].copy()
    for _ in range(6):
        axes = axes_of(model, rng)
        ours = np.full((len(sites), 3, int(np.prod(axes[3]))), np.nan, dtype=dtype)
        theirs = ours.copy()
        native.batch_grid(model.ints, model.reals, *axes, q, sites, ours)
        reference.batch_grid(model.ints, model.reals, *axes, q, sites, theirs)
        same(model, ours, theirs)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 3, 5), (5, 0, 3)])
def test_grid_in_pieces(native: ModuleType, order: tuple[int, ...]) -> None:
    """Threads begin in the middle of rows."""
    model = kg.load("puma560").compile()
    sites = some_sites(model)
    axes = (np.array(order, dtype=np.int32), np.full(3, -2.0), np.full(3, 2.5))
    counts = np.array([23, 29, 37], dtype=np.int32)
    results = []
    for threads in (1, 3):
        out = np.zeros((len(sites), 3, 23 * 29 * 37))
        native.batch_grid(
            model.ints, model.reals, *axes, counts, model.start(), sites, out, threads
        )
        results.append(out)
    theirs = np.zeros_like(results[0])
    reference.batch_grid(model.ints, model.reals, *axes, counts, model.start(), sites, theirs)
    for out in results:
        same(model, out, theirs)


def ranges(model: kg.Model, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Ranges for most variables; some are held, some quaternions too."""
    q = random_q(model, rng)
    width = np.where(rng.random(model.nq) < 0.2, 0.0, rng.uniform(0, 5, model.nq))
    for start in quaternion_variables(model)[::4]:
        width[start : start + 4] = rng.random() < 0.7
    return q, q + width


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_random(model: kg.Model, native: ModuleType, dtype: type) -> None:
    rng = np.random.default_rng(7)
    lower, upper = ranges(model, rng)
    site, count = len(model.site_names) - 1, 700
    for first in (0, 12_345_678_901):
        ours, theirs = np.zeros((3, count), dtype=dtype), np.zeros((3, count), dtype=dtype)
        our_qs, their_qs = (np.zeros((model.nq, count), dtype=dtype) for _ in range(2))
        blocks = (model.ints, model.reals, lower, upper, 42, first, site)
        native.batch_random(*blocks, ours, our_qs)
        reference.batch_random(*blocks, theirs, their_qs)
        tolerance = 1e-14 if dtype is np.float64 else 1e-6
        np.testing.assert_allclose(our_qs, their_qs, rtol=0, atol=20 * tolerance)
        same(model, ours, theirs)
        without = np.zeros_like(ours)
        native.batch_random(*blocks, without)
        np.testing.assert_array_equal(without, ours)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_threads_change_nothing(native: ModuleType, dtype: type) -> None:
    model = kg.load("ur5e").compile()
    lower, upper = np.full(model.nq, -2.0), np.full(model.nq, 2.5)
    qs = np.zeros((model.nq, MANY), dtype=dtype)
    clouds = []
    for threads in (1, 2, 5):
        out = np.zeros((3, MANY), dtype=dtype)
        native.batch_random(
            model.ints, model.reals, lower, upper, 1, 0, model.link_count - 1, out, qs, threads
        )
        clouds.append(out)
    for out in clouds[1:]:
        np.testing.assert_array_equal(out, clouds[0])
    sites = np.array([model.link_count - 1], dtype=np.int32)
    again = np.zeros((1, 3, MANY), dtype=dtype)
    native.batch_forward(model.ints, model.reals, qs, sites, again, 3)
    np.testing.assert_array_equal(again[0], clouds[0])


def test_the_cloud_is_even(native: ModuleType) -> None:
    """Any part of the cloud can be had by itself, and it fills the ranges evenly."""
    model = kg.load("puma560").compile()
    lower, upper = np.linspace(-2, 0, 6), np.linspace(1, 3, 6)
    out, qs = np.zeros((3, 5000)), np.zeros((6, 5000))
    blocks = (model.ints, model.reals, lower, upper, 3)
    native.batch_random(*blocks, 0, 6, out, qs)
    part = np.zeros((3, 100))
    native.batch_random(*blocks, 1234, 6, part)
    np.testing.assert_allclose(part, out[:, 1234:1334], atol=TOLERANCE)
    fractions = (qs - lower[:, None]) / (upper - lower)[:, None]
    assert fractions.min() >= 0
    assert fractions.max() < 1
    # a recurrence leaves gaps of a few steps only: random numbers would leave ones of ln(n) / n
    gaps = np.diff(np.sort(fractions, axis=1), axis=1)
    assert gaps.max() < 4 / 5000
    other = np.zeros((3, 5000))
    native.batch_random(model.ints, model.reals, lower, upper, 4, 0, 6, other)
    assert np.abs(other - out).max() > 0.1


def test_rotations_are_drawn_evenly(native: ModuleType) -> None:
    mechanism = kg.load(
        "raff: 1\nname: ball\njoints:\n  - {name: A, parent: base, type: spherical}"
    )
    model = mechanism.compile()
    qs, out = np.zeros((4, 4000)), np.zeros((3, 4000))
    native.batch_random(model.ints, model.reals, np.zeros(4), np.ones(4), 0, 0, 1, out, qs)
    np.testing.assert_allclose(np.linalg.norm(qs, axis=0), 1, atol=1e-14)
    # the second moments of the even distribution on the sphere are those of a quarter of I
    np.testing.assert_allclose(qs @ qs.T / 4000, np.eye(4) / 4, atol=5e-3)


PROGRAM = """
import sys
import numpy as np
import kinegen as kg
from kinegen.kernels import _native as native
model = kg.load("tricept").compile()
qs = np.load(sys.argv[1])
sites = np.arange(len(model.site_names), dtype=np.int32)
out = np.zeros((len(sites), 7, qs.shape[1]))
native.batch_forward(model.ints, model.reals, qs, sites, out)
np.save(sys.argv[2], out)
print(native.batch_isa())
"""


@pytest.mark.parametrize("isa", ["plain", "avx2", "avx512"])
def test_every_instruction_set(isa: str, tmp_path: Path) -> None:
    model = kg.load("tricept").compile()
    qs = configurations(model, 50)
    np.save(tmp_path / "qs.npy", qs)
    files = [str(tmp_path / "qs.npy"), str(tmp_path / "out.npy")]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *files],
        env={**os.environ, "KINEGEN_ISA": isa, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    if done.stdout.strip() != isa:
        assert isa != "plain"
        pytest.skip(f"this machine or build has no {isa}")
    sites = np.arange(len(model.site_names), dtype=np.int32)
    theirs = np.zeros((len(sites), 7, 50))
    reference.batch_forward(model.ints, model.reals, qs, sites, theirs)
    same(model, np.load(files[1]), theirs)


@pytest.fixture(params=["native", "reference"])
def kernels(request: pytest.FixtureRequest, native: ModuleType) -> ModuleType:
    return native if request.param == "native" else reference


def test_refusals(kernels: ModuleType) -> None:
    model = kg.load("puma560").compile()
    blocks = (model.ints, model.reals)
    qs, out = np.zeros((6, 10)), np.zeros((1, 3, 10))
    sites = np.array([6], dtype=np.int32)
    forward, grid, cloud = (
        getattr(kernels, f"batch_{job}") for job in ("forward", "grid", "random")
    )
    for wrong, why in (
        ((qs[:5], sites, out), "qs must have shape"),
        ((qs, sites, out[:, :, :9].copy()), "out must have shape"),
        ((qs, sites, np.zeros((1, 4, 10))), "out must have shape"),
        ((qs, sites, out[0]), "out must have shape"),
        ((qs[0], sites, out), "qs must have shape"),
        ((qs.astype(np.float32), sites, out), "qs must be of type float64"),
        ((qs, np.array([99], dtype=np.int32), out), "site 99 is not one"),
        ((qs, np.array([-1], dtype=np.int32), out), "site -1 is not one"),
        ((qs, np.array([6], dtype=np.int64), out), "sites must be of type int32"),
        ((np.zeros((10, 5)).T, sites, out), "qs must have shape"),
        ((np.zeros((6, 20))[:, ::2], sites, out), "qs must be a contiguous array"),
        ((np.zeros((10, 12)).T[::2], sites, out), "qs must be a contiguous array"),
        ((qs, sites, np.zeros((1, 3, 10), dtype=int)), "must be of type float64"),
    ):
        with pytest.raises(UsageError, match=why):
            forward(*blocks, *wrong)

    def axes(q: int, high: float = 1, count: int = 10) -> list[np.ndarray]:
        i32 = np.int32
        return [
            np.array([q], i32),
            np.array([-1.0]),
            np.array([float(high)]),
            np.array([count], i32),
        ]

    for bad, why in (
        (axes(6), "not one of the model's 6"),
        (axes(-1), "not one of the model's 6"),
        (axes(0, count=0), "no values"),
        (axes(0, high=np.inf), "not finite"),
        (axes(0, count=11), "must have shape"),
    ):
        with pytest.raises(UsageError, match=why):
            grid(*blocks, *bad, qs[:, 0].copy(), sites, out)
    twice = [np.repeat(a, 2) for a in axes(0, count=2)]
    with pytest.raises(UsageError, match="twice"):
        grid(*blocks, *twice, qs[:, 0].copy(), sites, np.zeros((1, 3, 4)))
    nothing = [a[:0] for a in axes(0)]
    with pytest.raises(UsageError, match="at least one"):
        grid(*blocks, *nothing, qs[:, 0].copy(), sites, np.zeros((1, 3, 1)))

    for low, high in ((1.0, 0.0), (0.0, np.inf), (np.nan, 1.0)):
        with pytest.raises(UsageError, match="variable 0 needs a finite range"):
            cloud(*blocks, np.full(6, low), np.full(6, high), 0, 0, 6, out[0])
    with pytest.raises(UsageError):
        cloud(*blocks, np.zeros(6), np.ones(6), 0, 0, 77, out[0])
    with pytest.raises(UsageError):
        cloud(*blocks, np.zeros(6), np.ones(6), 0, 0, 6, out[0], np.zeros((5, 10)))


def test_quaternions_are_not_swept_by_components(kernels: ModuleType) -> None:
    model = kg.load("raff: 1\nname: b\njoints:\n  - {name: A, parent: base, type: free}").compile()
    i32 = np.int32
    count, out = np.array([5], i32), np.zeros((1, 3, 5))
    rest = (np.zeros(1), np.ones(1), count, model.start(), np.array([1], i32), out)
    with pytest.raises(UsageError, match="quaternion"):
        kernels.batch_grid(model.ints, model.reals, np.array([3], i32), *rest)
    kernels.batch_grid(model.ints, model.reals, np.array([5], i32), *rest)
    np.testing.assert_allclose(out[0], [[0] * 5, np.linspace(0, 1, 5), [0] * 5], atol=1e-15)


def test_nothing_to_do(kernels: ModuleType) -> None:
    model = kg.load("puma560").compile()
    none = np.zeros(0, dtype=np.int32)
    kernels.batch_forward(model.ints, model.reals, np.zeros((6, 0)), none, np.zeros((0, 3, 0)))


COUPLED = ("planetary-gear", "cam-follower", "parallel-gripper", "geared-five-bar", "lobes")
LOBES = """raff: 1
name: lobes
parameters: {h: 10 mm}
joints:
  - {name: a, parent: base}
  - {name: b, parent: base, follows: {joint: a, ratio: -0.3, offset: 1}}
  - {name: lift, type: prismatic, parent: base}
  - {name: sum, parent: base}
couplings:
  - {name: lobe, cam: b, follower: lift, profile: h*(1 - cos(x))^2 + exp(sin(x))*0.01}
  - {name: mix, relation: {sum: 3, a: -1, lift: 7}, offset: 0.2}
"""


@pytest.mark.parametrize("case", COUPLED)
@pytest.mark.parametrize("count", [1, 3, 16, 300, MANY])
def test_followers(case: str, count: int, native: ModuleType) -> None:
    model = kg.load(LOBES if case == "lobes" else case).compile()
    followers = find_followers(model)
    assert followers is not None
    has_cam = any(one.kind == "cam" for one in model.couplings)  # slow in NumPy
    ours = np.random.default_rng(5).uniform(
        -4, 4, (model.nq, min(count, 2000 if has_cam else MANY))
    )
    theirs = ours.copy()
    given = followers.arrays()
    native.batch_follow(model.ints, model.reals, *given, ours, 2)
    follow.batch_follow(model.ints, model.reals, *given, theirs)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-13)  # angles up to some tens of rad


@pytest.mark.parametrize("twin", ["native", "reference"])
def test_followers_that_make_no_sense_are_refused(twin: str, native: ModuleType) -> None:
    run = native.batch_follow if twin == "native" else follow.batch_follow
    model = kg.load("planetary-gear").compile()
    followers = find_followers(model)
    assert followers is not None
    qs = np.zeros((model.nq, 4))
    names = ("targets", "starts", "sources", "weights", "bases", "cams", "factors")
    for name, value, message in (
        ("targets", 99, "targets has 99"),
        ("sources", -1, "sources has -1"),
        ("starts", 77, "starts must increase"),
        ("cams", 0, "not a cam of the model"),
        ("cams", 50, "not a cam of the model"),
    ):
        wrong = [each.copy() for each in followers.arrays()]
        wrong[names.index(name)][-1 if name == "starts" else 0] = value
        with pytest.raises(UsageError, match=message):
            run(model.ints, model.reals, *wrong, qs)
    with pytest.raises(UsageError, match="qs must have shape"):
        run(model.ints, model.reals, *followers.arrays(), np.zeros((2, 4)))
    with pytest.raises(UsageError, match="of type float64"):
        run(model.ints, model.reals, *followers.arrays(), qs.astype(np.float32))
