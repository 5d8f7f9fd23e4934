"""Autosave: the journals of all sessions in the user's state folder, and who has each of them."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from kinegen.errors import UsageError
from kinegen.studio.session.journals.locks import held, lock_file
from kinegen.studio.session.journals.log import Record, owner_line, read_log

__all__ = ["Journal", "Record", "Unsaved", "state_folder"]

_OLD = 30 * 86400.0
"""[s] Unsaved work older than this is given up."""
_OLD_CLEAN = 86400.0
_ID = re.compile(r"[A-Za-z0-9_-]{4,64}\Z")
_LOG, _RECORDING = ".journal", ".recording"


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


@dataclass(frozen=True, slots=True)
class Unsaved:
    """What a list of unsaved work says about a session."""

    session: str
    name: str
    saved_at: float
    """[s since 1970]"""
    file: str | None
    folder: str
    server: str
    dirty: bool


class Journal:
    """The journals of all sessions of this user; this server's own ones are marked by a lock."""

    def __init__(self, folder: Path) -> None:
        self._sessions = folder / "sessions"
        self._servers = folder / "servers"
        for made in (folder, self._sessions, self._servers):
            made.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.server = secrets.token_hex(8)
        self._held = lock_file(self._servers / f"{self.server}.lock")
        self._known: dict[str, tuple[tuple[int, ...], Unsaved | None]] = {}
        """What was read of journals, and how their files looked then."""

    def close(self) -> None:
        """Let go: from now on the journals left belong to nobody."""
        if self._held is not None:
            os.close(self._held)
            self._held = None
            with contextlib.suppress(OSError):
                (self._servers / f"{self.server}.lock").unlink()

    def log(self, session: str) -> Path:
        """The file with a session's states."""
        return self._file(session, _LOG)

    def recording(self, session: str) -> Path:
        """The file with a session's recordings in progress."""
        return self._file(session, _RECORDING)

    def load(self, session: str) -> Record | None:
        """A session's journal; None when there is none that can be read."""
        try:
            record = read_log(self.log(session).read_bytes())
        except (OSError, ValueError):
            return None
        if record is None or record.session != session:
            return None
        return replace(record, recordings=self._recordings(session))

    def claim(self, session: str, folder: str) -> Record | None:
        """Take over a session of a project folder that no other server has open.

        None when there is no such journal, or it is another folder's.

        Raises:
            UsageError: When another server has it open.
        """
        with self._alone():
            record = self.load(session)
            if record is None or record.folder != folder:
                return None
            if self._is_open(record.server):
                raise UsageError("this session is open in another running studio")
            with open(self.log(session), "ab") as file:
                file.write(b"\n" + owner_line(self.server))  # the last line may be half written
            return record

    def discard(self, session: str, folder: str) -> None:
        """Throw away the work of a session that nobody has open.

        Raises:
            UsageError: When another server has it open, or it belongs to another folder.
        """
        if not _ID.match(session):
            raise UsageError(f"'{session[:80]}' is not a session")
        with self._alone():
            record = self.load(session)
            if record is None:
                return  # dismissed already; or broken, then its owner is not known
            if record.folder != folder:
                raise UsageError("this work belongs to another project folder; dismiss it there")
            if self._is_open(record.server):
                raise UsageError("this session is open in another running studio")
            self.remove(session)

    def remove(self, session: str) -> None:
        """Forget a session."""
        for file in (self.log(session), self.recording(session)):
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)

    def recovered(self, alive: Iterable[str], folder: str) -> list[Unsaved]:
        """Unsaved work of a folder that nobody has open, the latest first; old work is removed."""
        mine = set(alive)
        found = []
        known, self._known = self._known, {}
        for file in self._sessions.glob(f"*{_LOG}"):
            if file.stem in mine or not _ID.match(file.stem):
                continue
            with contextlib.suppress(OSError):
                look = _look(file, self.recording(file.stem))
                seen = known.get(file.stem)
                unsaved = (
                    seen[1]
                    if seen and seen[0] == look
                    else self._summary(file.stem, recording=len(look) > 2)
                )
                self._known[file.stem] = (look, unsaved)
                age = time.time() - (unsaved.saved_at if unsaved else look[0] / 1e9)
                old = age > (_OLD if unsaved is None or unsaved.dirty else _OLD_CLEAN)
                if unsaved is None or not self._is_open(unsaved.server):
                    if old:
                        self.remove(file.stem)
                    elif unsaved and unsaved.dirty and unsaved.folder == folder:
                        found.append(unsaved)
        return sorted(found, key=lambda one: -one.saved_at)

    def _summary(self, session: str, *, recording: bool) -> Unsaved | None:
        record = read_log(self.log(session).read_bytes())
        if record is None or record.session != session:
            return None
        dirty = record.dirty or recording
        return Unsaved(
            session, record.name, record.saved_at, record.present.file, record.folder,
            record.server, dirty,
        )  # fmt: skip

    def _is_open(self, server: str) -> bool:
        """Whether a server other than this one is still running: its lock is held."""
        if server == self.server or not _ID.match(server):
            return False
        place = self._servers / f"{server}.lock"
        if not place.exists():
            return False
        mine = lock_file(place)
        if mine is None:
            return True
        os.close(mine)
        with contextlib.suppress(OSError):
            place.unlink()
        return False

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """While one server takes over or throws away, no other does."""
        with held(self._sessions / "taking.lock"):
            yield

    def _recordings(self, session: str) -> dict[str, dict[str, list[Any]]]:
        found: dict[str, dict[str, list[Any]]] = {}
        with contextlib.suppress(OSError):
            for line in self.recording(session).read_bytes().split(b"\n"):
                try:
                    part = orjson.loads(line)
                    name, times, values = str(part["name"]), part["times"], part["values"]
                    sound = np.array(times, dtype=float).ndim == 1 and (
                        not values or np.array(values, dtype=float).ndim == 2
                    )
                except (ValueError, KeyError, TypeError):
                    continue  # the last line may be half written
                if not sound or len(times) != len(values):
                    continue
                if part.get("start") or name not in found:
                    found[name] = {"times": [], "values": []}
                found[name]["times"] += times
                found[name]["values"] += values
        return found

    def _file(self, session: str, suffix: str) -> Path:
        if not _ID.match(session):
            raise ValueError(f"'{session[:80]}' is not a session")
        return self._sessions / f"{session}{suffix}"


def _look(*files: Path) -> tuple[int, ...]:
    """Time of change and size of files: when they are the same, so is what is in them."""
    look: list[int] = []
    for file in files:
        with contextlib.suppress(FileNotFoundError):
            stat = file.stat()
            look += [stat.st_mtime_ns, stat.st_size]
    return tuple(look)
