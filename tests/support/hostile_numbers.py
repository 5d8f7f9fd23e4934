"""Numbers that break things, and forged words of a mechanism."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from kinegen.kernels import Floats

NASTY = (
    0.0, -0.0, 5e-324, 1e-310, -1e-310, 1e-30, 1.0, -1.0, 1e3, -1e3, 1e4, 1e7, -1e7, 1e9, 1e12,
    1e16, -1e100, 1e154, 1e300, -1e300, 1.7976931348623157e308, np.inf, -np.inf, np.nan,
)  # fmt: skip


def state(
    point: object = (0.0, 0.0, 0.0),
    *,
    mode: float = 2.0,
    energy: float = 0.0,
    stiffness: float = 400.0,
    damping: float = 4.0,
) -> Floats:
    """A word of a mechanism: a point with a mass of 2 kg."""
    W = np.diag([0.5, 0.5, 0.5, 50.0, 50.0, 50.0]).ravel()
    tail = [0, 0, 1, stiffness, 1.0, damping, 0.01, energy, 0.0]
    return np.array([mode, *np.asarray(point), 1, 0, 0, 0, *[0.0] * 12, *W, *tail])


def spoiled(numbers: Floats, rng: Generator) -> Floats:
    """The same with up to three numbers replaced or scaled."""
    out = np.array(numbers, dtype=float)
    for _ in range(rng.integers(0, 4)):
        i = rng.integers(len(out))
        with np.errstate(over="ignore"):
            scaled = out[i] * 10.0 ** rng.uniform(-320, 300)
        out[i] = rng.choice(NASTY) if rng.random() < 0.7 else scaled
    return out
