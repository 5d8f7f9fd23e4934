"""Plant: the simulated world behind all wires; it takes commands and writes what is measured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinegen.bridges.process.block import Block
from kinegen.bridges.process.layout import (
    CLOCK,
    Command,
    Layout,
    Measured,
    Picture,
    SensorData,
    SensorSignal,
    ServoData,
)
from kinegen.bridges.servos.table import RATED, servo_table
from kinegen.dynamics.motors.heat import Heat
from kinegen.dynamics.motors.motor import Mode, motor_rows
from kinegen.dynamics.motors.servos import Drive
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.raff.formulas.formula import Formula
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.world.bodies.island import Island
from kinegen.world.sensors.camera import Camera
from kinegen.world.sensors.lidar import Lidar
from kinegen.world.sensors.sensor import Sensor
from kinegen.world.signalling.signal import Signal
from kinegen.world.world import World

__all__ = ["Plant"]

STALL_CURRENT, STALL_VOLTAGE = 2.4, 7.4
"""Of a servo without thermal data, at its largest effort [A, V]; representative."""
TO_AIR, CAPACITY = 20.0, 15.0
"""Cooling [K/W] and heat capacity [J/K] of a servo without thermal data; representative."""
_MODES = (Mode.POSITION, Mode.POSITION, Mode.TORQUE)
"""Of motors by the mode of a command: a velocity is a position that moves on (see _Axis.roll)."""


class Plant:
    """A world with its servos, driven by one block and described by another."""

    def __init__(self, world: World, *, hold: bool) -> None:
        """Take over the motors of a world.

        Args:
            world: What is simulated, with its motors on.
            hold: Whether motors are on at the start, as those of a robot with brakes; else all
                joints move freely until someone commands them, as those of bus servos.
        """
        self.world, mechanism = world, world.mechanism
        whole = mechanism.compile()
        self._axes = _axes(self.world, servo_table(mechanism, whole))
        self._heats = [_Warmth(island) for island in self.world.islands]
        self._places = [
            (island, joint, whole.joint(joint.name))
            for island in self.world.islands
            for joint in island.model.joints
            if joint.name in mechanism.joints and joint.q.stop > joint.q.start
        ]
        servos = tuple(axis.data for axis in self._axes)
        bare = Layout(servos, whole.nq, whole.nv, (), self.world.step_length)
        self.layout = Layout(
            servos, whole.nq, whole.nv, _signals(self.world, bare.signal_start), bare.step,
            _pictures(self.world), tuple(_sensor(one) for one in self.world.sensors.values()),
        )  # fmt: skip
        self._signals = [self.world.signals[one.name] for one in self.layout.signals]
        self._state = np.zeros(self.layout.state_size)
        self.state = Block.local(self.layout.state_size)
        self.commands = Block.local(self.layout.command_size)
        self.pictures = [Block.local(one.size) for one in self.layout.pictures]
        self._shown = [0] * len(self.pictures)
        self._heard = self.commands.sequence
        for axis in self._axes:
            if not hold:
                axis.let_go()
        self.world.drivers.append(self._obey)
        self.world.watchers.append(self._write)
        self._write(self.world)

    @classmethod
    def of(cls, mechanism: Mechanism, *, hold: bool, options: Mapping[str, Any]) -> Plant:
        """A plant with a world of its own.

        Args:
            mechanism: What is simulated.
            hold: Whether motors are on at the start.
            options: Of :class:`~kinegen.world.world.World`; ``log``: a file to write a log to.
        """
        given = dict(options)
        log = given.pop("log", None)
        made = cls(World(mechanism, keyframes=0, **given), hold=hold)
        if log is not None:
            made.world.log(log)
        return made

    def share(self) -> None:
        """Put the blocks where another process can open them."""
        self.state = Block.shared(self.layout.state_size)
        self.commands = Block.shared(self.layout.command_size)
        self.pictures = [Block.shared(one.size) for one in self.layout.pictures]
        self._heard = self.commands.sequence
        self._write(self.world)

    def replace(self, other: Plant) -> bool:
        """Take the place of another plant: its wires stay, and what they commanded holds here.

        False: the other one has other servos or sensors, and nothing has changed.
        """
        if other.layout != self.layout:
            return False
        self.state, self.commands, self.pictures = other.state, other.commands, other.pictures
        self._heard = -1
        self._write(self.world)
        return True

    @property
    def paths(self) -> list[str]:
        """Of the files that another process opens, state and commands first."""
        return [one.path for one in (self.state, self.commands, *self.pictures)]

    def advance(self, steps: int) -> None:
        """Make some steps."""
        for _ in range(steps):
            self.world.step()

    def close(self) -> None:
        """End it."""
        self.world.close()
        for one in (self.state, self.commands, *self.pictures):
            one.remove()

    # Every step

    def _obey(self, world: World) -> None:
        """Bring new commands to the motors."""
        if self.commands.sequence != self._heard:
            self._heard = self.commands.sequence
            rows = self.commands.read().reshape(len(self._axes), len(Command))
            for axis, row in zip(self._axes, rows, strict=True):
                axis.obey(row)
        for axis in self._axes:
            if axis.rolls:
                axis.roll(world.step_length)

    def _write(self, world: World) -> None:
        """Write the state of this step."""
        out, layout = self._state, self.layout
        out[0], out[1] = world.count, world.time
        nq, nv = layout.nq, layout.nv
        for island, joint, place in self._places:
            last = island.state
            out[CLOCK : CLOCK + nq][place.q] = last.q[joint.q]
            out[CLOCK + nq : CLOCK + nq + nv][place.v] = last.v[joint.v]
            out[CLOCK + nq + nv : CLOCK + nq + 2 * nv][place.v] = island.simulation.efforts[joint.v]
        for heat in self._heats:
            heat.warm(world.step_length)
        table = out[layout.servo_start : layout.signal_start].reshape(-1, len(Measured))
        for axis, row in zip(self._axes, table, strict=True):
            heat = self._heats[axis.number]
            last = axis.island.state
            row[Measured.POSITION] = last.q[axis.q]
            row[Measured.VELOCITY] = last.v[axis.v]
            row[Measured.EFFORT] = axis.island.simulation.efforts[axis.v]
            row[Measured.CURRENT], row[Measured.TEMPERATURE] = heat.of(axis.v)
        for signal, one in zip(self._signals, layout.signals, strict=True):
            out[one.start] = signal.time
            out[one.start + 1 : one.start + 1 + one.size] = np.ravel(signal.value)
        if self.pictures:
            self._show(world)
        self.state.write(out)

    def _show(self, world: World) -> None:
        """Write the pictures that are new."""
        for i, (one, block) in enumerate(zip(self.layout.pictures, self.pictures, strict=True)):
            signal = world.signals[one.name]
            if signal.version == self._shown[i] or signal.value is None:
                continue
            self._shown[i] = signal.version
            numbers = np.zeros(one.size)
            numbers[0] = signal.time
            pixels = np.asarray(signal.value, one.dtype).tobytes()
            numbers[1:].view(np.uint8)[: len(pixels)] = np.frombuffer(pixels, np.uint8)
            block.write(numbers)


class _Axis:
    """One motor of the world."""

    def __init__(
        self, island: Island, number: int, joint: Any, k: int, target: Signal, data: ServoData
    ) -> None:
        self.island, self.number, self.joint, self.k, self.data = island, number, joint, k, data
        self.q, self.v = joint.q.start + k, joint.v.start + k
        self._target = target
        assert island.simulation.servos is not None
        self._base = island.simulation.servos.drive(self.v)
        self._seen = np.zeros(len(Command))
        self._rate = 0.0
        self._goal = 0.0

    @property
    def rolls(self) -> bool:
        """Whether it turns at a velocity."""
        return bool(self._seen[Command.ON]) and self._seen[Command.MODE] == 1

    def let_go(self) -> None:
        """Torque off."""
        self._set(replace(self._base, on=False))

    def obey(self, row: Floats) -> None:
        """Do what a row of commands says, if it is new."""
        if row[Command.COUNT] == self._seen[Command.COUNT]:
            return
        before, self._seen = self._seen, row.copy()
        base, mode = self._base, int(row[Command.MODE])
        speed = min(float(row[Command.SPEED]), base.speed)
        acceleration = min(float(row[Command.ACCELERATION]), base.acceleration)
        if mode:
            speed = acceleration = math.inf
        drive = Drive(
            bool(row[Command.ON]), _MODES[mode], base.kp * float(row[Command.KP]),
            base.kd * float(row[Command.KD]), self._limit(float(row[Command.LIMIT])),
            speed, acceleration,
        )  # fmt: skip
        self._set(drive)
        if mode == 1 and not (before[Command.ON] and before[Command.MODE] == 1):
            state = self.island.state
            self._goal, self._rate = float(state.q[self.q]), float(state.v[self.v])
        elif mode == 0:
            self._aim(float(row[Command.POSITION]))
        elif mode == 2:
            self._aim(float(row[Command.EFFORT]))

    def roll(self, step: float) -> None:
        """Let the position that it follows move on: a velocity loop with an integral part.

        The position runs no farther ahead than where the motor gives all it can.
        """
        wanted, most = float(self._seen[Command.VELOCITY]), float(self._seen[Command.ACCELERATION])
        self._rate += min(max(wanted - self._rate, -most * step), most * step)
        kp = self._base.kp * float(self._seen[Command.KP])
        lead = self.data.largest / kp if kp > 0 else math.inf
        here = float(self.island.state.q[self.q])
        self._goal = min(max(self._goal + self._rate * step, here - lead), here + lead)
        self._aim(self._goal)

    def _limit(self, share: float) -> float:
        return self._base.effort if share >= 1 else self.data.largest * share

    def _aim(self, value: float) -> None:
        target = self._target
        if target.shape == ():
            target.write(value)
        else:
            numbers = target.written
            numbers[self.k] = value
            target.write(numbers)

    def _set(self, drive: Drive) -> None:
        island = self.island
        assert island.actuators is not None
        island.actuators.set_drive(island.simulation, self.v, drive)


class _Warmth:
    """Currents and temperatures of the motors of an island, those without thermal data too."""

    def __init__(self, island: Island) -> None:
        self._island = island
        servos = island.simulation.servos
        self._heat: Heat | None = None
        if servos is None:
            return
        most = servos.motors.effort_at_rest
        gear = np.ones(island.model.nv)
        rows: list[Mapping[str, Any] | None] = []
        slides = np.zeros(island.model.nv, bool)
        for joint in island.model.joints:
            if joint.v.stop > joint.v.start:
                slides[joint.v] = joint.type.info.is_length
        self._most = np.where(np.isfinite(most), most, np.where(slides, RATED[1], RATED[0]))
        for i, row in enumerate(motor_rows(island.simulation.system)):
            effort = float(self._most[i])
            numbers = {
                "torque_constant": effort / STALL_CURRENT,
                "resistance": STALL_VOLTAGE / STALL_CURRENT,
                "thermal_resistance": TO_AIR,
                "heat_capacity": CAPACITY,
            }
            thermal = {key: Formula.constant(one) for key, one in numbers.items()}
            rows.append(None if row is None else {"thermal": thermal})
        self._heat = Heat(rows, gear, {})
        self._own = servos.heat.has

    def warm(self, seconds: float) -> None:
        """A step of time."""
        if self._heat is not None:
            # a motor without a limit has no more than the full load of the representative one
            efforts = np.clip(self._island.simulation.efforts, -self._most, self._most)
            self._heat.warm(efforts, seconds)

    def of(self, v: int) -> tuple[float, float]:
        """Current [A] and temperature [°C] of a motor."""
        servos = self._island.simulation.servos
        assert servos is not None and self._heat is not None
        heat = servos.heat if self._own[v] else self._heat
        return float(heat.current[v]), float(heat.temperature[v])


def _axes(world: World, servos: Sequence[ServoData]) -> list[_Axis]:
    """The motors of all servos, in their order."""
    whole = world.mechanism.compile()
    places = {
        joint.name: (number, island, joint)
        for number, island in enumerate(world.islands)
        for joint in island.model.joints
    }
    made = []
    for data in servos:
        number, island, joint = places[data.joint]
        k = data.index - whole.joint(data.joint).q.start
        target = world.signals[f"{data.joint}.target"]
        made.append(_Axis(island, number, joint, k, target, data))
    return made


def _signals(world: World, start: int) -> tuple[SensorSignal, ...]:
    """The numbers that sensors measure."""
    found = []
    for sensor in world.sensors.values():
        for signal in sensor.signals:
            if signal.shape is None:
                continue
            one = SensorSignal(signal.name, signal.unit, signal.shape, sensor.name, start)
            start += 1 + one.size
            found.append(one)
    return tuple(found)


def _sensor(sensor: Sensor) -> SensorData:
    mount = getattr(sensor, "mount", None)
    link, X_LS = "", SE3.identity()
    if mount is not None:
        link = mount.island.model.link_names[mount.link]
        X_LS = SE3(SO3.from_matrix(mount.R_LS), mount.p_LS)
    facts = {
        key: float(getattr(sensor, key))
        for key in ("nearest", "farthest", "opening")
        if hasattr(sensor, key)
    }
    if isinstance(sensor, Lidar):
        facts |= {"first": float(sensor.azimuths[0]), "last": float(sensor.azimuths[-1])}
        facts |= {"lowest": float(sensor.elevations[0]), "highest": float(sensor.elevations[-1])}
    return SensorData(
        sensor.name,
        sensor.kind,
        link,
        tuple(X_LS.pose.tolist()),
        sensor.schedule.period(sensor.stage.step),
        facts,
    )


_PIXELS = {"color": "uint8", "depth": "float32", "segmentation": "int32"}


def _pictures(world: World) -> tuple[Picture, ...]:
    """The pictures that cameras take."""
    return tuple(
        Picture(
            signal.name, camera.name,
            (camera.height, camera.width, *((3,) if image == "color" else ())), _PIXELS[image],
            camera.intrinsics, tuple(camera.names),
        )
        for camera in world.sensors.values()
        if isinstance(camera, Camera)
        for image, signal in zip(camera.images, camera.signals, strict=True)
    )  # fmt: skip
