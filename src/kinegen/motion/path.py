"""Path: a curve as a mechanism follows it: joint values, speeds, and where it cannot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.kinematics.collisions.checker import CollisionChecker
from kinegen.mechanism.headings import q_headings, v_headings
from kinegen.mechanism.model import Model
from kinegen.motion.collisions import CollisionSpan, collision_spans
from kinegen.motion.recording import Recording
from kinegen.results import Columns, Result, ResultList, plain

__all__ = ["Crossing", "Path", "PathGap"]

_AWAY = re.compile(r"([\d.]+(?:e[+-]?\d+)?) mm away")
"""How far a frame stays away, as reasons say it."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """A point on a path where the mechanism crosses or approaches a singular pose."""

    index: int
    """The point before it."""
    time: float
    """[s]"""
    kind: Literal["task", "gain", "jump", "near"]
    """'task': the frame cannot move in some direction; 'gain': the inputs lose control; 'jump': a
    joint leaps to another branch; 'near': close to a singular pose, but not through."""
    joints: tuple[str, ...]
    text: str
    """In words."""


@dataclass(frozen=True, slots=True)
class PathGap(Result):
    """A segment of a path that is not reached."""

    first: int
    """Its first point."""
    last: int
    """Its last point."""
    reason: str
    """Why the first point is not reached."""
    worst: str
    """Why the point is not reached from which the frame stays farthest away."""

    def columns(self) -> Columns:
        """One row."""
        return {"first": [self.first], "last": [self.last], "reason": [self.reason]}


@dataclass(frozen=True, slots=True, eq=False)
class Path(Result):
    """A followed curve. Rows are points; NaN where the curve cannot be followed."""

    model: Model
    frame: str
    name: str
    """What the curve is."""
    times: Floats
    """When each point is passed [s], (n,)."""
    ways: Floats
    """Length of the curve up to each point [m], (n,)."""
    xyz: Floats
    """The curve itself, in the world [m], (n, 3)."""
    q: Floats
    """Configurations, loops closed, (n, nq) [rad, m; quaternions wxyz]."""
    v: Floats
    """Joint speeds, (n, nv) [rad/s, m/s]."""
    vdot: Floats
    """Joint accelerations, (n, nv) [rad/s², m/s²]."""
    reachable: npt.NDArray[np.bool_]
    """Which points are met, (n,)."""
    reasons: dict[int, str]
    """Why a point is not met, by its index."""
    runs: tuple[slice, ...]
    """Stretches that are followed without a break."""
    singular: Floats
    """How far each point is from the nearest singular pose, dimensionless, (n,); NaN unknown."""
    crossings: tuple[Crossing, ...]
    """Singular poses on the way."""
    speed: float
    """Of the tool along the curve [m/s]; NaN where it varies."""

    def __repr__(self) -> str:
        return (
            f"Path({self.name} by '{self.frame}' of '{self.model.name}': {self.reachable_count} of "
            f"{len(self.times)} points, {self.duration:.3g} s)"
        )

    def __len__(self) -> int:
        return len(self.times)

    @property
    def reachable_count(self) -> int:
        """Number of points that are reached."""
        return int(self.reachable.sum())

    @property
    def is_complete(self) -> bool:
        """Whether all points are reached without a break or a jump."""
        return len(self.runs) == 1 and bool(self.reachable.all())

    @property
    def duration(self) -> float:
        """Time from the first point to the last [s]."""
        return float(self.times[-1] - self.times[0])

    @property
    def too_fast(self) -> dict[str, float]:
        """Joints that would exceed the speed of their motors, with the factor."""
        found: dict[str, float] = {}
        if not self.reachable.any():
            return found
        for joint in self.model.joints:
            limits = self.model.speed[joint.v]
            if not len(limits) or not np.isfinite(limits).any():
                continue
            with np.errstate(invalid="ignore"):
                share = np.abs(self.v[:, joint.v]) / limits
            worst = float(np.nanmax(share)) if np.isfinite(share).any() else 0.0
            if worst > 1 + 1e-6:
                found[joint.name] = worst
        return found

    def collisions(self, checker: CollisionChecker | None = None) -> ResultList[CollisionSpan]:
        """Parts of the path on which bodies touch, with their times; default: links and objects."""
        return collision_spans(self.model, self.times, self.q, checker=checker)

    def gaps(self) -> ResultList[PathGap]:
        """Segments that are not reached; points that do not exist form separate segments."""
        away = np.flatnonzero(~self.reachable)
        exist = np.isfinite(self.xyz[away]).all(axis=1)
        parts = np.split(away, np.flatnonzero((np.diff(away) > 1) | np.diff(exist)) + 1)
        found = (self._gap(int(part[0]), int(part[-1])) for part in parts if len(part))
        return ResultList(found, ("first", "last", "reason"))

    def _gap(self, first: int, last: int) -> PathGap:
        reason = worst = self.reasons.get(first, "")
        farthest = -1.0
        for i in range(first, last + 1):
            text = self.reasons.get(i, "")
            away = _AWAY.search(text)
            if away and float(away[1]) > farthest:
                worst, farthest = text, float(away[1])
        return PathGap(first, last, reason, worst)

    @property
    def longest_run(self) -> int:
        """Index of the unbroken segment with most points; 0 if there is none."""
        lengths = [run.stop - run.start for run in self.runs]
        return lengths.index(max(lengths)) if lengths else 0

    def stretch(self, run: int) -> slice:
        """The points of an unbroken segment."""
        if not self.runs:
            raise UsageError("no segment of the path can be followed")
        return self.runs[whole_number(run, "an unbroken segment", 0, len(self.runs) - 1)]

    def recording(self, run: int = 0) -> Recording:
        """One unbroken segment as a motion that can be played, edited and stored in a file."""
        part = self.stretch(run)
        times = self.times[part] - self.times[part.start]
        if len(times) > 1 and np.any(np.diff(times) <= 0):
            raise UsageError("points of the path coincide: its times do not increase")
        return Recording.of(self.model, self.q[part], times, name=self.name.replace(" ", "-"))

    def columns(self) -> Columns:
        """One row per point: time, length, position, joint values, speeds, accelerations, reason.

        If a point is not reached, the joint columns are empty and the last column gives the reason.
        """
        speeds = v_headings(self.model)
        rises = [f"{head.removesuffix('/s]')}/s2]" for head in speeds]
        return {
            "time [s]": self.times,
            "way [m]": self.ways,
            **_named([f"{axis} [m]" for axis in "xyz"], self.xyz),
            **_named(q_headings(self.model), self.q),
            **_named([f"speed of {head}" for head in speeds], self.v),
            **_named([f"acceleration of {head}" for head in rises], self.vdot),
            "singular": self.singular,
            "reason": [self.reasons.get(i, "") for i in range(len(self))],
        }

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Its arrays by name, with the headings of their columns."""
        return {
            "mechanism": np.array(self.model.name),
            "frame": np.array(self.frame),
            "curve": np.array(self.name),
            "times": self.times,
            "ways": self.ways,
            "xyz": self.xyz,
            "columns": np.array(q_headings(self.model)),
            "q": self.q,
            "v_columns": np.array(v_headings(self.model)),
            "v": self.v,
            "vdot": self.vdot,
            "is_reachable": self.reachable,
            "singular": self.singular,
        }

    def to_dict(self) -> dict[str, Any]:
        """The whole path as plain numbers and texts, for programs."""
        return {
            "mechanism": self.model.name,
            "frame": self.frame,
            "curve": self.name,
            "points": len(self),
            "reachable": self.reachable_count,
            "duration": self.duration,
            "length": float(self.ways[-1]),
            "speed": plain(self.speed),
            "columns": q_headings(self.model),
            "times": plain(self.times),
            "ways": plain(self.ways),
            "xyz": plain(self.xyz),
            "q": plain(self.q),
            "v_columns": v_headings(self.model),
            "v": plain(self.v),
            "vdot": plain(self.vdot),
            "is_reachable": plain(self.reachable),
            "reasons": {str(i): text for i, text in self.reasons.items()},
            "runs": [[run.start, run.stop - 1] for run in self.runs],
            "singular": plain(self.singular),
            "crossings": plain(self.crossings),
            "too_fast": self.too_fast,
        }


def _named(names: Sequence[str], values: Floats) -> dict[str, Floats]:
    """The columns of an array by name."""
    return dict(zip(names, values.T, strict=True))
