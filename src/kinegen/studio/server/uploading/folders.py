"""Uploads of whole folders: files come one by one and become part of the project together.

They wait in a hidden folder of the project, so that one that is cancelled, or whose page is gone,
leaves nothing behind, and one that is complete moves to its place in one step.
"""

from __future__ import annotations

import contextlib
import filecmp
import os
import re
import secrets
import shutil
import threading
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kinegen.errors import UsageError
from kinegen.file_names import legible, name_fault
from kinegen.studio.server.uploading.quota import Quota
from kinegen.studio.server.uploading.robot_files import largest_of, open_suffixes
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.files.robots_in import robots_in
from kinegen.studio.wire.messages.upload import PassedOver, Uploaded, UploadFile, UploadPlan

__all__ = ["MOST_BYTES", "MOST_FILES", "FolderUploads"]

MOST_FILES = 2000
"""Files of one folder that are taken."""
MOST_BYTES = 512 * 2**20
"""[bytes] Of all files of one folder."""
AT_ONCE = 16
"""Folders that may be on their way."""
PATIENCE = 600.0
"""[s] A folder of which nothing comes for so long is forgotten when another begins."""
MOST_REASONS = 200
"""Files of which a page receives the reason why they are not taken."""
_HIDDEN = ".kinegen-upload-"
_OLD = 3600.0
"""[s] What studios that were killed left behind is removed after this time."""
_MOST_NAMES = 1000
_GONE = "this upload was cancelled, or took too long; drop the folder again"


@dataclass(slots=True)
class _Folder:
    """A folder on its way."""

    owner: int
    name: str
    place: Path
    wanted: set[str]
    held: contextlib.ExitStack
    """Room in the project folder."""
    touched: float = field(default_factory=time.monotonic)


class FolderUploads:
    """Folders on their way into a project. Thread-safe."""

    def __init__(self, project: Project, quota: Quota) -> None:
        self._project, self._quota = project, quota
        self._folders: dict[str, _Folder] = {}
        self._lock = threading.Lock()

    def start(self, owner: int, name: str, files: Sequence[UploadFile]) -> UploadPlan:
        """Plan an upload: which files are taken.

        Args:
            owner: Number of the page that sends them.
            name: The folder's.
            files: Everything in it.

        Raises:
            UsageError: There is nothing to take, or too much, or no room.
        """
        wanted, passed_over, others = self._choose(_folder_name(name), files)
        total = sum(wanted.values())
        if not wanted:
            why = f" ({passed_over[0].path}: {passed_over[0].reason})" if passed_over else ""
            raise UsageError(f"'{legible(name)}' has no files of a robot that can be opened{why}")
        if len(wanted) > MOST_FILES or total > MOST_BYTES:
            raise UsageError(
                f"'{legible(name)}' has {len(wanted)} files of robots with {total >> 20} MB; at "
                f"most {MOST_FILES} files with {MOST_BYTES >> 20} MB are accepted at once: drop "
                "the folder of one robot"
            )
        self._forget_old()
        key = secrets.token_urlsafe(12)
        place = self._project.folder / f"{_HIDDEN}{key}"
        with contextlib.ExitStack() as held, self._lock:
            if len(self._folders) >= AT_ONCE:
                raise UsageError("too many folders are being uploaded; try again in a moment")
            held.enter_context(self._quota.holding(total, len(wanted)))
            place.mkdir(mode=0o755)
            self._folders[key] = _Folder(
                owner, _folder_name(name), place, set(wanted), held.pop_all()
            )
        return UploadPlan(key, list(wanted), passed_over[:MOST_REASONS], others)

    def _choose(
        self, name: str, files: Iterable[UploadFile]
    ) -> tuple[dict[str, int], list[PassedOver], int]:
        """What is taken, with its size; what is not, and why; how many are of other kinds."""
        wanted: dict[str, int] = {}
        passed_over: list[PassedOver] = []
        known: set[str] = set()
        others = 0
        for one in files:
            most = largest_of(one.path)
            if most is None or _is_hidden(one.path):
                others += 1
                continue
            folded = unicodedata.normalize("NFC", one.path).casefold()
            try:
                self._project.path(one.path)  # alone, so that it leads out of nothing
                self._project.path(f"{name}/{one.path}")
                if folded in known:
                    raise UsageError("its name differs from that of another file only in case")
                if one.size > most:
                    raise UsageError(
                        f"it has {one.size / 2**20:.0f} MB; files of its kind may have at most "
                        f"{most >> 20} MB"
                    )
            except UsageError as error:
                passed_over.append(PassedOver(legible(one.path, most=200), str(error)))
                continue
            known.add(folded)
            wanted[one.path] = one.size
        return wanted, passed_over, others

    def place(self, key: str, file: str) -> Path:
        """Where a file of an upload goes: its folder for the time being, once for each file."""
        with self._lock:
            folder = self._folders.get(key)
            if folder is None:
                raise UsageError(
                    "this upload was cancelled, or took too long; drop the folder again"
                )
            if file not in folder.wanted:
                raise UsageError(f"'{legible(file)}' is not one of the files of this upload")
            folder.wanted.discard(file)
            folder.touched = time.monotonic()
            return folder.place

    def finish(self, owner: int, key: str) -> Uploaded:
        """Put a folder into the project under its name; the robots in it.

        A folder of that name that has the same files already is used instead; one that has others
        is left alone, and the new one gets a number.
        """
        folder = self._take(owner, key)
        with folder.held:
            try:
                files = sorted(_files(folder.place))
                if not files:
                    raise UsageError(f"no file of '{folder.name}' has arrived")
                robots = robots_in(Project(folder.place), files)
                if not robots:
                    kinds = ", ".join(dict.fromkeys(open_suffixes()))
                    raise UsageError(
                        f"'{folder.name}' has no robot file that can be opened ({kinds}), so "
                        "nothing of it was kept"
                    )
                name = self._settle(folder, files)
            finally:
                shutil.rmtree(folder.place, ignore_errors=True)
        self._quota.wrote(*(f"{name}/{file}" for file in files))
        for robot in robots:
            robot.file = f"{name}/{robot.file}"
        return Uploaded(name, robots)

    def _settle(self, folder: _Folder, files: list[str]) -> str:
        taken = {_folded(entry.name) for entry in os.scandir(self._project.folder)}
        for number in range(1, _MOST_NAMES):
            name = folder.name if number == 1 else f"{folder.name}-{number}"
            target = self._project.folder / name
            if _folded(name) not in taken:
                os.rename(folder.place, target)
                return name
            if _has_all(target, folder.place, files):
                return name
        raise UsageError(f"there are already too many folders called '{folder.name}'")

    def cancel(self, owner: int, key: str) -> None:
        """Forget a folder that is not complete; one that is gone already is no matter."""
        with contextlib.suppress(UsageError):
            _remove(self._take(owner, key))

    def leave(self, owner: int) -> None:
        """A page is gone, and all that it had begun."""
        self._drop(lambda one: one.owner == owner)

    def close(self) -> None:
        """Forget all folders that are not complete."""
        self._drop(lambda one: True)

    def _forget_old(self) -> None:
        now = time.monotonic()
        self._drop(lambda one: now - one.touched > PATIENCE)
        with self._lock:
            present = {one.place for one in self._folders.values()}
        with contextlib.suppress(OSError):
            for left in self._project.folder.glob(f"{_HIDDEN}*"):
                if left not in present and time.time() - left.stat().st_mtime > _OLD:
                    shutil.rmtree(left, ignore_errors=True)

    def _drop(self, is_gone: Callable[[_Folder], bool]) -> None:
        with self._lock:
            keys = [key for key, one in self._folders.items() if is_gone(one)]
            folders = [self._folders.pop(key) for key in keys]
        for one in folders:
            _remove(one)

    def _take(self, owner: int, key: str) -> _Folder:
        with self._lock:
            folder = self._folders.get(key)
            if folder is None or folder.owner != owner:
                raise UsageError(
                    "this upload was cancelled, or took too long; drop the folder again"
                )
            return self._folders.pop(key)


def _remove(folder: _Folder) -> None:
    with folder.held:
        shutil.rmtree(folder.place, ignore_errors=True)


def _files(folder: Path) -> Iterator[str]:
    """Regular files below a folder, with ``/``; uploads make no others."""
    for at, _, names in os.walk(folder):
        for name in names:
            yield (Path(at) / name).relative_to(folder).as_posix()


def _has_all(target: Path, place: Path, files: Iterable[str]) -> bool:
    """Whether a folder of the project has all files of an upload with the same content."""
    if target.is_symlink():
        return False
    with contextlib.suppress(OSError):
        return all(
            not (target / file).is_symlink()
            and (target / file).is_file()
            and filecmp.cmp(target / file, place / file, shallow=False)
            for file in files
        )
    return False


def _is_hidden(path: str) -> bool:
    """Whether a path leads through folders such as ``.git``, which are no part of a robot."""
    return any(part.startswith(".") and part != ".." for part in path.split("/"))


def _folder_name(name: str) -> str:
    """A folder's name that every system can hold."""
    plain = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-._")[:100]
    return plain if plain and not name_fault(plain) else f"robot-{plain}".rstrip("-")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
