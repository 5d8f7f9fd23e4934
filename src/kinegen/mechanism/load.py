"""Load a mechanism of RAFF: by its name in the library, from a file, or from a text."""

from __future__ import annotations

import os
from pathlib import Path

from kinegen.errors import NameNotFoundError, Problem, RaffError, UsageError, did_you_mean
from kinegen.mechanism.build import build_mechanism
from kinegen.mechanism.collection import uncollected
from kinegen.mechanism.couplings.relations import find_relations
from kinegen.mechanism.graph import Mechanism
from kinegen.raff.document import Document
from kinegen.raff.opener import Opener, names_in
from kinegen.raff.reading import Reading, read_raff
from kinegen.raff.rules.names import rows_of

__all__ = [
    "find_file",
    "is_in_library",
    "is_text",
    "library_file",
    "library_names",
    "load_document",
    "load_raff",
    "make_opener",
    "name_of",
    "read",
    "world_names",
]

_LIBRARY = Path(__file__).parent / "library"
_WORLDS = Path(__file__).parent.parent / "world" / "library"
_SUFFIX = ".raff"


def library_names() -> list[str]:
    """The names of the library's mechanisms, sorted."""
    return list(names_in(str(_LIBRARY)))


def world_names() -> list[str]:
    """The names of the library's worlds, sorted: mechanisms with sensors and agents."""
    return list(names_in(str(_WORLDS)))


def is_in_library(name: object) -> bool:
    """Whether a word is the name of a ready mechanism or world."""
    return name in library_names() or name in world_names()


def library_file(name: str) -> Path:
    """The file of a library mechanism or world; NameNotFoundError when there is none."""
    # Only names: nothing that could leave the folder.
    for folder in (_LIBRARY, _WORLDS):
        if name in names_in(str(folder)):
            return folder / f"{name}{_SUFFIX}"
    raise _not_found(name)


def load_raff(
    source: str | os.PathLike[str], *, folder: str | os.PathLike[str] | None = None
) -> Mechanism:
    """The mechanism of a library name, a RAFF file's path, or a RAFF text.

    Args:
        source: ``"five-bar"``, ``"arm.raff"``, a path, or a text (it has several lines or
            starts with ``raff:``).
        folder: For a text: where the files it includes are. Without it a text includes
            library mechanisms only.

    Raises:
        RaffError: The text has problems; all of them are reported, each with its place.
        NameNotFoundError: Neither a library name nor a file.
    """
    with uncollected():
        reading, document = read(source, folder=folder)
        return _built(reading, document, name_of(reading.source.file))


def load_document(document: Document, *, name: str = "mechanism") -> Mechanism:
    """The mechanism of a document's text, which it keeps; ``name`` when the text gives none."""
    document.opener = opener = document.opener.fresh() if document.opener else make_opener()
    with uncollected():
        reading = read_raff(document.text, file=document.file, opener=opener)
        document.adopt(reading.root.node)
        return _built(reading, document, name)


def make_opener(
    folder: str | os.PathLike[str] | None = None,
    *,
    root: str | os.PathLike[str] | None = None,
    own: str | os.PathLike[str] | None = None,
    **limits: int,
) -> Opener:
    """An opener that knows the library; see :class:`~kinegen.raff.opener.Opener`."""
    places = (None if place is None else os.fspath(place) for place in (folder, root, own))
    where, inside, itself = places
    return Opener(where, root=inside, own=itself, library=str(_LIBRARY), **limits)


def _built(reading: Reading, document: Document, name: str) -> Mechanism:
    home = document.opener.folder if document.opener else None
    mechanism = build_mechanism(reading, name, home=home or "")
    mechanism.document, mechanism.remarks = document, reading.remarks + mechanism.remarks
    _check_couplings(mechanism, reading)
    mechanism.opener = document.opener
    return mechanism


def _check_couplings(mechanism: Mechanism, reading: Reading) -> None:
    """Refuse couplings that no mechanism can have, each at its place in the text."""
    problems = []
    for fault in find_relations(mechanism).faults:
        robot, inner, _ = fault.owner.partition(".")
        sections = ("robots",) if inner else ("couplings", "joints")
        rows = (row for section in sections for row in rows_of(reading.root, section))
        row = next((row for row in rows if row.values.get("name") == robot), reading.root)
        line, column = reading.source.position(row.place(fault.key).start)
        owner = f"'{fault.owner}': " if inner else ""
        problems.append(Problem(reading.source.file, line, column, owner + fault.message))
    if problems:
        raise RaffError(problems)


def read(
    source: str | os.PathLike[str], *, folder: str | os.PathLike[str] | None = None
) -> tuple[Reading, Document]:
    """The checked reading of a source and its text, as :func:`load_raff` takes it."""
    if isinstance(source, str) and is_text(source):
        opener = make_opener(folder)
        reading = read_raff(source, file="text", opener=opener)
        return reading, Document(source, "text", opener=opener)
    path = find_file(source)
    file = str(path)
    opener = make_opener(path.parent, own=path)
    assert opener.own is not None
    try:
        content = opener.fresh().read(opener.own)
    except UsageError as error:
        raise UsageError(f"'{file}': {error}") from None
    reading = read_raff(content, file=file, opener=opener)
    return reading, Document(reading.source.text, file, opener=opener)


def find_file(source: str | os.PathLike[str]) -> Path:
    """The file of a library name or a path; NameNotFoundError when there is none."""
    if is_in_library(source):
        return library_file(str(source))
    path = Path(source)
    if os.path.isfile(path):  # unlike Path.is_file, it never raises
        return path
    if os.path.isdir(path):
        raise UsageError(f"'{source}' is a folder; choose a {_SUFFIX} file")
    raise _not_found(os.fspath(source))


def is_text(source: str) -> bool:
    """Whether a string is a mechanism's text itself, not a name or a path."""
    return "\n" in source or "\r" in source or source.lstrip("\ufeff \t").startswith(("raff:", "<"))


def name_of(file: str) -> str:
    """A mechanism's name when its text gives none."""
    stem = "".join(c if c.isascii() and c.isalnum() else "-" for c in Path(file).stem).strip("-")
    return stem if stem[:1].isalpha() else "mechanism"


def _not_found(name: str) -> NameNotFoundError:
    names = [*library_names(), *world_names()]
    if Path(name).suffix or "/" in name or os.sep in name:
        return NameNotFoundError(f"file '{name[:200]}' does not exist", name=name)
    hint = did_you_mean(name, names)
    listed = f"; library: {', '.join(names) or 'empty'}"
    return NameNotFoundError(
        f"'{name[:80]}' is neither in the library nor a file{hint or listed}",
        name=name,
        allowed=names,
    )
