"""LiveReporter: sends the studio what is new about a running simulation, and nothing twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

from kinegen.studio.live.frames import pack_live
from kinegen.studio.live.orders import (
    DeviceTable,
    Frame,
    Phase,
    PictureDrawn,
    SignalTable,
    State,
    Warn,
    WireTable,
    WorldParts,
)
from kinegen.studio.live.replay import LiveReplay
from kinegen.studio.live.simulation import LiveSimulation
from kinegen.studio.live.world import LiveWorld
from kinegen.studio.wire.message import Message
from kinegen.studio.wire.messages import (
    ForceDeviceData,
    SignalData,
    WireData,
    WorldPeople,
    WorldPerson,
)

__all__ = ["Answer", "Live", "LiveReporter"]

Answer: TypeAlias = Callable[[Message, bytes], None]
"""Sends a message, and the bytes that follow it."""
Live: TypeAlias = LiveSimulation | LiveReplay
"""What a page runs."""

LISTED = 0.25
"""[s] So often it is looked whether nodes have other attributes."""
PEOPLE = 1 / 30
"""[s] People are sent at most this often."""
REACTIONS = 1 / 15
"""[s] Forces in the joints are sent at most this often."""


class LiveReporter:
    """Remembers what the studio knows already."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.devices: list[ForceDeviceData] = []
        """The force devices that the studio knows of."""
        self._state: State | None = None
        self._signals: list[SignalData] = []
        self._parts: WorldParts | None = None
        self._people: list[WorldPerson] = []
        self._wires: list[WireData] = []
        self._listed = self._reacted = self._peopled = 0.0
        """When parts, forces in the joints and people were sent last."""

    def forget_state(self) -> None:
        """Send the state next time even if it is the same: another run has begun."""
        self._state = None

    def send(self, live: Live, *, is_running: bool) -> None:
        """Send a frame, and whatever else has changed."""
        now = time.perf_counter()
        # a frame that has no successor says all
        due = not is_running or now - self._reacted >= REACTIONS
        wanted = live.settings.reactions and due
        if wanted:
            self._reacted = now
        self._send_world(live, now, is_running=is_running)
        body = pack_live(live.frame(reactions=wanted))
        self._answer(Frame(len(body)), body)
        if live.world is not None:
            for head, data in live.world.pictures(live.settings.pictures):
                self._answer(PictureDrawn(head, len(data)), data)
        if not is_running or now - self._peopled >= PEOPLE:
            self._peopled = now
            self._send_people(live)
        phase: Phase = "stopped" if live.reason else "running" if is_running else "paused"
        reason = live.reason or (live.ending if live.is_done else "")
        state = State(phase, reason, live.reactions_refused)
        if state != self._state:
            self._state = state
            self._answer(state, b"")

    def send_devices(self, table: Sequence[ForceDeviceData]) -> None:
        """Send the force devices, where they have changed."""
        if table != self.devices:
            self.devices = [*table]
            self._answer(DeviceTable(self.devices), b"")

    def send_wires(self, table: Sequence[WireData]) -> None:
        """Send the wires, where they have changed."""
        if table != self._wires:
            self._wires = [*table]
            self._answer(WireTable(self._wires), b"")

    def _send_world(self, live: Live, now: float, *, is_running: bool) -> None:
        """The signals of a world where they have changed, and what its agents had to report."""
        world = live.world
        table = [] if world is None else world.table()
        if table != self._signals:
            self._signals = table
            self._answer(SignalTable(table), b"")
        if world is None:
            return
        while world.news:
            self._answer(Warn(world.news.popleft()), b"")
        if is_running and now - self._listed < LISTED:
            return
        self._listed = now
        parts = WorldParts(world.sensors(), world.nodes())
        if parts != self._parts:
            self._parts = parts
            self._answer(parts, b"")

    def _send_people(self, live: Live) -> None:
        shown = live.world.people.shown() if isinstance(live.world, LiveWorld) else []
        if shown != self._people:
            self._people = shown
            self._answer(WorldPeople(shown), b"")
