"""Driving: the real robot of a session; orders of its pages, heartbeats, what it measures."""

from __future__ import annotations

import asyncio
import math
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import Floats
from kinegen.motion.recording import Recording
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.message import Result
from kinegen.studio.wire.messages import (
    ConnectRobot,
    DisconnectRobot,
    DriveFrame,
    DrivenServo,
    DriveOrder,
    DriveState,
    FindZero,
    FinishTask,
    FollowPage,
    LetGoRobot,
    LimitRobot,
    MarkJoint,
    MotionData,
    PlayOnRobot,
    RobotPace,
    StartRobot,
    TaughtMotion,
    TeachRobot,
    WriteZeros,
    ZeroData,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kinegen.drive.helm import Helm, Look
    from kinegen.studio.session.room import Client, Room

__all__ = ["PATIENCE", "Driving"]

T = TypeVar("T")

PERIOD = 1 / 20
"""[s] Between two frames."""
PATIENCE = 0.2
"""[s] A moving robot stops when its page was not heard for so long."""
_PORT = re.compile(r"virtual|/dev/[\w./-]+|COM\d+", re.ASCII)


class Driving:
    """The real robot of one room. All methods run in the event loop, and none waits for a port."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._helm: Helm | None = None
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="driving")
        self._order = asyncio.Lock()
        self._frames: asyncio.Task[None] | None = None
        self._text, self._layout = "", 0
        self._orders = 0
        """How many were carried out: a look from before the last one is out of date."""
        self._checking: asyncio.Task[None] | None = None
        self.owner = 0
        """Number of the client whose heartbeats count."""
        self.state = DriveState("none", "", 0)

    @property
    def port(self) -> str:
        """The serial port that is open; empty where none is."""
        return "" if self._helm is None or self._helm.is_virtual else self._helm.port

    # What pages say

    async def obey(self, client: Client, order: DriveOrder) -> Result | None:
        """Carry out an order of a page; KinegenError when it is refused."""
        async with self._order:
            self.owner = client.number
            if isinstance(order, ConnectRobot):
                await self._connect(order)
                return None
            if isinstance(order, DisconnectRobot):
                await self._disconnect("")
                return None
            helm = self._helm
            if helm is None:
                raise UsageError("no robot is connected: choose its port first")
            self.beat(client)
            if isinstance(order, WriteZeros):
                await self._write(client)
                return None
            try:
                done = await self._in_thread(lambda: self._carry_out(helm, order))
            finally:
                self._orders += 1
            if isinstance(order, StartRobot):
                self.state.twin = order.twin
            if isinstance(order, LimitRobot):
                self.state.speed, self.state.torque = order.speed, order.torque
                self.state.servos = _servos(helm)
            self._look_at(await self._in_thread(helm.look))
            self._send()
            return done

    def _carry_out(self, helm: Helm, order: DriveOrder) -> Result | None:
        session = self._room.session
        match order:
            case StartRobot(twin=twin):
                helm.start(twin=twin)
            case FollowPage():
                helm.follow(lambda: session.live)
            case PlayOnRobot(motion=motion):
                return RobotPace(helm.play(_recording(helm, motion)))
            case TeachRobot():
                helm.teach()
            case FinishTask():
                taught = helm.finish()
                return TaughtMotion(None if taught is None else _motion(taught))
            case LimitRobot(speed=speed, torque=torque):
                helm.set_limits(speed, torque)
            case LetGoRobot():
                helm.let_go()
            case MarkJoint(joint=joint, value=value):
                helm.mark(joint, value)
                self.state.marked = sorted({*self.state.marked, joint})
            case FindZero(joint=joint):
                found = helm.find_zero(joint)
                others = [one for one in self.state.zeros if one.joint != found.joint]
                self.state.zeros = [*others, ZeroData(found.joint, found.offset, found.direction)]
            case _:
                raise UsageError(f"{order.KIND} is not an order to a robot")
        return None

    async def _write(self, client: Client) -> None:
        """Write offsets and directions into the file; the robot is then another one."""
        if not self.state.zeros:
            raise UsageError("no zero was found yet")
        session, zeros = self._room.session, self.state.zeros

        def work() -> None:
            from kinegen.drive.calibration import ServoZero, write_zeros

            step = session.present
            compiled = CompiledText.read(step.good_text, session.project, step.file)
            found = [ServoZero(one.joint, one.offset, one.direction) for one in zeros]
            write_zeros(compiled.mechanism, found)
            session.edit_text(compiled.mechanism.to_raff())

        await self._room.change(client, work)

    def beat(self, client: Client) -> None:
        """A page is still there; only that of the owner counts."""
        if self._helm is not None and client.number == self.owner:
            self._helm.beat()

    def stop(self, reason: str) -> None:
        """Stop at once, whatever else is waiting."""
        if self._helm is not None:
            threading.Thread(target=self._helm.stop, args=(reason,), name="stop").start()

    def entered(self, client: Client) -> None:
        """A client has come: it hears of the robot."""
        if self.state.phase != "none":
            client.outbox.put(self.state)

    def left(self, client: Client) -> None:
        """A client is gone: the robot that it drove stops."""
        if client.number == self.owner:
            self.owner = 0
            self.stop("the page was closed or lost")
            self._send()

    def changed(self) -> None:
        """The session has changed: a robot with other servos is another one."""
        if self._helm is not None and self._room.session.layout_version != self._layout:
            self.stop("another mechanism is in the session")  # its poses are not for this robot
        if self._helm is not None and self._checking is None:
            self._checking = asyncio.create_task(self._check())

    async def close(self) -> None:
        """Stop, and close the port."""
        async with self._order:
            await self._disconnect("")

    # Inside

    async def _connect(self, message: ConnectRobot) -> None:
        if not _PORT.fullmatch(message.port):
            raise UsageError(
                f"'{message.port}' is not a serial port: use one such as /dev/ttyUSB0 or COM3"
            )
        await self._disconnect("")
        self.state = DriveState(
            "connecting", "", self.owner, bus=message.bus, port=message.port,
            speed=message.speed, torque=message.torque, on_stop=message.on_stop,
        )  # fmt: skip
        self._send()
        try:
            helm = self._helm = await self._in_thread(lambda: self._opened(message))
        except BaseException:
            self.state = DriveState("none", "", self.owner)
            self._send()
            raise
        port = helm.drive.port
        self.state.baud, self.state.measures = port.baud, port.measures
        self.state.servos = _servos(helm)
        self._look_at(await self._in_thread(helm.look))
        self._frames = asyncio.create_task(self._show(helm))

    def _opened(self, message: ConnectRobot) -> Helm:
        # most sessions drive no robot: the studio starts without what that needs
        from kinegen.drive.helm import Helm

        compiled = self._read()
        at = None
        if message.bus == "ssc32":
            at = compiled.checked(message.q or compiled.start.tolist())
        return Helm(
            compiled.mechanism, message.port, message.bus, robot=message.robot, speed=message.speed,
            torque=message.torque, on_stop=message.on_stop, at=at, patience=PATIENCE,
        )  # fmt: skip

    def _read(self) -> CompiledText:
        session = self._room.session
        self._text, self._layout = session.present.good_text, session.layout_version
        return CompiledText.read(self._text, session.project, session.present.file)

    async def _check(self) -> None:
        """Disconnect where the text no longer describes the robot that is connected."""
        helm = self._helm
        try:
            if helm is None or self._text == self._room.session.present.good_text:
                return
            compiled = await self._in_thread(self._read)
            same = await self._in_thread(lambda: helm.drive.matches(compiled.mechanism))
            if not same:
                self.stop("the file has changed")
                async with self._order:
                    await self._disconnect("the motors in the file have changed: connect again")
        except KinegenError as error:
            self.stop(str(error))
        finally:
            self._checking = None

    async def _disconnect(self, reason: str) -> None:
        helm, self._helm = self._helm, None
        frames, self._frames = self._frames, None
        if frames is not None:
            frames.cancel()
            await asyncio.gather(frames, return_exceptions=True)
        if helm is not None:
            await self._in_thread(helm.close)
            self.state = DriveState("none", reason, self.owner)
            self._send()

    async def _show(self, helm: Helm) -> None:
        """Send what is measured until the port is closed."""
        while True:
            orders = self._orders
            try:
                look = await self._in_thread(helm.look)
            except KinegenError as error:  # a pose that no loop of the file can close
                self.stop(str(error))
                await asyncio.sleep(PERIOD)
                continue
            if orders == self._orders:
                self._look_at(look)
            frame = DriveFrame(
                look.time, look.q.tolist(), look.goals.tolist(), look.positions.tolist(),
                [None if math.isnan(one) else one for one in look.loads.tolist()],
                look.twin.tolist(),
            )  # fmt: skip
            for client in self._room.clients.values():
                if client.program is None:
                    client.outbox.put(frame)
            await asyncio.sleep(PERIOD)

    def _look_at(self, look: Look) -> None:
        changed = replace(
            self.state, phase=look.state, reason=look.reason, task=look.task, owner=self.owner
        )
        if changed != self.state or self.state.phase != look.state:
            self.state = changed
            self._send()

    def _send(self) -> None:
        self.state.owner = self.owner
        state = replace(self.state)
        for client in self._room.clients.values():
            if client.program is None:
                client.outbox.put(state)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def _servos(helm: Helm) -> list[DrivenServo]:
    travel, positions = helm.drive.travel, helm.drive.last_reading.positions
    return [
        DrivenServo(
            travel.ids[i], name, "m" if travel.units[i] == "m" else "rad",
            _finite(travel.lower[i]), _finite(travel.upper[i]),
            float(travel.speeds[i]), float(positions[i]),
        )
        for i, name in enumerate(travel.names)
    ]  # fmt: skip


def _finite(value: float | np.floating) -> float | None:
    return float(value) if math.isfinite(value) else None


def _recording(helm: Helm, data: MotionData) -> Recording:
    return Recording(
        helm.drive.model, tuple(data.joints), _table(data.times), _table(data.values), data.name,
        data.interpolation,
    )  # fmt: skip


def _table(values: list[float] | list[list[float]]) -> Floats:
    return np.array(values, dtype=np.float64)


def _motion(taught: Recording) -> MotionData:
    return MotionData(
        taught.name, list(taught.joints), taught.times.tolist(), taught.values.tolist(), "linear",
        "taught by hand",
    )  # fmt: skip
