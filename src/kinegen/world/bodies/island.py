"""Island: what one engine of a world moves, and the signals of its joints."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.dynamics.simulation.system import System
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.mechanism.state import State
from kinegen.world.motors.actuators import Actuators
from kinegen.world.settings import Settings
from kinegen.world.signalling.signal import Signal
from kinegen.world.signalling.signals import Signals

__all__ = ["Island"]

_UNITS = {"angle": ("rad", "rad/s", "N m"), "length": ("m", "m/s", "N"), "number": ("", "", "")}


class Island:
    """A part of the world that moves on one engine."""

    def __init__(
        self,
        system: System,
        signals: Signals,
        settings: Settings,
        *,
        q: Mapping[str, Any] | None = None,
    ) -> None:
        """Set up the engine at its start.

        Args:
            system: What moves.
            signals: Where the signals of its joints are added.
            settings: Its engine and step; whether motors are on, and their modes.
            q: Where joints start, by name; others as in the file.
        """
        names = {joint.name for joint in system.model.joints}
        driven = settings.motors and any(joint.has_motor for joint in system.model.joints)
        modes = {name: mode for name, mode in (settings.modes or {}).items() if name in names}
        self.simulation = Simulation(
            system, dict(q) if q else None, engine=settings.engine, step=settings.step, record=0,
            hold=driven, modes=modes if driven else None,
        )  # fmt: skip
        self.model: Model = self.simulation.model
        self.before: State = self.simulation.last
        """The state a step ago."""
        self._signals = signals
        self._poses: Floats = np.empty((self.model.link_count, 12))
        self._twists: Floats = np.zeros((self.model.link_count, 6))
        self._placed = self._moving = -1
        self._count = 0
        self._blocks = [np.zeros(n) for n in (self.model.nq, self.model.nv, self.model.nv)]
        self._joint_signals: list[Signal] = []
        for joint in self.model.joints:
            if joint.q.stop > joint.q.start:
                self._add_signals(joint)
        self._heat_signals = self._add_heat()
        self.actuators = Actuators(self.simulation, signals) if driven else None
        self.write()

    @property
    def state(self) -> State:
        """The present state."""
        return self.simulation.last

    @property
    def reason(self) -> str:
        """Why it cannot continue; empty while it can."""
        return self.simulation.reason

    def act(self) -> None:
        """Bring the targets of its motors to the servos."""
        if self.actuators is not None:
            self.actuators.act(self.simulation)

    def advance(self) -> None:
        """One step of the engine."""
        self.before = self.simulation.last
        self.simulation.advance(self.simulation.engine.step)
        self._count += 1

    def write(self) -> None:
        """Write the signals of all joints."""
        state = self.simulation.last
        for block, numbers in zip(
            self._blocks, (state.q, state.v, self.simulation.efforts), strict=True
        ):
            block[:] = numbers
        now = self._signals.time
        for signal in self._joint_signals:
            signal.time = now
            if signal.override is not None:
                signal.refresh()

        heat = None if self.simulation.servos is None else self.simulation.servos.heat
        for signal, i, key in self._heat_signals:
            signal.write(getattr(heat, key)[i])

    # Places

    def link_poses(self) -> Floats:
        """Rotation by rows and position of all links now, (link_count, 12)."""
        if self._placed != self._count:
            self.model.kernels.forward_links(self.simulation.last.q, self._poses)
            self._placed = self._count
        return self._poses

    def link_twists(self) -> Floats:
        """Velocity and angular velocity of all links now, world axes, (link_count, 6)."""
        if self._moving != self._count:
            last = self.simulation.last
            self.model.kernels.link_twists(last.q, last.v, self._twists)
            self._moving = self._count
        return self._twists

    def twists_before(self) -> tuple[Floats, Floats]:
        """Poses and twists of all links a step ago."""
        X, V = np.empty_like(self._poses), np.zeros_like(self._twists)
        self.model.kernels.forward_links(self.before.q, X)
        self.model.kernels.link_twists(self.before.q, self.before.v, V)
        return X, V

    # Coming back

    def keep(self) -> dict[str, Any]:
        """The state of the engine and of all servos, to come back to."""
        return {
            "simulation": self._copied(self.simulation),
            "before": self.before,
            "actuators": None if self.actuators is None else self.actuators.keep(),
        }

    def bring_back(self, kept: Mapping[str, Any]) -> None:
        """Go back to what was kept."""
        self.simulation = self._copied(kept["simulation"])
        self.before = kept["before"]
        self._count += 1
        if self.actuators is not None:
            self.actuators.bring_back(kept["actuators"])

    def _copied(self, simulation: Simulation) -> Simulation:
        """A copy that shares what no step changes."""
        shared = [simulation.system, simulation.model, simulation.system.springs]
        collisions = getattr(simulation.engine, "collisions", None)
        shared += [] if collisions is None else [collisions]
        made: Simulation = copy.deepcopy(simulation, {id(one): one for one in shared})
        return made

    # Inside

    def _add_heat(self) -> list[tuple[Signal, int, str]]:
        """Currents and temperatures of the motors that have them."""
        servos, made = self.simulation.servos, []
        for joint in self.model.joints if servos is not None else ():
            i = joint.v.start
            if joint.v.stop - i == 1 and servos is not None and servos.heat.has[i]:
                for key, unit in (("current", "A"), ("temperature", "°C")):
                    signal = self._signals.add(f"{joint.name}.{key}", unit, writer=joint.name)
                    made.append((signal, i, key))
        return made

    def _add_signals(self, joint: ModelJoint) -> None:
        place, speed, effort = self._blocks
        units = [_UNITS[quantity] for _, quantity in joint.type.info.variables]
        unit = [", ".join(dict.fromkeys(unit)) for unit in zip(*units, strict=True)]
        rows = [("position", place, joint.q, unit[0]), ("velocity", speed, joint.v, unit[1])]
        if joint.has_motor:
            rows.append(("effort", effort, joint.v, unit[2]))
        for key, block, part, said in rows:
            data = block[part]
            if len(data) == 1:
                data = data.reshape(())
            signal = self._signals.add(
                f"{joint.name}.{key}", said, shape=data.shape, writer=joint.name, data=data
            )
            self._joint_signals.append(signal)
