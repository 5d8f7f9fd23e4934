from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen.errors import UsageError
from kinegen.workspace.bodies.voxels import (
    Voxels,
    align_voxels,
    compare_voxels,
    join_voxels,
    voxels_around,
    voxels_inside,
    voxels_of,
)


def ball(points: np.ndarray) -> np.ndarray:
    return np.linalg.norm(points, axis=1) < 1


def torus(points: np.ndarray) -> np.ndarray:
    x, y, z = points.T
    return (np.hypot(x, y) - 1) ** 2 + z**2 < 0.16


def shell(points: np.ndarray) -> np.ndarray:
    return np.abs(np.linalg.norm(points, axis=1) - 0.8) < 0.2


CASES = {
    # volume, pieces, voids, tunnels
    ball: (4 / 3 * math.pi, 1, 0, 0),
    torus: (2 * math.pi**2 * 0.16, 1, 0, 1),
    shell: (4 / 3 * math.pi * (1 - 0.6**3), 1, 1, 0),
}


@pytest.mark.parametrize("body", CASES)
def test_bodies_have_their_size_and_shape(body) -> None:
    volume, pieces, voids, tunnels = CASES[body]
    found = voxels_inside(body, [-1.5] * 3, [1.5] * 3, 0.06)
    assert abs(found.measure.value - volume) < found.measure.error
    assert (found.pieces, found.voids, found.tunnels) == (pieces, voids, tunnels)


def test_detail_is_looked_at_only_near_the_edge() -> None:
    asked = []

    def counted(points: np.ndarray) -> np.ndarray:
        asked.append(len(points))
        return ball(points)

    fine = voxels_inside(counted, [-1.2] * 3, [1.2] * 3, 0.05, levels=2)
    plain = voxels_inside(ball, [-1.2] * 3, [1.2] * 3, 0.05, levels=0)
    assert compare_voxels(fine, plain).overlap == 1
    assert sum(asked) < 0.7 * plain.filled.size


def test_points_fill_the_cells_they_fall_into() -> None:
    points = np.array([[0.05, 0.15, -0.05], [0.0, 0.0, 0.0], [1.01, 1.02, 1.0]]).T
    found = voxels_of(points, 0.1)
    assert found.first == (-1, 0, 10) and found.filled.shape == (3, 1, 1) and found.filled.all()
    np.testing.assert_allclose(found.centres()[0], [-0.05, 0.05, 1.05])


def test_cells_around_points_of_a_lattice() -> None:
    steps = np.stack(np.meshgrid(*[np.arange(4)] * 3)).reshape(3, -1).T
    points = np.array([0.3, -0.1, 7.0]) + 0.1 * steps
    found = voxels_around(points, 0.1)
    assert found.filled.shape == (4, 4, 4) and found.filled.all()
    assert found.measure.value == pytest.approx(0.064)
    np.testing.assert_allclose(sorted(found.centres().tolist()), sorted(points.tolist()))
    assert found.slice(2, 7.0).filled.all() and not found.slice(2, 6.9).filled.any()


def test_two_pieces_in_a_plane_one_with_a_hole() -> None:
    filled = np.zeros((9, 5), dtype=bool)
    filled[:3, :3] = True
    filled[1, 1] = False
    filled[6:, 3:] = True
    found = Voxels((0, 0), filled, 1.0)
    assert (found.pieces, found.voids, found.tunnels) == (2, 1, 0)
    assert found.measure.unit == "m²"


def test_slices_are_planes_across_an_axis() -> None:
    found = voxels_inside(ball, [-1.2] * 3, [1.2] * 3, 0.05)
    middle = found.slice(2, 0.0)
    assert abs(middle.measure.value - math.pi) < middle.measure.error
    assert found.slice(2, 5.0).measure.value == 0
    assert found.slice(0, 0.9).measure.value < middle.measure.value


def test_two_designs_side_by_side() -> None:
    small = voxels_inside(lambda p: ball(2 * p), [-1.2] * 3, [1.2] * 3, 0.05)
    large = voxels_inside(ball, [-2] * 3, [2] * 3, 0.05)
    found = compare_voxels(small, large)
    assert found.only_first == 0 and found.both == pytest.approx(small.measure.value)
    assert found.overlap == pytest.approx(1 / 8, rel=0.05)
    with pytest.raises(UsageError, match="same cell size"):
        compare_voxels(small, voxels_inside(ball, [-1] * 3, [1] * 3, 0.1))


def test_bad_boxes_are_refused() -> None:
    with pytest.raises(UsageError, match="positive length"):
        voxels_of(np.zeros((1, 3)), math.nan)
    with pytest.raises(UsageError, match="at least one point"):
        voxels_of(np.zeros((0, 3)), 1.0)
    with pytest.raises(UsageError, match="use larger ones"):
        voxels_of(np.array([[0.0, 0, 0], [1, 1, 1]]), 1e-4)
    with pytest.raises(UsageError, match="upper corner"):
        voxels_inside(ball, [1] * 3, [0] * 3, 0.1)


def test_two_sets_are_joined_in_the_box_around_both() -> None:
    one, other = (
        voxels_of(np.array([[0.5, 0.5], [3.5, 0.5]]), 1.0),
        voxels_of(np.array([[-1.5, 2.5], [0.5, 0.5]]), 1.0),
    )
    both = join_voxels(one, other)
    assert sorted(map(tuple, both.centres())) == [(-1.5, 2.5), (0.5, 0.5), (3.5, 0.5)]
    within = join_voxels(both, voxels_of(np.array([[1.5, 1.5]]), 1.0))
    assert within.first == both.first and within.filled.sum() == 4


def test_cells_move_onto_another_lattice_by_half_a_cell_at_most() -> None:
    one = voxels_around(np.array([[0.1, 0.0], [1.1, 0.0]]), 1.0)
    other = voxels_around(np.array([[0.4, 0.0], [1.4, 0.0]]), 1.0)
    with pytest.raises(UsageError, match="same cell size"):
        compare_voxels(one, other)
    assert compare_voxels(one, align_voxels(other, one)).overlap == 1.0
    with pytest.raises(UsageError, match="in a plane"):
        align_voxels(voxels_of(np.zeros((1, 3)), 1.0), one)
