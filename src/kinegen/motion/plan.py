"""Plan: a recorded motion as a smooth function of time, with speeds and accelerations."""

from __future__ import annotations

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kernels.tolerances import SHUT
from kinegen.kinematics.solving.assembling.assembly import close
from kinegen.motion.chart import Chart, Rates
from kinegen.motion.recording import Recording

__all__ = ["Plan"]


class Plan:
    """Cubic spline through the rows of a recording; it starts and ends at rest.

    Of mechanisms with loops the recorded joints go through their rows; between rows the others are
    only near where the loops have them.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.chart = Chart(recording.model)
        self.times = recording.times
        self.values = (
            _closed(recording) if recording.model.constraint_count else recording.configurations()
        )
        self._moments = _moments(self.times, self.values)

    @property
    def duration(self) -> float:
        """From its first row to its last [s]."""
        return self.recording.duration

    def at(self, time: float) -> tuple[Floats, Floats, Floats]:
        """q, v and vdot at a time [s]; before and after, the ends are held."""
        return self.chart.state(self.rates(time))

    def rates(self, time: float) -> Rates:
        """The numbers of q and their rates at a time [s]; quaternions not yet of length 1."""
        t, y, m = self.times, self.values, self._moments
        still = np.zeros(y.shape[1])
        if time <= t[0] or len(t) == 1:
            return y[0].copy(), still, still
        if time >= t[-1]:
            return y[-1].copy(), still, still
        i = int(np.searchsorted(t, time, side="right")) - 1
        h = t[i + 1] - t[i]
        a, b = t[i + 1] - time, time - t[i]
        q = (m[i] * a**3 + m[i + 1] * b**3) / (6 * h)
        q += (y[i] / h - m[i] * h / 6) * a + (y[i + 1] / h - m[i + 1] * h / 6) * b
        v = (m[i + 1] * b**2 - m[i] * a**2) / (2 * h)
        v += (y[i + 1] - y[i]) / h - (m[i + 1] - m[i]) * h / 6
        return q, v, (m[i] * a + m[i + 1] * b) / h


def _closed(recording: Recording) -> Floats:
    """Closed configurations at the rows, each from the one before: the branch stays."""
    model, columns = recording.model, recording.variables
    q = model.start()
    moving = [joint.name for joint in model.joints if joint.q.stop > joint.q.start]
    # joints that are all in the table may each give way a little, others have to follow
    locked = recording.joints if len(recording.joints) < len(moving) else ()
    rows = np.empty((len(recording.times), model.nq))
    for i, (time, row) in enumerate(zip(recording.times, recording.values, strict=True)):
        q[columns] = row
        closed, gap = close(model, q, locked=locked)
        if locked and not gap < SHUT * model.size:
            closed, gap = close(model, q)
        q = closed
        if not gap < SHUT * model.size:
            raise UsageError(
                f"motion '{recording.name}' of mechanism '{model.name}' cannot be followed: at "
                f"{time:g} s its loops stay open by {1000 * gap:.3g} mm"
            )
        rows[i] = q
    for part in (joint.q for joint in model.quaternion_joints):
        at = slice(part.start, part.start + 4)
        turned = np.sum(rows[1:, at] * rows[:-1, at], axis=1) < 0
        rows[1:, at] *= np.cumprod(np.where(turned, -1.0, 1.0))[:, None]
    return rows


def _moments(t: Floats, y: Floats) -> Floats:
    """Second derivatives at the rows, with zero speed at both ends; elimination from the top."""
    n = len(t)
    if n == 1:
        return np.zeros_like(y)
    h = np.diff(t)
    slopes = np.diff(y, axis=0) / h[:, None]
    lower = np.concatenate([h, [0.0]])
    upper = np.concatenate([h, [0.0]])
    middle = np.empty(n)
    middle[0], middle[-1] = 2 * h[0], 2 * h[-1]
    middle[1:-1] = 2 * (h[:-1] + h[1:])
    rhs = np.empty_like(y)
    rhs[0], rhs[-1] = 6 * slopes[0], -6 * slopes[-1]
    rhs[1:-1] = 6 * np.diff(slopes, axis=0)
    for i in range(1, n):
        factor = lower[i - 1] / middle[i - 1]
        middle[i] -= factor * upper[i - 1]
        rhs[i] -= factor * rhs[i - 1]
    m = np.empty_like(y)
    m[-1] = rhs[-1] / middle[-1]
    for i in range(n - 2, -1, -1):
        m[i] = (rhs[i] - upper[i] * m[i + 1]) / middle[i]
    return m
