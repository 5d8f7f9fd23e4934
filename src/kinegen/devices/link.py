"""The mechanism's end of the haptic link: a simulation that a distant hand touches.

``kinegen touch arm-6 --pull tool --listen 0.0.0.0:5005`` runs one by itself.
"""

from __future__ import annotations

import math
import socket
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from kinegen.devices.device import address_of
from kinegen.devices.key import key_of, require_key
from kinegen.devices.nearness import SingularFeel
from kinegen.devices.packets import Packet, PacketKind
from kinegen.devices.session import SILENCE, Session
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.dynamics.touch.touch import Pull, Push, Touch
from kinegen.errors import UsageError
from kinegen.kernels import Floats, Heard
from kinegen.kernels.protocols.haptic import (
    HAND_BURST,
    HAND_SPEED,
    HAND_SPIN,
    HELD_MOST,
    STIFFNESS_MOST,
)
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

__all__ = ["HapticLink", "Received", "Transport", "UdpTransport"]

FADE = 0.05
"""Time in which its force fades [s]."""
FLOOD = 32_000.0
"""Packets per second, on average, that are a flood: a hand sends a thousand or a few."""
FLOOD_MEMORY = 0.02
"""Time over which their number is averaged [s]."""
MOST_PACKETS = (64, 2048)
"""Packets that are read at a time: at least the first, and twice a flood since the last time, up to
the second. An exchange may come late, on a busy machine, and finds all that was sent meanwhile."""
CATCH_UP = 2.0
"""The reported energy of a hand may rise by this many times what its last force explains: what lost
packets would have said comes with the next ones."""
SINGULAR_MOST = 20.0
"""A stiffness grows by this factor at most."""


_X, _QUAT, _FORCE, _TORQUE = slice(3), slice(6, 10), slice(13, 16), slice(16, 19)
"""In the numbers of a packet HAND."""


@dataclass(frozen=True, slots=True)
class Received:
    """A packet that came in."""

    data: bytes
    sender: Hashable
    """Where it came from."""


class Transport(Protocol):
    """How packets go; UDP, or something else in a test."""

    @property
    def key(self) -> bytes:
        """What both ends know; empty: nothing."""
        ...

    @property
    def peer(self) -> Hashable:
        """Where the other side is; None: the first sender."""
        ...

    def send(self, data: bytes, to: Any) -> None:
        """One packet out."""
        ...

    def receive(self) -> Received | None:
        """The next one, if there is one."""
        ...

    def close(self) -> None:
        """Let go."""
        ...


class UdpTransport:
    """A UDP port; answers go to a fixed place, or to who spoke first."""

    def __init__(
        self, listen: str = "127.0.0.1:0", peer: str = "", *, key: bytes | str | None = None
    ) -> None:
        """Open it.

        Args:
            listen: Address and port of this machine, "host:port"; port 0: any free one.
            peer: Where the haptic thread is; none: the first sender.
            key: What both ends know; needed when that is on another machine. None: that of the
                environment variable KINEGEN_HAPTIC_KEY, if any.
        """
        place = address_of(listen)
        self.key = key_of(key)
        host = address_of(peer)[0] if peer else ""
        require_key(self.key, place[0], host)
        self.peer = (socket.gethostbyname(host), address_of(peer)[1]) if peer else None
        self.unsent = 0
        """Packets that could not be sent."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind(place)
        except OSError as error:
            self._socket.close()
            raise UsageError(f"UDP port {listen} is not available: {error}") from error
        self._socket.setblocking(False)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._socket.getsockname()[1])

    def send(self, data: bytes, to: Any) -> None:
        """One packet out; lost ones are nobody's fault."""
        try:
            self._socket.sendto(data, to)
        except OSError:
            self.unsent += 1

    def receive(self) -> Received | None:
        """The next one, if there is one."""
        # errors of what was sent before (nobody there, network down) are reported here: not ours
        for _ in range(8):
            try:
                return Received(*self._socket.recvfrom(2048))
            except BlockingIOError:
                return None
            except OSError:
                continue
        return None

    def close(self) -> None:
        """Close the port."""
        self._socket.close()


class HapticLink:
    """Moves the hand on a simulation by the packets of a haptic thread."""

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
        singular: float = 1.0,
    ) -> None:
        """Connect a touch.

        Args:
            simulation: The mechanism, being simulated.
            touch: A push or pull of it.
            transport: Sends and receives the packets.
            clock: [s]
            origin: Where the middle of the device's space is in the world [m].
            scale: World's lengths per device's.
            reserve: Energy that the mechanism may receive before a hand gives it [J].
            silence: Time without a packet after which the hand counts as lost [s].
            singular: Stiffness of a pull at a singular pose, as a multiple of the usual one; it
                grows as the pose comes near. 1: it is always the same.
        """
        self.simulation = simulation
        self.touch = touch
        self.transport = transport
        self.clock = clock
        self.origin, self.scale = np.array(origin, dtype=float), float(scale)
        if self.origin.shape != (3,) or not np.isfinite(self.origin).all():
            raise UsageError(f"the origin must be three finite numbers, got {origin!r}")
        if not 1 <= singular <= SINGULAR_MOST:
            raise UsageError(
                f"the factor on the stiffness at singular poses must be from 1 to "
                f"{SINGULAR_MOST:g}, got {singular!r}"
            )
        for name, value in (("scale", scale), ("silence", silence)):
            if not (value > 0 and math.isfinite(value)):
                raise UsageError(f"the {name} must be positive, got {value!r}")
        if not 0 <= reserve < math.inf:
            raise UsageError(f"the reserve must not be negative, got {reserve!r}")
        firmest = float(np.max(_stiffness(touch)[0] * [scale, 1 / scale])) * singular
        if firmest > STIFFNESS_MOST:
            raise UsageError(
                f"the stiffness at the hand would be {firmest:.3g} N/m (that of the touch, times "
                f"its scale {scale:g} and the factor {singular:g} at singular poses); at most "
                f"{STIFFNESS_MOST:g} N/m can be felt"
            )
        self.reserve, self.silence = float(reserve), float(silence)
        self.session = Session(
            PacketKind.HAND, key=transport.key, peer=transport.peer, silence=self.silence
        )
        """Who the hand is, and what became of its packets (``counts``)."""
        self.flooded, self.jumps = 0, 0
        """Exchanges in a flood; jumps of the hand."""
        self.trouble = "the hand has not sent anything yet"
        """What is wrong, in words; empty: nothing."""
        self._given, self._given_base = 0.0, 0.0
        self._before: Packet | None = None
        self._room = HAND_BURST
        self._start = clock()
        self._now = self._start
        self._rate, self._came = 0.0, 0
        self.wants_pose = isinstance(touch, Pull) and touch.has_pose
        """Whether a device that can turn the part may do so: a pull that began with a pose."""
        self.turns = False
        """Whether it does."""
        self.place: Floats | None = None
        """Where the hand is in the world [m]; None: it has not sent anything yet."""
        self._clutch: SO3 | None = None
        self.firm = 1.0
        """Factor on the stiffness now, because of a singular pose nearby."""
        self._feel: SingularFeel | None = None
        if isinstance(touch, Pull) and singular > 1:
            q = simulation.engine.q
            self._feel = SingularFeel(simulation.model, q, touch.grip.name, float(singular))
            self._usual = touch.impedance
        touch.strength = 0.0

    @property
    def heard(self) -> int:
        """Number of new, valid packets."""
        return self.session.counts[Heard.NEW]

    @property
    def old(self) -> int:
        """Number of outdated or duplicate packets."""
        return self.session.counts[Heard.OLD]

    @property
    def bad(self) -> int:
        """Number of malformed or out-of-bounds packets."""
        return self.session.counts[Heard.BAD] + self.session.counts[Heard.WRONG]

    @property
    def strange(self) -> int:
        """Number of packets from another address, or without a valid tag."""
        return self.session.counts[Heard.STRANGER] + self.session.counts[Heard.UNPROVEN]

    def exchange(self) -> None:
        """Read the hand, move the touch, report the point; call it about once per step."""
        now = self.clock()
        span, self._now = max(now - self._now, 0.0), now
        self._room = min(self._room + span, HAND_BURST)
        self._hear(now, span)
        last = self.session.last
        is_here = last is not None and now - self.session.last_at < self.silence
        is_flood = self._rate > FLOOD
        if is_flood:
            self.flooded += 1
            self.trouble = "the hand floods the link with packets: its force faded to zero"
        elif last is None:
            self.trouble = "the hand has not sent anything yet"
        elif not is_here:
            self.trouble = "the hand stopped sending: its force faded to zero"
        else:
            self.trouble = ""
        grows = 1 if is_here and not is_flood else -1
        if span > self.silence:  # the mechanism rested: its force fades in again
            self.touch.strength, span = 0.0, 0.0
        self.touch.strength = min(max(self.touch.strength + grows * span / FADE, 0.0), 1.0)
        self._stiffen()
        if last is not None:
            self._lead(last)
        self._report(now)

    def run(self, seconds: float, *, step: float = 1e-3) -> None:
        """Simulate in real time, exchanging packets every ``step`` seconds."""
        begin, done = self.clock(), 0.0
        while done < seconds and self.simulation.is_running:
            self.exchange()
            self.simulation.advance(step)
            done += step
            ahead = begin + done - self.clock()
            if ahead > 0:
                time.sleep(ahead)

    # Inside

    def _stiffen(self) -> None:
        """Near a singular pose the hand holds more firmly, with the same share of damping."""
        if self._feel is None or not isinstance(self.touch, Pull):
            return
        firm = self._feel.factor(self.simulation.engine.q)
        if firm == self.firm:
            return
        self.firm = firm
        K, B, soft = self._usual.stiffness, self._usual.damping, math.sqrt(firm)
        self.touch.tune(
            float(K[0, 0]) * firm, float(B[0, 0]) * soft,
            float(K[3, 3]) * firm, float(B[3, 3]) * soft,
        )  # fmt: skip

    def _hear(self, now: float, span: float) -> None:
        least, most = MOST_PACKETS
        most = int(min(max(2 * FLOOD * span, least), most))
        count = 0
        while count < most:
            came = self.transport.receive()
            if came is None:
                break
            count += 1
            packet = self.session.open(came.data, came.sender, now)
            if packet is not None:
                self._book(packet)
        self.session.watch(now)
        self._came += count
        if span > 0:
            # where not all were read there are more of them
            rate = max(self._came / span, 2 * FLOOD if count == most else 0.0)
            self._rate += min(span / FLOOD_MEMORY, 1.0) * (rate - self._rate)
            self._came = 0

    def _book(self, packet: Packet) -> None:
        """What the hand gave: what it says, as far as its last force and its way explain it."""
        reported, before = packet.numbers[19], self._before
        if before is None or self.session.is_restart:
            # another hand, or the same one after a silence: it may count from any number
            self._given_base = reported - self._given
            self._clutch, self.touch.strength = None, 0.0
        else:
            here, last = packet.numbers, before.numbers
            way = math.dist(here[_X], last[_X])
            turn = 0.0
            if here[_QUAT] != last[_QUAT]:
                now, was = SO3(np.array(here[_QUAT])), SO3(np.array(last[_QUAT]))
                w = (now @ was.inverse()).log()
                turn = float(np.linalg.norm(w))
            spent = max(way / HAND_SPEED, turn / HAND_SPIN)
            most = way * math.hypot(*last[_FORCE]) + turn * math.hypot(*last[_TORQUE])
            if spent > self._room:
                self.jumps += 1
                most, self.touch.strength, self._room = 0.0, 0.0, HAND_BURST
            else:
                self._room -= spent
            target = reported - self._given_base
            self._given = min(target, self._given + CATCH_UP * most)
        self._before = packet

    def _lead(self, packet: Packet) -> None:
        """The hand is where it said, carried on by its speed for as long as it is believed."""
        numbers = np.array(packet.numbers)
        speed = np.concatenate([numbers[3:6] * self.scale, numbers[10:13]])
        age = min(max(self._now - self.session.last_at, 0.0), FADE)
        place = self.origin + numbers[:3] * self.scale + age * speed[:3]
        self.place = place
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
        self.touch.credit = self._given * self.scale + self.reserve - self.touch.energy

    def _report(self, now: float) -> None:
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
        waited = min(max(now - self.session.last_at, 0.0), HELD_MOST)
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
                [touch.energy / scale, waited if self.session.last else 0.0],
            ]
        )
        if self.session.peer is not None:
            stamp = now - self._start + 1e-9
            data = self.session.seal(PacketKind.STATE, stamp, numbers.tolist())
            self.transport.send(data, self.session.peer)


def _stiffness(touch: Touch) -> tuple[Floats, Floats]:
    """One stiffness and one damping for all directions, linear and angular."""
    if isinstance(touch, Pull):
        turns = [1.0, float(touch.has_pose)]
        firm = touch.impedance
        sums = [
            [np.trace(one[:3, :3]) / 3, np.trace(one[3:, 3:]) / 3]
            for one in (firm.stiffness, firm.damping)
        ]
        return np.multiply(sums[0], turns), np.multiply(sums[1], turns)
    assert isinstance(touch, Push)
    return np.array([touch.stiffness, 0.0]), np.array([touch.damping, 0.0])
