"""Free motion: rank by the gap, and degrees of freedom that last."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.loop_groups import loop_groups
from kinegen.kinematics.loop_system import LoopSystem
from kinegen.kinematics.mobility.free_motion import finite_mobility, free_motion
from tests.unit.kinematics.mobility.test_mobility import four_bar


def first_system(text: str) -> tuple[LoopSystem, np.ndarray]:
    model = kg.load(text).compile()
    q = model.start()
    return LoopSystem(model, loop_groups(model)[0], q), q


@pytest.mark.parametrize("name", ["four-bar", "bricard", "delta", "stewart"])
def test_free_and_forbidden_steps_span_everything(name: str) -> None:
    system, q = first_system(name)
    motion = free_motion(system, q)
    whole = np.hstack([motion.forbidden, motion.basis])
    np.testing.assert_allclose(whole.T @ whole, np.eye(len(system.variables)), atol=1e-12)
    np.testing.assert_allclose(system.jacobian(q) @ motion.basis, 0, atol=1e-12)
    assert motion.forbidden.shape[1] == np.linalg.matrix_rank(system.jacobian(q), tol=1e-9)
    assert (np.diff(motion.resistance) <= 0).all()
    assert motion.resistance[0] == 1


@pytest.mark.parametrize(
    ("values", "rank"),
    [
        ([1, 1e-2, 1e-4], 3),  # small, but clearly there
        ([1, 1e-2, 1e-12], 2),
        ([1, 1e-2, 4e-6], 3),  # near the tolerance: the gap below it is wider
        ([1, 1e-2, 2e-7], 2),  # near the tolerance: the gap above it is wider
        ([1, 3e-6, 1e-16], 2),
        ([0, 0, 0], 0),
    ],
)
def test_the_widest_gap_decides_near_the_tolerance(values: list[float], rank: int) -> None:
    class Diagonal(LoopSystem):
        def __init__(self) -> None:
            pass

        def jacobian(self, q: np.ndarray) -> np.ndarray:
            return np.diag(np.array(values, dtype=float))

    motion = free_motion(Diagonal(), np.zeros(3))
    assert motion.forbidden.shape[1] == rank
    assert motion.count == 3 - rank


def test_a_dead_point_of_one_branch_is_passed() -> None:
    """Crank and coupler in line: the rocker stands still, but nothing is lost or gained."""
    # 0.1 + 0.2 along one line; rocker and ground close the triangle 0.3, 0.25, 0.2
    angle = np.degrees(np.arccos((0.3**2 + 0.25**2 - 0.2**2) / (2 * 0.3 * 0.25)))
    rocker = np.degrees(
        np.arctan2(0.3 * np.sin(np.radians(angle)), 0.3 * np.cos(np.radians(angle)) - 0.25)
    )
    system, q = first_system(four_bar(0.1, 0.2, 0.2, 0.25, angle, 0, rocker, 0))
    q, gap = system.close(q)
    assert gap < 1e-13
    motion = free_motion(system, q)
    assert motion.count == finite_mobility(system, q, motion) == 1


def test_the_answer_is_repeatable() -> None:
    system, q = first_system(four_bar(1, 2, 1, 2, 0, 0, 0, 0))
    motion = free_motion(system, q)
    assert {finite_mobility(system, q, motion) for _ in range(3)} == {1}
