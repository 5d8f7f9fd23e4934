"""The access log: a line per request and per write, without tokens, secrets or content."""

from __future__ import annotations

import contextlib
import logging
import logging.handlers
import os
import queue
import re
import sys
import threading
import time
from io import TextIOWrapper
from pathlib import Path
from urllib.parse import quote

__all__ = ["AccessLog"]

LARGEST = 5 * 2**20
"""[bytes] of the file; then it is put aside and another begun."""
KEPT = 3
"""Files that were put aside and are kept."""
_MOST_WAITING = 10_000
"""Lines that wait for the disk; more are dropped rather than wait for it."""
_LONGEST = 300
_KEY = re.compile(r"\A/download/[^/]*")


class AccessLog:
    """Writes lines to a file on a thread of its own, so that a slow disk holds nobody up.

    Args:
        place: The file; '-' for the terminal, None for nowhere.
    """

    def __init__(self, place: Path | str | None) -> None:
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self.dropped = 0
        """Lines that came faster than they could be written."""
        handler = _handler(place)
        if handler is not None:
            self._thread = threading.Thread(target=self._run, args=(handler,), daemon=True)
            self._thread.start()

    def request(self, address: str, method: str, path: str, status: int, seconds: float) -> None:
        """A request was answered; its query, where tokens are, is left out."""
        shown = _KEY.sub("/download/-", path)
        self._write(f"{_plain(address)} {_plain(method)} {_plain(shown)} {status} {seconds:.3f}s")

    def change(self, address: str, client: int, session: str, kind: str, file: str = "") -> None:
        """Somebody changed a session or a file; what it says is nobody's business."""
        more = f" file={_plain(file)}" if file else ""
        self._write(f"{_plain(address)} page={client} session={_plain(session)} {kind}{more}")

    def close(self) -> None:
        """Write what waits, and end."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join(timeout=5)

    def _write(self, line: str) -> None:
        if self._thread is None:
            return
        if self._queue.qsize() >= _MOST_WAITING:
            self.dropped += 1
            return
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self._queue.put(f"{now} {line}")

    def _run(self, handler: logging.Handler) -> None:
        for line in iter(self._queue.get, None):
            handler.emit(logging.makeLogRecord({"msg": line}))
        with contextlib.suppress(OSError):  # what is left cannot be written to a full disk
            handler.close()


class _Private(logging.handlers.RotatingFileHandler):
    """A file that its owner alone can read; a disk that is full costs lines, nothing else."""

    def _open(self) -> TextIOWrapper:
        handle = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return os.fdopen(handle, "a", encoding="ascii", errors="replace")

    def handleError(self, record: logging.LogRecord) -> None:
        pass


def _handler(place: Path | str | None) -> logging.Handler | None:
    if place is None:
        return None
    if str(place) == "-":
        return logging.StreamHandler(sys.stderr)
    with contextlib.suppress(OSError):
        Path(place).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return _Private(place, maxBytes=LARGEST, backupCount=KEPT)
    return None


def _plain(text: str) -> str:
    """A text that holds no blanks, line ends or other signs by which a line could be forged."""
    safe = quote(text, safe="/:.,@~+-_[]*", errors="replace")
    return safe if len(safe) <= _LONGEST else safe[:_LONGEST] + "..."
