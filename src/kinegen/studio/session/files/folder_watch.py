"""Folder watch: notices what other programs do to the project folder."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from kinegen.errors import KinegenError
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.room import Room

__all__ = ["FolderWatch"]

_LOG = logging.getLogger(__name__)
WATCH = 1.0
"""[s] Between two looks at the folder."""
_SHARE = 0.05
"""Of its time that a thread may spend with looking, at most: large folders are looked at less."""

Looker = Callable[..., Awaitable[Any]]
"""Runs a function in a thread."""


class FolderWatch:
    """Looks once a second: at open sessions' files and what they include, at the list of all."""

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
                _LOG.debug("the project folder could not be read: %s", error)
            await asyncio.sleep(max(WATCH, (time.monotonic() - begun) / _SHARE))

    async def _look(self) -> None:
        rooms = [room for room in self._rooms.values() if room not in self._following]
        found = await self._in_thread(self._project.files)
        named = [self._named(room, found) for room in rooms]
        looks = await self._in_thread(self._stats, set().union(*named))
        for room, files in zip(rooms, named, strict=True):
            seen = tuple((file, looks[file]) for file in files)
            if seen != room.disk_look:
                room.disk_look = seen
                # apart: a change that takes long in one room must not hold up the others
                task = self._following[room] = asyncio.create_task(self._follow(room))
                task.add_done_callback(partial(self._followed, room))
        for room in list(self._rooms.values()):
            room.send_files(found)

    def _named(self, room: Room, found: list[str]) -> list[str | Path]:
        """The files on which a room's text depends: its own, and what it includes."""
        session = room.session
        own = session.present.file
        files: list[str | Path] = [] if own is None else [own]
        opener = session.work.opener
        if opener is not None:
            files += map(Path, opener.files)
        # a text with problems may include any: it is read again when one of them changes
        return [*files, *found] if session.problems else files

    async def _follow(self, room: Room) -> None:
        with contextlib.suppress(KinegenError, OSError):
            await room.look_at_disk()

    def _followed(self, room: Room, task: asyncio.Task[None]) -> None:
        self._following.pop(room, None)

    def _stats(self, files: set[str | Path]) -> dict[str | Path, tuple[int, ...] | None]:
        """How files look from outside; None for those that are not there."""
        looks: dict[str | Path, tuple[int, ...] | None] = {}
        for file in files:
            looks[file] = None
            with contextlib.suppress(OSError, KinegenError):
                place = file if isinstance(file, Path) else self._project.path(file)
                stat = place.stat()
                looks[file] = (stat.st_mtime_ns, stat.st_size, stat.st_ino, stat.st_mode)
        return looks
