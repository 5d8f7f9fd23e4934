"""Uploads: from the wire to a temporary file, checked in a process of its own, then stored."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import orjson

from kinegen.errors import KinegenError, UsageError
from kinegen.studio.jobs.processes.pool import JobError, Workers
from kinegen.studio.server.uploading.folders import FolderUploads
from kinegen.studio.server.uploading.quota import Quota
from kinegen.studio.server.uploading.robot_files import largest_of, robot_suffixes
from kinegen.studio.server.uploading.worker import Upload
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.codec import EncodedResult

__all__ = ["TooLargeError", "TooManyError", "Uploads"]

AT_ONCE = 8
"""Uploads that are taken in at a time; others wait."""
MOST_WAITING = 32
"""Uploads that may wait; more are refused."""
STALL = 15.0
"""[s] An upload that brings nothing for this long is given up."""
RATE = 256 * 2**10
"""[bytes/s] An upload that is slower makes room when others wait: nobody keeps them out by
sending a byte now and then."""
SHARE = 10.0
"""[s] That every upload has before."""
TICK = 0.5
"""[s] Between two looks at whether somebody waits."""
CHECK = 60.0
"""[s] A file is looked into for at most this long."""
_PART = 2**20
"""[bytes] that are written to disk in one go."""
_OLD = 3600.0
"""[s] Temporary files of studios that were killed are removed after this time."""


class TooLargeError(KinegenError):
    """The file is larger than files of its kind may be."""


class TooManyError(KinegenError):
    """Too many uploads wait already."""


class Uploads:
    """Takes in files for a project folder."""

    def __init__(self, project: Project, state: Path, quota: Quota) -> None:
        self._project = project
        self._folder = state / "uploads"
        self._quota = quota
        self._workers = Workers(1, module="kinegen.studio.server.uploading.worker", longest=CHECK)
        self._places = asyncio.Semaphore(AT_ONCE)
        self._present = self._waiting = 0
        self.folders = FolderUploads(project, quota)
        """Whole folders, whose files come one by one."""
        self.count = 0
        """Files that were taken in."""

    @property
    def present(self) -> int:
        """Uploads that are under way or wait."""
        return self._present

    async def take(
        self, file: str, parts: AsyncIterator[bytes], length: int | None = None, *, key: str = ""
    ) -> str:
        """Take in a file; its path in the project folder, or in the folder that it is a part of.

        Args:
            file: The path that it should have; where another file has it, it gets a number.
            parts: Its content.
            length: What the client says its size is, if it does.
            key: Names the upload of a whole folder that it belongs to; ``file`` is its path there.
        """
        most = self._most(file)
        if length is not None and length > most:
            raise _too_large(most)
        if self._present >= AT_ONCE + MOST_WAITING:
            raise TooManyError("too many uploads at once; try again in a moment")
        self._present += 1
        try:
            self._waiting += 1
            try:
                await self._places.acquire()
            finally:
                self._waiting -= 1
            try:
                return await self._take(file, parts, most, key)
            finally:
                self._places.release()
        finally:
            self._present -= 1

    async def _take(self, file: str, parts: AsyncIterator[bytes], most: int, key: str) -> str:
        folder = self.folders.place(key, file) if key else self._project.folder
        content = await asyncio.to_thread(self._temporary)
        try:
            size = await _receive(parts, content, most, lambda: self._waiting > 0)
            with contextlib.ExitStack() as held:
                if not key:  # room for a folder is kept from its beginning
                    await asyncio.to_thread(held.enter_context, self._quota.holding(size))
                job = Upload(str(folder), file, str(content))
                found = await self._workers.run(job, _Silent())
                stored = str(orjson.loads(found.json)) if isinstance(found, EncodedResult) else ""
                if not key:
                    await asyncio.to_thread(self._quota.wrote, stored)
            self.count += 1
            return stored
        except JobError as error:
            raise UsageError(str(error)) from None
        finally:
            await asyncio.to_thread(content.unlink, missing_ok=True)

    def _most(self, file: str) -> int:
        """The largest size of a file; UsageError when it cannot be taken whatever its content."""
        self._project.path(file)
        most = largest_of(file)
        if most is None:
            kinds = ", ".join(robot_suffixes())
            raise UsageError(f"'{file[:80]}' cannot be uploaded; kinds of files: {kinds}")
        return most

    def _temporary(self) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for left in self._folder.iterdir():
            with contextlib.suppress(OSError):
                if time.time() - left.stat().st_mtime > _OLD:
                    left.unlink()
        handle, name = tempfile.mkstemp(dir=self._folder)
        os.close(handle)
        return Path(name)

    async def close(self) -> None:
        """End the process; folders that are not complete are removed."""
        await asyncio.to_thread(self.folders.close)
        await self._workers.close()


async def _receive(
    parts: AsyncIterator[bytes], place: Path, most: int, others_wait: Callable[[], bool]
) -> int:
    """Write what comes to a file, a piece at a time; its size."""
    size, waiting, begun = 0, bytearray(), time.monotonic()
    with open(place, "wb") as file:
        while True:
            part = await _next(
                parts,
                lambda size=size: others_wait() and _is_slow(size, begun),  # type: ignore[misc]
            )
            waiting += part or b""
            size += len(part or b"")
            if size > most:
                raise _too_large(most)
            if waiting and (part is None or len(waiting) >= _PART):
                await asyncio.to_thread(file.write, bytes(waiting))
                waiting.clear()
            if part is None:
                return size


def _is_slow(size: int, begun: float) -> bool:
    taken = time.monotonic() - begun
    return taken > SHARE and size < RATE * taken


async def _next(parts: AsyncIterator[bytes], is_in_the_way: Callable[[], bool]) -> bytes | None:
    """The next part, None at the end; UsageError when it does not come, or comes too slowly."""

    async def fetch() -> bytes | None:
        return await anext(parts, None)

    if is_in_the_way():
        raise TooManyError(_IN_THE_WAY)
    task, end = asyncio.create_task(fetch()), time.monotonic() + STALL
    try:
        while not (await asyncio.wait({task}, timeout=min(TICK, STALL)))[0]:
            if time.monotonic() > end:
                raise UsageError(f"the upload received no data for {STALL:.0f} s")
            if is_in_the_way():
                raise TooManyError(_IN_THE_WAY)
        return task.result()
    finally:
        task.cancel()


_IN_THE_WAY = "the upload was too slow while others were waiting; try again later"


def _too_large(most: int) -> TooLargeError:
    return TooLargeError(f"a file of this kind may have at most {most >> 20} MB")


class _Silent:
    """Nobody hears how far the check of a file is."""

    def progress(self, label: str, share: float | None) -> None:
        pass

    async def piece(self, head: bytes, data: bytes) -> None:
        pass
