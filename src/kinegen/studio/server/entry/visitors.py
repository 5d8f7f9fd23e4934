"""Visitors: every open connection, how far it has come, and who must go when there are too many.

A connection costs a file descriptor, of which a process has few. One that has not said what it
wants yet, or has nothing to say any more, is closed after a while, and at once when its place is
needed: so half-sent requests, however many, keep nobody out.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from kinegen.studio.server.entry.guard import is_loopback

__all__ = ["Phase", "Visitors", "connection_limit", "raise_file_limit"]

Phase = Literal["arriving", "asking", "resting", "page"]
"""Has not sent a whole request yet, TLS included; is being answered; between two requests; is a
page with its socket."""

PATIENCE: dict[Phase, float] = {"arriving": 10.0, "asking": 300.0, "resting": 10.0}
"""[s] How long a connection may be in a phase; pages answer pings instead."""
MOST = 1000
"""Connections at a time."""
MOST_OF_ONE = 250
"""Connections at a time from one address that is not this machine: a class behind one router."""
_ROUND = 0.5
"""[s] Between two looks at who has been there for too long."""
_OTHERS = 256
"""File descriptors that are left for files, workers and simulations."""
_FILES = 8192
"""File descriptors that the studio asks the system for."""

Peer = tuple[Any, ...]


@dataclass(slots=True)
class _Visitor:
    phase: Phase
    since: float
    close: Callable[[], None]


class Visitors:
    """The connections of one studio, by the address and port of their other end."""

    def __init__(
        self,
        most: int | None = None,
        most_of_one: int = MOST_OF_ONE,
        *,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.most = most or connection_limit()
        """Connections at a time."""
        self._most_of_one = most_of_one
        self._clock = clock
        self._all: dict[Peer, _Visitor] = {}
        self.refused = 0
        """Connections that were turned away, or closed because their place was needed."""
        self.expired = 0
        """Connections that were closed because they took too long."""

    def __len__(self) -> int:
        return len(self._all)

    def __contains__(self, peer: Peer) -> bool:
        return peer in self._all

    def admit(self, peer: Peer, close: Callable[[], None]) -> bool:
        """Let a connection in; False when there is no place and nobody who could make one."""
        crowd = self._crowd(peer[0])
        if crowd is not None and not self.make_place(crowd):
            self.refused += 1
            return False
        self._all[peer] = _Visitor("arriving", self._now(), close)
        return True

    def make_place(self, crowd: Iterable[Peer] | None = None) -> bool:
        """Close a connection that can be spared, of some or of all; False when there is none."""
        idle = [
            (_MAY_GO[visitor.phase], visitor.since, peer)
            for peer in (self._all if crowd is None else crowd)
            if (visitor := self._all[peer]).phase in _MAY_GO
        ]
        if not idle:
            return False
        self.refused += 1
        # those who have not said a word before those who have, and the longest of them
        self._send_away(min(idle)[2])
        return True

    def mark(self, peer: Peer, phase: Phase) -> None:
        """A connection has come further."""
        visitor = self._all.get(peer)
        if visitor is not None and visitor.phase != phase:
            visitor.phase, visitor.since = phase, self._now()

    def gone(self, peer: Peer) -> None:
        """A connection has ended."""
        self._all.pop(peer, None)

    def sweep(self) -> None:
        """Close what has been in its phase for too long."""
        now = self._now()
        for peer, visitor in list(self._all.items()):
            if now - visitor.since > PATIENCE.get(visitor.phase, float("inf")):
                self.expired += 1
                self._send_away(peer)

    async def keep_moving(self) -> None:
        """Sweep now and then, for ever."""
        while True:
            await asyncio.sleep(_ROUND)
            self.sweep()

    def _crowd(self, address: Any) -> list[Peer] | None:
        """Those among whom one has to go before another from an address can come; None: nobody."""
        if not is_loopback(str(address)):
            same = [peer for peer in self._all if peer[0] == address]
            if len(same) >= self._most_of_one:
                return same
        return list(self._all) if len(self._all) >= self.most else None

    def _send_away(self, peer: Peer) -> None:
        self._all.pop(peer).close()

    def _now(self) -> float:
        return self._clock() if self._clock else asyncio.get_running_loop().time()


_MAY_GO: dict[Phase, int] = {"arriving": 0, "resting": 1}
"""Phases in which a connection may be closed for another, and who goes first."""


def raise_file_limit() -> None:
    """Ask the system for as many file descriptors as the studio may need."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):
            pass  # then with what there is


def connection_limit() -> int:
    """Connections that this process can have at a time, with files left for everything else."""
    if sys.platform == "win32":
        return MOST
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST
    return min(MOST, max(soft - _OTHERS, soft // 2))
