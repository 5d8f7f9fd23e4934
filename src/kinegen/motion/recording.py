"""Recording: joint values over time, as a drag was recorded or waypoints were set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import configuration, difference
from kinegen.kinematics.solving.assembling.assembly import close
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.headings import joint_headings
from kinegen.mechanism.model import Model
from kinegen.results import Columns, Result

__all__ = ["Interpolation", "Recording"]

Interpolation = Literal["linear", "cubic"]
MOST_SAMPLES = 1_000_000
"""Rows a resampled motion may have: an hour at 250 Hz is less."""


@dataclass(frozen=True, slots=True, eq=False)
class Recording(Result):
    """A table of joint values over time, bound to the model it moves.

    Joints that are not in the table keep their values of the starting configuration. Every change
    returns a new recording, with all loops closed again.
    """

    model: Model
    joints: tuple[str, ...]
    times: Floats
    """Strictly increasing times [s], (n,)."""
    values: Floats
    """Numbers of the joints in order, as in q [rad, m; quaternions wxyz], (n, k)."""
    name: str = "motion"
    interpolation: Interpolation = "linear"

    def __post_init__(self) -> None:
        joints = tuple(self.joints)
        width = sum(_width(self.model, name) for name in joints)
        times, values = _table(self.times, "times"), _table(self.values, "values")
        if len(set(joints)) != len(joints):
            raise UsageError(f"motion '{self.name}' names a joint twice: {', '.join(joints)}")
        if times.ndim != 1 or len(times) == 0 or values.shape != (len(times), width):
            raise UsageError(
                f"motion '{self.name}' needs one row of {width} numbers per time, got values of "
                f"shape {values.shape} for {times.size} times"
            )
        if np.any(np.diff(times) <= 0):
            at = int(np.flatnonzero(np.diff(times) <= 0)[0]) + 1
            raise UsageError(
                f"motion '{self.name}': times must increase, but time {at + 1} ({times[at]:g} s) "
                f"comes after {times[at - 1]:g} s"
            )
        if self.interpolation not in ("linear", "cubic"):
            raise UsageError(
                f"interpolation must be 'linear' or 'cubic', not '{self.interpolation}'"
            )
        object.__setattr__(self, "joints", joints)
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", self._continuous(values))

    @staticmethod
    def of(
        model: AnyModel, qs: npt.ArrayLike, times: npt.ArrayLike, *, name: str = "motion"
    ) -> Recording:
        """A recording of all joints from configurations (n, nq), one row per time."""
        model = model_of(model)
        moving = tuple(joint.name for joint in model.joints if joint.q.stop > joint.q.start)
        return Recording(model, moving, _table(times, "times"), _table(qs, "values"), name)

    @staticmethod
    def from_dict(model: AnyModel, data: Mapping[str, Any]) -> Recording:
        """A recording from the result of :meth:`to_dict`, or from a row of `motions` in RAFF."""
        number = np.vectorize(_number, otypes=[float])
        return Recording(
            model_of(model),
            tuple(data["joints"]),
            number(np.asarray(data["times"], dtype=object)),
            number(np.asarray(data["values"], dtype=object)),
            str(data["name"]),
            data.get("interpolation") or "linear",
        )

    def to_dict(self) -> dict[str, Any]:
        """Names, headings, times and rows."""
        return self.raff_row() | {"columns": self.headings(), "mechanism": self.model.name}

    def raff_row(self) -> dict[str, Any]:
        """The keys of a row of `motions` in a RAFF file, with rounded numbers."""
        return {
            "name": self.name,
            "joints": list(self.joints),
            "times": [round(float(t), 6) for t in self.times],
            "values": [[round(float(x), 9) for x in row] for row in self.values],
            "interpolation": self.interpolation,
        }

    # Reading

    @property
    def duration(self) -> float:
        """Time from the first row to the last [s]."""
        return float(self.times[-1] - self.times[0])

    def at(self, time: float, start: npt.ArrayLike | None = None) -> Floats:
        """The configuration at a time [s], loops closed; outside, the first or last one.

        Args:
            time: [s]
            start: Configuration of the joints that are not in the recording.
        """
        q = configuration(self.model, start).copy()
        q[self.variables] = self._row(time)
        return self._closed(q)

    @property
    def variables(self) -> list[int]:
        """Indices of the values in q."""
        parts = [self.model.joint(name).q for name in self.joints]
        return [i for part in parts for i in range(part.start, part.stop)]

    def configurations(self) -> Floats:
        """The configuration at every recorded time, loops closed, (n, nq)."""
        return np.array([self.at(float(t)) for t in self.times])

    def velocities(self) -> Floats:
        """Speeds v at every recorded time by differences [rad/s, m/s], (n, nv)."""
        qs = self.configurations()
        if len(qs) == 1:
            return np.zeros((1, self.model.nv))
        steps = [difference(self.model, a, b) for a, b in pairwise(qs)]
        return _at_samples(np.array(steps) / np.diff(self.times)[:, None], self.times)

    def accelerations(self) -> Floats:
        """Change of speeds at every recorded time by differences, (n, nv)."""
        if len(self.times) == 1:
            return np.zeros((1, self.model.nv))
        rates = np.diff(self.velocities(), axis=0) / np.diff(self.times)[:, None]
        return _at_samples(rates, self.times)

    # Changing

    def trim(self, start: float, end: float) -> Recording:
        """The part between two times [s]; its time starts at 0."""
        first, last = float(self.times[0]), float(self.times[-1])
        if not (math.isfinite(start) and math.isfinite(end) and start < end):
            raise UsageError(
                f"a part must go from one time to a later one, not {start:g} to {end:g} s"
            )
        start, end = max(start, first), min(end, last)
        if start >= end:
            raise UsageError(f"this part is empty: the motion goes from {first:g} to {last:g} s")
        inner = self.times[(self.times > start) & (self.times < end)]
        return self._resampled(np.concatenate([[start], inner, [end]]), shift=start)

    def speed(self, factor: float) -> Recording:
        """The same motion, `factor` times as fast."""
        if not (math.isfinite(factor) and factor > 0):
            raise UsageError(f"the speed factor of a motion must be positive, not {factor:g}")
        return replace(self, times=self.times / factor)

    def resample(self, step: float) -> Recording:
        """The same motion with one row every `step` seconds; the last interval may be shorter."""
        if not (math.isfinite(step) and step > 0):
            raise UsageError(f"the step must be a positive time, not {step:g} s")
        if self.duration / step > MOST_SAMPLES:
            raise UsageError(
                f"{self.duration:g} s in steps of {step:g} s is more than {MOST_SAMPLES:,} rows; "
                f"use at least {self.duration / MOST_SAMPLES:.2g} s"
            )
        times = np.arange(self.times[0], self.times[-1], step)
        if len(times) == 0 or self.times[-1] - times[-1] > 1e-9 * step:
            times = np.append(times, self.times[-1])
        return self._resampled(times)

    def smooth(self, seconds: float) -> Recording:
        """The same motion without tremor shorter than about `seconds`; both ends stay unchanged."""
        if not (math.isfinite(seconds) and seconds > 0):
            raise UsageError(f"the smoothing time must be positive, not {seconds:g} s")
        first, last = self.values[0], self.values[-1]
        # Bell-shaped weights in time; the ramp between the ends is kept apart, so that they stay.
        share = (self.times - self.times[0])[:, None] / max(self.duration, 1e-12)
        ramp = first + share * (last - first)
        wave = self.values - ramp
        smooth = np.empty_like(wave)
        firsts = np.searchsorted(self.times, self.times - 4 * seconds)
        ends = np.searchsorted(self.times, self.times + 4 * seconds, side="right")
        for i, (a, b) in enumerate(zip(firsts, ends, strict=True)):
            weights = np.exp(-0.5 * ((self.times[a:b] - self.times[i]) / seconds) ** 2)
            smooth[i] = weights @ wave[a:b] / weights.sum()
        fade = np.minimum(share, 1 - share) * self.duration / seconds
        smooth = wave + np.clip(fade, 0, 1) * (smooth - wave)
        rows = self._normalised(ramp + smooth)
        return replace(self, values=self._closed_rows(rows))

    def reversed(self) -> Recording:
        """The same motion in reverse."""
        times = self.times[0] + (self.times[-1] - self.times[::-1])
        return replace(self, times=times, values=self.values[::-1].copy())

    # Writing

    def columns(self) -> Columns:
        """Time [s] and a column per number, headed by joint and unit."""
        return {"time [s]": self.times, **dict(zip(self.headings(), self.values.T, strict=True))}

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Times, values and the headings of the columns."""
        return {"times": self.times, "values": self.values, "columns": np.array(self.headings())}

    def headings(self) -> list[str]:
        """A heading per column of values: joint, which number, unit."""
        joints = (self.model.joint(name) for name in self.joints)
        return [heading for joint in joints for heading in joint_headings(joint)]

    # Inside

    def _quaternions(self) -> list[slice]:
        """Columns of values that hold quaternions."""
        at, found = 0, []
        for name in self.joints:
            if self.model.joint(name).type.info.has_quaternion:
                found.append(slice(at, at + 4))
            at += _width(self.model, name)
        return found

    def _continuous(self, values: Floats) -> Floats:
        """The same rotations, each quaternion on the side of the one before."""
        for part in self._quaternions():
            dots = np.sum(values[1:, part] * values[:-1, part], axis=1)
            signs = np.concatenate([[1.0], np.cumprod(np.where(dots < 0, -1.0, 1.0))])
            values[:, part] *= signs[:, None]
        return values

    def _normalised(self, values: Floats) -> Floats:
        for part in self._quaternions():
            values[..., part] /= np.linalg.norm(values[..., part], axis=-1, keepdims=True)
        return values

    def _row(self, time: float) -> Floats:
        times, values = self.times, self.values
        if time <= times[0] or len(times) == 1:
            return np.array(values[0])
        if time >= times[-1]:
            return np.array(values[-1])
        i = int(np.searchsorted(times, time, side="right")) - 1
        width = times[i + 1] - times[i]
        s = (time - times[i]) / width
        if self.interpolation == "linear":
            row = np.asarray((1 - s) * values[i] + s * values[i + 1])
        else:
            # Cubic Hermite through the rows, slopes by the neighbours.
            a, b = self._slope(i) * width, self._slope(i + 1) * width
            row = (
                (1 + 2 * s) * (1 - s) ** 2 * values[i]
                + s * (1 - s) ** 2 * a
                + s * s * (3 - 2 * s) * values[i + 1]
                + s * s * (s - 1) * b
            )
        return self._normalised(row)

    def _slope(self, i: int) -> Floats:
        low, high = max(i - 1, 0), min(i + 1, len(self.times) - 1)
        rise = self.values[high] - self.values[low]
        return np.asarray(rise / (self.times[high] - self.times[low]))

    def _resampled(self, times: Floats, shift: float = 0.0) -> Recording:
        rows = np.array([self._row(float(t)) for t in times])
        return replace(self, times=times - shift, values=self._closed_rows(rows))

    def _closed(self, q: Floats) -> Floats:
        return close(self.model, q)[0] if self.model.constraint_count else q

    def _closed_rows(self, rows: Floats) -> Floats:
        if not self.model.constraint_count:
            return rows
        columns, q, closed = self.variables, self.model.start(), rows.copy()
        for row in closed:
            q[columns] = row
            q = self._closed(q)
            row[:] = q[columns]
        return closed


def _width(model: Model, name: str) -> int:
    return len(range(model.nq)[model.joint(name).q])


def _table(values: npt.ArrayLike, what: str) -> Floats:
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise UsageError(f"{what} of a motion must be numbers, got {values!r:.80}") from None
    if not np.isfinite(array).all():
        raise UsageError(f"{what} of a motion must be finite numbers")
    return array


def _number(value: Any) -> float:
    """A number or a formula without names."""
    try:
        return float(value.evaluate({})) if hasattr(value, "evaluate") else float(value)
    except (TypeError, ValueError):
        raise UsageError(f"a motion consists of numbers, got {value!r}") from None


def _at_samples(rates: Floats, times: Floats) -> Floats:
    """Rates between samples, brought to the samples by weights of the neighbouring steps."""
    steps = np.diff(times)
    before = np.concatenate([rates[:1], rates])
    after = np.concatenate([rates, rates[-1:]])
    w_before = np.concatenate([[steps[0]], steps])[:, None]
    w_after = np.concatenate([steps, [steps[-1]]])[:, None]
    # The shorter step knows its slope better.
    return np.asarray((before * w_after + after * w_before) / (w_before + w_after))
