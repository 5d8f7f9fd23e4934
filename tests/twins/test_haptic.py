"""The haptic point: compiled against NumPy, tick by tick."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.kernels import HapticSettings
from kinegen.kernels.reference.haptic import HapticPoint as Reference
from kinegen.spatial import SO3

native = pytest.importorskip("kinegen.kernels._native")


@pytest.mark.parametrize("turns", [False, True], ids=["3", "6"])
@pytest.mark.parametrize("mode", [1.0, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_forces_are_equal(mode: float, seed: int, turns: bool) -> None:
    rng = np.random.default_rng(seed)
    settings = HapticSettings(silence=0.05, fade=0.02, force_most=8.0, reserve=2e-3).numbers
    points = [native.HapticPoint(settings), Reference(settings)]
    root = rng.normal(size=(6, 6))
    W = root @ root.T
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    x, turn, energy = np.zeros(3), SO3.identity(), 0.0
    for i in range(600):
        now = 1 + 1e-3 * i
        # words are lost, come in disorder, and stop for a while
        if rng.random() < 0.7 and not 300 < i < 400:
            energy += 1e-4 * rng.normal()
            told = np.concatenate(
                [[mode if i < 550 else 0.0], 0.02 * rng.normal(size=3),
                 SO3.exp(0.1 * rng.normal(size=3)).quat, 0.1 * rng.normal(size=6),
                 rng.normal(size=6), W.ravel(), n, [500.0, 2.0, 5.0, 0.02, energy, 1e-4]]
            )  # fmt: skip
            if rng.random() < 0.02:
                told[3] = np.nan
            sequence = 5 + i - int(3 * rng.random())
            echo = now - 0.01 * rng.random()
            heard = [point.hear(sequence, now, echo, told) for point in points]
            assert heard[0] == heard[1]
        v = 0.3 * rng.normal(size=6 if turns else 3)
        x = x + 1e-3 * v[:3]
        if turns:
            turn = SO3.exp(1e-3 * v[3:]) @ turn
        quat = turn.quat if turns else None
        forces = [point.tick(now, x, quat, v, 450 < i < 470) for point in points]
        assert forces[0].shape == ((6,) if turns else (3,))
        # sums in another order
        assert np.allclose(forces[0], forces[1], rtol=1e-9, atol=1e-12)
        assert points[0].counts() == points[1].counts()
    one, two = (point.state() for point in points)
    assert np.allclose(one[0], two[0], atol=1e-12)
    assert one[1:] == pytest.approx(two[1:], rel=1e-9)
    _, _, reused, old, bad, limited = points[0].counts()
    assert reused > 0 and old > 0 and bad > 0
    assert limited > 0 or mode == 1  # a surface gives less to be limited
