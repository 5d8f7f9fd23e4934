"""The tokens of a formula: numbers, units, names and signs, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kinegen.errors import NumberError, did_you_mean
from kinegen.raff.units import match_unit, unit_symbols

__all__ = ["NUMBER_PATTERN", "FormulaError", "tokens"]

NUMBER_PATTERN = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_TOKEN = re.compile(
    rf"(?P<number>{NUMBER_PATTERN})"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)"
    r"|(?P<op>\*\*|[-+*/^(),])"
)
_BLANKS = re.compile(r"[ \t\r\n]*")
_WORD = re.compile(r"[^\W\d]\w*(?:[./·]\w+)*|°|%")
_LOOKALIKES = {"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "∗": "*", "π": "pi", "τ": "tau"}


class FormulaError(NumberError):
    """A formula's text is invalid; ``offset`` is the character of the mistake."""

    def __init__(self, reason: str, *, text: str, offset: int) -> None:
        super().__init__(f"in '{text[:80]}' at character {offset + 1}: {reason}")
        self.reason = reason
        self.text = text
        self.offset = offset

    def __reduce__(self) -> tuple[Any, ...]:
        """Created again from its parts, so that it passes between processes."""
        return _formula_error, (self.reason, self.text, self.offset)


def _formula_error(reason: str, text: str, offset: int) -> FormulaError:
    return FormulaError(reason, text=text, offset=offset)


def tokens(text: str) -> Iterator[tuple[str, str, int, int]]:
    """(kind, word, start, end) of each token; kinds: number, unit, name, op."""
    at, size = 0, len(text)
    after_value = False  # whether a unit may follow
    while True:
        blanks = _BLANKS.match(text, at)
        at = blanks.end() if blanks else at
        if at >= size:
            return
        if after_value and (unit := match_unit(text, at)):
            yield "unit", unit.text, at, at + len(unit.text)
            at += len(unit.text)
            after_value = False
            continue
        found = _TOKEN.match(text, at)
        if found is None:
            raise FormulaError(_strange(text, at, after_value), text=text, offset=at)
        kind, word = str(found.lastgroup), found.group()
        if after_value and kind == "name":
            raise FormulaError(_unknown_unit(text, at), text=text, offset=at)
        yield kind, word, at, found.end()
        at = found.end()
        after_value = kind == "number" or word == ")"


def _strange(text: str, at: int, after_value: bool) -> str:
    """Why the character at ``at`` starts nothing."""
    char = text[at]
    if char in _LOOKALIKES:
        return f"'{char}' is not understood; write '{_LOOKALIKES[char]}'"
    if after_value and _WORD.match(text, at):
        return _unknown_unit(text, at)
    if char == "=":
        return "'=' is not part of a formula; write only the value"
    if char in "[]{}":
        return f"'{char}' is not part of a formula; group with ( )"
    return f"'{char}' is not understood in a formula"


def _unknown_unit(text: str, at: int) -> str:
    """What to say about a word that follows a value without being a unit."""
    found = _WORD.match(text, at)
    word = found.group() if found else text[at]
    simple = word.split("/")[0].split(".")[0]
    hint = did_you_mean(word, unit_symbols()) or did_you_mean(simple, unit_symbols())
    if re.match(r"[xX][0-9a-fA-F]", word):
        return f"'{text}' is not a number; write it in decimals"
    if "_" in word[:1]:
        return "write numbers without '_'"
    return f"unknown unit '{word}'{hint or '; to multiply, put * before it'}"
