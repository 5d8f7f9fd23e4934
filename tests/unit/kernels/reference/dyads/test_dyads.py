from __future__ import annotations

import math

import numpy as np

from kinegen.kernels.protocols.dyads import DYAD_INTS, DYAD_REALS, DyadKind
from kinegen.kernels.reference.dyads.dyads import batch_dyads


def run(ints: list[list[int]], reals: list[list[float]], inputs: list[list[float]]) -> np.ndarray:
    rows = np.zeros((len(ints), DYAD_INTS), np.int32)
    numbers = np.zeros((len(ints), DYAD_REALS))
    for i, (a, b) in enumerate(zip(ints, reals, strict=True)):
        rows[i, : len(a)], numbers[i, : len(b)] = a, b
    out = np.empty((1, 2, len(inputs[0])))
    link = np.array([ints[-1][1]], np.int32)
    batch_dyads(rows, numbers, 3, link, np.array([[1.0, 0.0]]), np.array(inputs, float), out)
    return out[0]


def test_algorithm_1_turns_a_point_about_another() -> None:
    turn = [DyadKind.TURN, 1, 0, 0, 0, -1, 0]
    found = run([turn], [[1, 0, 2, 3, 1, 0, 0, 0, 1]], [[0, math.pi / 2]])
    np.testing.assert_allclose(found, [[3, 2], [3, 4]], atol=1e-15)


def test_algorithm_2_finds_both_crossings_and_none() -> None:
    # bars of length 5 from (0, 0) and (6, 0): they meet at (3, 4) and (3, -4)
    bar = [0, 0, 6, 0, 1 / 5, 0, 0, 0, 1 / 5, 0, 6, 0, 25, 25]
    for sign in (1, -1):
        found = run([[DyadKind.JOIN, 1, 0, 2, 0, -1, sign]], [bar], [[0]])
        np.testing.assert_allclose(found, [[0.6], [0.8 * sign]], atol=1e-15)
    far = [0, 0, 11, 0, 1 / 5, 0, 0, 0, 1 / 5, 0, 6, 0, 25, 25]
    assert np.isnan(run([[DyadKind.JOIN, 1, 0, 2, 0, -1, 1]], [far], [[0]])).all()
    touching = [0, 0, 10, 0, 1 / 5, 0, 0, 0, 1 / 5, 0, 6, 0, 25, 25]
    found = run([[DyadKind.JOIN, 1, 0, 2, 0, -1, 1]], [touching], [[0]])
    np.testing.assert_allclose(found, [[1], [0]], atol=1e-12)


def test_a_frame_is_placed_with_its_tilt() -> None:
    found = run(
        [[DyadKind.TILT, 1, 0, 0, 0, -1, 0], [DyadKind.PLACE, 1, 0, 0, 0, -1, 1]],
        [[0.0], [0.0, 0.0]],
        [[math.pi / 2], [4], [5]],
    )
    np.testing.assert_allclose(found, [[4], [6]], atol=1e-15)
