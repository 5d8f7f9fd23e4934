"""XML files: their elements, and where each of them stands in the text.

Elements come from the compiled parser of the standard library, which does not say where they are.
Places are needed for messages alone: then the start tags in the text are counted.
Entities are not supported, since a few lines of them can stand for gigabytes.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

from kinegen.errors import Problem
from kinegen.formats.encodings import decode_xml
from kinegen.formats.problems import FormatProblems

__all__ = ["ORIGIN", "Element", "XmlSource", "beside", "with_origins"]

ORIGIN = "kinegen-at"
"""Attribute of elements that were made from another text: number of its file, line, column."""

_DECLARATION = re.compile(r"<\?xml[^>]*\?>")
_INK = re.compile(r"[^\r\n]")
_TAG = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<([^\s!?/<>])", re.DOTALL)
"""What may contain a '<' that begins no element, or the first letter of an element's name."""
_NAME = re.compile(r"[^\s/>]+")
_ENTITY = re.compile(r"<!ENTITY\s+%?\s*([^\s>]*)")


class XmlSource:
    """An XML text and its elements."""

    def __init__(self, text: str, file: str, origins: Sequence[str] = ()) -> None:
        """Read a text; FormatError, with line and column, when it is not sound.

        Args:
            text: The file's content.
            file: Its name, for messages.
            origins: Files that the text was made from, if it was; see :func:`with_origins`.
        """
        # many files have a comment or blank lines before their declaration, which others accept:
        # blanks stand for it, and its line breaks stay, so that places do
        text = _DECLARATION.sub(lambda found: _INK.sub(" ", found[0]), text, count=1)
        self.text, self.file, self.origins = text, file, origins
        entity = _ENTITY.search(text)
        if entity is not None:
            line = text.count("\n", 0, entity.start()) + 1
            column = entity.start() - text.rfind("\n", 0, entity.start())
            name = entity[1] or "?"
            raise self._unsound(line, column, f"the file declares the entity '{name}'; entities "
                                "are not supported")  # fmt: skip
        try:
            self.root = ElementTree.fromstring(text)
        except ElementTree.ParseError as error:
            line, column = error.position
            reason = expat.ErrorString(error.code)
            raise self._unsound(
                line, column + 1, f"this is not well-formed XML: {reason}"
            ) from None
        except ValueError as error:  # an encoding that is not that of the text
            raise self._unsound(1, 1, f"this is not well-formed XML: {error}") from None
        self._places: dict[Element, int] | None = None
        self._others: list[XmlSource] = []

    @classmethod
    def of_bytes(cls, data: bytes, file: str) -> XmlSource:
        """Of a file's content, whatever its encoding is."""
        try:
            return cls(decode_xml(data), file)
        except UnicodeError as error:
            reason = f"the text is not valid: {error}"
            raise FormatProblems([Problem(file, 1, 1, reason)]) from None

    def add(self, other: XmlSource) -> None:
        """Remember a file that this one includes, so that its elements have places too."""
        self._others.append(other)

    def place(self, element: Element | int) -> tuple[str, int, int]:
        """File, line and column of an element, from 1; of a line, its beginning."""
        if isinstance(element, int):
            return self.file, element, 1
        if self.origins and ORIGIN in element.attrib:
            number, line, column = map(int, element.attrib[ORIGIN].split(":"))
            return self.origins[number], line, column
        for source in (self, *self._others):
            if source._places is None:
                source._places = dict(zip(source.root.iter(), source._starts(), strict=True))
            at = source._places.get(element)
            if at is not None:
                line = source.text.count("\n", 0, at) + 1
                return source.file, line, at - source.text.rfind("\n", 0, at)
        return self.file, 1, 1

    def problem(self, element: Element | int, message: str) -> Problem:
        """Something to say about an element."""
        return Problem(*self.place(element), message)

    def _starts(self) -> Iterator[int]:
        """Offsets of all start tags, in the order of the elements; the text is sound."""
        return _starts(self.text)

    def _unsound(self, line: int, column: int, message: str) -> FormatProblems:
        return FormatProblems([Problem(self.file, line, column, message)])


def beside(file: str, path: str) -> str:
    """The name for messages of a file whose path counts from the folder of another one."""
    if posixpath.isabs(path):
        return path
    folder = posixpath.dirname(file.replace("\\", "/"))
    return posixpath.normpath(posixpath.join(folder, path))


def with_origins(text: str, number: int, *, but: str) -> str:
    """A text whose elements say where they stand in it, for texts that are made from them.

    Args:
        text: An XML text.
        number: That of its file.
        but: The prefix of elements that stay as they are.
    """
    made, done, line, line_start = [], 0, 1, 0
    for start in _starts(text):
        name = _NAME.match(text, start + 1)
        if name is None or name[0].startswith(but):
            continue
        line += text.count("\n", line_start, start)
        line_start = max(text.rfind("\n", 0, start) + 1, line_start)
        made.append(
            f'{text[done : name.end()]} {ORIGIN}="{number}:{line}:{start - line_start + 1}"'
        )
        done = name.end()
    return "".join([*made, text[done:]])


def _starts(text: str) -> Iterator[int]:
    return (found.start() for found in _TAG.finditer(text) if found[1])
