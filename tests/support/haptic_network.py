"""A hand, a network that misbehaves and a mechanism, all in simulated time: runs are repeatable."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.random import Generator

import kinegen as kg
from kinegen.devices.link import HapticLink, Received
from kinegen.devices.packets import PacketKind, pack, unpack
from kinegen.kernels import BoundHapticPoint, Floats, HapticSettings, haptic_point
from kinegen.spatial.rotation import SO3

STEP = 1e-3


@dataclass
class Network:
    """One direction: packets come late, in disorder, twice, or never."""

    rng: Generator
    delay: float = 0.0
    jitter: float = 0.0
    loss: float = 0.0
    double: float = 0.0
    queue: list[tuple[float, int, bytes]] = field(default_factory=list)
    numbers: count[int] = field(default_factory=count)

    def send(self, data: bytes, now: float) -> None:
        for _ in range(1 + (self.rng.random() < self.double)):
            if self.rng.random() >= self.loss:
                late = self.delay + self.jitter * self.rng.random()
                heapq.heappush(self.queue, (now + late, next(self.numbers), data))

    def receive(self, now: float) -> bytes | None:
        if self.queue and self.queue[0][0] <= now:
            return heapq.heappop(self.queue)[2]
        return None


class World:
    """A simulated hand (mass, spring, damper), the haptic point, the network, the simulation."""

    def __init__(
        self,
        simulation: kg.Simulation,
        touch: kg.dynamics.Touch,
        *,
        settings: HapticSettings | None = None,
        seed: int = 0,
        hand: tuple[float, float, float] = (0.2, 50.0, 0.5),
        turns: bool = False,
        **trouble: float,
    ) -> None:
        rng = np.random.default_rng(seed)
        self.now = 1.0
        self.there, self.back = Network(rng, **trouble), Network(rng, **trouble)
        self.simulation, self.touch = simulation, touch
        engine = simulation.engine
        self.origin = touch.grip.state(engine.q, engine.v).place
        self.link = HapticLink(
            simulation, touch, self, clock=lambda: self.now, origin=self.origin.tolist()
        )
        self.point: BoundHapticPoint = haptic_point(settings or HapticSettings())
        self.mass, self.stiffness, self.damping = hand
        self.turns = turns
        """Whether the hand turns as well: radius of gyration 5 cm."""
        self.x, self.v, self.force = np.zeros(3), np.zeros(3), np.zeros(3)
        self.turn, self.w, self.torque = SO3.identity(), np.zeros(3), np.zeros(3)
        self.sequence, self.got = 0, 0.0
        self.is_cut = False
        """Whether nothing comes through at all."""
        self.energies: list[float] = []
        self.places: list[Floats] = []
        self.forces: list[Floats] = []

    # what the link takes for its transport
    key, peer = b"", "hand"

    def send(self, data: bytes, to: object) -> None:
        self.back.send(data, self.now)

    def receive(self) -> Received | None:
        data = None if self.is_cut else self.there.receive(self.now)
        return None if data is None else Received(data, "hand")

    def close(self) -> None:
        pass

    def run(
        self, seconds: float, wanted: Floats, turn: Floats | None = None, *, faulty: bool = False
    ) -> None:
        """The hand leads to a place and a rotation vector, in its own coordinates."""
        for _ in range(round(seconds / STEP)):
            self.now += STEP
            self.link.exchange()
            self.simulation.advance(STEP)
            while (data := self.back.receive(self.now)) is not None:
                packet = unpack(data, PacketKind.STATE)
                if packet is not None and not self.is_cut:
                    numbers = np.array(packet.numbers)
                    self.point.hear(packet.sequence, self.now, packet.echo, numbers)
            f = self.force + self.stiffness * (wanted - self.x)
            self.v = (self.v + STEP * f / self.mass) / (1 + STEP * self.damping / self.mass)
            before = self.x
            self.x = self.x + STEP * self.v
            self.got += float(self.force @ (self.x - before))
            if self.turns:
                self._turn(np.zeros(3) if turn is None else turn)
                speed = np.concatenate([self.v, self.w])
                felt = self.point.tick(self.now, self.x, self.turn.quat, speed, faulty)
                self.force, self.torque = felt[:3], felt[3:]
            else:
                self.force = self.point.tick(self.now, self.x, None, self.v, faulty)
            self.sequence += 1
            numbers = [
                *self.x, *self.v, *self.turn.quat, *self.w, *self.force, *self.torque,
                self.point.state()[2], 0, 6 if self.turns else 3,
            ]  # fmt: skip
            self.there.send(pack(PacketKind.HAND, self.sequence, self.now, 0.0, numbers), self.now)
            self.energies.append(self.got)
            self.places.append(self.x)
            self.forces.append(self.force)

    def _turn(self, wanted: Floats) -> None:
        """The hand's own rotation: spring and damper to the wanted one."""
        inertia, gyration = self.mass * 0.05**2, 0.05**2
        t = self.torque + gyration * self.stiffness * (SO3.exp(wanted) @ self.turn.inverse()).log()
        self.w = (self.w + STEP * t / inertia) / (1 + STEP * self.damping * gyration / inertia)
        self.turn = SO3.exp(STEP * self.w) @ self.turn
        self.got += float(self.torque @ self.w) * STEP
