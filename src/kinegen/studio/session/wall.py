"""Wall: where the room of a wall of screens is in the world, and where the viewer's head is."""

from __future__ import annotations

import asyncio
import dataclasses
import math
from typing import TYPE_CHECKING

from kinegen.studio.session.people import checked_pose
from kinegen.studio.wire.codec import WireError
from kinegen.studio.wire.messages import HeadPose, PlaceWall, WallData, WallState

if TYPE_CHECKING:
    from kinegen.studio.session.room import Client, Room

__all__ = ["Wall"]

RELAY = 1 / 60
"""[s] What changed is passed on at most this often."""


class Wall:
    """What all screens of a session draw from. All methods may run in the event loop alone."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.state = WallState(0, 0.0, None, 1.0, 0, None, "")
        """What pages were sent last, or will be at the next turn."""
        self._tracker = 0
        """The page or program that sent the head, 0 for nobody."""
        self._timer: asyncio.TimerHandle | None = None
        self._passed = -math.inf
        """[s, loop time] When it was passed on last."""
        self._declared = self._placement()

    def place(self, client: Client, message: PlaceWall) -> None:
        """A page moves the room, and leads."""
        self._must_have("placed")
        self.state.at = checked_pose(message.at, "room")
        self.state.scale = message.scale
        self.state.lead = client.number
        self._pass_on_later()

    def head(self, client: Client, message: HeadPose) -> None:
        """The head is somewhere, or is no longer tracked."""
        self._must_have("looked at")
        if message.head is None and self._tracker not in (0, client.number):
            return  # another one has taken over
        self.state.head = None if message.head is None else checked_pose(message.head, "head")
        self.state.source = "" if message.head is None else message.source
        self._tracker = 0 if message.head is None else client.number
        self._pass_on_later()

    def entered(self, client: Client) -> None:
        """Whoever comes later gets the state."""
        if self.state.number:
            client.outbox.put(self.state)

    def left(self, client: Client) -> None:
        """A page that has left neither leads nor tracks."""
        if client.number == self.state.lead:
            self.state.lead = 0
            self._pass_on_later()
        if client.number == self._tracker:
            self.state.head, self.state.source, self._tracker = None, "", 0
            self._pass_on_later()

    def changed(self) -> None:
        """The mechanism changed: a wall that its file now places elsewhere is there."""
        declared = self._placement()
        if declared == self._declared:
            return
        self._declared = declared
        self.state.at = None
        self._pass_on_later()

    def _placement(self) -> tuple[object, ...] | None:
        wall = self._wall
        return None if wall is None else (wall.at, wall.scale)

    @property
    def _wall(self) -> WallData | None:
        return self._room.session.work.wall

    def _must_have(self, what: str) -> None:
        if self._wall is None:
            raise WireError(f"there is no wall that could be {what}: the file declares none")

    def _pass_on_later(self) -> None:
        loop = asyncio.get_running_loop()
        self.state.number += 1
        self.state.time = loop.time()
        if self._timer is not None:
            return  # the latest state is taken when its turn comes
        due = self._passed + RELAY
        if due <= loop.time():
            self._pass_on()
        else:
            self._timer = loop.call_at(due, self._pass_on)

    def _pass_on(self) -> None:
        self._timer = None
        self._passed = asyncio.get_running_loop().time()
        # programs too: one that shows something may want to know where the viewer is
        screens = self._room.screens
        for client in self._room.clients.values():
            if client not in screens:
                client.outbox.put(self.state)
        screens.put("wall", dataclasses.replace(self.state))
