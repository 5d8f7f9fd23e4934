"""Inertia: real bodies pass, impossible ones are refused with the reason."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen import SE3, SO3
from kinegen.errors import NumberError, UsageError
from kinegen.spatial.inertia import Inertia
from kinegen.spatial.twist import Twist

# A solid box of 2 kg, 0.1 × 0.2 × 0.3 m: m/12 (b² + c²) and so on
BOX = Inertia(2.0, np.zeros(3), np.diag([0.13, 0.10, 0.05]) / 6)


def test_real_bodies_pass() -> None:
    assert BOX.mass == 2.0
    Inertia(1.0, np.zeros(3), np.diag([0, 1.0, 1.0]))  # a thin rod
    Inertia(1.0, np.zeros(3), np.diag([1.0, 1.0, 2.0]))  # a thin disc
    Inertia(0.0, np.zeros(3), np.zeros((3, 3)))  # nothing at all
    Inertia(1.0, np.zeros(3), np.zeros((3, 3)))  # a point


@pytest.mark.parametrize(
    ("mass", "tensor", "message"),
    [
        (-1.0, np.eye(3), "mass -1.0 kg .* negative or not finite"),
        (math.nan, np.eye(3), "not finite"),
        (1.0, np.diag([1, 1, 3.0]), "principal moments 1, 1, 3 kg m².*sum of the other two"),
        (1.0, np.diag([-1, 1, 1.0]), "principal moments -1, 1, 1"),
        (1.0, np.array([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "symmetric"),
        (1.0, np.eye(2), r"shape \(3, 3\)"),
        (1.0, np.full((3, 3), math.nan), "symmetric"),
        (1.0, np.diag([1, 1, math.inf]), "not finite"),
    ],
)
def test_impossible_bodies_are_refused(mass: float, tensor: np.ndarray, message: str) -> None:
    with pytest.raises(NumberError, match=message):
        Inertia(mass, np.zeros(3), tensor)


def test_a_centre_has_three_numbers() -> None:
    with pytest.raises(UsageError, match=r"a centre of mass takes 3 finite numbers"):
        Inertia(1.0, np.zeros(2), np.eye(3))


def test_parallel_axes_by_steiner() -> None:
    """About a point 1 m away along x the moments about y and z grow by m · 1²."""
    body = Inertia(2.0, np.array([1.0, 0, 0]), BOX.tensor)
    about = body.about_origin()
    np.testing.assert_allclose(about[3:, 3:], BOX.tensor + np.diag([0, 2, 2]), atol=1e-15)
    np.testing.assert_allclose(about[:3, :3], 2 * np.eye(3))
    np.testing.assert_allclose(about, about.T)


def test_kinetic_energy_does_not_depend_on_the_frame() -> None:
    X_AB = SE3(SO3.from_rpy(0.2, 0.3, -0.4), np.array([0.5, 0.6, -0.7]))
    body = Inertia(2.0, np.array([0.1, -0.2, 0.3]), BOX.tensor)
    V_B = Twist([1, 2, 3], [0.4, 0.5, 0.6])  # type: ignore[arg-type]
    V_A = V_B.transformed(X_AB)
    there = body.transformed(X_AB)
    energy = V_B.vector @ body.about_origin() @ V_B.vector
    assert V_A.vector @ there.about_origin() @ V_A.vector == pytest.approx(energy)


def test_bodies_are_frozen() -> None:
    with pytest.raises(ValueError, match=r"read-only"):
        BOX.tensor[0, 0] = 1
