"""Folder watch: notices what other programs do to the project folder."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from kinegen.errors import KinegenError
from kinegen.studio.project import Project
from kinegen.studio.room import Room

__all__ = ["FolderWatch"]

_LOG = logging.getLogger(__name__)
WATCH = 1.0
"""[s] Between two looks at the folder."""
_SHARE = 0.05
"""Of its time that a thread may spend with looking, at most: large folders are looked at less."""

Looker = Callable[..., Awaitable[Any]]
"""Runs a function in a thread."""


class FolderWatch:
    """Looks at the files of open sessions, and at the list of all files, once a second."""

    def __init__(self, project: Project, rooms: Mapping[str, Room], in_thread: Looker) -> None:
        self._project = project
        self._rooms = rooms
        self._in_thread = in_thread
        self._following: dict[Room, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            begun = time.monotonic()
            try:
                await self._look()
            except Exception as error:  # whatever lies in the folder, the next look is taken
                _LOG.debug("the project folder could not be looked at: %s", error)
            await asyncio.sleep(max(WATCH, (time.monotonic() - begun) / _SHARE))

    async def _look(self) -> None:
        rooms = [room for room in self._rooms.values() if room not in self._following]
        files = [room.session.present.file for room in rooms]
        looks = await self._in_thread(self._stats, {file for file in files if file is not None})
        for room, file in zip(rooms, files, strict=True):
            seen = (file, looks.get(file))
            if file is not None and seen != room.disk_look:
                room.disk_look = seen
                # apart: a change that takes long in one room must not hold up the others
                task = self._following[room] = asyncio.create_task(self._follow(room))
                task.add_done_callback(partial(self._followed, room))
        found = await self._in_thread(self._project.files)
        for room in list(self._rooms.values()):
            room.tell_files(found)

    async def _follow(self, room: Room) -> None:
        with contextlib.suppress(KinegenError, OSError):
            await room.look_at_disk()

    def _followed(self, room: Room, task: asyncio.Task[None]) -> None:
        self._following.pop(room, None)

    def _stats(self, files: set[str]) -> dict[str, tuple[int, ...] | None]:
        """How files look from outside; None for those that are not there."""
        looks: dict[str, tuple[int, ...] | None] = {}
        for file in files:
            looks[file] = None
            with contextlib.suppress(OSError, KinegenError):
                stat = self._project.path(file).stat()
                looks[file] = (stat.st_mtime_ns, stat.st_size, stat.st_ino, stat.st_mode)
        return looks
