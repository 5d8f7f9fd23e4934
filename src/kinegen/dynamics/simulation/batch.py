"""SimulationBatch: many runs of one mechanism under its motors, stepped together on all cores."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kinegen.dynamics.engines.reduced.engine import ReducedEngine
from kinegen.dynamics.engines.registry import make_engine
from kinegen.dynamics.motors.motor import Mode
from kinegen.dynamics.motors.servos import Servos
from kinegen.dynamics.motors.targets import Targets
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.dynamics.simulation.system import System
from kinegen.dynamics.tree.cut_couplings import innermost
from kinegen.errors import UsageError, thread_count, whole_number
from kinegen.kernels import Floats, Ints, RunStatus, ServoState, drive_reduced
from kinegen.kinematics.configurations import Configuration
from kinegen.mechanism.any_model import AnyModel
from kinegen.mechanism.model import Model

__all__ = ["SimulationBatch"]

MOST = 100_000
"""Simulations that a batch may have."""


class SimulationBatch:
    """Many simulations of one mechanism, each with its own state and motor targets.

    With the engine 'reduced', servos and steps run in compiled code on all cores, and the number of
    threads or of simulations changes no result. Other engines, motors with profiles, computed
    torque or laws of plug-ins and motors at cut joints are stepped one after another; see
    :attr:`is_compiled`.
    """

    def __init__(
        self,
        model: AnyModel | System,
        q: Configuration = None,
        *,
        count: int,
        engine: str = "reduced",
        step: float = 1e-3,
        modes: Mapping[str, Mode | str] | None = None,
        threads: int = 0,
        **options: Any,
    ) -> None:
        """Set up simulations at one start.

        Args:
            model: A model, a mechanism or a system.
            q: Where they start; None: as in the file. Loops are closed from there.
            count: How many simulations.
            engine: 'reduced', 'impulse', 'mujoco' or a plug-in's name.
            step: Length of a step [s].
            modes: Of the motors by joint name, instead of the file's.
            threads: 0 for all cores.
            options: More options of :class:`~kinegen.dynamics.simulation.simulation.Simulation`
                and of the engine, such as ``floor``, ``gravity``, ``integrator``.
        """
        self.count = whole_number(count, "the number of simulations", 1, MOST)
        self._threads = thread_count(threads)
        self.pattern = Simulation(
            model, q, engine=engine, step=step, hold=True, modes=modes, record=0, **options
        )
        """A simulation at the start; it never moves."""
        self.system = self.pattern.system
        self.model: Model = self.pattern.model
        self.step = step
        """[s]"""
        self._start = self.pattern.engine.q.copy(), self.pattern.engine.v.copy()
        self._engines: list[ReducedEngine] = []
        self._simulations: list[Simulation] = []
        own = {key: options[key] for key in options if key not in {"gravity", "objects", "floor"}}
        if self.servos.is_steady and isinstance(self.pattern.engine, ReducedEngine):
            for _ in range(self.count):
                made = make_engine(self.system, engine, step, **own)
                assert isinstance(made, ReducedEngine)
                made.reset(self._start[0], self._start[1])
                self._engines.append(made)
        else:
            shared = {id(one): one for one in (self.system, self.model, self.system.springs)}
            self._simulations = [
                copy.deepcopy(self.pattern, dict(shared)) for _ in range(self.count)
            ]
        n, nq, nv = self.count, self.model.nq, self.model.nv
        self.q: Floats = np.tile(self._start[0], (n, 1))
        """Configurations, (count, nq)."""
        self.v: Floats = np.tile(self._start[1], (n, 1))
        """Velocities, (count, nv)."""
        self._state: Floats = np.tile(self.servos.state, (n, 1, 1))
        self.targets: Floats = np.zeros((n, nq + 2 * nv))
        """Positions, velocities and efforts that the motors aim at, (count, nq + 2 nv)."""
        self.targets[:, :nq] = self._start[0]
        self._status: Ints = np.zeros(n, dtype=np.int32)
        self.reasons: list[str] = [""] * n
        """Why a simulation stopped; empty while it can continue."""

    @property
    def efforts(self) -> Floats:
        """Of the motors over the last step, (count, nv) [N m, N]."""
        return self._state[:, ServoState.EFFORT]

    @property
    def is_compiled(self) -> bool:
        """Whether servos and steps run in compiled code on all cores."""
        return bool(self._engines)

    @property
    def servos(self) -> Servos:
        """The motors."""
        assert self.pattern.servos is not None
        return self.pattern.servos

    def reset(
        self,
        q: Floats | None = None,
        v: Floats | None = None,
        *,
        which: Sequence[int] | None = None,
    ) -> None:
        """Begin again, motors holding the start.

        Args:
            q: Closed configuration (nq,), or one per simulation (n, nq); None: the start.
            v: Velocity (nv,) or (n, nv); None: as at the start, or at rest where q is given.
            which: Which simulations; None: all.
        """
        chosen = range(self.count) if which is None else which
        for k, i in enumerate(chosen):
            place = self._start[0] if q is None else (q if q.ndim == 1 else q[k])
            speed = (
                (self._start[1] if q is None else np.zeros(self.model.nv))
                if v is None
                else (v if v.ndim == 1 else v[k])
            )
            self._begin(i, np.ascontiguousarray(place), np.ascontiguousarray(speed))

    def advance(self, steps: int = 1) -> None:
        """Make steps towards :attr:`targets`; simulations that have stopped stay where they are."""
        steps = whole_number(steps, "steps", 0, 1_000_000)
        if not np.isfinite(self.targets).all():
            row = int(np.flatnonzero(~np.isfinite(self.targets).all(axis=1))[0])
            raise UsageError(f"a target of simulation {row} is not a finite number")
        if self.is_compiled:
            self._advance_compiled(steps)
            return
        nq, nv = self.model.nq, self.model.nv
        for i, one in enumerate(self._simulations):
            assert one.servos is not None
            row = self.targets[i]
            aim = Targets(row[:nq].copy(), row[nq : nq + nv].copy(), np.zeros(nv), row[nq + nv :])
            one.servos.targets = aim
            one.advance(steps * self.step)
            self.q[i], self.v[i], self._state[i] = one.last.q, one.last.v, one.servos.state
            self.reasons[i] = one.reason

    # Inside

    def _begin(self, i: int, q: Floats, v: Floats) -> None:
        if self.is_compiled:
            self._engines[i].begin(q, v)
            self.q[i], self.v[i] = self._engines[i].q, self._engines[i].v
        else:
            self._simulations[i].reset(q, v)
            self.q[i], self.v[i] = self._simulations[i].last.q, self._simulations[i].last.v
        self._state[i] = self.servos.state_at(q)
        self.reasons[i], self.targets[i] = "", 0.0
        self.targets[i, : self.model.nq] = self.q[i]

    def _advance_compiled(self, steps: int) -> None:
        going = [i for i, reason in enumerate(self.reasons) if not reason]
        kernels = [innermost(self._engines[i].kernel) for i in going]
        q, v, status, targets, state = self.q, self.v, self._status, self.targets, self._state
        whole = len(going) == self.count
        if not whole:
            q, v, status = q[going], v[going], status[going]
            targets, state = targets[going], state[going]
        servos = self.servos.arrays
        assert servos is not None
        servos = servos._replace(targets=targets, state=state)
        drive_reduced(kernels, steps, servos, q, v, status, self._threads)
        if not whole:
            self.q[going], self.v[going], self._status[going] = q, v, status
            self._state[going] = state
        for k in np.flatnonzero(status).tolist():
            words = RunStatus(int(status[k])).name.lower().replace("_", " ")
            self.reasons[going[k]] = f"the engine stopped: {words}"
