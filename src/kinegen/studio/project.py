"""The project folder: RAFF files and meshes that pages may read and write, and nothing else."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from kinegen.errors import KinegenError, UsageError
from kinegen.files import write_atomically
from kinegen.mechanism.load import library_names
from kinegen.raff.document import Document
from kinegen.raff.nodes import Listing, Mapping, Scalar
from kinegen.studio.meshes import MESHES, check_mesh

__all__ = ["LARGEST_MESH", "LARGEST_TEXT", "Project"]

LARGEST_MESH = 50 * 2**20
LARGEST_TEXT = 4 * 2**20
"""[bytes]"""
_RAFF = ".raff"
_MOST_FILES = 1000
_DEEPEST = 2
"""Folders below the project folder that are looked into."""
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul"] + [f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)]
)
"""Names that are devices on Windows, whatever the ending."""


class Project:
    """A folder; every path is relative to it, with ``/``, and stays inside."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).resolve()
        if not self.folder.is_dir():
            raise UsageError(f"'{folder}' is not a folder")

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.folder.name or str(self.folder)

    def path(self, file: str) -> Path:
        """The place of a file, which need not exist; UsageError when it is not in the folder."""
        parts = PurePosixPath(file.replace("\\", "/")).parts
        bad = not parts or "\0" in file or ":" in file or file.startswith(("/", "\\"))
        for part in parts:
            bad = bad or part.startswith(".") or part != part.rstrip(" .")
            bad = bad or part.split(".")[0].lower() in _RESERVED
        if bad or len(file) > 400:
            raise UsageError(
                f"'{file[:80]}' is not a path in the project folder: give one such as arm.raff or "
                "parts/arm.raff, without '..' and hidden names"
            )
        place = self.folder.joinpath(*parts)
        # links may lead out of the folder
        if not place.resolve().is_relative_to(self.folder):
            raise UsageError(f"'{file[:80]}' leads out of the project folder")
        return place

    def text_path(self, file: str) -> Path:
        """The place of a RAFF file, which need not exist."""
        return self.path(self._raff(file))

    def known_as(self, file: str) -> str:
        """A path as sessions know it, however it was written."""
        return self.path(file).relative_to(self.folder).as_posix()

    def files(self) -> list[str]:
        """The RAFF files, sorted."""
        return sorted(self._walk(self.folder, 0))[:_MOST_FILES]

    def _walk(self, folder: Path, depth: int) -> Iterator[str]:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            return
        for entry in entries:
            if entry.name.startswith((".", "node_modules", "__pycache__")):
                continue
            with contextlib.suppress(OSError):
                if entry.is_file() and entry.name.endswith(_RAFF):
                    yield Path(entry.path).relative_to(self.folder).as_posix()
                elif entry.is_dir(follow_symlinks=False) and depth < _DEEPEST:
                    yield from self._walk(Path(entry.path), depth + 1)

    def read(self, file: str) -> str:
        """The text of a RAFF file."""
        place = self.path(self._raff(file))
        if not place.is_file():
            raise UsageError(f"there is no file '{file[:80]}' in the project folder")
        if place.stat().st_size > LARGEST_TEXT:
            raise UsageError(f"'{file}' is too large for a RAFF file ({LARGEST_TEXT} bytes)")
        try:
            # as written: line ends stay what they are
            return place.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError(f"'{file}' is not UTF-8 text: {error}") from None

    def save(self, file: str, text: str, *, overwrite: bool) -> str:
        """Write a RAFF file, never half; its path as it is known from now on."""
        place = self.path(self._raff(file))
        if place.exists() and not overwrite:
            raise UsageError(f"'{file}' exists already; save with overwrite, or under another name")
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, text.encode("utf-8"))
        return place.relative_to(self.folder).as_posix()

    def store(self, file: str, data: bytes) -> str:
        """Keep an uploaded file: a mesh, or a RAFF text; its path in the folder.

        A file of that name with other content is left alone: the new one gets a number.
        """
        suffix = PurePosixPath(file).suffix.lower()
        if suffix == _RAFF:
            if len(data) > LARGEST_TEXT:
                raise UsageError(f"a RAFF file has at most {LARGEST_TEXT} bytes, got {len(data)}")
            try:
                text = data.decode("utf-8-sig")
            except UnicodeDecodeError:
                raise UsageError(f"'{file}' is not UTF-8 text") from None
            place = self._unused(file, data)
            return self.save(place.relative_to(self.folder).as_posix(), text, overwrite=True)
        if suffix not in MESHES:
            kinds = ", ".join([*MESHES, _RAFF])
            raise UsageError(f"'{file[:80]}' cannot be taken; kinds of files: {kinds}")
        if len(data) > LARGEST_MESH:
            raise UsageError(f"a mesh has at most {LARGEST_MESH >> 20} MB, got {len(data) >> 20}")
        check_mesh(suffix, data)
        place = self._unused(file, data)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, data)
        return place.relative_to(self.folder).as_posix()

    def _unused(self, file: str, data: bytes) -> Path:
        """Where a new file goes: under its name, or with a number where another has it."""
        place = first = self.path(file)
        for number in itertools.count(2):
            if not place.exists() or place.read_bytes() == data:
                break
            place = first.with_name(f"{first.stem}-{number}{first.suffix}")
        return place

    def mesh(self, file: str) -> Path:
        """The place of a mesh, or of a part of one (glTF's .bin and textures)."""
        place = self.path(file)
        allowed = [*MESHES, ".bin", ".mtl", ".png", ".jpg", ".jpeg"]
        if place.suffix.lower() not in allowed or not place.is_file():
            raise UsageError(f"there is no mesh '{file[:80]}' in the project folder")
        return place

    def check_includes(
        self, text: str, folder: str = "", seen: frozenset[str] = frozenset()
    ) -> None:
        """Refuse texts that include files outside the project folder.

        Args:
            text: A RAFF text; one that is not even YAML is left to the reader.
            folder: Its own folder within the project folder.
            seen: Files that are being looked into: circles are left to the reader.
        """
        if "include" not in text:
            return
        try:
            listing = Document(text).root.get("robots")
        except KinegenError:
            return
        library = library_names()
        for row in listing.items if isinstance(listing, Listing) else ():
            include = row.get("include") if isinstance(row, Mapping) else None
            if not isinstance(include, Scalar) or include.text in library:
                continue
            named = os.path.normpath(os.path.join(folder, include.text)).replace("\\", "/")
            place = self.path(named)
            if named not in seen and place.is_file() and place.stat().st_size <= LARGEST_TEXT:
                inner = place.read_bytes().decode("utf-8", errors="replace")
                self.check_includes(inner, os.path.dirname(named), seen | {named})

    def _raff(self, file: str) -> str:
        if not file.endswith(_RAFF):
            raise UsageError(f"a RAFF file's name ends in {_RAFF}, got '{file[:80]}'")
        return file
