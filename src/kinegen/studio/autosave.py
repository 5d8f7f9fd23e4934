"""Autosave: a journal per session in the user's state folder, so that no crash costs much work."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

import orjson

from kinegen.files import write_atomically

__all__ = ["Journal", "Record", "state_folder"]

_OLD = 30 * 86400.0
"""[s] Unsaved work older than this is given up."""
_OLD_CLEAN = 86400.0
_ID = re.compile(r"[A-Za-z0-9_-]{4,64}\Z")


def state_folder() -> Path:
    """Where programs of this user keep what must survive, as the platform wants it."""
    own = os.environ.get("KINEGEN_STATE")
    if own:
        return Path(own)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "Kinegen"
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support/Kinegen"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "kinegen"


@dataclass(slots=True)
class Record:
    """A session as the journal keeps it."""

    session: str
    secret: str
    name: str
    text: str
    good_text: str
    base_text: str
    q: list[float]
    file: str | None
    folder: str
    """The project folder that the file's path belongs to."""
    saved_at: float
    """[s since 1970]"""
    server: str = ""
    recordings: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    """Recordings that were not finished: times and values by name; kept in a file of their own."""

    @property
    def dirty(self) -> bool:
        """Whether it holds work that no file has."""
        return self.text != self.base_text or bool(self.recordings)


class Journal:
    """The journals of all sessions of this user; this server's own ones are marked by a lock."""

    def __init__(self, folder: Path) -> None:
        self._sessions = folder / "sessions"
        self._servers = folder / "servers"
        for made in (folder, self._sessions, self._servers):
            made.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.server = secrets.token_hex(8)
        self._held = _lock(self._servers / f"{self.server}.lock")

    def close(self) -> None:
        """Let go: from now on the journals left belong to nobody."""
        if self._held is not None:
            self._held.close()
            self._held = None
            with contextlib.suppress(OSError):
                (self._servers / f"{self.server}.lock").unlink()

    def write(self, record: Record) -> None:
        """Keep a session's state, whole or not at all."""
        record.server = self.server
        data = asdict(record)
        del data["recordings"]
        write_atomically(self._file(record.session), orjson.dumps(data))

    def samples(
        self, session: str, name: str, *, start: bool, times: list[float], values: list[list[float]]
    ) -> None:
        """Keep part of a recording in progress; ``start`` begins it anew."""
        line = orjson.dumps({"name": name, "start": start, "times": times, "values": values})
        with open(self._file(session, ".recording"), "ab") as file:
            file.write(line + b"\n")

    def drop_recordings(self, session: str) -> None:
        """The recordings of a session are stored elsewhere now."""
        self._file(session, ".recording").unlink(missing_ok=True)

    def load(self, session: str) -> Record | None:
        """A session's journal; None when there is none that can be read."""
        try:
            data = orjson.loads(self._file(session).read_bytes())
            record = Record(**data)
        except (OSError, ValueError, TypeError):
            return None
        record.recordings = self._recordings(session)
        return record

    def remove(self, session: str) -> None:
        """Forget a session."""
        files = [self._file(session, suffix) for suffix in (".json", ".recording")]
        for file in files:
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)

    def recovered(self, alive: Iterable[str]) -> list[Record]:
        """Unsaved work of sessions that nobody has open, the latest first; old ones are removed."""
        mine = set(alive)
        found = []
        for file in self._sessions.glob("*.json"):
            if file.stem in mine or not _ID.match(file.stem):
                continue
            record = self.load(file.stem)
            if record is None or self._is_open(record.server):
                continue
            age = time.time() - record.saved_at
            if age > (_OLD if record.dirty else _OLD_CLEAN):
                self.remove(file.stem)
            elif record.dirty:
                found.append(record)
        return sorted(found, key=lambda record: -record.saved_at)

    def can_take(self, record: Record) -> bool:
        """Whether no other server has the session open."""
        return record.server == self.server or not self._is_open(record.server)

    def _is_open(self, server: str) -> bool:
        """Whether a server other than this one is still running: its lock is held."""
        if server == self.server or not _ID.match(server):
            return False
        place = self._servers / f"{server}.lock"
        if not place.exists():
            return False
        held = _lock(place)
        if held is None:
            return True
        held.close()
        with contextlib.suppress(OSError):
            place.unlink()
        return False

    def _recordings(self, session: str) -> dict[str, dict[str, list[Any]]]:
        found: dict[str, dict[str, list[Any]]] = {}
        with contextlib.suppress(OSError):
            for line in self._file(session, ".recording").read_bytes().splitlines():
                try:
                    part = orjson.loads(line)
                    name, times, values = part["name"], part["times"], part["values"]
                except (ValueError, KeyError, TypeError):
                    continue  # the last line may be half written
                if part.get("start") or name not in found:
                    found[name] = {"times": [], "values": []}
                found[name]["times"] += times
                found[name]["values"] += values
        return found

    def _file(self, session: str, suffix: str = ".json") -> Path:
        if not _ID.match(session):
            raise ValueError(f"'{session[:80]}' is no session")
        return self._sessions / f"{session}{suffix}"


def _lock(place: Path) -> IO[bytes] | None:
    """Hold a file for as long as this process lives; None when another one holds it."""
    file = open(place, "ab")
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file
