"""Steering: a planned motion that hands change while it runs.

The mechanism follows its plan by computed torque of its motors; the loops move the other joints.
While a hand is on it the feedback yields and it goes where it is pushed; afterwards it keeps the
new course, rejoins the plan, or stops. What it really did is a recording like any other.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.dynamics.simulation.system import System
from kinegen.dynamics.touch.touch import Touch
from kinegen.dynamics.tree.motion_torques import MotionTorques
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kernels.turn import Turn, in_turn
from kinegen.kinematics.solving.assembling.assembly import inputs_of
from kinegen.mechanism.any_model import AnyModel
from kinegen.mechanism.headings import effort_headings, q_headings, v_headings
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.motion.plan import Plan
from kinegen.motion.recording import Recording
from kinegen.motion.resumption import Resumption
from kinegen.results import Columns, Result, plain

__all__ = ["RESUMES", "Edit", "Reference", "Resume", "Steering"]

Resume = Literal["keep", "rejoin", "stop"]
"""What comes after a touch: the new course, the plan again, or rest."""
SETTLED = 1e-4
"""[rad, m] A motion that is nearer than this to its end is there; less for small mechanisms."""
RESUMES: tuple[Resume, ...] = get_args(Resume)


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
class Reference:
    """Where a mechanism should be; with loops, as far as the motors say."""

    q: Floats
    """(nq,)"""
    v: Floats
    """(nv,) [rad/s, m/s]"""
    vdot: Floats
    """(nv,) [rad/s², m/s²]"""


@dataclass(frozen=True, slots=True, eq=False)
class _Mark:
    """Where a touch began, to return to."""

    time: float
    q: Floats
    v: Floats
    resumption: Resumption
    rows: int
    edits: int


class Steering(Result):
    """A mechanism that follows a plan and can be pushed and pulled during the motion.

    As a :class:`Simulation`, it is used by one thread at a time, and can be copied and pickled.
    """

    def __init__(
        self,
        model: AnyModel | System,
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
        motors: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        """Set up a mechanism at the start of its plan.

        Args:
            model: A model, a mechanism or a system: an arm, a tree, one with loops.
            plan: The motion to follow.
            engine: What simulates it.
            step: [s]
            resume: What follows a touch; it may be changed at any time.
            rate: Of the feedback: errors vanish within some 1/rate [rad/s].
            yielding: Share of the feedback of speeds that stays while the arm is touched.
            blend: Time in which it rejoins or stops [s].
            linger: A touch that is lost for less than this continues [s].
            limited: Whether motors respect their limits.
            motors: Joints that drive; None: those with motors, of open chains without any all.
            options: More for the :class:`~kinegen.dynamics.simulation.simulation.Simulation`.
        """
        self.plan = Plan(plan)
        self.resume: Resume = resume
        self.rate, self.yielding, self.blend, self.linger = rate, yielding, blend, linger
        self.edits: list[Edit] = []
        """Touches so far."""
        options.setdefault("record", 0)
        self.simulation = Simulation(
            model, engine=engine, step=step, control=self._control, **options
        )
        model = self.simulation.model
        self._driven = _driven(model, plan.model, motors)
        self._torques = MotionTorques(self.simulation.system)
        parts = [(joint, _same_joint(model, plan.model, joint.name)) for joint in plan.model.joints]
        # where the plan's variables are among the system's: free objects have some as well
        self._in_q = np.array([i for _, own in parts for i in range(own.q.start, own.q.stop)], int)
        self._in_v = np.array([i for _, own in parts for i in range(own.v.start, own.v.stop)], int)
        q, v = self.simulation.engine.q.copy(), self.simulation.engine.v.copy()
        q[self._in_q], v[self._in_v], _ = self.plan.at(float(plan.times[0]))
        self.simulation.reset(q, v)
        self._most = np.where(model.effort > 0, model.effort, np.inf) if limited else np.inf
        self._resumption = Resumption()
        self._marks: list[_Mark] = []
        self._touched_at = -math.inf
        self._before: tuple[float, Floats] | None = None
        self._rows: list[tuple[float, Floats, Floats, Floats, Floats, Floats]] = []
        self._check_resume()

    def __copy__(self) -> Steering:
        """A copy of its own: what it drives calls back into it, so that nothing can be shared."""
        return copy.deepcopy(self)

    @property
    def _lock(self) -> Turn:
        """That of the simulation, whose steps write into this as well."""
        return self.simulation._lock

    # Running

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self.simulation.time

    @property
    def is_touched(self) -> bool:
        """Whether a hand is guiding the mechanism."""
        return bool(self.edits) and math.isinf(self.edits[-1].end)

    @property
    def is_done(self) -> bool:
        """Whether the plan and the mechanism have reached the end, without a hand on it."""
        resumption = self._resumption
        # what a hand left has time to rejoin, to stop or to settle
        settled = resumption.since + 2 * self.blend if self.edits else -math.inf
        end = -math.inf if self.is_resting else self.plan.times[-1] + resumption.clock
        end = max(end, settled)
        if self.is_touched or self.time < end:
            return False
        # a plan may end at full speed: what it drives then comes to rest where it ends
        return self.time >= end + 2 * self.blend or self._is_settled()

    def _is_settled(self) -> bool:
        """Whether what the motors drive is where it should be, and moves no more."""
        model = self.simulation.model
        last = self.simulation.last
        away, speed, _ = self._errors(self.time, last.q, last.v)
        near = SETTLED * min(1.0, model.size)
        far = np.abs(away[self._driven]).max(initial=0.0)
        fast = np.abs(speed[self._driven]).max(initial=0.0)
        return bool(far <= near and fast <= 10 * near)

    @property
    def is_resting(self) -> bool:
        """Whether it is at rest after a touch; :meth:`continue_plan` continues the plan."""
        return self._resumption.rest is not None

    @in_turn
    def advance(self, seconds: float) -> None:
        """Simulate for some time [s]; ``simulation.reason`` explains an error."""
        self.simulation.advance(seconds)

    def push(self, *where: Any, **options: Any) -> Touch:
        """As :meth:`Simulation.push`."""
        return self.simulation.push(*where, **options)

    def pull(self, *where: Any, **options: Any) -> Touch:
        """As :meth:`Simulation.pull`."""
        return self.simulation.pull(*where, **options)

    @in_turn
    def release(self, resume: Resume | None = None) -> None:
        """Release all hands; returns what happens next."""
        if resume is not None:
            self.resume = resume
            self._check_resume()
        self.simulation.release()

    @in_turn
    def continue_plan(self) -> None:
        """After a stop: continue along the plan from where it was left."""
        if self.is_resting:
            goal = self.reference(self.time)
            self._resumption = Resumption.after(
                self.plan, self.time, goal.q, goal.v, how="rejoin", before=self._resumption
            )

    @in_turn
    def undo(self) -> bool:
        """Undo the last touch; False if there was none."""
        if not self._marks:
            return False
        mark = self._marks.pop()
        self.simulation.release()
        self.simulation.reset(mark.q, mark.v, mark.time)
        self._resumption = mark.resumption
        del self._rows[mark.rows :], self.edits[mark.edits :]
        self._touched_at, self._before = -math.inf, None
        return True

    # What happened

    @in_turn
    def recording(self, name: str = "steered", *, step: float = 0.01) -> Recording:
        """The recorded motion, with a row every ``step`` seconds."""
        times, qs = self.times, self.q
        wanted = np.unique(np.append(np.arange(times[0], times[-1], step), times[-1]))
        at = np.unique(np.searchsorted(times, wanted - 1e-9).clip(0, len(times) - 1))
        return Recording.of(self.simulation.model, qs[at], times[at], name=name)

    @property
    def times(self) -> Floats:
        """Times of all control steps [s], (n,)."""
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
        """Accelerations over the previous step, (n, nv) [rad/s², m/s²]."""
        return np.array([row[3] for row in self._rows])

    @property
    def efforts(self) -> Floats:
        """Efforts of the motors, (n, nv) [N m, N]."""
        return np.array([row[4] for row in self._rows])

    @property
    def forces(self) -> Floats:
        """Total force of all hands in the previous step, (n, 3) [N]."""
        return np.array([row[5] for row in self._rows])

    def to_dict(self) -> dict[str, Any]:
        """The recorded motion and its touches."""
        arrays = {name: plain(values) for name, values in self.arrays().items()}
        name = self.simulation.model.name
        return {"mechanism": name, "time": self.time, "edits": plain(self.edits), **arrays}

    def columns(self) -> Columns:
        """A row per control step: time, joints, speeds, accelerations, efforts, hands' force."""
        model = self.simulation.model
        speeds = v_headings(model)
        rises = [f"{head.removesuffix('/s]')}/s2]" for head in speeds]
        heads = [
            "time [s]", *q_headings(model), *(f"speed of {head}" for head in speeds),
            *(f"acceleration of {head}" for head in rises),
            *(f"effort on {head}" for head in effort_headings(model)),
            *(f"force {axis} [N]" for axis in "xyz"),
        ]  # fmt: skip
        rows = np.array([np.hstack(row) for row in self._rows]).reshape(-1, len(heads))
        return dict(zip(heads, rows.T, strict=True))

    def arrays(self) -> dict[str, Floats]:
        """Arrays of all control steps: times, q, v, accelerations, efforts, forces."""
        names = ("times", "q", "v", "accelerations", "efforts", "forces")
        return {name: getattr(self, name) for name in names}

    # Inside

    def reference(self, time: float) -> Reference:
        """The planned state at a time [s]."""
        rates = self._resumption.rates(self.plan, time, blend=self.blend, rate=self.rate)
        return Reference(*self.plan.chart.state(rates))

    def _control(self, time: float, q: Floats, v: Floats) -> Floats:
        model = self.simulation.model
        touches = self.simulation.touches
        if any(touch.is_active for touch in touches):
            if not self.is_touched:
                self._begin(time, q, v)
            self._touched_at = time
        elif self.is_touched and time - self._touched_at >= self.linger:
            self._end(time, q, v)
        away, speed, rise = self._errors(time, q, v)
        if self.is_touched:
            asked = rise + self.yielding * 2 * self.rate * speed
        else:
            asked = rise + 2 * self.rate * speed + self.rate**2 * away
        tau = self._torques.for_motion(q, v, asked, self._driven, np.zeros(model.nv))
        tau = np.clip(tau, -self._most, self._most)
        rate = np.zeros(model.nv)
        if self._before is not None and time > self._before[0]:
            rate = (v - self._before[1]) / (time - self._before[0])
        self._before = time, v.copy()
        force = -np.sum([touch.force for touch in touches], axis=0) if touches else np.zeros(3)
        self._rows.append((time, q.copy(), v.copy(), rate, tau, force))
        return tau

    def _errors(self, time: float, q: Floats, v: Floats) -> tuple[Floats, Floats, Floats]:
        """How far and how fast it is off its course, and the acceleration there, (nv,) each."""
        model, chart = self.plan.recording.model, self.plan.chart
        goal = self.reference(time)
        at, low, high = chart.plain_q, model.lower[chart.plain_v], model.upper[chart.plain_v]
        goal.q[at] = goal.q[at].clip(low, high)
        away, off, rising = np.empty(model.nv), *np.zeros((2, self.simulation.model.nv))
        model.kernels.difference(np.ascontiguousarray(q[self._in_q]), goal.q, away)
        far = np.zeros(len(off))
        far[self._in_v], off[self._in_v] = away, goal.v - v[self._in_v]
        rising[self._in_v] = goal.vdot
        return far, off, rising

    def _begin(self, time: float, q: Floats, v: Floats) -> None:
        edit = Edit(time, math.inf, self.resume)
        # it is reported after its first step: the step before is what it is undone to
        if self._rows:
            time, q, v = self._rows[-1][:3]
        rows = max(0, len(self._rows) - 1)
        self._marks.append(_Mark(time, q.copy(), v.copy(), self._resumption, rows, len(self.edits)))
        self.edits.append(edit)

    def _end(self, time: float, q: Floats, v: Floats) -> None:
        edit = self.edits[-1]
        edit.end, edit.resume = time, self.resume
        self._resumption = Resumption.after(
            self.plan, time, q[self._in_q], v[self._in_v], how=self.resume, before=self._resumption
        )

    def _check_resume(self) -> None:
        if self.resume not in RESUMES:
            raise UsageError(f"resume must be one of {', '.join(RESUMES)}, not {self.resume!r}")


def _driven(model: Model, planned: Model, motors: Sequence[str] | None) -> npt.NDArray[np.bool_]:
    """Which variables motors drive, (nv,)."""
    names: Sequence[str] = inputs_of(model) if motors is None else motors
    if not names and motors is None and not model.constraint_count:
        names = [joint.name for joint in planned.joints]
    if not names:
        raise UsageError(
            f"mechanism '{model.name}' has no motors to follow a plan: add 'motor: true' to a "
            "joint, "
            "or name the joints that drive"
        )
    out = np.zeros(model.nv, dtype=bool)
    for name in names:
        out[model.joint(name).v] = True
    return out


def _same_joint(model: Model, planned: Model, name: str) -> ModelJoint:
    """A planned joint as the simulated model has it."""
    names = {joint.name: joint for joint in model.joints}
    joint, wanted = names.get(name), planned.joint(name)
    if joint is None or joint.type is not wanted.type:
        raise UsageError(
            f"the plan moves joint '{name}' of mechanism '{planned.name}', which is not in "
            f"mechanism '{model.name}'"
        )
    return joint
