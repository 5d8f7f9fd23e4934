"""The compiled linear algebra against its NumPy twin, and where it must be the better one."""

from __future__ import annotations

import importlib
from types import ModuleType

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import reference
from kinegen.kernels.backend import name as backend_name

pytestmark = pytest.mark.skipif(
    backend_name() != "native", reason="KINEGEN_KERNELS=reference: there is no second set"
)

# Ranks at random poses: real dependencies leave 1e-16, real degrees of freedom 1e-6 and more.
RANK_TOLERANCE = 1e-10


@pytest.fixture
def native() -> ModuleType:
    return importlib.import_module("kinegen.kernels._native")


def random_matrices() -> list[np.ndarray]:
    """Shapes of all kinds, full and lower ranks, scaled rows and columns."""
    rng = np.random.default_rng(0)
    made = []
    for _ in range(150):
        m, n = rng.integers(0, 14, 2)
        rank = rng.integers(0, min(m, n) + 1)
        A = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
        made.append(np.ascontiguousarray(A * rng.choice([1.0, 10.0, 0.1], (m, 1))))
    return made


def jacobians() -> list[np.ndarray]:
    """Loop Jacobians of the library at the files' poses: redundant rows of every kind."""
    made = []
    for name in kg.library_names():
        model = kg.load(name).compile()
        if model.loops:
            J = np.zeros((6 * model.constraint_count, model.nv))
            model.kernels.loop_jacobian(model.start(), J)
            made.append(J)
    assert len(made) > 5
    return made


@pytest.fixture(params=["random", "jacobians"])
def matrices(request: pytest.FixtureRequest) -> list[np.ndarray]:
    return random_matrices() if request.param == "random" else jacobians()


def projector(Q: np.ndarray) -> np.ndarray:
    return np.asarray(Q @ Q.T)


def test_qr(native: ModuleType, matrices: list[np.ndarray]) -> None:
    for A in matrices:
        Q, R, perm, rank = native.qr_factor(A, RANK_TOLERANCE)
        Q2, R2, perm2, rank2 = reference.qr_factor(A, RANK_TOLERANCE)
        assert rank == rank2
        size = max(1.0, float(np.abs(A).max(initial=0)))
        np.testing.assert_allclose(projector(Q[:, :rank]), projector(Q2[:, :rank]), atol=1e-9)
        np.testing.assert_allclose(Q @ R, A[:, perm], atol=1e-12 * size)
        if np.array_equal(perm, perm2):
            # signs are free, and so is a choice between columns that are equally long
            np.testing.assert_allclose(np.abs(np.diag(R)), np.abs(np.diag(R2)), atol=1e-9 * size)


def test_pivots(native: ModuleType) -> None:
    """Without ties the columns come in the same order."""
    for A in random_matrices():
        perm, rank = native.qr_factor(A, RANK_TOLERANCE)[2:]
        perm2 = reference.qr_factor(A, RANK_TOLERANCE)[2]
        np.testing.assert_array_equal(perm[:rank], perm2[:rank])


def test_null_spaces(native: ModuleType, matrices: list[np.ndarray]) -> None:
    for A in matrices:
        N = native.qr_null_space(A, RANK_TOLERANCE)
        N2 = reference.qr_null_space(A, RANK_TOLERANCE)
        assert N.shape == N2.shape
        np.testing.assert_allclose(projector(N), projector(N2), atol=1e-9)


def test_least_squares(native: ModuleType, matrices: list[np.ndarray]) -> None:
    rng = np.random.default_rng(1)
    for A in matrices:
        B = rng.normal(size=(A.shape[0], 3))
        for name in ("qr_solve", "qr_solve_minimum_norm"):
            X, rank = getattr(native, name)(A, B, RANK_TOLERANCE)
            X2, rank2 = getattr(reference, name)(A, B, RANK_TOLERANCE)
            assert rank == rank2
            size = 1 + float(np.abs(X2).max(initial=0))
            if name == "qr_solve_minimum_norm":
                np.testing.assert_allclose(X, X2, atol=1e-9 * size)
            # basic solutions differ when columns tie, their images never
            np.testing.assert_allclose(A @ X, A @ X2, atol=1e-9 * size)


def test_ldlt(native: ModuleType, matrices: list[np.ndarray]) -> None:
    rng = np.random.default_rng(2)
    for F in matrices:
        A = np.ascontiguousarray(F @ F.T)
        ours, theirs = native.ldlt_factor(A, 1e-9), reference.ldlt_factor(A, 1e-9)
        assert ours[3:] == theirs[3:]
        B = A @ rng.normal(size=(len(A), 2))
        X, X2 = native.ldlt_solve(A, B, 1e-9)[0], reference.ldlt_solve(A, B, 1e-9)[0]
        size = 1 + float(np.abs(A).max(initial=0)) * float(np.abs(X2).max(initial=0))
        np.testing.assert_allclose(A @ X, A @ X2, atol=1e-6 * size)


def test_svd(native: ModuleType, matrices: list[np.ndarray]) -> None:
    for A in matrices:
        U, s, V, sweeps = native.svd_factor(A)
        U2, s2, V2, _ = reference.svd_factor(A)
        size = max(1.0, float(np.abs(A).max(initial=0)))
        np.testing.assert_allclose(s, s2, atol=1e-13 * size * max(1, *A.shape))
        rank = int(np.count_nonzero(s > 1e-10 * size))
        np.testing.assert_allclose(projector(U[:, :rank]), projector(U2[:, :rank]), atol=1e-9)
        np.testing.assert_allclose(projector(V[:, :rank]), projector(V2[:, :rank]), atol=1e-9)
        assert sweeps <= 12


@pytest.mark.parametrize("shape", [(6, 7), (6, 40), (9, 6), (30, 36)])
def test_svd_follows_a_moving_matrix(native: ModuleType, shape: tuple[int, int]) -> None:
    """A warm start saves sweeps, and its errors do not grow from step to step."""
    rng = np.random.default_rng(3)
    A, D = rng.normal(size=shape), rng.normal(size=shape)
    start, sweeps = None, []
    for i in range(1000):
        now = A + 1e-5 * i * D
        U, s, V, count = native.svd_factor(now, start)
        start = np.ascontiguousarray(U if shape[0] <= shape[1] else V)
        sweeps.append(count)
    np.testing.assert_allclose((U * s) @ V.T, now, atol=1e-13)
    np.testing.assert_allclose(U.T @ U, np.eye(min(shape)), atol=1e-13)
    assert sweeps[0] >= 4
    assert np.mean(sweeps[1:]) <= 2.1


def test_svd_keeps_the_digits_of_small_values(native: ModuleType) -> None:
    """Rows of very different size: each value is as accurate as if it stood alone."""
    rng = np.random.default_rng(4)
    Q = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    values = np.array([1e6, 1.0, 1e-7, 1e-15, 1e-25])
    A = np.ascontiguousarray((values[:, None] * Q) * rng.choice([1.0, -1.0], 5))
    s = native.svd_factor(A)[1]
    np.testing.assert_allclose(s, values, rtol=1e-13)
