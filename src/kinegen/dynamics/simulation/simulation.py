"""Simulation: an engine stepped under control, watched and recorded."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.engines.engine import Engine, Loads, StepReport
from kinegen.dynamics.engines.registry import engine_maker, engines_with, make_engine
from kinegen.dynamics.motors.motor import Mode, has_backlash
from kinegen.dynamics.motors.servos import Servos, TargetSource
from kinegen.dynamics.simulation.recorder import Recorder
from kinegen.dynamics.simulation.run import Run
from kinegen.dynamics.simulation.starts import beyond_limits, start_remarks
from kinegen.dynamics.simulation.sum_loads import Control, LoadSource, sum_loads
from kinegen.dynamics.simulation.system import System, is_number
from kinegen.dynamics.simulation.watch import Watch
from kinegen.dynamics.touch.touch import Hand, Pull, Push, Touch
from kinegen.dynamics.touch.touching import pull_at, push_on
from kinegen.dynamics.tree.masses import check_masses
from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import Floats, ServoState
from kinegen.kernels.turn import Turn, in_turn
from kinegen.kinematics.configurations import Configuration, Velocity
from kinegen.mechanism.any_model import AnyModel
from kinegen.mechanism.model import Model
from kinegen.mechanism.state import State
from kinegen.memory import names_memory

__all__ = ["Control", "LoadSource", "Simulation", "simulate"]

MOST_ROWS = 2_000_000
"""Recorded moments that a run may have."""


class Simulation:
    """A mechanism that is being simulated.

    It stops with a reason, and keeps the recording so far, when numbers diverge, loops open, the
    energy drifts, or a controller returns a value that is not finite.

    Several threads may use it: each call waits for the one before. A simulation can be copied and
    pickled, and the copy continues bit for bit; its controller must then be a function that can be
    imported.
    """

    def __init__(
        self,
        model: AnyModel | System,
        q: Configuration = None,
        v: Velocity | None = None,
        *,
        engine: str = "reduced",
        step: float = 1e-3,
        control: Control | None = None,
        control_step: float | None = None,
        targets: TargetSource = None,
        hold: bool = False,
        modes: Mapping[str, Mode | str] | None = None,
        record: float | None = 100.0,
        gravity: tuple[float, float, float] | None = None,
        objects: bool = False,
        floor: float | None = None,
        **options: Any,
    ) -> None:
        """Set up a simulation at its start.

        Args:
            model: A model, with its numbers as they are now, a mechanism, or a system.
            q: Where it starts; None: as in the file. Loops are closed from there; joints given by
                name keep their values.
            v: How it starts: velocities by joint name (the loops move the others) or all of them;
                None: at rest.
            engine: 'reduced', 'impulse', 'mujoco' or a plug-in's name.
            step: Length of a step [s].
            control: Called with time, q and v; gives the efforts.
            control_step: How often it is called [s]; None: before every step.
            targets: Of the motors' servos: values by joint name, or a function of time
                that gives them; joints that are not named are held.
            hold: Whether servos hold the start if they have no other target.
            modes: Of the motors by joint name, instead of the file's: 'position', 'velocity',
                'torque' or 'computed'.
            record: Rows recorded per second; None: one per step; 0: start and end only.
            gravity: Instead of the file's [m/s²].
            objects: Whether the objects of the scene are included.
            floor: Height of a floor perpendicular to gravity, measured against gravity from the
                world's origin [m]; None: no floor.
            options: More options of the engine.
        """
        self._lock = Turn()
        engine_maker(engine)  # an unknown name is reported before anything else
        for what, value in (("step", step), ("control_step", control_step), ("record", record)):
            _check_number(what, value, optional=what != "step")
        if control is not None and not callable(control):
            raise UsageError(f"control must be a function of time, q and v, got {control!r}")
        if not isinstance(hold, bool):
            raise UsageError(
                f"hold must be True or False, got {hold!r}; specify targets by joint name"
            )
        if modes and not hold and targets is None:
            raise UsageError("modes apply to driven motors: specify targets, or hold=True")
        self.system = System.of(model, objects=objects, floor=floor, gravity=gravity)
        self.model: Model = self.system.model
        self._remarks = check_masses(self.model)
        self.servos: Servos | None = None
        """The motors, when they have targets; see :meth:`Servos.set_targets`."""
        held = _whole_steps(control_step, step, "control_step") * step
        if hold or targets is not None:
            if self.system is model and has_backlash(self.system):
                # rotors that move by themselves leave the model: that of the caller stays whole
                self.system = copy.deepcopy(self.system)
                self.model = self.system.model
            self.servos = Servos(self.system, q, step=held, targets=targets, modes=modes)
            self._remarks += self.servos.remarks
        self.engine: Engine = make_engine(self.system, engine, step, **options)
        if self.system.contacts.enabled and not getattr(self.engine, "touches", False):
            raise UsageError(
                f"the engine '{engine}' has no contacts: a floor or contacts need "
                f"{engines_with(lambda one: getattr(one, 'touches', False))}"
            )
        self._options = options
        self.control = control
        self.sources: list[LoadSource] = []
        """Servos, hands and other things that act, asked before every step of the control."""
        if self.servos is not None:
            self.sources.append(self.servos)
        self._hold = _whole_steps(control_step, step, "control_step")
        if self.servos is not None:
            drives = getattr(self.engine, "drives_servos", False)
            self.servos.foresees = self._hold == 1
            self.servos.runs_inside = drives and self._hold == 1
        self.period = self._hold * step
        """For how long loads are held [s]."""
        self._every = 0 if record == 0 else _whole_steps(_period(record), step, "record")
        self.reason = ""
        """Why it stopped; empty while it runs."""
        self.reset(q, v)

    def __repr__(self) -> str:
        state = self.reason or f"at {self.time:g} s"
        return f"Simulation('{self.model.name}', engine '{self.engine.name}', {state})"

    @in_turn
    def reset(self, q: Configuration = None, v: Velocity | None = None, time: float = 0.0) -> None:
        """Start again, with an empty recording."""
        speed = self.system.start_v if v is None and self.system.start_v.any() else v
        self.engine.reset(q, speed, time)
        beyond = beyond_limits(self.model, self.engine.q)
        if beyond and self._options.get("stops", True):
            raise UsageError(
                f"at the start {beyond}; start within them, or without stops (stops=False)"
            )
        driven = self.servos is not None
        self._start_remarks = start_remarks(self.model, self.engine.q, driven=driven)
        if self.servos is not None:
            self.servos.reset(self.engine.q)
        self.reason = ""
        self.steps = 0
        self._asked = 0.0
        self.report: StepReport = self.engine.advance(None, 0)
        self._recorder = Recorder(self.model)
        self._watch = Watch(self.engine, self.system, self.report, self._options)
        self._efforts = np.zeros(self.model.nv)
        self._last = self.engine.q.copy(), self.engine.v.copy()
        self._recorder.add(self.report, *self._last, self._efforts)

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self.engine.time

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks about masses, the start, and bodies that overlap."""
        return self._remarks + self._start_remarks + tuple(getattr(self.engine, "remarks", ()))

    @property
    def last(self) -> State:
        """The last valid state; after a stop, the engine's own state may not be finite."""
        return State(*self._last, self.report.time)

    @property
    def efforts(self) -> Floats:
        """Efforts of motors and controllers over the last step, (nv,) [N m, N]."""
        return self._efforts

    @property
    def is_running(self) -> bool:
        """Whether it can continue."""
        return not self.reason

    @in_turn
    def advance(self, seconds: float) -> StepReport:
        """Simulate for some time [s], rounded to whole steps; does nothing after a stop."""
        if not is_number(seconds) or seconds < 0:
            raise UsageError(f"a simulation must advance by a time [s], got {seconds!r}")
        self.check_rows(seconds)
        self._asked += seconds
        last = round(self._asked / self.engine.step)
        while self.steps < last and self.is_running:
            self._chunk(last)
        return self.report

    def check_rows(self, seconds: float) -> None:
        """Reject a time [s] that would need more recorded rows than a run may have."""
        rows = seconds / (self._every * self.engine.step) if self._every else 0
        if rows > MOST_ROWS:
            raise UsageError(
                f"{seconds:g} s would be recorded in more than {MOST_ROWS:,} rows; specify a lower "
                f"rate 'record', at most {MOST_ROWS / seconds:.3g} rows per second"
            )

    def push(
        self,
        frame: str | None = None,
        point: npt.ArrayLike = (0, 0, 0),
        *,
        tip: Hand | None = None,
        normal: npt.ArrayLike | None = None,
        depth: float = 0.0,
        **options: Any,
    ) -> Push:
        """Press a tip onto a part: a force k d along the normal of the surface, with the depth d.

        Args:
            frame: A frame or link; None: any part that the tip meets.
            point: Of the surface, in the axes of the frame [m].
            tip: Position of the tip [m], or a function of time; None: below the surface by
                ``depth``.
            normal: Direction out of the surface, world axes; None: computed from the shapes at
                every step.
            depth: [m]
            options: stiffness, damping, radius of :class:`~kinegen.dynamics.touch.touch.Push`.
        """
        with self._lock:
            return push_on(self, frame, point, tip, normal=normal, depth=depth, **options)

    def pull(
        self,
        frame: str,
        point: npt.ArrayLike = (0, 0, 0),
        *,
        target: Hand | None = None,
        **options: Any,
    ) -> Pull:
        """Hold a part with a spring and a damper.

        Args:
            frame: A frame or link.
            point: In its axes [m].
            target: Position [m] or pose of the hand, or a function of time; None: at the point.
            options: stiffness, damping, … of :class:`~kinegen.dynamics.touch.touch.Pull`.
        """
        with self._lock:
            return pull_at(self, frame, point, target, **options)

    @in_turn
    def release(self, touch: Touch | None = None) -> None:
        """Release one hand, or all of them."""
        for one in self.touches if touch is None else [touch]:
            one.release()
            if one in self.sources:
                self.sources.remove(one)

    @property
    def touches(self) -> list[Touch]:
        """The hands that hold or push the mechanism."""
        return [source for source in self.sources if isinstance(source, Touch)]

    @in_turn
    def stop(self, reason: str) -> None:
        """Stop the simulation for a reason given in words; the last valid state is kept."""
        if not self.reason:
            self.reason = reason

    @in_turn
    def run(self, *, complete: bool | None = None) -> Run:
        """The recording so far."""
        self._recorder.keep(self.report, *self._last, self._efforts)
        done = not self.reason if complete is None else complete
        return self._recorder.run(
            engine=self.engine.name,
            step=self.engine.step,
            steps=self.steps,
            complete=done,
            reason=self.reason or f"reached {self.time:g} s",
            remarks=self.remarks,
        )

    # Inside

    @property
    def _moment(self) -> tuple[Floats, Floats, float]:
        """The last good q, v and time."""
        return (*self._last, self.report.time)

    def _chunk(self, last: int) -> None:
        """Steps up to the next moment that is recorded, controlled, or the last."""
        count = last - self.steps
        if self._every:
            count = min(count, self._every - self.steps % self._every)
        loads: Loads | None = None
        if self.control is not None or self.sources:
            loads = self._loads()
            if self.reason:
                return
        if count > 1:
            held = self._hold - self.steps % self._hold
            count = min(count, held if self._must_ask() else self._watch.patience)
        servos = None if loads is None else loads.servos
        begin = None if servos is None else servos.state.copy()
        try:
            report = self.engine.advance(loads, count)
        except KinegenError as error:
            if servos is not None:
                servos.state[:] = begin
            self.stop(self._watch.failed(error, self._moment, loads, count))
            return
        except Exception as error:  # of a plug-in: what was recorded is kept
            self.stop(
                f"the engine failed after {self.report.time:g} s: {type(error).__name__}: {error}"
            )
            return
        trouble = self._watch.judge(report)
        if trouble:
            if servos is not None:
                servos.state[:] = begin
            self.stop(self._watch.advise(trouble, self._moment, loads, count))
            return
        self._efforts = np.zeros(self.model.nv) if loads is None else loads.efforts
        if servos is not None and self.servos is not None:
            self._efforts = self._efforts + servos.state[ServoState.EFFORT]
            self.servos.calls += count
        self.steps += count
        self.report = report
        self._last = self.engine.q.copy(), self.engine.v.copy()
        if self._every and self.steps % self._every == 0:
            self._recorder.add(report, *self._last, self._efforts)

    def _must_ask(self) -> bool:
        """Whether something that acts must be asked before every step of the control."""
        return self.control is not None or any(
            source is not self.servos or not self.servos.is_steady for source in self.sources
        )

    def _loads(self) -> Loads | None:
        """What acts now; a reason to stop when it is no number."""
        engine = self.engine
        loads, trouble = sum_loads(
            self.model, self.control, self.sources, self.time, engine.q, engine.v
        )
        if trouble:
            self.stop(trouble)
        return loads


def _check_number(what: str, value: object, *, optional: bool) -> None:
    if value is None and optional:
        return
    if isinstance(value, bool) or not isinstance(value, Real):
        unit = "rows per second" if what == "record" else "seconds, such as 0.001"
        raise UsageError(f"the {what} is {value!r}: use a positive number of {unit}")


def _period(rate: float | None) -> float | None:
    return None if rate is None else 1 / rate


def _whole_steps(period: float | None, step: float, what: str) -> int:
    """How many steps a period has, at least one."""
    if period is None:
        return 1
    if not (math.isfinite(period) and period > 0):
        raise UsageError(f"{what} must be positive")
    return max(1, round(period / step))


@names_memory("a simulation: record fewer rows (record=) or a shorter time")
def simulate(
    model: AnyModel | System,
    q: Configuration = None,
    v: Velocity | None = None,
    *,
    time: float = 5.0,
    step: float = 1e-3,
    engine: str = "reduced",
    control: Control | None = None,
    control_step: float | None = None,
    targets: TargetSource = None,
    hold: bool = False,
    modes: Mapping[str, Mode | str] | None = None,
    record: float | None = 100.0,
    gravity: tuple[float, float, float] | None = None,
    objects: bool = False,
    floor: float | None = None,
    **options: Any,
) -> Run:
    """Simulate a mechanism for some time [s]; the arguments are those of :class:`Simulation`.

    The run has ``complete``, and in ``reason`` why it ended, in words.
    """
    if not is_number(time) or time <= 0:
        raise UsageError(f"the time is {time!r}: use a positive number of seconds")
    simulation = Simulation(
        model,
        q,
        v,
        engine=engine,
        step=step,
        control=control,
        control_step=control_step,
        targets=targets,
        hold=hold,
        modes=modes,
        record=record,
        gravity=gravity,
        objects=objects,
        floor=floor,
        **options,
    )
    if time < step:
        raise UsageError(f"the step of {step:g} s is longer than the time of {time:g} s")
    simulation.advance(time)
    return simulation.run()
