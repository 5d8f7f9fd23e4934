"""Load a mechanism: by its name in the library, or from a file or text of any format."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from kinegen.errors import FormatError, Problem, UsageError
from kinegen.formats.encodings import decode_xml
from kinegen.formats.format import Format
from kinegen.formats.registry import find_reader, format_named, no_format
from kinegen.mechanism.any_model import AnyModel, mechanism_of
from kinegen.mechanism.collection import uncollected
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import find_file, is_text, load_raff, make_opener
from kinegen.mechanism.model import Model
from kinegen.mechanism.write import write
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.opener import Opener

__all__ = ["Converted", "as_raff", "format_of_file", "is_raff", "load", "loaded", "read_text"]

_RAFF = re.compile(r"^\ufeff?\s*raff\s*:", re.MULTILINE)
"""What RAFF texts say of themselves."""
_XML = re.compile(rb"\xff\xfe|\xfe\xff|\s*<\?xml")
"""How files begin that say their encoding themselves."""


def load(
    source: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    format: str | None = None,
    values: Mapping[str, Formula] | None = None,
    options: Mapping[str, str] | None = None,
) -> Mechanism:
    """Load a mechanism: a library mechanism by name, a file, or a text.

    Args:
        source: ``"five-bar"``, ``"arm.raff"``, ``"robot.par"``, a path, or a text (it has several
            lines or starts with ``raff:`` or ``<``).
        folder: For a RAFF text: the folder of the files that it includes. Without a folder, a text
            can include library mechanisms only.
        format: Name of the format; default: determined by the suffix or the content.
        values: Numbers for the symbols in the file, for formats that have symbols.
        options: The format's own options.

    Raises:
        RaffError: The RAFF text has problems; the error lists all of them with their positions.
        FormatError: The file of another format has problems.
        NameNotFoundError: Neither a library name nor a file, or no such format.
    """
    reader = format_named(format) if format else None
    if reader is not None and reader.read is None:
        raise FormatError(f"format '{reader.name}' can be written but not read")
    given = isinstance(source, str) and is_text(source)
    file = "text" if given else str(find_file(source))
    text = str(source) if given else ""
    if reader is None and not (values or options) and is_raff(text, file):
        return load_raff(source, folder=folder)  # at once: looking for plug-ins takes longer
    opener = make_opener(folder if given else os.path.dirname(file) or ".")
    text = text or read_text(file, opener)
    if reader is None:
        # a file is what its suffix says: a Python program may contain the text of a RAFF file
        own = is_raff(text if given else "", file)
        reader = format_named("raff") if own else _reader_of(file, text)
    assert reader.read is not None
    reader.check_options(options or {})
    with uncollected():
        mechanism = reader.read(
            text, file=file, values=values or {}, options=options or {}, opener=opener
        )
    mechanism.opener = mechanism.opener or opener
    return mechanism


@dataclass(frozen=True, slots=True)
class Converted:
    """A file of any format as RAFF."""

    text: str
    format: str
    """Name of the format it was in."""
    title: str
    """The format's title; one line for people."""
    remarks: tuple[Problem, ...] = ()
    """What was not carried over, each with its place in the file."""


def loaded(source: str | os.PathLike[str] | AnyModel) -> Mechanism:
    """A mechanism, of whatever describes one: what :func:`load` takes, a mechanism, a model."""
    if isinstance(source, Mechanism):
        return source
    return mechanism_of(source) if isinstance(source, Model) else load(source)


def as_raff(text: str, file: str, opener: Opener | None = None) -> Converted:
    """A text as RAFF: itself where it is, else what its mechanism is written as.

    Args:
        text: A file's content.
        file: The file's name; its suffix says the format where the content does not.
        opener: Finds and reads the files that the text names.
    """
    raff = format_named("raff")
    reader = raff if is_raff(text, file) else _reader_of(file, text)
    if reader is raff or reader.read is None:
        return Converted(text, raff.name, raff.title)
    made = reader.read(text, file=file, values={}, options={}, opener=opener)
    return Converted(write(made), reader.name, reader.title, tuple(made.remarks))


def is_raff(text: str, file: str) -> bool:
    """Whether a file is surely RAFF: by its name, or because its text says so."""
    return file.lower().endswith(".raff") or _RAFF.search(text) is not None


def format_of_file(file: str) -> Format:
    """The format of a file that can be read, by its suffix and content; FormatError for none."""
    found = find_reader(file, read_text(file) if os.path.isfile(file) else "")
    if found is None:
        raise no_format(file)
    return found


def _reader_of(file: str, text: str) -> Format:
    """The format that reads a file: by its suffix, by its content, RAFF otherwise."""
    return find_reader(file, text) or format_named("raff")


def read_text(file: str, opener: Opener | None = None) -> str:
    """The content of a text file; FormatError when it is no text.

    Args:
        file: Its path.
        opener: The one of the file's folder; None: a new one.
    """
    folder, name = os.path.split(file)
    try:
        data = (opener or make_opener(folder or ".")).content(name)
    except UsageError as error:
        raise UsageError(f"'{file}': {error}") from None
    try:
        return decode_xml(data) if _XML.match(data) else data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        name = "UTF-8" if error.encoding == "utf-8" else error.encoding
        raise FormatError(f"{file} is not {name} text (byte {error.start + 1})") from None
    except UnicodeError as error:
        raise FormatError(f"{file}: {error}") from None
