"""Load a mechanism: by its name in the library, from a file, or from RAFF text."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from kinegen.errors import NameNotFoundError, UsageError, did_you_mean
from kinegen.mechanism.build import build_mechanism
from kinegen.mechanism.collection import uncollected
from kinegen.mechanism.graph import Mechanism
from kinegen.raff.document import Document
from kinegen.raff.reading import Reading, read_raff

__all__ = ["library_file", "library_names", "load", "load_document", "read"]

_LIBRARY = Path(__file__).parent / "library"
_SUFFIX = ".raff"


def library_names() -> list[str]:
    """The names of the ready mechanisms, sorted."""
    return sorted(file.stem for file in _LIBRARY.glob(f"*{_SUFFIX}"))


def library_file(name: str) -> Path:
    """The file of a library mechanism; NameNotFoundError when there is none."""
    # Only names: nothing that could leave the folder.
    if name in library_names():
        return _LIBRARY / f"{name}{_SUFFIX}"
    raise _not_found(name)


def load(
    source: str | os.PathLike[str], *, folder: str | os.PathLike[str] | None = None
) -> Mechanism:
    """The mechanism of a library name, a file's path, or a RAFF text.

    Args:
        source: ``"five-bar"``, ``"arm.raff"``, a path, or a text (it has several lines or
            starts with ``raff:``).
        folder: For a text: where the files it includes are. Without it a text includes
            library mechanisms only.

    Raises:
        RaffError: The text has problems; all of them are told, each with its place.
        NameNotFoundError: Neither a library name nor a file.
    """
    with uncollected():
        reading, document = read(source, folder=folder)
        name, home = _name_of(reading.source.file), document.folder or ""
        mechanism = build_mechanism(reading, name, home=home)
    mechanism.document = document
    return mechanism


def load_document(document: Document, *, name: str = "mechanism") -> Mechanism:
    """The mechanism of a document's text, which it keeps; ``name`` when the text gives none."""
    opener = partial(_open, document.folder)
    with uncollected():
        reading = read_raff(document.text, file=document.file, opener=opener)
        mechanism = build_mechanism(reading, name, home=document.folder or "")
    mechanism.document = document
    return mechanism


def read(
    source: str | os.PathLike[str], *, folder: str | os.PathLike[str] | None = None
) -> tuple[Reading, Document]:
    """The checked reading of a source and its text, as :func:`load` takes it."""
    file: str
    content: str | bytes
    if isinstance(source, str) and is_text(source):
        where = None if folder is None else os.fspath(folder)
        reading = read_raff(source, file="text", opener=partial(_open, where))
        return reading, Document(source, "text", folder=where)
    path = Path(source)
    if isinstance(source, str) and source in library_names():
        path = _LIBRARY / f"{source}{_SUFFIX}"
    elif not os.path.isfile(path):  # unlike Path.is_file, it never raises
        if os.path.isdir(path):
            raise UsageError(f"'{source}' is a folder; give a {_SUFFIX} file")
        raise _not_found(os.fspath(source))
    file, content = str(path), path.read_bytes()
    reading = read_raff(content, file=file, opener=partial(_open, str(path.parent)))
    return reading, Document(reading.source.text, file, folder=str(path.parent))


def is_text(source: str) -> bool:
    """Whether a string is a RAFF text itself, not a name or a path."""
    return "\n" in source or "\r" in source or source.lstrip("\ufeff \t").startswith("raff:")


def _open(folder: str | None, include: str, including: str) -> tuple[str, bytes]:
    """Find an included file: a library name, or a path relative to the including file."""
    library = library_names()
    if include in library:
        path = _LIBRARY / f"{include}{_SUFFIX}"
        return str(path), path.read_bytes()
    looks_like_name = not include.endswith(_SUFFIX) and "/" not in include and "\\" not in include
    if looks_like_name:
        hint = did_you_mean(include, library)
        raise UsageError(f"it is neither in the library{hint} nor a {_SUFFIX} file")
    if folder is None:
        raise UsageError("a text without a folder can include library mechanisms only")
    try:
        path = Path(folder if including == "text" else Path(including).parent) / include
        file = os.path.normpath(path)
        return file, Path(file).read_bytes()
    except ValueError as error:
        raise UsageError(f"it is not a path ({error})") from None


def _name_of(file: str) -> str:
    """A mechanism's name when its text gives none."""
    stem = "".join(c if c.isascii() and c.isalnum() else "-" for c in Path(file).stem).strip("-")
    return stem if stem[:1].isalpha() else "mechanism"


def _not_found(name: str) -> NameNotFoundError:
    names = library_names()
    if name.endswith(_SUFFIX) or "/" in name or os.sep in name:
        return NameNotFoundError(f"file '{name[:200]}' does not exist", name=name)
    hint = did_you_mean(name, names)
    listed = f"; library: {', '.join(names) or 'empty'}"
    return NameNotFoundError(
        f"'{name[:80]}' is neither in the library nor a file{hint or listed}",
        name=name,
        allowed=names,
    )
