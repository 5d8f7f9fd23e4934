"""Outbox: what waits to be sent to one page; snapshots and poses wait in their latest form only."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.codec import encode

__all__ = ["Outbox", "Socket"]

MOST_WAITING = 5000
"""Events that may wait for a page that does not read; beyond, it is given up."""
FEW = 8
"""Entries that may wait while a job continues to send pieces."""


class Socket(Protocol):
    """What an outbox needs of a connection."""

    async def send_text(self, data: str) -> None: ...  # noqa: D102
    async def send_bytes(self, data: bytes) -> None: ...  # noqa: D102


class _Entry:
    """Something to send: the text, or what makes it when its turn comes."""

    __slots__ = ("content",)

    def __init__(self, content: bytes | Callable[[], str]) -> None:
        self.content = content


class Outbox:
    """A queue that never grows with snapshots: a newer one takes the place of the one waiting."""

    def __init__(self) -> None:
        self._entries: deque[_Entry] = deque()
        self._latest: dict[str, _Entry] = {}
        self._wake = asyncio.Event()
        self._sent = asyncio.Event()
        self.overflowed = False
        self.ending: str | None = None
        """Why the connection is to be ended, once all is sent that came before."""

    def end(self, reason: str) -> None:
        """End the connection after what waits now."""
        self.ending = reason
        self._wake.set()

    def put(self, message: wire.Message, *, key: str | None = None) -> None:
        """Queue a message; a snapshot replaces an unsent one of its kind (and key)."""
        if message.DELIVERY == "snapshot":
            self.put_latest(f"{message.KIND}/{key or ''}", lambda: encode(message))
        else:
            self._add(_Entry(lambda: encode(message)))

    def put_latest(self, key: str, content: bytes | Callable[[], str]) -> None:
        """Queue something that replaces what waits under the same key, in its place."""
        waiting = self._latest.get(key)
        if waiting is not None:
            waiting.content = content
            return
        entry = _Entry(content)
        self._latest[key] = entry
        self._add(entry)

    async def put_when_read(self, content: bytes) -> None:
        """Queue something large; waits while the page has not read what came before."""
        self._add(_Entry(content))
        while len(self._entries) > FEW and not self.overflowed:
            self._sent.clear()
            await self._sent.wait()

    def waits(self, key: str) -> bool:
        """Whether something of a key has not been sent yet."""
        return key in self._latest

    def __len__(self) -> int:
        return len(self._entries)

    def _add(self, entry: _Entry) -> None:
        if len(self._entries) >= MOST_WAITING:
            self.overflowed = True
        else:
            self._entries.append(entry)
        self._wake.set()

    async def run(self, socket: Socket) -> None:
        """Send what comes, one after the other, as fast as the page reads.

        Ends on overflow, and when the end was asked for.
        """
        while not self.overflowed:
            while self._entries and not self.overflowed:
                entry = self._entries.popleft()
                for key, latest in self._latest.items():
                    if latest is entry:
                        del self._latest[key]
                        break
                content = entry.content
                if isinstance(content, bytes):
                    await socket.send_bytes(content)
                else:
                    await socket.send_text(content())
                self._sent.set()
            if self.ending is not None:
                return
            self._wake.clear()
            if not self._entries and not self.overflowed:
                await self._wake.wait()
