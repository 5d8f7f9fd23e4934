"""XML with the place of every element, read without entities, which could grow without bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from kinegen.errors import FormatError, Problem
from kinegen.formats.problems import FormatProblems

__all__ = ["Element", "parse_xml"]

DEEPEST = 2000
"""Elements within each other: robots nest a body per joint, and no robot has so long a chain."""


@dataclass(slots=True, eq=False)
class Element:
    """An element of an XML text."""

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> Iterator[Element]:
        """Its children with a tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        """Its first child with a tag, or None."""
        return next(self.all(tag), None)

    def get(self, name: str, default: str = "") -> str:
        """An attribute's text."""
        return self.attributes.get(name, default)


def parse_xml(text: str, file: str) -> Element:
    """The root element of a text; FormatError, with line and column, when it is not sound XML."""
    parser = expat.ParserCreate(namespace_separator=None)
    parser.buffer_text = True
    top = Element("", {}, 0, 0)
    stack = [top]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > DEEPEST:
            raise _problem(f"elements are nested more than {DEEPEST} deep")
        element = Element(tag, attributes, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        stack[-1].children.append(element)
        stack.append(element)

    def end(_: str) -> None:
        stack.pop()

    def characters(data: str) -> None:
        stack[-1].text += data

    def entity(name: str, *_: object) -> None:
        raise _problem(f"the file declares the entity '{name}'; entities are not supported")

    def _problem(message: str) -> FormatError:
        line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        return FormatProblems([Problem(file, line, column, message)])

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = characters, entity
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        place = (error.lineno, error.offset + 1)
        raise FormatProblems([Problem(file, *place, f"this is not sound XML: {reason}")]) from None
    return top.children[0]
