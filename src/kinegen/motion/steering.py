"""Steering: a planned motion that hands change while it runs.

The arm follows its plan by computed torque. While a hand is on it the feedback yields and the arm
goes where it is pushed; afterwards it keeps the new course, rejoins the plan, or stops. What it
really did is a recording like any other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kinegen.dynamics.simulation import Simulation
from kinegen.dynamics.system import System
from kinegen.dynamics.touch import Touch
from kinegen.dynamics.tree import inverse_dynamics, passive_forces
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.motion.plan import Plan
from kinegen.motion.recording import Recording

__all__ = ["Edit", "Resume", "Steering"]

Resume = Literal["keep", "rejoin", "stop"]
"""What comes after a touch: the new course, the plan again, or rest."""
_RESUMES = ("keep", "rejoin", "stop")


@dataclass(slots=True, eq=False)
class Edit:
    """One touch of a running motion."""

    start: float
    """[s]"""
    end: float
    """[s]; inf while it lasts."""
    resume: str
    """What came after it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Course:
    """How the arm departs from its plan: by an offset that began at some time, or by resting."""

    since: float = 0.0
    offset: Floats | None = None
    drift: Floats | None = None
    how: str = "keep"
    clock: float = 0.0
    """By how much the plan is behind the time [s]."""
    rest: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Mark:
    """Where a touch began, to return to."""

    time: float
    q: Floats
    v: Floats
    course: _Course
    rows: int
    edits: int


class Steering:
    """An arm that follows a plan and can be pushed and pulled on the way."""

    def __init__(
        self,
        mechanism: Mechanism | System,
        plan: Recording,
        *,
        engine: str = "reduced",
        step: float = 1e-3,
        resume: Resume = "rejoin",
        rate: float = 15.0,
        yielding: float = 0.1,
        blend: float = 0.6,
        linger: float = 0.03,
        limited: bool = True,
        **options: Any,
    ) -> None:
        """Set up an arm at the start of its plan.

        Args:
            mechanism: The arm, all its joints driven.
            plan: The motion to follow.
            engine: What simulates it.
            step: [s]
            resume: What comes after a touch; it may be changed at any time.
            rate: Of the feedback: errors vanish within some 1/rate [rad/s].
            yielding: Share of the feedback of speeds that stays while the arm is touched.
            blend: Time in which it rejoins or stops [s].
            linger: A touch that is lost for less than this goes on [s].
            limited: Whether motors give no more than they can.
            options: More for the :class:`~kinegen.dynamics.simulation.Simulation`.
        """
        self.plan = Plan(plan)
        self.resume: Resume = resume
        self.rate, self.yielding, self.blend, self.linger = rate, yielding, blend, linger
        self.edits: list[Edit] = []
        """Touches so far."""
        q, v, _ = self.plan.at(float(plan.times[0]))
        options.setdefault("record", 0)
        self.simulation = Simulation(
            mechanism, engine=engine, step=step, q=q, v=v, control=self._control, **options
        )
        model = self.simulation.model
        if model.nv != plan.model.nv:
            raise UsageError(
                f"the plan moves {plan.model.nv} joint variables, the system has {model.nv}: "
                "simulate without free objects"
            )
        self._most = np.where(model.effort > 0, model.effort, np.inf) if limited else np.inf
        self._course = _Course()
        self._marks: list[_Mark] = []
        self._touched_at = -math.inf
        self._before: tuple[float, Floats] | None = None
        self._rows: list[tuple[float, Floats, Floats, Floats, Floats, Floats]] = []
        self._check_resume()

    # Running

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self.simulation.time

    @property
    def is_touched(self) -> bool:
        """Whether a hand leads now."""
        return bool(self.edits) and math.isinf(self.edits[-1].end)

    @property
    def is_done(self) -> bool:
        """Whether the plan is at its end and no hand is there."""
        end = self.plan.times[-1] + self._course.clock
        is_resting = self._course.rest is not None
        return not self.is_touched and (is_resting or self.time >= end)

    def advance(self, seconds: float) -> None:
        """Simulate some more time [s]; KinegenError's words are in ``simulation.reason``."""
        self.simulation.advance(seconds)

    def push(self, *where: Any, **options: Any) -> Touch:
        """As :meth:`Simulation.push`."""
        return self.simulation.push(*where, **options)

    def pull(self, *where: Any, **options: Any) -> Touch:
        """As :meth:`Simulation.pull`."""
        return self.simulation.pull(*where, **options)

    def release(self, resume: Resume | None = None) -> None:
        """Take all hands away; what comes then."""
        if resume is not None:
            self.resume = resume
            self._check_resume()
        self.simulation.release()

    def go_on(self) -> None:
        """After a stop: on along the plan from where it was left."""
        course = self._course
        if course.rest is not None:
            lag = self.time - course.since
            q, v, _ = self.reference(self.time)
            plan_q, plan_v, _ = self.plan.at(self.time - course.clock - lag)
            self._course = _Course(self.time, q - plan_q, v - plan_v, "rejoin", course.clock + lag)

    def undo(self) -> bool:
        """Back to before the last touch, as if it had not been; False: there was none."""
        if not self._marks:
            return False
        mark = self._marks.pop()
        self.simulation.release()
        self.simulation.reset(mark.q, mark.v, mark.time)
        self._course = mark.course
        del self._rows[mark.rows :], self.edits[mark.edits :]
        self._touched_at, self._before = -math.inf, None
        return True

    # What happened

    def recording(self, name: str = "steered", *, step: float = 0.01) -> Recording:
        """The motion as it was made, every ``step`` seconds."""
        times, qs = self.times, self.q
        wanted = np.unique(np.append(np.arange(times[0], times[-1], step), times[-1]))
        at = np.unique(np.searchsorted(times, wanted - 1e-9).clip(0, len(times) - 1))
        return Recording.of(self.simulation.model, times[at], qs[at], name=name)

    @property
    def times(self) -> Floats:
        """Of all control steps [s], (n,)."""
        return np.array([row[0] for row in self._rows])

    @property
    def q(self) -> Floats:
        """Configurations, (n, nq)."""
        return np.array([row[1] for row in self._rows])

    @property
    def v(self) -> Floats:
        """Velocities, (n, nv)."""
        return np.array([row[2] for row in self._rows])

    @property
    def accelerations(self) -> Floats:
        """Over the step before, (n, nv) [rad/s², m/s²]."""
        return np.array([row[3] for row in self._rows])

    @property
    def efforts(self) -> Floats:
        """Of the motors, (n, nv) [N m, N]."""
        return np.array([row[4] for row in self._rows])

    @property
    def forces(self) -> Floats:
        """Of all hands on the arm in the step before, (n, 3) [N]."""
        return np.array([row[5] for row in self._rows])

    # Inside

    def reference(self, time: float) -> tuple[Floats, Floats, Floats]:
        """Where the arm should be: q, v, vdot."""
        course = self._course
        since = time - course.since
        if course.rest is not None:
            still = np.zeros(len(course.rest))
            fade, slope, bend = _fade(since, self.blend)
            q = course.rest - (course.drift if course.drift is not None else still) * fade
            drift = course.drift if course.drift is not None else still
            return q, -drift * slope, -drift * bend
        q, v, vdot = self.plan.at(time - course.clock)
        if course.offset is None or course.drift is None:
            return q, v, vdot
        if course.how == "rejoin":
            shares = _quintic(since, self.blend)
        else:
            # the extra speed dies away, the way that it made stays
            dying = math.exp(-self.rate * since)
            shares = (
                (1.0, (1 - dying) / self.rate),
                (0.0, dying),
                (0.0, -self.rate * dying),
            )
        parts = [a * course.offset + b * course.drift for a, b in shares]
        return q + parts[0], v + parts[1], vdot + parts[2]

    def _control(self, time: float, q: Floats, v: Floats) -> Floats:
        model = self.simulation.model
        touches = self.simulation.touches
        if any(touch.is_active for touch in touches):
            if not self.is_touched:
                self._begin(time, q, v)
            self._touched_at = time
        elif self.is_touched and time - self._touched_at >= self.linger:
            self._end(time, q, v)
        goal, speed, rise = self.reference(time)
        goal = np.clip(goal, model.lower, model.upper)
        if self.is_touched:
            asked = rise + self.yielding * 2 * self.rate * (speed - v)
        else:
            asked = rise + 2 * self.rate * (speed - v) + self.rate**2 * (goal - q)
        tau = inverse_dynamics(model, q, v, asked) - passive_forces(model, q, v)
        tau = np.clip(tau, -self._most, self._most)
        rate = np.zeros(model.nv)
        if self._before is not None and time > self._before[0]:
            rate = (v - self._before[1]) / (time - self._before[0])
        self._before = time, v.copy()
        force = -np.sum([touch.force for touch in touches], axis=0) if touches else np.zeros(3)
        self._rows.append((time, q.copy(), v.copy(), rate, tau, force))
        return tau

    def _begin(self, time: float, q: Floats, v: Floats) -> None:
        rows = max(0, len(self._rows))
        self._marks.append(_Mark(time, q.copy(), v.copy(), self._course, rows, len(self.edits)))
        self.edits.append(Edit(time, math.inf, self.resume))

    def _end(self, time: float, q: Floats, v: Floats) -> None:
        edit, course = self.edits[-1], self._course
        edit.end, edit.resume = time, self.resume
        if self.resume == "stop":
            # braked evenly: the way to rest is what the speed makes in the time of a blend
            way = v * self.blend / 2
            self._course = _Course(time, None, way, "stop", course.clock, q + way)
            return
        clock = course.clock if course.rest is None else course.clock + time - course.since
        goal, speed, _ = self.plan.at(time - clock)
        self._course = _Course(time, q - goal, v - speed, self.resume, clock)

    def _check_resume(self) -> None:
        if self.resume not in _RESUMES:
            raise UsageError(f"resume is one of {', '.join(_RESUMES)}, not {self.resume!r}")


def _fade(time: float, span: float) -> tuple[float, float, float]:
    """A braked way: 1 at first with slope -2/span, 0 with slope 0 after the span."""
    s = min(time / span, 1.0)
    return (1 - s) ** 2, -2 * (1 - s) / span, 2 / span**2 if s < 1 else 0.0


def _quintic(time: float, span: float) -> tuple[tuple[float, float], ...]:
    """What is left of an offset and of an extra speed: value, slope, second derivative."""
    s = min(time / span, 1.0)
    # offset: 1, 0, 0 to 0, 0, 0; speed: slope 1 at first
    a = (1 - s**3 * (10 - 15 * s + 6 * s * s), -30 * s * s * (1 - s) ** 2,
         -60 * s * (1 - s) * (1 - 2 * s))  # fmt: skip
    b = (
        s - 6 * s**3 + 8 * s**4 - 3 * s**5,
        1 - 18 * s**2 + 32 * s**3 - 15 * s**4,
        -36 * s + 96 * s**2 - 60 * s**3,
    )
    return (
        (a[0], b[0] * span),
        (a[1] / span, b[1]),
        (a[2] / span**2, b[2] / span),
    )
