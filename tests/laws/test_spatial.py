"""Group axioms of rotations and poses, and how twists, wrenches and inertias change frames."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinegen import SE3, SO3
from kinegen.errors import KinegenError
from kinegen.spatial.inertia import Inertia
from kinegen.spatial.twist import Twist, Wrench

finite = st.floats(-3, 3)
vectors = st.tuples(finite, finite, finite).map(np.array)
twists = st.tuples(*[finite] * 6).map(np.array)
poses = twists.map(SE3.exp)
rotations = vectors.map(SO3.exp)
TOLERANCE = 1e-9  # a dozen roundings of numbers up to 10


@given(poses, poses, poses)
def test_group_axioms(a: SE3, b: SE3, c: SE3) -> None:
    assert ((a @ b) @ c).is_close(a @ (b @ c), tolerance=TOLERANCE)
    assert (a @ SE3.identity()).is_close(a, tolerance=TOLERANCE)
    assert (a @ a.inverse()).is_close(SE3.identity(), tolerance=TOLERANCE)


@given(vectors)
def test_rotation_vector_round_trip(w: np.ndarray) -> None:
    if np.linalg.norm(w) < 3.1:
        np.testing.assert_allclose(SO3.exp(w).log(), w, atol=1e-7)


@given(poses, twists)
def test_plus_and_minus_are_inverse(X: SE3, xi: np.ndarray) -> None:
    if np.linalg.norm(xi[3:]) < 3.0:
        np.testing.assert_allclose(X.plus(xi).minus(X), xi, atol=1e-6)


@given(poses, twists)
def test_adjoint_moves_a_twist(X: SE3, xi: np.ndarray) -> None:
    left = SE3.exp(X.adjoint() @ (1e-3 * xi)) @ X
    assert left.is_close(X.plus(1e-3 * xi), tolerance=1e-9)


@given(poses, twists, twists)
def test_power_is_the_same_in_every_frame(X: SE3, v: np.ndarray, f: np.ndarray) -> None:
    twist, wrench = Twist(v[:3], v[3:]), Wrench(f[:3], f[3:])
    moved = wrench.transformed(X).power(twist.transformed(X))
    assert moved == pytest.approx(wrench.power(twist), abs=1e-8)


@given(rotations)
def test_matrix_rpy_and_quaternion_agree(R: SO3) -> None:
    assert SO3.from_matrix(R.matrix).is_close(R, tolerance=1e-7)
    assert SO3.from_rpy(*R.rpy).is_close(R, tolerance=1e-7)


@given(poses, twists)
def test_kinetic_energy_is_the_same_in_every_frame(X: SE3, v: np.ndarray) -> None:
    body = Inertia(2.0, np.array([0.1, -0.2, 0.3]), np.diag([0.3, 0.4, 0.5]))
    twist = Twist(v[:3], v[3:])
    here = twist.vector @ body.about_origin() @ twist.vector
    there = twist.transformed(X).vector
    assert there @ body.transformed(X).about_origin() @ there == pytest.approx(here, abs=1e-7)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: SO3([0, 0, 0, 0]), "length 0"),
        (lambda: SO3([1, 0, 0]), "4 finite numbers"),
        (lambda: SO3.from_matrix(np.diag([1, 1, -1])), "reflection"),
        (lambda: SO3.from_matrix(np.eye(3) * 2), "orthonormal"),
        (lambda: SE3.from_pose([1, 0, 0, 0, 0, 0, np.nan]), "7 finite numbers"),
        (lambda: SE3.from_matrix(np.ones((4, 4))), "last row"),
        (lambda: Inertia(1, np.zeros(3), np.diag([1, 1, 3])), "sum of the other two"),
        (lambda: Inertia(-1, np.zeros(3), np.eye(3)), "negative"),
    ],
)
def test_bad_values_are_named(make: object, said: str) -> None:
    with pytest.raises(KinegenError, match=said):
        make()  # type: ignore[operator]
