"""Screens: the windows of a wall draw the same moments, none of them the next one too early."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kinegen.studio.wire.messages import Message, WallMoment

if TYPE_CHECKING:
    from kinegen.studio.session.room import Client

__all__ = ["PATIENCE", "Screens"]

PATIENCE = 1.0
"""[s] A window that has not drawn a moment for so long is not waited for, until it has."""


class Screens:
    """A swap lock over the network. All methods run in the event loop.

    What moves is kept here until every screen has reported that it has drawn the moment before.
    Then all of them get the latest of it at once, under one number.
    """

    def __init__(self) -> None:
        self.number = 0
        """Of the last moment that was sent."""
        self._clients: dict[int, Client] = {}
        self._drawn: dict[int, int] = {}
        """The last moment that each of them has drawn, by client."""
        self._waits: set[int] = set()
        """Clients that are still to draw the last moment, and are waited for."""
        self._due: dict[str, bytes | Message] = {}
        """What is to be seen next, the latest of each kind."""
        self._timer: asyncio.TimerHandle | None = None

    def __contains__(self, client: Client) -> bool:
        return client.number in self._clients

    def put(self, key: str, content: bytes | Message) -> None:
        """Something has moved: it is seen at the next moment."""
        if self._clients:
            self._due[key] = content
            self._go_on()

    def flush(self) -> None:
        """A change of the mechanism comes next: what came before it is not seen after it."""
        self._waits.clear()
        self._go_on()

    def drew(self, client: Client, number: int) -> None:
        """A screen has drawn a moment; 0 from one that has just been opened."""
        if client not in self:
            self._clients[client.number] = client
            # from here on it shows what comes when all the others do
            client.outbox.put(WallMoment(self.number, self._behind))
        self._drawn[client.number] = min(number, self.number)
        if number >= self.number:
            self._waits.discard(client.number)
        self._go_on()

    def left(self, client: Client) -> None:
        """A screen is gone: nobody waits for it."""
        if self._clients.pop(client.number, None) is None:
            return
        del self._drawn[client.number]
        self._waits.discard(client.number)
        if not self._clients:
            self._due.clear()
        self._go_on()

    @property
    def _behind(self) -> int:
        """Screens that have not drawn the last moment, and are not waited for."""
        late = {one for one, drawn in self._drawn.items() if drawn < self.number}
        return len(late - self._waits)

    def _go_on(self) -> None:
        if self._waits or not self._due:
            return
        due, self._due = self._due, {}
        behind = {one for one, drawn in self._drawn.items() if drawn < self.number}
        self.number += 1
        self._waits = set(self._clients) - behind
        moment = WallMoment(self.number, len(behind))
        for client in self._clients.values():
            for key, content in due.items():
                if isinstance(content, bytes):
                    client.outbox.put_latest(key, content)
                else:
                    client.outbox.put(content)
            client.outbox.put(moment)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PATIENCE, self._give_up)

    def _give_up(self) -> None:
        """Who has not drawn by now hangs, or its window is hidden."""
        self._timer = None
        self.flush()
