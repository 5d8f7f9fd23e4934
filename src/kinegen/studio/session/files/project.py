"""The project folder: RAFF files and meshes that pages may read and write, and nothing else."""

from __future__ import annotations

import contextlib
import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from kinegen.errors import UsageError
from kinegen.file_names import legible, name_fault, path_fault
from kinegen.files import write_atomically
from kinegen.mechanism.load import make_opener
from kinegen.raff.opener import Opener, open_regular, place_inside
from kinegen.studio.server.uploading.meshes import LARGEST, MESHES
from kinegen.studio.server.uploading.robot_files import LARGEST_TEXT, check_content, open_suffixes

__all__ = ["LARGEST_MESH", "LARGEST_TEXT", "RAFF", "Project", "can_open", "opener_of"]

LARGEST_MESH = LARGEST
"""[bytes]"""
RAFF = ".raff"
_MOST_FILES = 1000
_DEEPEST = 2
"""Folders below the project folder that are looked into."""
_LONGEST_PATH = 400
_ALL_TEXTS = 2 * LARGEST_TEXT
"""What a text may include, as bytes of files and as characters once it is written into it."""
_MOST_COPIES = 1000
"""Numbers that are tried for an uploaded file whose name is taken."""


class Project:
    """A folder; every path is relative to it, with ``/``, and stays inside."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).resolve()
        if not self.folder.is_dir():
            raise UsageError(f"'{folder}' is not a folder")

    @staticmethod
    def again(folder: str) -> Project:
        """The project of a studio in another of its processes."""
        try:
            return Project(folder)
        except UsageError:
            raise UsageError("the project folder no longer exists") from None

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.folder.name or str(self.folder)

    def path(self, file: str) -> Path:
        """The place of a file, which need not exist; UsageError when it is not in the folder."""
        try:
            if len(file) > _LONGEST_PATH:  # first: all else takes longer the longer it is
                raise UsageError(f"a path may have at most {_LONGEST_PATH} characters")
            fault = path_fault(file)
            if fault or ":" in file:
                raise UsageError(fault or "it is not a path below the folder")
            inner = PurePosixPath(file.replace("\\", "/"))
            if not inner.name:
                raise UsageError("it is the folder itself")
            place_inside(str(self.folder), str(inner))
        except UsageError as error:
            raise UsageError(
                f"'{legible(file)}' is not a path in the project folder, such as arm.raff or "
                f"parts/arm.raff: {error}"
            ) from None
        return self.folder / inner

    def name_of(self, file: str) -> str:
        """The one name by which a file of the folder is known, however its path is written."""
        return self.path(file).relative_to(self.folder).as_posix()

    def opener(self, file: str | None = None) -> Opener:
        """Opens what a text names, the text of a file of the folder or one of no file."""
        own = None if file is None else self.path(file)
        folder = self.folder if own is None else own.parent
        return make_opener(
            folder, root=self.folder, own=own, largest=LARGEST_TEXT, total=_ALL_TEXTS
        )

    def text_path(self, file: str) -> Path:
        """The place of a RAFF file, which need not exist."""
        return self.path(self._raff(file))

    def files(self) -> list[str]:
        """The RAFF files, sorted."""
        return sorted(self._walk(self.folder, 0))[:_MOST_FILES]

    def _walk(self, folder: Path, depth: int) -> Iterator[str]:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            return
        for entry in entries:
            if entry.name.startswith((".", "node_modules", "__pycache__")) or name_fault(
                entry.name
            ):
                continue
            with contextlib.suppress(OSError, UsageError):
                if entry.is_file() and entry.name.endswith(RAFF):
                    file = Path(entry.path).relative_to(self.folder).as_posix()
                    if entry.is_symlink():
                        self.path(file)  # one that leads out is not listed
                    yield file
                elif entry.is_dir(follow_symlinks=False) and depth < _DEEPEST:
                    yield from self._walk(Path(entry.path), depth + 1)

    def read(self, file: str) -> str:
        """The text of a file that can be opened."""
        self.path(file if can_open(file) else self._raff(file))
        try:
            data = self.opener().content(file, largest=LARGEST_TEXT)
        except UsageError as error:
            raise UsageError(f"'{legible(file)}' cannot be opened: {error}") from None
        try:
            # as written: line ends stay what they are
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise UsageError(f"'{legible(file)}' is not UTF-8 text") from None

    def save(self, file: str, text: str, *, overwrite: bool) -> str:
        """Write a RAFF file, never half; its path as it is known from now on."""
        place = self.path(self._raff(file))
        if place.exists() and not place.is_file():
            raise UsageError(f"'{file}' already exists and is not a file")
        if place.exists() and not overwrite:
            raise UsageError(f"'{file}' already exists; overwrite it, or save under another name")
        if not place.exists() and (twin := _twin(place)):
            raise UsageError(
                f"'{file}' and '{twin}', which exists, are the same file on some systems; "
                "choose another name"
            )
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, text.encode("utf-8"))
        return place.relative_to(self.folder).as_posix()

    def store(self, file: str, data: bytes) -> str:
        """Keep an uploaded file of a robot: its text, a mesh, a texture; its path in the folder.

        A file of that name with other content is left alone: the new one gets a number.
        """
        check_content(file, data)
        place = self._unused(file, data)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, data)
        return place.relative_to(self.folder).as_posix()

    def unused(self, file: str) -> Path:
        """Where a new file goes whose content is not known yet."""
        return self._unused(file, None)

    def _unused(self, file: str, data: bytes | None) -> Path:
        """Where a new file goes: under its name, or with a number where another has it."""
        name = PurePosixPath(file.replace("\\", "/"))
        for number in range(1, _MOST_COPIES):
            tried = name if number == 1 else name.with_name(f"{name.stem}-{number}{name.suffix}")
            place = self.path(str(tried))
            is_taken = place.exists() or _twin(place)
            if not is_taken or (data is not None and self._holds(str(tried), data)):
                return place
        raise UsageError(f"there are already too many files called '{legible(file)}'")

    def _holds(self, file: str, data: bytes) -> bool:
        try:
            return self.opener().content(file, largest=len(data)) == data
        except UsageError:
            return False

    def mesh(self, file: str) -> IO[bytes]:
        """A mesh, or a part of one (glTF's .bin and textures), opened.

        Not its path: by the time that is opened, it may lead elsewhere.
        """
        place = self.path(file)
        allowed = [*MESHES, ".bin", ".mtl", ".png", ".jpg", ".jpeg"]
        try:
            if place.suffix.lower() in allowed:
                handle = open_regular(os.path.realpath(place), str(self.folder))
                return os.fdopen(handle, "rb")
        except (OSError, UsageError):
            pass
        raise UsageError(f"there is no mesh '{legible(file)}' in the project folder")

    def _raff(self, file: str) -> str:
        if not file.endswith(RAFF):
            raise UsageError(f"the name of a RAFF file must end in {RAFF}, got '{legible(file)}'")
        return file


def opener_of(project: Project, name: str) -> Opener:
    """What opens the files that a text names: from its place in the project, if it has one there.

    Args:
        project: The project.
        name: A file of the project, or what a page calls a text of its own.
    """
    try:
        return project.opener(name or None)
    except UsageError:
        return project.opener()


def can_open(file: str) -> bool:
    """Whether a file's name ends as those do that can be opened."""
    return file.endswith(RAFF) or PurePosixPath(file).suffix.lower() in open_suffixes()


def _twin(place: Path) -> str:
    """A file beside a new one whose name differs in case or in the encoding of accents alone."""
    own = _folded(place.name)
    with contextlib.suppress(OSError):
        return next((name for name in os.listdir(place.parent) if _folded(name) == own), "")
    return ""


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
