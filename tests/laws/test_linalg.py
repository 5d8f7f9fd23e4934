"""Laws of the small linear algebra, for the compiled kernels and the NumPy ones."""

from __future__ import annotations

import importlib
from types import ModuleType

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kinegen.errors import UsageError
from kinegen.kernels.backend import name as backend_name

pytestmark = pytest.mark.slow

MODULES = ["reference"] + ["_native"] * (backend_name() == "native")
EPS = float(np.finfo(float).eps)


@pytest.fixture(params=MODULES, scope="module")
def linalg(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(f"kinegen.kernels.{request.param}")


sizes = st.integers(0, 9)
numbers = st.floats(-10, 10, allow_subnormal=False)
# a few values only: equal columns, zeros and exact dependencies
simple = st.sampled_from([-1.0, 0.0, 0.0, 0.5, 1.0, 2.0])


@st.composite
def matrices(draw: st.DrawFn, rows: int | None = None, square: bool = False) -> np.ndarray:
    m = draw(sizes) if rows is None else rows
    n = m if square else draw(sizes)
    return draw(arrays(np.float64, (m, n), elements=draw(st.sampled_from([numbers, simple]))))


@st.composite
def low_rank(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    """A matrix with well separated singular values, and how many of them are not zero."""
    m, n = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    rank = draw(st.integers(0, min(m, n)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    U, V = (np.linalg.qr(rng.normal(size=(k, k)))[0][:, :rank] for k in (m, n))
    values = draw(arrays(np.float64, rank, elements=st.floats(0.01, 1)))
    scale = draw(st.sampled_from([1.0, 1e-9, 1e7, 1e-200, 1e200]))
    return scale * (U * values) @ V.T, rank


def size_of(A: np.ndarray) -> float:
    return float(np.abs(A).max(initial=0))


def assert_orthonormal(Q: np.ndarray) -> None:
    np.testing.assert_allclose(Q.T @ Q, np.eye(Q.shape[1]), atol=1e-13)


@given(A=matrices())
def test_qr_gives_the_matrix_back(linalg: ModuleType, A: np.ndarray) -> None:
    Q, R, perm, rank = linalg.qr_factor(A)
    k = min(A.shape)
    assert (Q.shape, R.shape, perm.dtype) == ((A.shape[0], k), (k, A.shape[1]), np.int32)
    assert sorted(perm) == list(range(A.shape[1]))
    assert_orthonormal(Q)
    assert not np.tril(R, -1).any()
    np.testing.assert_allclose(Q @ R, A[:, perm], atol=1e-13 * max(1.0, size_of(A)))
    # the diagonal falls, and ends where the rank says
    diagonal = np.abs(np.diag(R))
    assert np.all(diagonal[1:] <= diagonal[:-1] * (1 + 1e-7))
    assert np.count_nonzero(diagonal) == rank


@given(case=low_rank())
def test_rank_is_found(linalg: ModuleType, case: tuple[np.ndarray, int]) -> None:
    A, rank = case
    assert linalg.qr_factor(A, 1e-10)[3] == rank
    assert linalg.qr_null_space(A, 1e-10).shape[1] == A.shape[1] - rank
    values = linalg.svd_factor(A)[1]
    assert np.count_nonzero(values > 1e-10 * size_of(A)) == rank


def test_tolerance_decides_the_rank(linalg: ModuleType) -> None:
    A = np.diag([1.0, 1e-4, 1e-9])
    ranks = [linalg.qr_factor(A, tolerance)[3] for tolerance in (0.0, 1e-6, 1e-3)]
    assert ranks == [3, 2, 1]
    assert [linalg.ldlt_factor(A, tolerance)[3] for tolerance in (0.0, 1e-6, 1e-3)] == [3, 2, 1]


@given(case=low_rank())
def test_null_space_is_the_kernel(linalg: ModuleType, case: tuple[np.ndarray, int]) -> None:
    A, _ = case
    N = linalg.qr_null_space(A, 1e-10)
    assert_orthonormal(N)
    assert size_of(A @ N) <= 1e-13 * size_of(A)


@given(case=low_rank(), columns=st.integers(1, 3))
def test_least_squares(linalg: ModuleType, case: tuple[np.ndarray, int], columns: int) -> None:
    A, rank = case
    scale = size_of(A) or 1.0
    A = A / scale
    B = np.random.default_rng(1).normal(size=(A.shape[0], columns))
    basic, basic_rank = linalg.qr_solve(A, B, 1e-10)
    least, least_rank = linalg.qr_solve_minimum_norm(A, B, 1e-10)
    assert basic_rank == least_rank == rank
    for X in (basic, least):
        # the residual is orthogonal to all columns; condition numbers go up to 100
        np.testing.assert_allclose(A.T @ (A @ X - B), 0, atol=1e-11 * (1 + size_of(X)))
    assert all(np.count_nonzero(column) <= rank for column in basic.T)
    # the smallest solution has no part in the null space
    N = linalg.qr_null_space(A, 1e-10)
    np.testing.assert_allclose(N.T @ least, 0, atol=1e-11 * (1 + size_of(least)))


@given(F=matrices())
def test_ldlt_of_semidefinite_matrices(linalg: ModuleType, F: np.ndarray) -> None:
    A = F @ F.T
    L, D, perm, rank, failed = linalg.ldlt_factor(A, 1e-11)
    assert failed == 0
    assert np.all(D[:rank] > 0)
    assert not D[rank:].any()
    assert not np.triu(L, 1).any()
    np.testing.assert_allclose(np.diag(L), 1)
    np.testing.assert_allclose(
        (L * D) @ L.T, A[np.ix_(perm, perm)], atol=1e-10 * max(1.0, size_of(A))
    )


@given(A=matrices(square=True))
def test_ldlt_of_any_symmetric_matrix(linalg: ModuleType, A: np.ndarray) -> None:
    """Factored whole, or said how much is not; only the lower triangle is read."""
    L, D, perm, rank, failed = linalg.ldlt_factor(A)
    assert failed in {0, len(A) - rank}
    A = np.tril(A) + np.tril(A, -1).T
    left = A[np.ix_(perm, perm)] - (L * D) @ L.T
    growth = max(1.0, size_of(L)) ** 2 * max(1.0, size_of(D))
    np.testing.assert_allclose(left[:rank], 0, atol=1e-13 * growth * max(1.0, size_of(A)))
    if not failed:
        np.testing.assert_allclose(left, 0, atol=1e-13 * growth * max(1.0, size_of(A)))


def test_ldlt_says_when_it_fails(linalg: ModuleType) -> None:
    _, _, _, rank, failed = linalg.ldlt_factor(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert (rank, failed) == (0, 2)
    A = np.array([[4.0, 0, 0], [0, 0, 1], [0, 1, 0]])
    _, D, _, rank, failed = linalg.ldlt_factor(A)
    assert (D[0], rank, failed) == (4.0, 1, 2)


@given(F=matrices(rows=5), columns=st.integers(1, 3), sign=st.sampled_from([1.0, -1.0]))
def test_ldlt_solves(linalg: ModuleType, F: np.ndarray, columns: int, sign: float) -> None:
    A = sign * (F @ F.T + np.diag([1.0, 2, 3, 4, 5]))
    B = np.random.default_rng(2).normal(size=(5, columns))
    X, rank, failed = linalg.ldlt_solve(A, B)
    assert (rank, failed) == (5, 0)
    np.testing.assert_allclose(A @ X, B, atol=1e-10)


def test_ldlt_solves_a_singular_system(linalg: ModuleType) -> None:
    F = np.array([[1.0, 0], [2, 1], [0, 3], [1, 1]])
    B = F @ np.array([[1.0], [-2]])
    X, rank, failed = linalg.ldlt_solve(F @ F.T, B)
    assert (rank, failed) == (2, 0)
    assert np.count_nonzero(X) <= 2
    np.testing.assert_allclose(F @ F.T @ X, B, atol=1e-12)


@given(A=matrices())
@example(A=np.full((5, 5), -1.0))  # rounding that could be rotated for ever
@example(A=np.array([[1.0, 5e-159], [5e-159, 5e-159]]))  # squares that lose their digits
def test_svd_gives_the_matrix_back(linalg: ModuleType, A: np.ndarray) -> None:
    U, s, V, sweeps = linalg.svd_factor(A)
    k = min(A.shape)
    assert (U.shape, s.shape, V.shape) == ((A.shape[0], k), (k,), (A.shape[1], k))
    assert_orthonormal(U)
    assert_orthonormal(V)
    assert np.all(s[1:] <= s[:-1])
    assert np.all(s >= 0)
    np.testing.assert_allclose((U * s) @ V.T, A, atol=1e-13 * max(1.0, size_of(A)))
    assert sweeps < 15


@given(case=low_rank(), step=st.floats(0, 1))
def test_svd_from_a_start(linalg: ModuleType, case: tuple[np.ndarray, int], step: float) -> None:
    """Any start, good or bad, gives the same singular values."""
    A, _ = case
    U, s, V, _ = linalg.svd_factor(A)
    good = U if A.shape[0] <= A.shape[1] else V
    near = np.linalg.qr(good + step * np.random.default_rng(3).normal(size=good.shape))[0]
    for start in (good, near, np.zeros_like(good), np.full_like(good, np.nan)):
        U2, s2, V2, _ = linalg.svd_factor(A, start)
        np.testing.assert_allclose(s2, s, atol=1e-13 * size_of(A))
        assert_orthonormal(U2)
        assert_orthonormal(V2)
        np.testing.assert_allclose((U2 * s2) @ V2.T, A, atol=1e-13 * size_of(A))


@pytest.mark.parametrize(
    "A",
    [
        np.zeros((4, 7)),
        np.zeros((0, 3)),
        np.zeros((3, 0)),
        np.zeros((0, 0)),
        np.array([[-3.0]]),
        np.array([[0.0]]),
        np.full((3, 3), 1e300),
        np.full((3, 3), 1e-290),
    ],
    ids=lambda A: f"{A.shape}",
)
def test_extreme_matrices(linalg: ModuleType, A: np.ndarray) -> None:
    m, n = A.shape
    rank = int(A.any())
    scale = size_of(A) or 1.0
    Q, R, perm, qr_rank = linalg.qr_factor(A)
    assert qr_rank == rank
    np.testing.assert_allclose(Q @ (R / scale), A[:, perm] / scale, atol=1e-13)
    N = linalg.qr_null_space(A)
    assert N.shape == (n, n - rank)
    assert_orthonormal(N)
    U, s, V, _ = linalg.svd_factor(A)
    assert_orthonormal(U)
    assert_orthonormal(V)
    np.testing.assert_allclose((U * (s / scale)) @ V.T, A / scale, atol=1e-13)
    for solve in (linalg.qr_solve, linalg.qr_solve_minimum_norm):
        X, solved_rank = solve(A, np.zeros((m, 2)))
        assert solved_rank == rank
        np.testing.assert_array_equal(X, np.zeros((n, 2)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused(linalg: ModuleType, bad: float) -> None:
    A = np.eye(4)
    A[2, 1] = bad
    ones = np.ones((4, 1))
    for call in (
        lambda: linalg.qr_factor(A),
        lambda: linalg.qr_null_space(A),
        lambda: linalg.qr_solve(A, ones),
        lambda: linalg.qr_solve_minimum_norm(A, ones),
        lambda: linalg.qr_solve(ones, A),
        lambda: linalg.ldlt_factor(A),
        lambda: linalg.ldlt_solve(A, ones),
        lambda: linalg.ldlt_solve(np.eye(4), A),
        lambda: linalg.svd_factor(A),
    ):
        with pytest.raises(UsageError, match="contains NaN or infinity"):
            call()


def test_wrong_shapes_are_refused(linalg: ModuleType) -> None:
    A = np.eye(3)
    for call, why in (
        (lambda: linalg.qr_factor(np.zeros(3)), "A must have shape"),
        (lambda: linalg.qr_factor(A.astype(np.float32)), "A must be of type float64"),
        (lambda: linalg.qr_factor(np.zeros((4, 6))[:, ::2]), "A must be a C-contiguous array"),
        (lambda: linalg.qr_solve(A, np.zeros((4, 1))), "B must have 3 rows, has 4"),
        (lambda: linalg.ldlt_factor(np.zeros((3, 4))), "A must be square, is 3 by 4"),
        (lambda: linalg.svd_factor(A, np.eye(2)), "start must have shape"),
    ):
        with pytest.raises(UsageError, match=why):
            call()


def test_inputs_are_not_changed(linalg: ModuleType) -> None:
    rng = np.random.default_rng(4)
    A, B, S = rng.normal(size=(5, 5)), rng.normal(size=(5, 2)), np.eye(5)
    kept = [A.copy(), B.copy(), S.copy()]
    linalg.qr_factor(A)
    linalg.qr_solve(A, B)
    linalg.qr_solve_minimum_norm(A, B)
    linalg.qr_null_space(A)
    linalg.ldlt_solve(A, B)
    linalg.svd_factor(A, S)
    for now, before in zip((A, B, S), kept, strict=True):
        np.testing.assert_array_equal(now, before)
