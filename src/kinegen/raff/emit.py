"""Values to RAFF text: the shortest form that reads back as the same value."""

from __future__ import annotations

import math
import re
import textwrap
from typing import Any, Final

from kinegen.raff.formulas.formula import Formula, format_number
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.nodes import Scalar
from kinegen.raff.rules.naming import PLAIN_NAME
from kinegen.raff.units import Unit, match_unit
from kinegen.raff.wording import free_value

__all__ = ["angle_text", "flow_text", "name_text", "number_like", "paragraph", "scalar_text"]

_WIDTH: Final = 100
_UNSAFE_START = re.compile(r"[-?:,\[\]{}#&*!|>'\"%@`]|\.\.\.|---")
_UNSAFE_BLOCK = re.compile(r":(?:\s|$)|\s#|^\s|\s$")
_UNSAFE = re.compile(rf"[,\[\]{{}}]|{_UNSAFE_BLOCK.pattern}")
_NUMBER_UNIT = re.compile(r"([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(\s*)(\S+)\Z")
_DEGREES: Final = range(1, 8)  # digits up to which an angle reads better in degrees
_SHORT: Final = range(1, 16)  # decimals that a double always holds
_LONG: Final = range(16, 18)  # decimals that hold any double


def scalar_text(text: str, *, flow: bool = True) -> str:
    """A text as one YAML scalar, in quotes only where it must be.

    Args:
        text: The text.
        flow: Whether it must be good inside ``[ ]`` and ``{ }`` too.
    """
    unsafe = _UNSAFE if flow else _UNSAFE_BLOCK
    signed = text[:1] == "-" and text[1:2] not in ("", " ", "-")
    if (
        text
        and not unsafe.search(text)
        and (signed or not _UNSAFE_START.match(text))
        and text.isprintable()
    ):
        return text
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isprintable() and char != "\ufeff":
        return char
    code = ord(char)
    if char == "\n":
        return "\\n"
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )


def _word(text: str, *, flow: bool = True) -> str:
    """A text that must not read back as a number, a flag or nothing."""
    if isinstance(free_value(Scalar(text, 0, 0, True)), str):
        return scalar_text(text, flow=flow)
    return '"' + text + '"'


def name_text(name: str) -> str:
    """A new name as a file has it: in quotes unless it is a plain one."""
    if PLAIN_NAME.match(name) and isinstance(free_value(Scalar(name, 0, 0, True)), str):
        return name
    return '"' + "".join(map(_escape, name)) + '"'


def flow_text(value: Any) -> str:
    """Any value of a mechanism on one line: formulas, texts, flags, lists, mappings."""
    if isinstance(value, Formula):
        return scalar_text(value.text)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, str):
        return _word(value)
    if isinstance(value, (int, float)):
        return format_number(value) if isinstance(value, float) else str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(flow_text, value)) + "]"
    entries = (f"{_word(str(key))}: {flow_text(inner)}" for key, inner in value.items())
    return "{" + ", ".join(entries) + "}"


def paragraph(text: str) -> str:
    """A text after its key: folded over several lines when it is long."""
    foldable = "\n" not in text and text.isprintable() and text == " ".join(text.split(" "))
    simple = foldable and "  " not in text and text.strip() == text
    if len(text) <= _WIDTH - 20 or not simple:
        return _word(text, flow=False)
    lines = textwrap.wrap(text, _WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return ">-\n  " + "\n  ".join(lines)


def _in_unit(value: float, unit: Unit, gap: str, digits: range, slack: float = 0.0) -> str:
    """A value written in a unit with the fewest digits that give it; '' when none do."""
    scaled = value * unit.denominator / unit.numerator
    for precision in digits:
        number = format_number(float(f"{scaled:.{precision}g}"))
        text = f"{number}{gap}{unit.text}"
        read = parse_formula(text).value
        if read is not None and abs(read - value) <= slack:
            return text
    return ""


def number_like(value: float, old: str) -> str:
    """A number written as the text it replaces was: in the same unit.

    Where no decimal number of that unit is exactly the value, one within a last bit is taken.
    """
    found = _NUMBER_UNIT.match(old)
    unit = match_unit(old, found.start(3)) if found else None
    if found is None or unit is None or unit.text != found.group(3):
        unit = _only_unit(old)
    if unit is None:
        return format_number(value)
    if not math.isfinite(value * unit.denominator):
        return format_number(value)
    gap = found.group(2) if found else " "
    for digits, slack in (
        (_SHORT, 0.0),
        # 60 rpm is meant even where its double is a last bit off, not 59.99999999999999 rpm.
        (_SHORT, math.ulp(value)),
        (_LONG, 0.0),
    ):
        text = _in_unit(value, unit, gap, digits, slack)
        if text:
            return text
    nearest = format_number(value * unit.denominator / unit.numerator)
    return f"{nearest}{gap}{unit.text}"


def _only_unit(text: str) -> Unit | None:
    """The one unit of a number that is worked out, such as ``1/2 in``."""
    try:
        steps = parse_formula(text).typed or ()
    except FormulaError:
        return None
    units = [unit for kind, unit, _ in steps if kind == "unit"]
    return units[0] if len(units) == 1 and isinstance(units[0], Unit) else None


def angle_text(formula: Formula) -> str:
    """An angle's text: ``90 deg`` for 1.5707963267948966, unchanged when that is longer."""
    if formula.value is None or formula.typed is not None or formula.value == 0:
        return formula.text
    degree = match_unit("deg", 0)
    assert degree is not None
    text = _in_unit(formula.value, degree, " ", _DEGREES)
    return text if text and len(text) < len(formula.text) else formula.text
