"""Drive: a real robot that a program moves, with soft start, limits, dead man's switch."""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, replace
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from kinegen.bridges.servos.table import servo_table
from kinegen.bridges.servos.wiring import shafts_of
from kinegen.drive.pilot import Pilot
from kinegen.drive.port import MARGIN, Reading, Sample
from kinegen.drive.ports import PORTS
from kinegen.drive.travel import Limits, Travel
from kinegen.errors import AssemblyError, KinegenError, LinkError, StoppedError, UsageError
from kinegen.formats.load import loaded
from kinegen.kernels import Floats
from kinegen.kinematics.solving.assembling.assembly import assemble, close
from kinegen.mechanism.any_model import AnyModel, mechanism_of, model_of
from kinegen.mechanism.model import Model
from kinegen.motion.recording import Recording

__all__ = ["Drive", "Each"]

Each = Callable[["Drive"], None]
"""Called in every cycle of a motion; what it raises ends the motion and stops the robot."""
Until = Callable[[], bool]
"""Asked in every cycle of a motion; True ends it."""
NEAR = 0.1
"""A pose that a hand moves is followed at once where it is so near, in time at full speed [s]."""
MISSED = 5
"""Cycles in a row without an answer of all servos, after which a moving robot counts as lost."""
SILENCE = 3.0
"""[s] After so long without one, a robot that stands still does: a busy computer may be late, and
nothing happens meanwhile."""


class Drive:
    """A real robot on a serial port.

    Motors stay as they are until :meth:`start`. Goals start at the current pose and move to
    :attr:`targets` within the speed limits, never by a jump. If no command or :meth:`heartbeat`
    arrives for ``patience`` while the robot moves, it stops. Use the drive in a ``with`` block, or
    :meth:`close` it; closing leaves the motors as they are.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | AnyModel,
        port: str,
        kind: str = "feetech",
        *,
        speed: float = 0.25,
        fastest: float = math.inf,
        torque: float = 1.0,
        on_stop: Literal["hold", "off"] = "hold",
        patience: float = 0.2,
        watch: Literal["commands", "heartbeats"] = "commands",
        period: float = 0.02,
        at: npt.ArrayLike | Mapping[str, Any] | None = None,
        robot: str = "",
    ) -> None:
        """Open the port and find all servos; nothing moves.

        Args:
            source: Name of a library mechanism, a RAFF file or text, a mechanism or a model. Ids,
                offsets, directions and speeds of the port are those of its motors.
            port: Device, such as '/dev/ttyUSB0' or 'COM3'.
            kind: 'feetech', 'dynamixel', 'dynamixel1' or 'ssc32'.
            speed: Share of the motors' speeds, up to 1; a motor without one counts as 1 rad/s.
            fastest: Speed limit of joints that turn, for any motor [rad/s].
            torque: Share of the motors' largest effort, up to 1.
            on_stop: What a stop does: 'hold' where the robot is, or motors 'off'.
            patience: Time without a command after which a moving robot stops [s].
            watch: What counts as a sign of presence: 'commands' and heartbeats, or
                'heartbeats' only, if a program sends commands for a person.
            period: Of the cycle in which servos are read and commanded [s].
            at: Current pose, for servos that do not measure it (ssc32); else None.
            robot: Which of the file's included robots, if each has a port.

        Raises:
            LinkError: The port cannot be opened, or servos do not answer.
        """
        if on_stop not in ("hold", "off"):
            raise UsageError(f"on_stop must be 'hold' or 'off', not {on_stop!r}")
        if watch not in ("commands", "heartbeats"):
            raise UsageError(f"watch must be 'commands' or 'heartbeats', not {watch!r}")
        if not (math.isfinite(period) and period > 0 and math.isfinite(patience) and patience > 0):
            raise UsageError("period and patience must be positive times [s]")
        mechanism = loaded(source)
        self.model = source if isinstance(source, Model) else mechanism.compile()
        """With q in the order of :attr:`q`."""
        self.mechanism, self.kind, self.on_stop = mechanism, kind, on_stop
        made = PORTS.named(kind)
        table = servo_table(mechanism, self.model)
        shafts = shafts_of(mechanism, self.model, table, made.maker, robot)
        self.port, self._robot = made(port, shafts), robot
        self.travel = Travel(self.model, shafts, Limits(speed, fastest, torque))
        """The joints with their limits."""
        self._fastest = fastest
        self.period = max(period, self.port.cycle)
        self._pilot = Pilot(
            self.travel.speeds, patience, 2.5 * self.period, hears_commands=watch == "commands"
        )
        self._by_itself = watch == "heartbeats"
        self.torque = torque
        """Share of the largest effort."""
        self._at = None if at is None else self.travel.values(at)
        if self._at is None and not self.port.measures:
            raise UsageError(
                f"'{kind}' servos do not measure positions: specify the current pose of the robot "
                "(at=…, --at)"
            )
        self._lock, self._closing = threading.RLock(), threading.Event()
        self._written = np.full(len(shafts), math.nan)
        self._error: KinegenError | None = None
        self._reason, self._glides = "", False
        self.port.open()
        try:
            self._reading = self._read_surely()
        except BaseException:
            self.port.close()
            raise
        self._sample = Sample(time.monotonic(), self._reading, self._written)
        self._thread = threading.Thread(target=self._run, name="kinegen drive", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"Drive('{self.model.name}', {self.kind} at {self.port.path}, {self.state})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if error is not None:
            with contextlib.suppress(KinegenError):
                self.stop(_why(error))
        self.close()

    # Looking

    @property
    def state(self) -> Literal["off", "on", "stopped", "lost"]:
        """'off' before :meth:`start` and after :meth:`let_go`."""
        if self._error is not None:
            return "lost"
        if self._pilot.is_on:
            return "on"
        return "stopped" if self._reason else "off"

    @property
    def reason(self) -> str:
        """Why the robot was stopped or lost; otherwise empty."""
        return str(self._error or self._reason)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that have servos, in the order of the file."""
        return self.travel.names

    @property
    def reading(self) -> Reading:
        """The last measurements of the servos: positions, speeds, loads, currents.

        Raises:
            LinkError: The robot was lost.
        """
        self._check_link()
        return self._reading

    @property
    def last_reading(self) -> Reading:
        """The last measurements, even if the robot was lost."""
        return self._reading

    @property
    def sample(self) -> Sample:
        """The last measurements, with the goals of the servos at that time.

        Raises:
            LinkError: The robot was lost.
        """
        self._check_link()
        return self._sample

    @property
    def positions(self) -> dict[str, float]:
        """Measured positions by joint [rad, m]."""
        return dict(zip(self.joints, self.reading.positions.tolist(), strict=True))

    @property
    def q(self) -> Floats:
        """Measured configuration, loops closed, (nq,); joints without a servo as in the file."""
        return self.q_of(self.reading.positions)

    def q_of(self, positions: Floats) -> Floats:
        """The configuration for given joint positions, loops closed, (nq,)."""
        q = self.travel.configuration(positions)
        if not self.model.constraint_count:
            return q
        names = {one.data.joint for one in self.port.shafts}
        locked = {name: q[self.model.joint(name).q].tolist() for name in names}
        try:
            return assemble(self.model, locked, locked=tuple(locked), limits=False).q
        except AssemblyError:  # what is measured fits but for steps and backlash
            return close(self.model, q)[0]

    @property
    def goals(self) -> dict[str, float]:
        """Current goals of the servos, on the way to the targets [rad, m]."""
        return dict(zip(self.joints, self._pilot.goals.tolist(), strict=True))

    @property
    def targets(self) -> dict[str, float]:
        """Targets by joint [rad, m]; set them as nq numbers, or by joint name.

        Raises:
            UsageError: A target is beyond the joint's limits.
            StoppedError: The motors are not on.
        """
        return dict(zip(self.joints, self._pilot.targets.tolist(), strict=True))

    @targets.setter
    def targets(self, targets: npt.ArrayLike | Mapping[str, Any]) -> None:
        # a joint that stands beyond a limit goes to the limit
        others = self.travel.clipped(self._pilot.targets)
        self._aim(self.travel.checked(self.travel.values(targets, others)))

    def track(self, targets: npt.ArrayLike | Mapping[str, Any]) -> None:
        """Follow a point of a motion with its own timing, without delay, within the speed limits.

        Targets beyond a limit are moved to the limit, as when a robot is dragged.

        Args:
            targets: All nq numbers, or values by joint name.
        """
        values = self.travel.values(targets, self._pilot.targets)
        self._aim(self.travel.clipped(values), tracks=True)

    def lead(self, targets: npt.ArrayLike | Mapping[str, Any]) -> None:
        """Follow a pose that a hand moves: without delay if it is near, else with a soft start.

        Targets beyond a limit are moved to the limit.

        Args:
            targets: All nq numbers, or values by joint name.
        """
        values = self.travel.clipped(self.travel.values(targets, self._pilot.targets))
        self._aim(values, tracks=self._pilot.time_to(values) < NEAR)

    def set_limits(self, speed: float, torque: float) -> None:
        """Set the limits of speed and torque, as shares; also during a motion."""
        limits = Limits(speed, self._fastest, torque)
        with self._lock:
            self.travel.limit(limits)
            self._pilot.speeds, self.torque = self.travel.speeds, torque
            if self._pilot.is_on:
                with self._noting():
                    self.port.set_limits(self.travel.speeds, torque)

    @property
    def has_arrived(self) -> bool:
        """Whether the goals have reached the targets."""
        return self._pilot.has_arrived

    def matches(self, model: AnyModel) -> bool:
        """Whether a mechanism has the same joints and servos: ids, offsets, limits, speeds."""
        try:
            mechanism, model = mechanism_of(model), model_of(model)
            table = servo_table(mechanism, model)
            shafts = shafts_of(mechanism, model, table, self.port.maker, self._robot)
        except KinegenError:
            return False
        return [one.name for one in model.joints] == [one.name for one in self.model.joints] and [
            astuple(one) for one in shafts
        ] == [astuple(one) for one in self.port.shafts]

    # Motors

    def start(self) -> None:
        """Switch the motors on, also after a stop; the robot holds its current pose.

        Raises:
            LinkError: The robot was lost.
        """
        with self._lock:
            self._check_link()
            with self._noting():
                self._reading = self._read_surely()
                here = self._reading.positions
                self.port.set_limits(self.travel.speeds, self.torque)
                self._write(here)  # first: a motor that is on goes to its last goal
                self.port.set_torque(True)
                self._write(here)
            self._reason = ""
            self._pilot.begin(here, time.monotonic())

    def stop(self, reason: str = "by the program") -> None:
        """Stop at once: hold the pose or switch the motors off, depending on ``on_stop``."""
        with self._lock:
            if self._error is None and self._pilot.is_on:
                self._halt(reason)

    def let_go(self) -> None:
        """Switch the motors off: the robot sinks, and can be moved by hand."""
        with self._lock:
            self._check_link()
            self._pilot.is_on, self._reason = False, ""
            with self._noting():
                self.port.set_torque(False)

    def heartbeat(self) -> None:
        """Report that the user is present, so that a motion continues."""
        self._check()
        self._pilot.hear(time.monotonic())

    def close(self) -> None:
        """Close the port; the motors stay as they are."""
        self._closing.set()
        self._thread.join()
        self.port.close()

    # Motions

    def move(self, targets: npt.ArrayLike | Mapping[str, Any], *, each: Each | None = None) -> None:
        """Move to a pose and wait until the goals have reached it.

        Args:
            targets: All nq numbers, or values by joint name.
            each: Called in every cycle.

        Raises:
            StoppedError: The robot was stopped on the way.
        """
        self.targets = targets
        self._wait(each)

    def play(
        self, motion: Recording, *, each: Each | None = None, until: Until | None = None
    ) -> float:
        """Move to the start of a motion, then play it, more slowly if it exceeds the limits.

        Args:
            motion: A motion of joints of this model.
            each: Called in every cycle.
            until: Called in every cycle; True ends the motion, and the robot holds its pose.

        Returns:
            The speed at which it was played, as a share of the recorded one.
        """
        rows, factor = self.travel.fitted(motion)
        self._aim(rows[0])
        self._wait(each, until)
        times = (motion.times - motion.times[0]) / factor
        begin = time.monotonic()
        while (now := time.monotonic() - begin) < times[-1]:
            if until is not None and until():
                self.hold()
                return factor
            row = np.array([np.interp(now, times, column) for column in rows.T])
            self._aim(row, tracks=True)
            self._pause(each)
        if until is None or not until():
            self._aim(rows[-1], tracks=True)
        self._wait(each, until)
        return factor

    def hold(self) -> None:
        """End a motion: the goals keep their values, and the motors stay on."""
        self._aim(self._pilot.goals)

    def glide(self, joint: str, target: float, speed: float) -> None:
        """Let one servo move to a target by itself at constant speed; returns at once.

        The servo's goal then does not move in steps, which would disturb its measurements.
        :meth:`move` and :meth:`track` take over again. A stop works as usual; the dead man's switch
        does not monitor this motion, which ends at the target.

        Args:
            joint: Its name.
            target: [rad, m]
            speed: Up to the joint's limit [rad/s, m/s].
        """
        goals = self.travel.checked(self.travel.values({joint: target}, self._pilot.goals))
        speeds = self.travel.speeds.copy()
        i = self.joints.index(joint)
        speeds[i] = min(speed, float(speeds[i])) / MARGIN
        with self._lock:
            self._check()
            with self._noting():
                self.port.set_limits(speeds, self.torque)
                self._write(goals)
            self._pilot.begin(goals, time.monotonic())
            self._glides = True

    def _wait(self, each: Each | None, until: Until | None = None) -> None:
        while not self._pilot.has_arrived:
            self._check()
            if until is not None and until():
                self.hold()
            if not self._by_itself:
                self.heartbeat()
            self._pause(each)
        self._check()

    def _pause(self, each: Each | None) -> None:
        if each is not None:
            try:
                each(self)
            except BaseException as error:
                self.stop(_why(error))
                raise
        time.sleep(self.period)

    def _aim(self, targets: Floats, *, tracks: bool = False) -> None:
        with self._lock:
            self._check()
            if self._glides:  # from where it is, at the usual speeds
                self.start()
                self._glides = False
            self._pilot.aim(targets, time.monotonic(), tracks=tracks)

    # The cycle

    def _run(self) -> None:
        missed, heard = 0, time.monotonic()
        while not self._closing.is_set() and self._error is None:
            begin = time.monotonic()
            with self._lock, contextlib.suppress(KinegenError), self._noting():
                reading = self._read()
                if reading is not None:
                    self._sample = Sample(begin, reading, self._written)
                missed = 0 if reading is not None else missed + 1
                heard = begin if reading is not None else heard
                self._miss(missed, time.monotonic() - heard)
                self._reading = reading or self._reading
                self._lead()
            self._closing.wait(max(self.period - (time.monotonic() - begin), 0.001))

    def _miss(self, cycles: int, silence: float) -> None:
        """Give the robot up if it has been silent for too long, in cycles and in seconds."""
        moves = self._pilot.is_on and not self._pilot.has_arrived
        if cycles >= MISSED and (moves or silence >= SILENCE):
            raise LinkError(
                f"port '{self.port.path}' was lost: servos have not answered for {silence:.1f} s"
            )

    def _lead(self) -> None:
        pilot, now = self._pilot, time.monotonic()
        if pilot.is_deserted(now):
            sign = "heartbeat" if self._by_itself else "command"
            self._halt(f"no {sign} for {1000 * pilot.patience:.0f} ms")
        elif pilot.is_on and not pilot.has_arrived:
            self._write(pilot.advance(now))
        elif pilot.is_on:
            pilot.advance(now)

    def _halt(self, reason: str) -> None:
        pilot = self._pilot
        pilot.is_on, self._reason = False, reason
        with self._noting():
            if self.on_stop == "off":
                self.port.set_torque(False)
                return
            reading = self._read() or self._reading
            here = reading.positions if self.port.measures else pilot.goals
            pilot.goals, pilot.targets = here.copy(), here.copy()
            self._write(here)

    def _write(self, goals: Floats) -> None:
        self.port.write(goals)
        self._written = goals.copy()

    @contextlib.contextmanager
    def _noting(self) -> Iterator[None]:
        """Note that the port was lost, for whoever looks next."""
        try:
            yield
        except LinkError as error:
            self._pilot.is_on, self._error = False, error
            raise

    def _read(self) -> Reading | None:
        found = self.port.read()
        if found is None or self._at is None:
            return found
        here = np.where(np.isnan(found.positions), self._at, found.positions)
        return replace(found, positions=here)

    def _read_surely(self) -> Reading:
        for _ in range(MISSED):
            found = self._read()
            if found is not None:
                return found
        raise LinkError(f"port '{self.port.path}': servos answer pings, but report no positions")

    def _check_link(self) -> None:
        if self._error is not None:
            raise self._error
        if self._closing.is_set():
            raise LinkError("the drive is closed")

    def _check(self) -> None:
        self._check_link()
        if not self._pilot.is_on:
            why = f"it was stopped: {self._reason}" if self._reason else "its motors are off"
            raise StoppedError(
                f"'{self.model.name}' does not accept commands: {why}; call start() first"
            )


def _why(error: BaseException) -> str:
    """Why an error stops the robot."""
    if isinstance(error, KeyboardInterrupt):
        return "by the user"
    return f"{type(error).__name__}: {error}".rstrip(": ")
