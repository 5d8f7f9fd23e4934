"""XML files as text: elements, numbers that read back exactly, comments that cannot break out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

__all__ = ["Element", "add", "number", "numbers", "xml_text"]

Element = ElementTree.Element
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ROUNDING = 1e-15
"""Numbers below this are rounding of sines and cosines."""


def number(value: float) -> str:
    """A number that reads back exactly; rounding around 0 is left out."""
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be written to a file")
    if abs(value) < _ROUNDING:
        return "0"
    return repr(float(value)).removesuffix(".0")


def numbers(values: Iterable[float]) -> str:
    """Several of them."""
    return " ".join(map(number, values))


def add(parent: Element, tag: str, text: str | float | None = None, /, **given: object) -> Element:
    """A child with attributes: numbers, several numbers or text; None is left out.

    Args:
        parent: The element it is added to.
        tag: Its tag.
        text: Its text.
        given: Its attributes; a final ``_`` of names that Python keeps is dropped.
    """
    made = ElementTree.SubElement(parent, tag, _attributes(given))
    if text is not None:
        made.text = text if isinstance(text, str) else number(text)
    return made


def _attributes(given: Mapping[str, object]) -> dict[str, str]:
    made = {}
    for name, value in given.items():
        if value is None:
            continue
        if isinstance(value, bool):
            text = "true" if value else "false"
        elif isinstance(value, int | float):
            text = number(value)
        elif isinstance(value, str):
            text = value
        else:
            text = numbers(value)  # type: ignore[arg-type]
        made[name.removesuffix("_")] = text
    return made


def xml_text(root: Element, head: Iterable[str], *, doctype: str = "") -> str:
    """The text of a file: declaration, comment lines, the root."""
    lines = [_safe(line) for line in head]
    comment = "<!--\n" + "".join(f"  {line}\n" for line in lines) + "-->\n" if lines else ""
    declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f"{declaration}{doctype}{comment}{''.join(_tags(root))}"


def _tags(root: Element) -> Iterator[str]:
    """An element's lines; without recursion, for chains of links may be long."""
    waiting: list[tuple[Element | str, int]] = [(root, 0)]
    while waiting:
        element, depth = waiting.pop()
        if isinstance(element, str):
            yield element
            continue
        given = "".join(f" {key}={quoteattr(_legal(v))}" for key, v in element.attrib.items())
        start = f"{'  ' * depth}<{element.tag}{given}"
        if element.text is not None:
            yield f"{start}>{escape(_legal(element.text))}</{element.tag}>\n"
        elif not len(element):
            yield f"{start}/>\n"
        else:
            yield f"{start}>\n"
            waiting.append((f"{'  ' * depth}</{element.tag}>\n", depth))
            waiting += [(child, depth + 1) for child in reversed(element)]


def _legal(text: str) -> str:
    """A text without the characters that XML has no way to write."""
    return _ILLEGAL.sub("\ufffd", text)


def _safe(line: str) -> str:
    """A line within a comment: two hyphens would end it, control characters are not XML."""
    plain = "".join(c if c.isprintable() else " " for c in line)
    while "--" in plain:
        plain = plain.replace("--", "- -")
    return plain
