"""Journal writer: threads that put what sessions hand over on disk, and wait for nobody.

A session hands over its latest record; one that still waits is replaced. What cannot be written is
tried again until it can be, and whoever listens hears of it.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from kinegen.files import sync_folder, write_atomically
from kinegen.studio.session.journals.autosave import Journal
from kinegen.studio.session.journals.log import LogWriter, Record

__all__ = ["JournalWriter"]

THREADS = 4
"""Writers at a time: file systems put what several of them sync at once on disk together."""
SMALL = 256 * 2**10
"""[bytes] A log that outgrows its first line by more than this is written again."""
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 5.0
"""[s] Before what failed is tried again."""

Listener = Callable[[str, OSError | None], None]


@dataclass(slots=True)
class _Work:
    """What waits to be written for a session."""

    record: Record | None = None
    samples: list[bytes] = field(default_factory=list)
    drop: bool = False
    """Whether the recordings on disk are to be removed first."""
    waiters: list[Future[bool]] = field(default_factory=list)
    since: float = field(default_factory=time.monotonic)
    due: float = 0.0
    failures: int = 0


class _Files:
    """A session's files as this writer left them."""

    def __init__(self) -> None:
        self.log = LogWriter()
        self.size: int | None = None
        """[bytes] Of the log; None when it must be written whole."""
        self.whole = 0
        """[bytes] Of its first line."""
        self.recording: int | None = None
        """[bytes] Of the recordings, None before the first."""


class JournalWriter:
    """Writes the journals of the sessions of one studio. Its methods return at once."""

    def __init__(self, journal: Journal, *, threads: int = THREADS) -> None:
        self._journal = journal
        self._news = threading.Condition()
        self._waiting: dict[str, _Work] = {}
        self._busy: dict[str, float] = {}
        """Sessions that a thread is writing, and since when what it writes has waited."""
        self._files: dict[str, _Files] = {}
        self._ends = False
        self.listener: Listener = lambda session, error: None
        """Hears, in a writer's thread, of what went wrong, and with None when it works again."""
        # daemons: a disk that does not answer must not keep the studio from ending
        self._threads = [
            threading.Thread(target=self._run, name=f"journal-{n}", daemon=True)
            for n in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    # What is handed over

    def keep(self, record: Record) -> None:
        """Write a session's state; only the latest counts."""
        with self._change(record.session) as work:
            work.record = record

    def samples(self, session: str, line: bytes) -> None:
        """Write a part of a recording."""
        with self._change(session) as work:
            work.samples.append(line)

    def drop_recordings(self, session: str) -> None:
        """Remove a session's recordings: they are stored elsewhere now."""
        with self._change(session) as work:
            work.samples.clear()
            work.drop = True

    def written(self, session: str) -> Future[bool]:
        """Whether all that was handed over for a session is on disk; False at the first failure."""
        future: Future[bool] = Future()
        with self._news:
            if session not in self._waiting and session not in self._busy:
                future.set_result(True)
                return future
        with self._change(session) as work:
            work.waiters.append(future)
            work.due = 0.0  # who asks does not want to wait for the next try
        return future

    def forget(self, session: str, *, remove: bool) -> None:
        """A session has ended here; with ``remove`` nothing of it stays on disk."""
        with self._news:
            self._waiting.pop(session, None)
            self._news.wait_for(lambda: session not in self._busy, timeout=LONGEST_PAUSE)
            self._waiting.pop(session, None)
            self._files.pop(session, None)
        if remove:
            self._journal.remove(session)

    def lag(self, session: str) -> float:
        """How long the oldest change that is not on disk has waited [s]; 0 when all is there."""
        with self._news:
            work = self._waiting.get(session)
            begun = [since for since in (self._busy.get(session),) if since is not None]
            begun += [work.since] if work else []
            return time.monotonic() - min(begun) if begun else 0.0

    def close(self, timeout: float = 10.0) -> list[str]:
        """Write what waits and end; the sessions whose last changes could not be written."""
        end = time.monotonic() + timeout
        with self._news:
            self._ends = True
            for work in self._waiting.values():
                work.due = 0.0
            self._news.notify_all()
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        with self._news:
            return sorted({*self._waiting, *self._busy})

    @contextlib.contextmanager
    def _change(self, session: str) -> Iterator[_Work]:
        with self._news:
            yield self._waiting.setdefault(session, _Work())
            self._news.notify()

    # The threads

    def _run(self) -> None:
        while True:
            with self._news:
                session = self._next()
                while session is None:
                    if self._ends and not self._waiting:
                        return
                    self._news.wait(self._pause())
                    session = self._next()
                work = self._waiting.pop(session)
                self._busy[session] = work.since
                files = self._files.setdefault(session, _Files())
            error: OSError | None = None
            try:
                self._write(session, files, work)
            except OSError as caught:
                error = caught
            except Exception as defect:  # a defect of ours is not to end all writing
                error = OSError(f"{type(defect).__name__}: {defect}")
            self._finish(session, work, error)

    def _next(self) -> str | None:
        now = time.monotonic()
        for session, work in self._waiting.items():
            if session not in self._busy and work.due <= now:
                return session
        return None

    def _pause(self) -> float | None:
        """How long to wait for the next try; None when nothing is to be tried again."""
        dues = [work.due for name, work in self._waiting.items() if name not in self._busy]
        return max(0.001, min(dues) - time.monotonic()) if dues else None

    def _finish(self, session: str, work: _Work, error: OSError | None) -> None:
        with self._news:
            del self._busy[session]
            if error is not None:
                self._again(session, work)
            self._news.notify_all()
        for waiter in work.waiters:
            waiter.set_result(error is None)
        if error is not None or work.failures:
            self.listener(session, error)

    def _again(self, session: str, work: _Work) -> None:
        """Put back what could not be written, behind nothing that is newer."""
        newer = self._waiting.get(session)
        kept = self._waiting[session] = newer or _Work()
        kept.record = kept.record or work.record
        if not kept.drop:
            kept.samples = work.samples + kept.samples
        kept.drop = kept.drop or work.drop
        kept.since = work.since
        kept.failures = work.failures + 1
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(work.failures, 10))
        kept.due = time.monotonic() + pause
        if self._ends:
            del self._waiting[session]  # no time is left for more tries
            self._busy[session] = work.since  # so that `close` names it

    def _write(self, session: str, files: _Files, work: _Work) -> None:
        # what is done is removed from the work: only the rest is tried again
        if work.record is not None:
            self._write_log(self._journal.log(session), files, work.record)
            work.record = None
        place = self._journal.recording(session)
        if work.drop:
            place.unlink(missing_ok=True)
            work.drop = False
        if work.samples:
            if files.recording is None or not place.exists():
                place.touch()
                sync_folder(place.parent)
                files.recording = place.stat().st_size
            # a newline first: another studio may have died within its last line
            files.recording = _append(place, b"\n" + b"".join(work.samples), files.recording)
            work.samples = []

    def _write_log(self, place: Path, files: _Files, record: Record) -> None:
        server = self._journal.server
        if files.size is not None:
            line = files.log.line(record, server, whole=False)
            try:
                files.size = _append(place, line, files.size)
            except FileNotFoundError:
                files.size = None
        if files.size is None or files.size > SMALL + 4 * files.whole:
            line = files.log.line(record, server, whole=True)
            write_atomically(place, line)
            files.size = files.whole = len(line)
        files.log.written()


def _append(place: Path, data: bytes, size: int) -> int:
    """Add to a file of a known size and wait until it is on disk; the new size.

    FileNotFoundError also when somebody has cut it short: then what was in it is not there.
    """
    handle = os.open(place, os.O_WRONLY | getattr(os, "O_BINARY", 0))
    try:
        if os.fstat(handle).st_size < size:
            raise FileNotFoundError(str(place))
        # what a failed try may have left is not part of it
        os.ftruncate(handle, size)
        os.lseek(handle, size, os.SEEK_SET)
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        (os.fdatasync if hasattr(os, "fdatasync") else os.fsync)(handle)
    finally:
        os.close(handle)
    return size + len(data)
