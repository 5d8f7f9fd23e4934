"""Linear algebra and batch kernels in WebAssembly against the native ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.joint_types import JointType
from kinegen.kernels import backend, wasm_bytes
from tests.support.mechanisms.planar import CONSTRUCTIONS, construction, some_inputs
from tests.support.mechanisms.random_mechanisms import random_mechanism, random_q
from tests.support.wasm.program import (
    BAD_HANDLE,
    BAD_INDEX,
    BAD_NUMBER,
    BAD_SIZE,
    NEEDS_WASM,
    NOT_FINITE,
    OK,
    Answer,
    Check,
    Program,
)
from tests.twins.base.test_model import scale

pytestmark = NEEDS_WASM

# The same operations in the same order on the same input; the native batch kernels may fuse
# multiply-adds (AVX2), which moves the last digit.
TOLERANCE = 1e-12
CASES = [*kg.library_names(), *(f"random-{seed}" for seed in range(4))]
COLUMNS = 300
"""More than one block of the batch kernels, and no multiple of a vector."""


def matrices(model: kg.Model, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """What a solver factors: Jacobians and loop rows of all shapes, of full rank and less."""
    q = random_q(model, rng)
    yield kg.jacobian(model, q, model.site_names[-1])
    yield kg.kinematics.loop_jacobian(model, q)
    yield np.ascontiguousarray(kg.kinematics.loop_jacobian(model, q).T)
    yield rng.normal(size=(5, 3)) @ rng.normal(size=(3, 7))


def add_linalg(program: Program, model: kg.Model, rng: np.random.Generator) -> Iterator[Check]:
    native: Any = backend.module()
    for A in matrices(model, rng):
        (m, n), k = A.shape, min(A.shape)
        for tolerance in (-1.0, 1e-9):
            Q, R, perm, rank = native.qr_factor(A, tolerance)
            room = [np.full((m, k), np.nan), np.full((k, n), np.nan), np.zeros(n, np.int32)]
            answer = program.call("kg_qr_factor", A, m, n, tolerance, *room)
            yield Check("qr_factor", answer, rank, [Q, R, perm])
            B = rng.normal(size=(m, 2))
            for solve in ("qr_solve", "qr_solve_minimum_norm"):
                X, rank = getattr(native, solve)(A, B, tolerance)
                answer = program.call(f"kg_{solve}", A, m, n, B, 2, tolerance, np.zeros((n, 2)))
                yield Check(solve, answer, rank, [X])
            N = native.qr_null_space(A, tolerance)
            answer = program.call("kg_qr_null_space", A, m, n, tolerance, np.zeros((n, n)))
            yield Check("qr_null_space", answer, N.shape[1], [N])
        U, s, V, sweeps = native.svd_factor(A)
        room = [np.zeros((m, k)), np.zeros(k), np.zeros((n, k))]
        answer = program.call("kg_svd_factor", A, m, n, np.zeros(0), *room)
        yield Check("svd_factor", answer, sweeps, [U, s, V])
        start = V if m > n else U
        near = A + 1e-6 * rng.normal(size=A.shape)
        U, s, V, sweeps = native.svd_factor(near, start)
        answer = program.call("kg_svd_factor", near, m, n, start, *room)
        yield Check("svd_factor, warm", answer, sweeps, [U, s, V])
        for S in (A @ A.T, A @ A.T - np.eye(m)):
            size = len(S)
            L, D, perm, rank, failed = native.ldlt_factor(S, 1e-9)
            room = [np.zeros_like(L), np.zeros_like(D), np.zeros_like(perm)]
            answer = program.call("kg_ldlt_factor", S, size, 1e-9, *room, np.zeros(1, np.int32))
            yield Check("ldlt_factor", answer, rank, [L, D, perm, np.array([failed], np.int32)])
            B = rng.normal(size=(size, 3))
            X, rank, failed = native.ldlt_solve(S, B, 1e-9)
            room = [np.zeros((size, 3)), np.zeros(1, np.int32)]
            answer = program.call("kg_ldlt_solve", S, size, B, 3, 1e-9, *room)
            yield Check("ldlt_solve", answer, rank, [X, np.array([failed], np.int32)])


def add_batch(
    program: Program, name: str, model: kg.Model, rng: np.random.Generator
) -> Iterator[Check]:
    native: Any = backend.module()
    blocks, handle = (model.ints, model.reals), {"result": name}
    program.bind(name, *blocks)
    site = len(model.site_names) - 1
    sites = np.array([site], dtype=np.int32)
    qs = np.ascontiguousarray(np.array([random_q(model, rng) for _ in range(COLUMNS)]).T)
    for rows in (3, 7):
        out = np.empty((1, rows, COLUMNS))
        native.batch_forward(*blocks, qs, sites, out)
        room = np.full((rows, COLUMNS), np.nan)
        answer = program.call("kg_batch_forward", handle, qs, COLUMNS, site, rows, room)
        yield Check(f"batch_forward {rows}", answer, OK, [out[0]])
    if variables := swept(model):
        axes, counts = np.array(variables, np.int32), np.array([4, 3, 5][-len(variables) :])
        lower, upper = rng.uniform(-2, 0, len(axes)), rng.uniform(0, 2, len(axes))
        points, q = int(counts.prod()), random_q(model, rng)
        out = np.empty((1, 3, points))
        grid = (axes, lower, upper, counts.astype(np.int32), q)
        native.batch_grid(*blocks, *grid, sites, out)
        answer = program.call("kg_batch_grid", handle, *grid, site, np.full((3, points), np.nan))
        yield Check("batch_grid", answer, OK, [out[0]])
    lower, upper = rng.uniform(-2, 0, model.nq), rng.uniform(0, 2, model.nq)
    upper[0] = lower[0]
    for keep in (True, False):
        out, drawn = np.empty((3, COLUMNS)), np.empty((model.nq, COLUMNS))
        native.batch_random(*blocks, lower, upper, 5, 1000, site, out, drawn if keep else None)
        kept = np.full_like(drawn, np.nan) if keep else np.zeros(0)
        room = [np.full((3, COLUMNS), np.nan), kept]
        answer = program.call(
            "kg_batch_random", handle, lower, upper, 5.0, 1000.0, site, COLUMNS, *room
        )
        yield Check("batch_random", answer, OK, [out, drawn] if keep else [out, kept])


def add_dyads(program: Program, name: str) -> Iterator[Check]:
    native: Any = backend.module()
    built = construction(name)
    inputs = some_inputs(built, built.linkage.model.site_names[-1], COLUMNS)
    good = np.isfinite(built.configurations(inputs)).all(axis=0)
    inputs = np.ascontiguousarray(inputs[:, good])
    links = np.arange(built.link_count, dtype=np.int32)
    points, out = np.ones((len(links), 2)), np.empty((len(links), 2, inputs.shape[1]))
    native.batch_dyads(built.ints, built.reals, built.link_count, links, points, inputs, out)
    answer = program.call(
        "kg_batch_dyads", built.ints, built.reals, built.link_count, links, points, inputs,
        inputs.shape[1], np.full_like(out, np.nan),
    )  # fmt: skip
    yield Check("batch_dyads", answer, OK, [out])


def swept(model: kg.Model) -> list[int]:
    """Up to three variables that a grid can sweep: no part of a quaternion."""
    turning = {JointType.SPHERICAL, JointType.FREE}
    free = [i for j in model.joints if j.type not in turning for i in range(j.q.start, j.q.stop)]
    return sorted({*free[:1], *free[-2:]})


def refusals(program: Program) -> Iterator[tuple[str, Answer, int]]:
    """Calls that must be refused: (what is wrong, answer, status)."""
    A, X = np.eye(3), np.zeros((3, 3))
    s, three, one = np.zeros(3), np.zeros(3, np.int32), np.zeros(1, np.int32)
    none = np.zeros(0)

    def factor_calls(A: np.ndarray, m: int, n: int) -> Iterator[Answer]:
        yield program.call("kg_qr_factor", A, m, n, -1.0, X, X, three)
        yield program.call("kg_qr_solve", A, m, n, X, 3, -1.0, X)
        yield program.call("kg_qr_solve_minimum_norm", A, m, n, X, 3, -1.0, X)
        yield program.call("kg_qr_null_space", A, m, n, -1.0, X)
        yield program.call("kg_svd_factor", A, m, n, none, X, s, X)
        yield program.call("kg_ldlt_factor", A, n, -1.0, X, s, three, one)
        yield program.call("kg_ldlt_solve", A, n, X, 3, -1.0, X, one)

    for size in (-3, 2, 4, 2**31 - 1, -(2**31)):
        for answer in factor_calls(A, size, size):
            yield f"{size} rows and columns", answer, BAD_SIZE
    for bad in (np.nan, np.inf):
        for answer in factor_calls(np.where(A > 0, bad, 0.0), 3, 3):
            yield f"a matrix of {bad}", answer, NOT_FINITE
    built = construction("five-bar")
    ints, links, inputs = built.ints.copy(), np.zeros(1, np.int32), np.zeros((2, 3))
    points, out = np.zeros((1, 2)), np.zeros((1, 2, 3))
    rest = (built.reals, built.link_count, links, points, inputs)
    yield "dyads: columns", program.call("kg_batch_dyads", ints, *rest, 4, out), BAD_SIZE
    yield "dyads: none", program.call("kg_batch_dyads", ints, *rest, 0, out), BAD_SIZE
    ints[0, 1] = 99
    yield "dyads: link", program.call("kg_batch_dyads", ints, *rest, 3, out), BAD_INDEX
    model = kg.load("humanoid-30").compile()
    program.bind("batch", model.ints, model.reals)
    handle, site, nq = {"result": "batch"}, 3, model.nq
    qs, q, out = np.zeros((nq, 2)), model.start(), np.zeros((3, 2))
    call = program.call
    bad_site = len(model.site_names)
    yield "handle", call("kg_batch_forward", 0, qs, 2, site, 3, out), BAD_HANDLE
    yield "site", call("kg_batch_forward", handle, qs, 2, bad_site, 3, out), BAD_INDEX
    yield "rows", call("kg_batch_forward", handle, qs, 2, site, 4, out), BAD_SIZE
    yield "columns", call("kg_batch_forward", handle, qs, -2, site, 3, out), BAD_SIZE
    for wrong, axis, count, lower, status in (
        ("axis", nq, 2, 0.0, BAD_INDEX),
        ("a quaternion's axis", 0, 2, 0.0, BAD_INDEX),
        ("count", nq - 1, 0, 0.0, BAD_SIZE),
        ("huge count", nq - 1, 2**31 - 1, 0.0, BAD_SIZE),
        ("range", nq - 1, 2, np.nan, BAD_NUMBER),
    ):
        axes, counts = np.array([axis], np.int32), np.array([count], np.int32)
        ends = (np.array([lower]), np.ones(1))
        answer = call("kg_batch_grid", handle, axes, *ends, counts, q, site, out)
        yield f"grid: {wrong}", answer, status
    twice, ends = np.full(2, nq - 1, np.int32), (np.zeros(2), np.ones(2))
    counts = np.array([1, 2], np.int32)
    answer = call("kg_batch_grid", handle, twice, *ends, counts, q, site, out)
    yield "grid: one axis twice", answer, BAD_INDEX
    for wrong, lower, seed, status in (
        ("range upside down", np.ones(nq), 1.0, BAD_NUMBER),
        ("infinite range", np.full(nq, -np.inf), 1.0, BAD_NUMBER),
        ("negative seed", np.zeros(nq), -1.0, BAD_NUMBER),
        ("seed that is no number", np.zeros(nq), float("1e300"), BAD_NUMBER),
        ("short range", np.zeros(nq - 1), 1.0, BAD_SIZE),
    ):
        drawn = (lower, np.zeros(nq), seed, 0.0, site, 2, out, none)
        yield f"random: {wrong}", call("kg_batch_random", handle, *drawn), status


@dataclass
class Run:
    program: Program
    scales: dict[str, float]
    linalg: dict[str, list[Check]]
    batch: dict[str, list[Check]]
    refused: list[tuple[str, Answer, int]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Everything below, in one Node process."""
    done = Run(Program(), {}, {}, {}, [])
    for seed, name in enumerate(CASES):
        made = random_mechanism(int(name[7:])) if name.startswith("random-") else kg.load(name)
        model, rng = made.compile(), np.random.default_rng(seed)
        done.scales[name] = scale(model)
        done.linalg[name] = list(add_linalg(done.program, model, rng))
        done.batch[name] = list(add_batch(done.program, name, model, rng))
        if name in CONSTRUCTIONS:
            done.batch[name] += add_dyads(done.program, name)
    done.refused = list(refusals(done.program))
    done.program.run(wasm_bytes(), tmp_path_factory.mktemp("wasm"))
    return done


@pytest.mark.parametrize("name", CASES)
def test_linear_algebra_agrees(run: Run, name: str) -> None:
    for check in run.linalg[name]:
        largest = max((float(np.abs(o).max(initial=1.0)) for o in check.outputs), default=1.0)
        check.compare(TOLERANCE * largest, name)


@pytest.mark.parametrize("name", CASES)
def test_batches_agree(run: Run, name: str) -> None:
    for check in run.batch[name]:
        check.compare(TOLERANCE * run.scales[name], name)


def test_every_array_kernel_is_exported_and_run(run: Run) -> None:
    native = {n for n in vars(backend.module()) if n.startswith(("qr_", "ldlt_", "svd_", "batch_"))}
    # which instructions run is no question for the page; states by the thousand are the studio's,
    # and so are clouds of coupled mechanisms
    page = native - {"batch_isa", "batch_dynamics", "batch_follow"}
    assert {f"kg_{name}" for name in page} <= run.program.called
    assert run.program.called <= set(run.program.exports)


def test_bad_calls_are_refused(run: Run) -> None:
    for wrong, answer, status in run.refused:
        assert answer.trap is None, wrong
        assert answer.returned == status, wrong
        for before, after in zip(answer.sent, answer.arrays, strict=True):
            np.testing.assert_array_equal(after, before, err_msg=wrong)


def test_angles_of_any_size(tmp_path_factory: pytest.TempPathFactory) -> None:
    model, program = kg.load("puma560").compile(), Program()
    program.bind("puma560", model.ints, model.reals)
    site = len(model.site_names) - 1
    qs = np.linspace(-1e7, 1e7, 6 * 5).reshape(6, 5)
    answer = program.call(
        "kg_batch_forward", {"result": "puma560"}, qs, 5, site, 7, np.zeros((7, 5))
    )
    program.run(wasm_bytes(), tmp_path_factory.mktemp("wasm"))
    for q, row in zip(np.ascontiguousarray(qs.T), answer.arrays[-1].T, strict=True):
        # an angle of 1e7 has its last digit at 1e-9
        assert kg.SE3.from_pose(row).is_close(kg.pose(model, q), tolerance=1e-7)
