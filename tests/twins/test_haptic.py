"""The haptic point: compiled against NumPy, tick by tick."""

from __future__ import annotations

import numpy as np
import pytest

from kinegen.kernels import HapticSettings
from kinegen.kernels.reference.haptic import HapticPoint as Reference

native = pytest.importorskip("kinegen.kernels._native")


@pytest.mark.parametrize("mode", [1.0, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_forces_are_equal(mode: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    settings = HapticSettings(silence=0.05, fade=0.02, force_most=8.0, reserve=2e-3).numbers
    points = [native.HapticPoint(settings), Reference(settings)]
    root = rng.normal(size=(3, 3))
    W = root @ root.T
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    x, energy = np.zeros(3), 0.0
    limited = 0
    for i in range(600):
        now = 1 + 1e-3 * i
        # words are lost, come in disorder, and stop for a while
        if rng.random() < 0.7 and not 300 < i < 400:
            energy += 1e-4 * rng.normal()
            told = np.concatenate(
                [[mode if i < 550 else 0.0], 0.02 * rng.normal(size=3), 0.1 * rng.normal(size=3),
                 rng.normal(size=3), W.ravel(), n, [500.0, 5.0, energy, 1e-4]]
            )  # fmt: skip
            if rng.random() < 0.02:
                told[3] = np.nan
            sequence = i - int(3 * rng.random())
            echo = now - 0.01 * rng.random()
            heard = [point.hear(sequence, now, echo, told) for point in points]
            assert heard[0] == heard[1]
        v = 0.3 * rng.normal(size=3)
        x = x + 1e-3 * v
        forces = [point.tick(now, x, v, 450 < i < 470) for point in points]
        # sums in another order
        assert np.allclose(forces[0], forces[1], rtol=1e-9, atol=1e-12)
        assert points[0].counts() == points[1].counts()
    one, two = (point.state() for point in points)
    assert np.allclose(one[0], two[0], atol=1e-12)
    assert one[1:] == pytest.approx(two[1:], rel=1e-9)
    limited = points[0].counts()[5]
    assert limited > 0 and points[0].counts()[4] > 0
