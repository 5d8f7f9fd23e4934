"""Watch: notices when a run goes wrong, and finds the step with which it would not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.engines.engine import Engine, Loads, StepReport
from kinegen.dynamics.engines.registry import make_engine
from kinegen.dynamics.simulation.system import System
from kinegen.errors import KinegenError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model

__all__ = ["Watch"]

APART = 1e-2
"""Loops that are open by more than this share of the mechanism's size have come apart."""
DRIFT = 0.2
"""Change of the energy balance, as a share of the energy in motion, that ends a run."""
GOOD = 0.02
"""The same, below which a smaller step is said to do."""
THROUGH = 0.2
"""How far past its stop a joint may be [rad, sizes of the mechanism]: a hard hit, no leap."""
HALVINGS = 12
TRIAL_STEPS = 200_000
"""Steps that all trials together may take: a few seconds at most."""
TOUCHING_STEPS = 10_000
"""The same where bodies touch: such steps take a hundred times as long."""
LOOKS = 8
"""Times that a trial is looked at on its way: a bad one ends at once."""


class Watch:
    """Judges every report of a run."""

    def __init__(
        self, engine: Engine, system: System, start: StepReport, options: Mapping[str, Any]
    ) -> None:
        self.engine = engine
        self.system = system
        self.options = options
        self.start = start
        self.size = engine.model.size
        self.scale = 1e-12 * max(abs(start.potential), 1e-12)
        self.patience = max(1, round(0.05 / engine.step))
        """Steps that may pass between two looks."""
        self._stops = _Stops(engine.model)
        self._count = ~self._stops.leapt(engine.q) & bool(options.get("stops", True))
        """Stops that count: some joints start outside them."""
        self._ease()

    def _ease(self) -> None:
        """A motion that starts at rest has no energy to compare with yet: what a fall gives it."""
        model = self.engine.model
        gravity = float(np.linalg.norm(model.gravity))
        mass = float(model.inertia[1:, 0].sum())
        self.scale += 1e-3 * mass * gravity * self.size + self.start.kinetic

    def judge(self, report: StepReport) -> str:
        """Why the run cannot continue, or nothing."""
        time = report.time
        numbers = report.kinetic + report.potential + report.gap
        trouble = ""
        q = self.engine.q
        if not (math.isfinite(numbers) and math.isfinite(np.add.reduce(q))):
            trouble = f"the numbers diverged at {time:g} s"
        elif report.gap > APART * self.size:
            trouble = f"a loop opened by {report.gap * 1000:.3g} mm at {time:g} s"
        elif (leapt := self._leapt(q)) is not None:
            trouble = f"joint '{leapt}' jumped through its stop before {time:g} s"
        else:
            self.scale = max(self.scale, report.kinetic, abs(report.work))
            drift = report.balance - self.start.balance
            if abs(drift) > DRIFT * self.scale:
                word = "appeared" if drift > 0 else "vanished"
                trouble = f"{abs(drift):.3g} J of energy {word} until {time:g} s"
        return trouble

    def advise(
        self, trouble: str, before: tuple[Floats, Floats, float], loads: Loads | None, count: int
    ) -> str:
        """Why the run ended, and the step with which it would not."""
        good = self._good_step(before, loads, count)
        step = self.engine.step
        what = f"{trouble}: the step of {step:g} s is too large"
        if good is None:
            return f"{what}, and no practical step is small enough"
        return f"{what}; {good:.3g} s would be small enough"

    def _leapt(self, q: Floats) -> str | None:
        """The joint that is far past a stop, if any."""
        past = self._stops.leapt(q) & self._count
        # argmax() takes a quarter of the time of any()
        found = past.argmax() if past.size else 0
        return self._stops.names[int(found)] if past.size and past[found] else None

    def failed(
        self,
        error: KinegenError,
        before: tuple[Floats, Floats, float],
        loads: Loads | None,
        count: int,
    ) -> str:
        """Why the engine gave up: its own words, unless a smaller step would do."""
        good = self._good_step(before, loads, count)
        if good is None:
            return f"the engine stopped after {before[2]:g} s: {error}"
        return (
            f"the engine stopped after {before[2]:g} s: the step of {self.engine.step:g} s is too "
            f"large; {good:.3g} s would be small enough"
        )

    def _good_step(
        self, before: tuple[Floats, Floats, float], loads: Loads | None, count: int
    ) -> float | None:
        """The largest halved step with which the motion since the start keeps its energy."""
        q, v, time = before
        span = count * self.engine.step
        step, spent = self.engine.step, 0
        most = TOUCHING_STEPS if self.system.contacts.enabled else TRIAL_STEPS
        for _ in range(HALVINGS):
            step /= 2
            steps = max(1, round(span / step))
            spent += steps
            if spent > most:
                return None
            if self._holds(q, v, time, loads, step, steps):
                return step
        return None

    def _holds(
        self, q: Floats, v: Floats, time: float, loads: Loads | None, step: float, steps: int
    ) -> bool:
        """Whether a trial from the last good moment keeps its energy and its loops."""
        try:
            if loads is not None and loads.servos is not None:
                servos = loads.servos._replace(state=loads.servos.state.copy())
                loads = replace(loads, servos=servos)
            trial = make_engine(self.system, self.engine.name, step, **self.options)
            trial.reset(q, v, time)
            start = trial.advance(None, 0)
            for part in np.array_split(np.arange(steps), min(LOOKS, steps)):
                end = trial.advance(loads, len(part))
                if not self._is_good(trial, start, end):
                    return False
        except KinegenError:
            return False
        return True

    def _is_good(self, trial: Engine, start: StepReport, end: StepReport) -> bool:
        scale = max(start.kinetic, end.kinetic, abs(end.work), 1e-3 * self.scale)
        return bool(
            np.isfinite([end.kinetic, end.potential, end.gap]).all()
            and not (self._stops.leapt(trial.q) & self._count).any()
            and end.gap < APART * self.size
            and abs(end.balance - start.balance) < GOOD * scale
        )


class _Stops:
    """The ends of travel of one model: all variables but quaternions."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.names: list[str] = []
        """Of each variable's joint."""
        q: list[int] = []
        v: list[int] = []
        scale: list[float] = []
        for joint in model.joints:
            if joint.q.stop - joint.q.start == joint.v.stop - joint.v.start:
                width = joint.v.stop - joint.v.start
                q += range(joint.q.start, joint.q.stop)
                v += range(joint.v.start, joint.v.stop)
                scale += [model.size if length else 1.0 for length in joint.type.info.is_length]
                self.names += [joint.name] * width
        self._q, self._v = np.array(q, dtype=np.int32), np.array(v, dtype=np.int32)
        self._scale = np.array(scale)

    def leapt(self, q: Floats) -> npt.NDArray[np.bool_]:
        """Which variables are too far past their stops, (n,)."""
        x, model = q[self._q], self.model
        past = np.maximum(x - model.upper[self._v], model.lower[self._v] - x)
        return np.asarray(past > THROUGH * self._scale)
