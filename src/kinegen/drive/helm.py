"""Helm: one real robot under the hands of a person: tasks that run by themselves, and a stop.

A panel or a page gives orders and returns at once; the robot follows a pose, plays, or is taught
in a thread. Heartbeats say that the person is still there.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from kinegen.bridges.bridge import Bridge
from kinegen.drive.calibration import ServoZero, find_zero
from kinegen.drive.comparison import Comparison
from kinegen.drive.robot_drive import Drive
from kinegen.drive.teaching import teach
from kinegen.errors import KinegenError, LinkError, StoppedError, UsageError, unknown_name
from kinegen.kernels import Floats
from kinegen.mechanism.any_model import AnyModel
from kinegen.motion.recording import Recording

__all__ = ["VIRTUAL", "Helm", "Look", "SerialPort", "serial_ports"]

VIRTUAL = "virtual"
"""The port of a simulated robot, to try all of it."""

Task = Literal["", "follow", "play", "teach"]


@dataclass(frozen=True, slots=True)
class SerialPort:
    """A serial port of this computer."""

    device: str
    """Such as '/dev/ttyUSB0' or 'COM3'."""
    description: str
    """What is plugged in there, as far as the system knows."""


def serial_ports() -> list[SerialPort]:
    """Serial ports of this computer.

    Raises:
        LinkError: The package pyserial is not installed.
    """
    from kinegen.drive.sdk import pyserial

    found = pyserial().tools.list_ports.comports()
    rows = [
        SerialPort(one.device, "" if one.description in (None, "n/a") else str(one.description))
        for one in found
    ]
    return sorted(rows, key=lambda one: one.device)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """How a robot stands at one moment; values of the joints are (n,) [rad, m]."""

    state: Literal["off", "on", "stopped", "lost"]
    reason: str
    """Why it was stopped or lost, or why a task ended early; empty while all is well."""
    task: Task
    time: float
    """Since the helm was taken [s]."""
    goals: Floats
    positions: Floats
    """Measured."""
    loads: Floats
    """Shares of the largest effort; NaN where servos do not measure them."""
    twin: Floats
    """Of the simulated twin; none where there is no twin."""
    q: Floats
    """The measured configuration, (nq,)."""


class Helm:
    """A real robot that a person drives. Methods may be called from any thread and return at once.

    Use it in a ``with`` block, or :meth:`close` it; closing leaves the motors as they are.
    """

    def __init__(
        self, model: AnyModel, port: str, kind: str = "feetech", *, robot: str = "",
        patience: float = 0.2, **options: Any,
    ) -> None:  # fmt: skip
        """Open the port and find all servos; nothing moves.

        Args:
            model: Ids, offsets, directions and limits of its motors are those of the servos.
            port: Device, or 'virtual' for a simulated robot.
            kind: 'feetech', 'dynamixel', 'dynamixel1' or 'ssc32'.
            robot: Which of the file's included robots, if each has a port.
            patience: Time without a heartbeat after which a moving robot stops [s].
            options: ``speed``, ``torque``, ``on_stop`` and ``at`` of a
                :class:`~kinegen.drive.robot_drive.Drive`.
        """
        self._bridge: Bridge | None = None
        self.port = port
        path = port
        if port == VIRTUAL:
            self._bridge = Bridge(model, [kind])
            path = self._bridge.endpoints[f"{kind} {robot}".rstrip()]
        try:
            self.drive = Drive(
                model, path, kind, robot=robot, patience=patience, watch="heartbeats",
                **options,
            )  # fmt: skip
        except BaseException:
            if self._bridge is not None:
                self._bridge.close()
            raise
        self._begin = time.monotonic()
        self._task: Task = ""
        self._reason = ""
        self._ends = threading.Event()
        self._thread: threading.Thread | None = None
        self._taught: Recording | None = None
        self._twin: Comparison | None = None
        self._order = threading.RLock()
        self._marks: dict[str, tuple[float, float]] = {}
        """Measured and true values of joints that a hand has brought somewhere."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Looking

    @property
    def is_virtual(self) -> bool:
        """Whether the robot is a simulated one."""
        return self.port == VIRTUAL

    def look(self) -> Look:
        """The current state; for a lost robot, with the last measurements."""
        drive, twin = self.drive, self._twin
        reading = drive.last_reading
        beside = np.zeros(0)
        if twin is not None and twin.twin.state != "lost":
            with contextlib.suppress(KinegenError):
                beside = twin.twin.reading.positions
        return Look(
            drive.state, drive.reason or self._reason, self._task,
            time.monotonic() - self._begin, np.array(list(drive.goals.values())),
            reading.positions, reading.loads, beside, drive.q_of(reading.positions),
        )  # fmt: skip

    # Orders

    def beat(self) -> None:
        """Report that the person is still present."""
        with contextlib.suppress(StoppedError, LinkError):
            self.drive.heartbeat()

    def start(self, *, twin: bool = False) -> None:
        """Switch the motors on, also after a stop; the robot holds its current pose.

        Args:
            twin: Whether a simulated robot gets the same goals, to compare both.
        """
        with self._order:
            self.finish()
            self.drive.start()
            if twin and self._twin is None:
                self._twin = Comparison(self.drive)
            elif not twin:
                self._end_twin()

    def follow(self, where: Callable[[], Sequence[float] | Floats]) -> None:
        """Follow the configuration that a function gives in every cycle."""

        def work() -> None:
            while not self._ends.is_set():
                self.drive.lead(where())
                self._each(self.drive)
                time.sleep(self.drive.period)
            self.drive.hold()

        self._run("follow", work)

    def play(self, motion: Recording) -> float:
        """Move to the start of a motion and play it; returns its share of the recorded speed.

        Raises:
            UsageError: The motion exceeds a limit.
        """
        factor = self.drive.travel.fitted(motion)[1]

        def work() -> None:
            self.drive.play(motion, each=self._each, until=self._ends.is_set)

        self._run("play", work)
        return factor

    def teach(self) -> None:
        """Switch the motors off and record how a hand moves the robot, until :meth:`finish`."""
        if not self.drive.port.measures:
            raise UsageError(
                f"'{self.drive.kind}' servos do not measure positions: teaching by hand needs them"
            )
        self._taught = None

        def work() -> None:
            self._taught = teach(self.drive, until=self._ends.is_set)

        self._run("teach", work, on=False)

    def finish(self) -> Recording | None:
        """End the task: the robot holds its goals. Returns the taught motion, if any."""
        with self._order:
            thread, self._thread = self._thread, None
            self._ends.set()
            if thread is not None:
                thread.join()
            taught, self._taught = self._taught, None
            return taught

    def mark(self, joint: str, value: float) -> None:
        """Store the known value of a joint that was moved by hand [rad, m]: calibration, step 1.

        Raises:
            UsageError: The motors are on, or servos do not measure positions.
        """
        if self.drive.state == "on" or not self.drive.port.measures:
            raise UsageError(
                "calibration by hand needs servos that measure positions, with their motors off"
            )
        self._marks[joint] = (self.drive.positions[self._servo(joint)], value)

    def find_zero(self, joint: str) -> ServoZero:
        """Offset and direction of a servo after its joint was moved to larger values: step 2.

        Raises:
            UsageError: The joint has no :meth:`mark`, or was not moved far enough.
        """
        name = self._servo(joint)
        if joint not in self._marks:
            raise UsageError(f"first move '{joint}' to a known value")
        shaft = self.drive.port.shafts[self.drive.joints.index(name)]
        return find_zero(shaft, *self._marks[joint], self.drive.positions[name])

    def _servo(self, joint: str) -> str:
        if joint not in self.drive.joints:
            raise unknown_name("servo", joint, f"'{self.drive.model.name}'", self.drive.joints)
        return joint

    def set_limits(self, speed: float, torque: float) -> None:
        """Set the limits of speed and torque, as shares."""
        self.drive.set_limits(speed, torque)

    def let_go(self) -> None:
        """Switch the motors off: the robot sinks, and can be moved by hand."""
        with self._order:
            self.finish()
            self.drive.let_go()

    def stop(self, reason: str) -> None:
        """Stop at once, before all waiting orders."""
        self._ends.set()
        with contextlib.suppress(KinegenError):
            self.drive.stop(reason)

    def close(self) -> None:
        """Stop, and close the port; the motors stay as they are."""
        self.stop("the port was closed")
        with self._order:
            self.finish()
            self._end_twin()
            self.drive.close()
            if self._bridge is not None:
                self._bridge.close()
                self._bridge = None

    # Inside

    def _run(self, task: Task, work: Callable[[], None], *, on: bool = True) -> None:
        with self._order:
            self.finish()
            if on and self.drive.state != "on":
                raise UsageError("the motors are off: switch them on first")
            self._ends, self._task, self._reason = threading.Event(), task, ""

            def guarded() -> None:
                try:
                    work()
                except StoppedError:
                    pass  # the drive says why
                except KinegenError as error:
                    self._reason = str(error)
                    self.stop(str(error))
                finally:
                    self._task = ""

            self._thread = threading.Thread(target=guarded, name=f"helm {task}", daemon=True)
            self._thread.start()

    def _each(self, drive: Drive) -> None:
        if self._twin is not None:
            with contextlib.suppress(StoppedError):
                self._twin.pass_on(drive)

    def _end_twin(self) -> None:
        twin, self._twin = self._twin, None
        if twin is not None:
            twin.close()
