"""Housekeeping: what is done for sessions from time to time: journals, closing, memory."""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import TYPE_CHECKING

from kinegen.studio.server.processes.memory import Growth, give_back
from kinegen.studio.session.room import Room

if TYPE_CHECKING:
    from kinegen.studio.session.hub import Hub

__all__ = ["Housekeeping"]

KEEP = 60.0
"""[s] A session that everybody left stays in memory this long; then it rests in its journal, from
which pages that come back get it again."""
JOURNAL = 0.5
"""[s] Poses between two steps reach the journal at most this much later; steps do at once."""
LATE = 5.0
"""[s] A disk that takes longer is a reason to warn."""
GRACE = 10.0
"""[s] After which the recording of a page that is gone becomes a motion."""
FIRST_VISIT = 120.0
"""[s] Whoever starts a studio that ends when all have left comes within this time, on a busy
machine too."""
_LOG = logging.getLogger(__name__)


class Housekeeping:
    """Looks after the rooms of a studio."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.to_give_back = False
        """Whether sessions were closed whose memory is still held."""
        self._growth = Growth()
        self._deserted_since: float | None = None
        """[s, loop time] Since when nobody is in any room."""
        self._was_visited = False
        self.tending: dict[str, asyncio.Task[None]] = {}
        """What is done for single rooms, which may have to wait for them."""

    async def run(self) -> None:
        """Look after the rooms until cancelled."""
        while True:
            await asyncio.sleep(JOURNAL)
            for name, room in list(self._hub.rooms.items()):
                room.write_journal()
                lag = self._hub.keeper.lag(name)
                if lag == 0.0:
                    room.journal_trouble(None)
                elif lag > LATE and room.trouble is None:
                    room.journal_trouble("the disk is slow")
                # one room that is slow, or broken, must not hold up the others
                if name not in self.tending:
                    task = self.tending[name] = asyncio.create_task(self._tend(room))
                    task.add_done_callback(functools.partial(self._tended, name))
            self._hub.downloads.forget()
            self._quit_when_left()
            self._hub.keep_spares()
            if (self.to_give_back and not self.tending) or self._growth.is_due():
                self.to_give_back = False
                await self._hub.in_thread(give_back)
                self._growth.given()

    def _quit_when_left(self) -> None:
        """End a studio that was started for a program, when programs and pages are gone."""
        hub, now = self._hub, asyncio.get_running_loop().time()
        if hub.quit is None or any(room.empty_since is None for room in hub.rooms.values()):
            self._deserted_since = None
            return
        self._was_visited = self._was_visited or bool(hub.rooms)
        patience = hub.linger if self._was_visited else max(hub.linger, FIRST_VISIT)
        self._deserted_since = self._deserted_since or now
        if now - self._deserted_since > patience:
            hub.quit()

    def _tended(self, name: str, task: asyncio.Task[None]) -> None:
        self.tending.pop(name, None)
        if not task.cancelled() and task.exception() is not None:
            _LOG.error("session %s could not be maintained: %s", name, task.exception())

    async def _tend(self, room: Room) -> None:
        """What a room needs that nobody, or nobody who may change it, is in."""
        now = asyncio.get_running_loop().time()
        alone, since = room.unattended_since, room.empty_since
        # other programs may use a robot that has wires
        if alone is not None and now - alone > (KEEP if room.live.state.wires else GRACE):
            await room.live.close()
        if alone is not None and now - alone > GRACE:
            await self._hub.keep_recordings(room)
        if since is not None and now - since > KEEP:
            await self._hub.close(room)

    def is_left(self, room: Room) -> bool:
        """Whether everybody left a room, and not just for a reload."""
        now = asyncio.get_running_loop().time()
        return room.empty_since is not None and now - room.empty_since > GRACE
