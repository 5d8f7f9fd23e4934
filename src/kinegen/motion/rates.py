"""Rates: speeds and accelerations of sampled motions, with gaps left as gaps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinegen.kernels import Floats
from kinegen.mechanism.model import Model

__all__ = ["rates", "unrolled"]

_WINDOW = 5
"""Samples that a local polynomial goes through: fourth order for speeds, third for
accelerations."""


def unrolled(model: Model, qs: Floats) -> Floats:
    """Configurations as continuous coordinates over v, (n, nv): sums of small differences."""
    if not model.quaternion_joints:
        return qs - qs[:1]
    steps, step = np.zeros((len(qs), model.nv)), np.empty(model.nv)
    for i in range(1, len(qs)):
        model.kernels.difference(qs[i - 1], qs[i], step)
        steps[i] = step
    return np.cumsum(steps, axis=0)


def rates(model: Model, times: Floats, qs: Floats, runs: Sequence[slice]) -> tuple[Floats, Floats]:
    """Speeds v and their derivative at every sample, (n, nv) each; NaN outside the runs.

    Through each sample and its neighbours within the run goes a polynomial in time.
    """
    v = np.full((len(times), model.nv), np.nan)
    vdot = v.copy()
    for run in runs:
        if run.stop - run.start > 1:
            v[run], vdot[run] = _slopes(times[run], unrolled(model, qs[run]))
    return v, vdot


def _slopes(t: Floats, values: Floats) -> tuple[Floats, Floats]:
    n = len(t)
    size = min(_WINDOW, n)
    first = np.clip(np.arange(n) - size // 2, 0, n - size)
    at = first[:, None] + np.arange(size)
    unit = (t[first + size - 1] - t[first]) / (size - 1)
    x = (t[at] - t[:, None]) / unit[:, None]
    powers = x[:, :, None] ** np.arange(size)
    terms = np.linalg.solve(powers, values[at])
    speed = terms[:, 1] / unit[:, None]
    rise = terms[:, 2] / unit[:, None] ** 2 * 2 if size > 2 else np.zeros_like(speed)
    return speed, rise
