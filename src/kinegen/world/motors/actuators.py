"""Actuators: targets that agents write as signals, brought to the servos of the motors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinegen.dynamics.motors.motor import Mode
from kinegen.dynamics.motors.servos import Drive, Servos
from kinegen.dynamics.motors.targets import Targets
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.kernels import Floats
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.world.signalling.signal import Signal
from kinegen.world.signalling.signals import Signals

__all__ = ["Actuators"]

_UNITS = {
    Mode.POSITION: {"angle": "rad", "length": "m"},
    Mode.COMPUTED: {"angle": "rad", "length": "m"},
    Mode.VELOCITY: {"angle": "rad/s", "length": "m/s"},
    Mode.TORQUE: {"angle": "N m", "length": "N"},
}


class Actuators:
    """The motors of one island: each reads the signal ``joint.target``.

    What the target is (a position, a velocity, a torque) is the mode of the motor. A motor whose
    target is no number, or whose agent has failed for too long, brakes: it holds its position, or
    damps its motion where its target is a torque.
    """

    def __init__(self, simulation: Simulation, signals: Signals) -> None:
        servos = _servos(simulation)
        q = simulation.last.q
        self._targets = Targets.at(simulation.model, q)
        self._rows: list[tuple[ModelJoint, Signal]] = []
        self.braked: dict[str, Floats] = {}
        """Joints whose motors brake, each with the position it holds."""
        self._seen: dict[str, int] = {}
        """Version of each target that the servos have."""
        self.asked: set[str] = set()
        """Joints whose motors brake because their agent has failed."""
        for joint in simulation.model.joints:
            modes = servos.motors.modes[joint.v]
            if joint.has_motor:
                self._rows.append((joint, _target_signal(joint, modes, q, signals)))

    @property
    def joints(self) -> list[str]:
        """Names of the joints with motors."""
        return [joint.name for joint, _ in self._rows]

    def act(self, simulation: Simulation) -> None:
        """Bring the targets to the servos, for the next step."""
        servos, aim = _servos(simulation), self._targets
        for joint, signal in self._rows:
            modes = servos.motors.modes[joint.v]
            asked = joint.name in self.asked
            if not asked and joint.name not in self.braked:
                if self._seen.get(joint.name) == signal.version:
                    continue  # its target is that of the last step
                self._seen[joint.name] = signal.version
            value = np.atleast_1d(signal.value)
            if asked or np.isnan(value).any():
                self._brake(simulation, servos, joint, modes)
                continue
            self.braked.pop(joint.name, None)
            if joint.type.info.has_quaternion and len(value) == len(aim.q[joint.q]):
                aim.q[joint.q] = value
                continue
            for k, mode in enumerate(modes):
                if mode is Mode.VELOCITY:
                    aim.v[joint.v.start + k] = value[k]
                elif mode is Mode.TORQUE:
                    aim.effort[joint.v.start + k] = value[k]
                else:
                    aim.q[joint.q.start + k] = value[k]
        servos.targets = aim

    def set_drive(self, simulation: Simulation, v: int, drive: Drive) -> None:
        """Change a motor while it runs; in a new mode it begins at rest, where it is.

        Args:
            simulation: Of its island.
            v: Its place in v.
            drive: From now on.
        """
        servos, state, aim = _servos(simulation), simulation.last, self._targets
        joint, signal = next(row for row in self._rows if row[0].v.start <= v < row[0].v.stop)
        k = v - joint.v.start
        place = float(state.q[joint.q.start + k])
        before = servos.drive(v)
        changed = drive.mode is not before.mode
        aimed = float(aim.q[joint.q.start + k])
        # a load lets a servo sag: its profile continues from its target, not from where it hangs
        sags = before.on and not changed and before.kp * abs(aimed - place) <= before.effort
        at = (aimed, 0.0) if sags else (place, float(state.v[v]))
        servos.set_drive(v, drive, at)
        if changed:
            aim.v[v] = aim.effort[v] = 0.0
            aim.q[joint.q.start + k] = place
            units = _units(joint, servos.motors.modes[joint.v])
            signal.unit = ", ".join(dict.fromkeys(units))
            now = np.atleast_1d(signal.value)
            now[k] = place if drive.mode in (Mode.POSITION, Mode.COMPUTED) else 0.0
            signal.write(now.reshape(signal.shape or ()))

    def _brake(
        self, simulation: Simulation, servos: Servos, joint: ModelJoint, modes: list[Mode]
    ) -> None:
        state, aim = simulation.last, self._targets
        if joint.name not in self.braked:
            self.braked[joint.name] = state.q[joint.q].copy()
        for k, mode in enumerate(modes):
            i = joint.v.start + k
            if mode is Mode.VELOCITY:
                aim.v[i] = 0.0
            elif mode is Mode.TORQUE:
                aim.effort[i] = -servos.motors.kd[i] * state.v[i]
        if Mode.POSITION in modes or Mode.COMPUTED in modes:
            aim.q[joint.q] = self.braked[joint.name]

    def keep(self) -> dict[str, Any]:
        """What brakes, to come back to."""
        return {"braked": dict(self.braked), "asked": set(self.asked)}

    def bring_back(self, kept: Mapping[str, Any]) -> None:
        """Go back to what was kept."""
        self.braked, self.asked = dict(kept["braked"]), set(kept["asked"])
        self._seen = {}


def _servos(simulation: Simulation) -> Servos:
    assert simulation.servos is not None
    return simulation.servos


def _units(joint: ModelJoint, modes: list[Mode]) -> list[str]:
    """Of the targets of a joint's motors."""
    quantities = [quantity for _, quantity in joint.type.info.variables]
    return [
        _UNITS[mode].get(quantity, "") for mode, quantity in zip(modes, quantities, strict=True)
    ]


def _target_signal(joint: ModelJoint, modes: list[Mode], q: Floats, signals: Signals) -> Signal:
    units = _units(joint, modes)
    places = Mode.POSITION in modes or Mode.COMPUTED in modes
    start = np.zeros(len(modes))
    if places and joint.type.info.has_quaternion:
        start, units = q[joint.q].copy(), [""]
    elif places:
        start = np.where([m in (Mode.POSITION, Mode.COMPUTED) for m in modes], q[joint.q], 0.0)
    shape = () if len(start) == 1 else start.shape
    made = signals.add(
        f"{joint.name}.target", ", ".join(dict.fromkeys(units)), shape=shape, writer=joint.name
    )
    made.write(start.reshape(shape))
    return made
