"""LiveWires: the wires by which other programs move the robot that a page simulates."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from kinegen.bridges.transport.traffic import WireTraffic
from kinegen.bridges.world_bridge import WorldBridge
from kinegen.errors import KinegenError, UsageError
from kinegen.studio.wire.messages import PacketData, Traffic, TrafficData, WireData
from kinegen.world.world import World

__all__ = ["LiveWires"]

T = TypeVar("T")

LOOK = 0.25
"""[s] Between two looks at the traffic."""
SHOWN = 30
"""Packets of each wire that a page gets."""
LONGEST = 120
"""Letters of a packet that a page gets."""
SAY = 1.0
"""[s] While wires are being opened, it is said so often that this takes long."""


class LiveWires:
    """Has the wires that the settings name, behind whatever world is the present one."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """None yet; ``say`` hears in words what takes long."""
        self._say = say
        self._bridge: WorldBridge | None = None
        self._words: tuple[str, ...] = ()
        self._news: Traffic | None = None
        self._closed = threading.Event()

    @property
    def is_on(self) -> bool:
        """Whether there is any."""
        return self._bridge is not None

    def put(self, world: World | None, words: Sequence[str], *, hold: bool, keep: bool) -> bool:
        """Have these wires behind this world.

        Args:
            world: What runs now; None: nothing that could have wires.
            words: Protocols as in the settings.
            hold: Whether motors hold before anybody commands them.
            keep: Whether wires that are open fit this world's mechanism.

        Returns:
            False: clients have lost their wires, because the robot is another one.
        """
        bridge, asked = self._bridge, tuple(words)
        if len({word.partition(":")[0] for word in asked}) < len(asked):
            raise UsageError("a protocol can be switched on once")
        if world is None or not asked:
            self.close()
            return True
        kept = bridge is not None and keep
        if bridge is not None and keep and bridge.plant.world is not world:
            kept = bridge.follow(world, hold=hold)
        if bridge is not None and kept:
            if asked != self._words:
                self._patiently(lambda: bridge.change(asked))
                self._words = asked
            return True
        self.close()
        self._bridge = self._patiently(lambda: WorldBridge(world, asked, hold=hold))
        self._words = asked
        self._closed = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()
        return bridge is None

    def table(self) -> list[WireData]:
        """All wires, for a page."""
        words = {word.partition(":")[0]: word for word in self._words}
        return [
            WireData(words[one.kind], one.kind, one.robot, one.endpoint, list(one.facts))
            for one in ([] if self._bridge is None else self._bridge.table)
        ]

    def news(self) -> Traffic | None:
        """The traffic, where nobody has got it yet."""
        found, self._news = self._news, None
        return found

    def close(self) -> None:
        """Close all of them."""
        bridge, self._bridge, self._words, self._news = self._bridge, None, (), None
        self._closed.set()
        if bridge is not None:
            bridge.close()

    def _patiently(self, work: Callable[[], T]) -> T:
        """Wait for another process, and say so: who waits must not seem to hang."""
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(work)
            while True:
                try:
                    return future.result(SAY)
                except TimeoutError:
                    if future.done():
                        raise
                    self._say("opening the protocols")

    def _watch(self) -> None:
        bridge, closed = self._bridge, self._closed
        with contextlib.suppress(KinegenError):
            while bridge is not None and not closed.wait(LOOK):
                found = Traffic([_traffic(one) for one in bridge.traffic(SHOWN)])
                if not closed.is_set():
                    self._news = found


def _traffic(row: WireTraffic) -> TrafficData:
    return TrafficData(
        row["clients"], row["time"], row["received"], row["sent"], row["bytes_received"],
        row["bytes_sent"], row["errors"],
        [
            PacketData(one["time"], one["sender"] == "robot", one["words"][:LONGEST],
                       one["data"][:LONGEST])
            for one in row["last"]
        ],
    )  # fmt: skip
