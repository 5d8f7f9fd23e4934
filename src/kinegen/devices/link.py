"""The mechanism's end of the haptic link: a simulation that a distant hand touches.

``kinegen touch arm-6 --pull tool --listen 0.0.0.0:5005`` runs one by itself.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from kinegen.devices.device import address_of
from kinegen.devices.packets import Packet, PacketKind, is_newer, pack, unpack
from kinegen.dynamics.simulation import Simulation
from kinegen.dynamics.touch import Pull, Push, Touch
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kernels.haptic_protocol import HELD_MOST
from kinegen.spatial import SE3, SO3

__all__ = ["HapticLink", "Transport", "UdpTransport"]

SILENCE = 0.25
"""Time without news [s] after which the hand counts as gone."""
FADE = 0.05
"""Time in which its force fades [s]."""
MOST_PER_EXCHANGE = 64
"""Packets that are read at a time."""
FLOOD = 32.0
"""Packets per exchange, on average, that are a flood."""


class Transport(Protocol):
    """How packets go; UDP, or something else in a test."""

    def send(self, data: bytes) -> None:
        """One packet out."""
        ...

    def receive(self) -> bytes | None:
        """The next one, if there is one."""
        ...

    def close(self) -> None:
        """Let go."""
        ...


class UdpTransport:
    """A UDP port; answers go to a fixed place, or to who spoke last."""

    def __init__(self, listen: str = "127.0.0.1:0", peer: str = "") -> None:
        place = address_of(listen)
        self._peer = address_of(peer) if peer else None
        self._fixed = bool(peer)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind(place)
        except OSError as error:
            self._socket.close()
            raise UsageError(f"UDP port {listen} cannot be had: {error}") from error
        self._socket.setblocking(False)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._socket.getsockname()[1])

    def send(self, data: bytes) -> None:
        """One packet out; lost ones are nobody's fault."""
        if self._peer is not None:
            try:
                self._socket.sendto(data, self._peer)
            except OSError:
                pass

    def receive(self) -> bytes | None:
        """The next one, if there is one."""
        try:
            data, sender = self._socket.recvfrom(2048)
        except OSError:
            return None
        if not self._fixed:
            self._peer = sender
        return data

    def close(self) -> None:
        """Close the port."""
        self._socket.close()


class HapticLink:
    """Leads a push or a pull of a simulation by the packets of a haptic thread."""

    def __init__(
        self,
        simulation: Simulation,
        touch: Touch,
        transport: Transport,
        *,
        clock: Callable[[], float] = time.monotonic,
        origin: Sequence[float] = (0.0, 0.0, 0.0),
        scale: float = 1.0,
        reserve: float = 0.01,
        silence: float = SILENCE,
    ) -> None:
        """Connect a touch.

        Args:
            simulation: The mechanism, being simulated.
            touch: A push or pull of it.
            transport: How packets come and go.
            clock: [s]
            origin: Where the middle of the device's space is in the world [m].
            scale: World's lengths per device's.
            reserve: Energy that the mechanism may get for nothing [J].
            silence: Time without news after which the hand counts as gone [s].
        """
        self.simulation = simulation
        self.touch = touch
        self.transport = transport
        self.clock = clock
        self.origin, self.scale = np.array(origin, dtype=float), float(scale)
        if not scale > 0:
            raise UsageError(f"the scale is a positive number, got {scale!r}")
        self.reserve, self.silence = reserve, silence
        self.heard, self.old, self.bad, self.flooded = 0, 0, 0, 0
        """Packets: new, late or double, nonsense; exchanges in a flood."""
        self.trouble = "the hand has not spoken yet"
        """What is wrong, in words; empty: nothing."""
        self._last: Packet | None = None
        self._last_at = -1e9
        self._start = clock()
        self._now = self._start
        self._rate = 0.0
        self._sequence = 0
        self.wants_pose = isinstance(touch, Pull) and touch.has_pose
        """Whether a device that can turn the part may do so: a pull that began with a pose."""
        self.turns = False
        """Whether it does."""
        self._clutch: SO3 | None = None
        touch.strength = 0.0

    def exchange(self) -> None:
        """Hear the hand, lead the touch by it, tell the point; once per step or so."""
        now = self.clock()
        span, self._now = max(now - self._now, 0.0), now
        self._hear(now)
        is_here = self._last is not None and now - self._last_at < self.silence
        is_flood = self._rate > FLOOD
        if is_flood:
            self.flooded += 1
            self.trouble = "the hand floods the link with packets: its force faded to zero"
        elif self._last is None:
            self.trouble = "the hand has not spoken yet"
        elif not is_here:
            self.trouble = "the hand fell silent: its force faded to zero"
        else:
            self.trouble = ""
        grows = 1 if is_here and not is_flood else -1
        self.touch.strength = min(max(self.touch.strength + grows * span / FADE, 0.0), 1.0)
        if self._last is not None:
            self._lead(self._last)
        self._tell(now)

    def run(self, seconds: float, *, step: float = 1e-3) -> None:
        """Simulate in time with the clock, exchanging every ``step`` seconds."""
        begin, done = self.clock(), 0.0
        while done < seconds and self.simulation.is_running:
            self.exchange()
            self.simulation.advance(step)
            done += step
            ahead = begin + done - self.clock()
            if ahead > 0:
                time.sleep(ahead)

    # Inside

    def _hear(self, now: float) -> None:
        count = 0
        while count < MOST_PER_EXCHANGE:
            data = self.transport.receive()
            if data is None:
                break
            count += 1
            packet = unpack(data, PacketKind.HAND)
            if packet is None:
                self.bad += 1
                continue
            is_silent = now - self._last_at > self.silence
            if is_silent:
                self._clutch = None
            if self._last and not is_silent and not is_newer(packet.sequence, self._last.sequence):
                self.old += 1
                continue
            self._last, self._last_at = packet, now
            self.heard += 1
        self._rate += 0.05 * (count - self._rate)

    def _lead(self, packet: Packet) -> None:
        """The hand is where it said, carried on by its speed for as long as it is believed."""
        numbers = np.array(packet.numbers)
        speed = np.concatenate([numbers[3:6] * self.scale, numbers[10:13]])
        age = min(self._now - self._last_at, FADE)
        place = self.origin + numbers[:3] * self.scale + age * speed[:3]
        self.turns = self.wants_pose and packet.numbers[21] == 6
        if isinstance(self.touch, Pull):
            self.touch.has_pose = self.turns
        if self.turns:
            R_hand = SO3(numbers[6:10])
            if self._clutch is None:
                # as hand and part are turned now, they belong together
                state = self.touch.grip.state(self.simulation.engine.q, self.simulation.engine.v)
                self._clutch = R_hand.inverse() @ SO3.from_matrix(state.rotation)
            R_part = SO3.exp(age * speed[3:]) @ R_hand @ self._clutch
            self.touch.move(SE3(R_part, place), speed)
        else:
            self._clutch = None
            self.touch.move(place, speed[:3])
        # what the mechanism gets, the hand has given: forces do not scale, ways and torques do
        given = packet.numbers[19] * self.scale
        self.touch.credit = given + self.reserve - self.touch.energy

    def _tell(self, now: float) -> None:
        touch, engine, scale = self.touch, self.simulation.engine, self.scale
        q, v = engine.q, engine.v
        if isinstance(touch, Push):
            touch.find(q)
        state = touch.grip.state(q, v)
        # a device's length is that of the world over the scale, its torque too
        ways = np.repeat([1 / scale, 1.0], 3)
        loads = np.repeat([1.0, scale], 3)
        W = ways[:, None] * touch.grip.mobility(q, state.J) * loads
        is_push = isinstance(touch, Push)
        mode = (1.0 if is_push else 2.0) if touch.is_held else 0.0
        k, b = _stiffness(touch)
        units = np.array([scale, 1 / scale])
        normal = touch.normal if isinstance(touch, Push) else np.zeros(3)
        place = (state.place - self.origin) / scale
        if isinstance(touch, Push):
            place = place + normal * touch.radius / scale
        turn = np.array([1.0, 0, 0, 0])
        if self._clutch is not None:
            turn = (SO3.from_matrix(state.rotation) @ self._clutch.inverse()).quat
        numbers = np.concatenate(
            [
                [mode],
                place,
                turn,
                ways * state.twist,
                ways * touch.rest,
                W.ravel(),
                normal,
                k * units,
                b * units,
                [touch.energy / scale, min(now - self._last_at, HELD_MOST) if self._last else 0.0],
            ]
        )
        self._sequence += 1
        echo = self._last.time if self._last else 0.0
        stamp = now - self._start + 1e-9
        data = pack(PacketKind.STATE, self._sequence, stamp, echo, numbers.tolist())
        self.transport.send(data)


def _stiffness(touch: Touch) -> tuple[Floats, Floats]:
    """One stiffness and one damping for all directions, linear and angular."""
    if isinstance(touch, Pull):
        turns = [1.0, float(touch.has_pose)]
        sums = [[np.trace(one[:3, :3]) / 3, np.trace(one[3:, 3:]) / 3] for one in touch.matrices]
        return np.multiply(sums[0], turns), np.multiply(sums[1], turns)
    assert isinstance(touch, Push)
    return np.array([touch.stiffness, 0.0]), np.array([touch.damping, 0.0])
