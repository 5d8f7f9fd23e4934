"""Opener: the one way in which files that a mechanism names are found and read."""

from __future__ import annotations

import copy
import errno
import functools
import os
import posixpath
import stat
from dataclasses import dataclass
from typing import Final

from kinegen.errors import UsageError, did_you_mean
from kinegen.file_names import legible, path_fault

__all__ = [
    "LARGEST_MESH",
    "Opener",
    "Place",
    "names_in",
    "open_regular",
    "place_inside",
    "read_regular",
]

LARGEST_MESH: Final = 256 * 2**20
"""[bytes]: five million triangles of a binary STL file."""
_LARGEST: Final = 64 * 2**20
_TOTAL: Final = 256 * 2**20
_MOST_FILES: Final = 1000
"""Different files that one mechanism may be put together from."""
_SUFFIX: Final = ".raff"
_LONGEST_SHOWN: Final = 400
_CHUNK: Final = 2**20
_OUTSIDE: Final = "it leads out of the project folder"
_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe that takes a file's place must not stop us
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_STEP: Final = (
    getattr(os, "O_PATH", os.O_RDONLY)
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


@dataclass(frozen=True, slots=True)
class Place:
    """A file that was found but not opened yet."""

    path: str
    """Its real path: the same file has the same, whatever it was called."""
    shown: str
    """As messages call it."""

    @property
    def folder(self) -> str:
        """Where the names in it begin."""
        return os.path.dirname(self.path)


class Opener:
    """Finds and reads the files that a text names: regular ones of bounded size, nothing else.

    It remembers what was read, so that :meth:`is_current` can say whether that has changed.

    Args:
        folder: Where names in the text itself begin; None for a text that stands alone and
            may include library mechanisms only.
        root: A folder that no file may be outside of, whatever links and names say.
        own: The file that the text itself is of.
        library: The folder whose mechanisms are included by their bare name.
        largest: Bytes of one file.
        total: Bytes of all files together.
    """

    def __init__(
        self,
        folder: str | None = None,
        *,
        root: str | None = None,
        own: str | None = None,
        library: str = "",
        largest: int = _LARGEST,
        total: int = _TOTAL,
    ) -> None:
        self.folder = None if folder is None else os.path.realpath(folder)
        self.root = None if root is None else os.path.realpath(root)
        self.own = None if own is None else Place(os.path.realpath(own), self._shown(own))
        self.library = library
        self.largest = largest
        self.total = total
        self._shown_folder = folder or ""
        self._found: dict[tuple[str, Place | None], Place] = {}
        self._digests: dict[Place, bytes] = {}
        self._bytes = 0

    def fresh(self) -> Opener:
        """One with the same rules that has read nothing yet: each load has its own."""
        again = copy.copy(self)
        again._found, again._digests, again._bytes = {}, {}, 0
        return again

    def find(self, include: str, including: Place | None = None) -> Place:
        """The place of an included file; UsageError, before anything is opened, when it is bad.

        Args:
            include: A library mechanism's name, or a path relative to the including file.
            including: The file it is named in; None for the text itself.
        """
        names = names_in(self.library) if self.library else ()
        if include in names:
            place = Place(os.path.join(self.library, include + _SUFFIX), include)
        elif not include.endswith(_SUFFIX):
            hint = did_you_mean(include, names)
            raise UsageError(f"it is neither in the library{hint} nor a {_SUFFIX} file")
        elif including is not None and including.folder == self.library:
            raise UsageError("library mechanisms can only include each other")
        else:
            place = self._place(include, including)
        self._found[include, including] = place
        return place

    def read(self, place: Place) -> bytes:
        """The content of a file that was found."""
        if len(self._digests) >= _MOST_FILES:
            raise UsageError(f"more than {_MOST_FILES} files are included")
        data = self._read(place, self.largest)
        self._bytes += len(data)
        if self._bytes > self.total:
            raise UsageError(f"the included files have more than {self.total} bytes in total")
        self._digests[place] = _digest(data)
        return data

    def content(self, file: str, *, largest: int = LARGEST_MESH) -> bytes:
        """The content of a file that the text names and does not include: a mesh."""
        return self._read(self._place(file, None), largest)

    def has(self, file: str) -> bool:
        """Whether there is a file of this name that the text may name."""
        if self.root is None and self.folder is not None:  # anywhere: robots name many meshes
            return os.path.isfile(os.path.join(self.folder, file))
        try:
            return os.path.isfile(self._place(file, None).path)
        except UsageError:
            return False

    def fault(self, file: str) -> str:
        """Why a text may not name a file, whether there is such a file or not; empty if it may."""
        try:
            self._place(file, None)
        except UsageError as error:
            return str(error)
        return ""

    def has_folder(self, folder: str) -> bool:
        """Whether files in a folder of this name may be there; without it none is."""
        if self.root is None and self.folder is not None:
            return os.path.isdir(os.path.join(self.folder, folder))
        return True  # each file is looked at by itself

    @property
    def files(self) -> tuple[str, ...]:
        """The real paths of all that was read."""
        return tuple(place.path for place in self._digests)

    def is_current(self) -> bool:
        """Whether all that was read is still the same."""
        again = self.fresh()
        try:
            return all(
                again.find(include, including) == place
                for (include, including), place in self._found.items()
            ) and all(
                _digest(again._read(place, self.largest)) == digest
                for place, digest in self._digests.items()
            )
        except UsageError:
            return False

    def _place(self, file: str, including: Place | None) -> Place:
        if self.folder is None:
            raise UsageError("a text without a folder can only include library mechanisms")
        fault = path_fault(file)
        if fault:
            raise UsageError(fault)
        file = file.replace("\\", "/")
        folder = self.folder if including is None else including.folder
        if self.root is None:
            path = _real_in(folder, file)
            shown = self._shown_folder if including is None else os.path.dirname(including.shown)
            return Place(path, os.path.normpath(os.path.join(shown, file)))
        if os.path.isabs(file) or ":" in file:
            raise UsageError(_OUTSIDE)
        inner = os.path.relpath(folder, self.root).replace(os.sep, "/")
        path = place_inside(self.root, posixpath.normpath(posixpath.join(inner, file)))
        return Place(path, self._shown(path))

    def _read(self, place: Place, most: int) -> bytes:
        root = None if place.folder == self.library else self.root
        return read_regular(place.path, most, root)

    def _shown(self, path: str) -> str:
        """A file's name for messages, which never give away where the root is."""
        if self.root is None:
            return path
        shown = os.path.relpath(_real(path), self.root).replace(os.sep, "/")
        return legible(shown, most=_LONGEST_SHOWN)


def _digest(data: bytes) -> bytes:
    import hashlib  # only for texts that include others

    return hashlib.sha256(data).digest()


def place_inside(root: str, path: str) -> str:
    """The real path of a file below a folder; UsageError when it is not there.

    Args:
        root: The folder's real path.
        path: Relative to it, with ``/`` and without ``..`` that could be left out. Whether it
            leads out is decided without looking at files outside.
    """
    parts = path.split("/")
    if ".." in parts or posixpath.isabs(path):
        raise UsageError(_OUTSIDE)
    if any(part.startswith(".") for part in parts if part != "."):
        raise UsageError("files and folders whose names begin with a dot are not read")
    place = _real(os.path.join(root, *parts))
    if not _is_inside(place, root):  # over a link
        raise UsageError(_OUTSIDE)
    return place


@functools.cache
def names_in(library: str) -> tuple[str, ...]:
    """The names of the mechanisms in a library folder, sorted."""
    files = (file.removesuffix(_SUFFIX) for file in os.listdir(library) if file.endswith(_SUFFIX))
    return tuple(sorted(files))


def read_regular(path: str, most: int, root: str | None = None) -> bytes:
    """The content of a regular file of at most so many bytes; UsageError with the reason why not.

    ``path`` and ``root`` are those of :func:`open_regular`.
    """
    try:
        handle = open_regular(path, root)
        try:
            return _read_at_most(handle, most)
        finally:
            os.close(handle)
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError("there is no such file") from None
    except OSError as error:
        raise UsageError(f"it cannot be read ({error.strerror or error})") from None


def open_regular(path: str, root: str | None = None) -> int:
    """The descriptor of a regular file, opened for reading without ever waiting.

    Args:
        path: A real path.
        root: The folder it must be in, also when links are exchanged in this very moment.

    Raises:
        UsageError: It is a folder, a device, a pipe or a socket.
        OSError: It is not there, or cannot be read.
    """
    _check_regular(os.stat(path))  # opening alone can already do something to a device
    handle = _open_inside(path, root) if root is not None else os.open(path, _FLAGS)
    try:
        _check_regular(os.fstat(handle))
    except BaseException:
        os.close(handle)
        raise
    return handle


def _open_inside(path: str, root: str) -> int:
    """Open a file below a folder step by step, so that no link is followed on the way."""
    if os.open not in os.supports_dir_fd:  # Windows: look whether it is still the same afterwards
        handle = os.open(path, _FLAGS)
        if os.path.realpath(path) == path and os.path.samestat(os.fstat(handle), os.stat(path)):
            return handle
        os.close(handle)
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    *folders, name = os.path.relpath(path, root).split(os.sep)
    at = os.open(root, _STEP & ~getattr(os, "O_NOFOLLOW", 0))
    try:
        for folder in folders:
            below = os.open(folder, _STEP, dir_fd=at)
            os.close(at)
            at = below
        return os.open(name, _FLAGS | getattr(os, "O_NOFOLLOW", 0), dir_fd=at)
    finally:
        os.close(at)


def _check_regular(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise UsageError("it is a folder")
    if not stat.S_ISREG(found.st_mode):
        raise UsageError("it is a device, pipe or socket, not a file")


def _read_at_most(handle: int, most: int) -> bytes:
    """Everything; UsageError when it is more, whatever its size was said to be."""
    size = os.fstat(handle).st_size
    first = os.read(handle, min(size, most) + 1)
    last = os.read(handle, 1) if len(first) == size else b""
    if len(first) == size <= most and not last:
        return first  # mostly: one piece, without copies
    data = bytearray(first + last)
    while len(data) <= most:
        chunk = os.read(handle, min(_CHUNK, most + 1 - len(data)))
        if not chunk:
            return bytes(data)
        data += chunk
    raise UsageError(f"it is too large: at most {most} bytes are read")


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except OSError:  # a link was taken away in this very moment
        raise UsageError("there is no such file") from None


def _real_in(folder: str, file: str) -> str:
    """The real path of a file in a folder that is one: mostly nothing is left to be followed."""
    path = os.path.join(folder, file)
    if os.name == "posix" and "/" not in file and file.strip(".") and not os.path.islink(path):
        return path
    return _real(path)


def _is_inside(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)
