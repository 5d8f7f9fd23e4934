"""Parses the text of a number, such as ``150 mm`` or ``2*crank*sin(pi/6)``, without running it."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Final

from kinegen.errors import did_you_mean
from kinegen.raff.formulas.formula import Formula, Step, TypedStep
from kinegen.raff.formulas.operations import CONSTANTS, FUNCTIONS, OPERATIONS, apply
from kinegen.raff.formulas.tokens import NUMBER_PATTERN, FormulaError, tokens
from kinegen.raff.units import match_unit

__all__ = ["parse_formula"]

_TENS: Final = {10.0**power: power for power in range(10)}
_LENGTH_LIMIT: Final = 4000  # characters; a longer formula is a mistake
_SHORT: Final = 80  # characters of formulas that are remembered: long ones would fill the memory
_DEPTH_LIMIT: Final = 50  # nested parentheses, powers, calls: far below Python's own limit

_PLAIN = re.compile(rf"[+-]?{NUMBER_PATTERN}\Z")


def parse_formula(text: str) -> Formula:
    """The formula of a text; FormulaError with the place of the mistake."""
    if _PLAIN.match(text):
        value = float(text)
        if math.isinf(value):
            raise FormulaError("this number is too large", text=text, offset=0)
        return Formula(text, value)
    return _remembered(text) if len(text) <= _SHORT else _parse(text)


def _parse(text: str) -> Formula:
    if len(text) > _LENGTH_LIMIT:
        raise FormulaError(
            f"a formula of {len(text)} characters is too long; at most {_LENGTH_LIMIT}",
            text=text,
            offset=0,
        )
    return _Parser(text).parse()


_remembered = lru_cache(maxsize=1024)(_parse)


class _Parser:
    """Recursive descent over one text; emits postfix steps, folding constants on the way."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [*tokens(text), ("end", "", len(text), len(text))]
        self.at = 0
        self.depth = 0
        self.program: list[Step] = []
        self.typed: list[TypedStep] = []
        self.names: set[str] = set()

    def parse(self) -> Formula:
        if len(self.tokens) == 1:
            raise FormulaError("a number or a formula is missing", text=self.text, offset=0)
        self.expression()
        kind, word, start, _ = self.tokens[self.at]
        if kind != "end":
            self.fail(self.unexpected(kind, word, start), start)
        first = self.program[0]
        value = float(first[1]) if len(self.program) == 1 and first[0] == "const" else None
        parsed = (tuple(self.program), tuple(self.typed), frozenset(self.names))
        return Formula(self.text, value, parsed)

    def fail(self, reason: str, offset: int) -> None:
        raise FormulaError(reason, text=self.text, offset=offset)

    def unexpected(self, kind: str, word: str, offset: int) -> str:
        if kind == "end":
            return "the formula ends unexpectedly: a value is missing"
        if word == ")":
            return "')' has no '(' before it"
        if word == ",":
            return "a comma may only separate the arguments of a function; decimals need a point"
        if kind == "op":
            return f"a value is missing before '{word}'"
        if kind == "name" and match_unit(word, 0) and self.text[:offset].rstrip()[-1:].isalpha():
            return f"an operator is missing before '{word}'; units are written together: Nm, kgm2"
        return f"an operator is missing before '{word}'"

    def emit(self, operation: str, offset: int) -> None:
        """Append an operation, or its result when its arguments are constants."""
        count = OPERATIONS[operation][0]
        self.typed.append((operation, 0, offset))
        arguments = self.program[-count:]
        if all(step[0] == "const" for step in arguments):
            result, reason = apply(operation, *(float(step[1]) for step in arguments))
            if reason:
                self.fail(reason, offset)
            self.program[-count:] = [("const", result)]
        else:
            self.program.append((operation, 0))

    def expression(self) -> None:
        self.term()
        while (token := self.tokens[self.at])[1] in ("+", "-") and token[0] == "op":
            self.at += 1
            self.term()
            self.emit("add" if token[1] == "+" else "sub", token[2])

    def term(self) -> None:
        self.factor()
        while (token := self.tokens[self.at])[1] in ("*", "/") and token[0] == "op":
            self.at += 1
            if token[1] == "*":
                self.factor()
            else:
                self.refuse_unclear_fraction()
                self.unary()
            self.emit("mul" if token[1] == "*" else "div", token[2])

    def refuse_unclear_fraction(self) -> None:
        """``n/8 in`` may be n eighths of an inch, or n divided by 8 inches."""
        name, number, *after = self.tokens[self.at - 2], *self.tokens[self.at : self.at + 2]
        unit = after[0] if after else number  # the text may end here
        if (name[0], number[0], unit[0]) == ("name", "number", "unit"):
            over, below = f"{name[1]}/{number[1]}", f"{number[1]} {unit[1]}"
            reason = f"unclear: write ({over}) {unit[1]}, or {name[1]}/({below})"
            self.fail(reason, name[2])

    def factor(self) -> None:
        """A fraction with its unit, as people write it (``1/8 in``, ``3 1/2 in``); or a value."""
        first = self.at
        while self.tokens[first][1] in ("+", "-") and self.tokens[first][0] == "op":
            first += 1
        kinds = [(kind, word) for kind, word, *_ in self.tokens[first : first + 5]]
        whole = len(kinds) > 1 and kinds[0][0] == kinds[1][0] == "number"
        parts = kinds[whole : whole + 4]
        is_fraction = [kind for kind, _ in parts] == ["number", "op", "number", "unit"]
        if not is_fraction or parts[1][1] != "/":
            return self.unary()
        signs = [word for _, word, *_ in self.tokens[self.at : first]]
        words = [word for kind, word in kinds[: 3 + whole] if kind == "number"]
        if whole and not all(word.isdigit() for word in words):
            return self.unary()
        self.at = first
        self.number()
        if whole:
            self.number()
        slash = self.tokens[self.at][2]
        self.at += 1
        self.number()
        self.emit("div", slash)
        if whole:
            self.emit("add", slash)
        self.unit(self.tokens[self.at][2])
        if signs.count("-") % 2:
            self.emit("neg", self.tokens[first][2])
        return None

    def number(self) -> None:
        """A plain number."""
        _, word, start, _ = self.tokens[self.at]
        self.at += 1
        value = float(word)
        if math.isinf(value):
            self.fail("this number is too large", start)
        self.program.append(("const", value))
        self.typed.append(("const", value, start))

    def unary(self) -> None:
        negative, offset = False, self.tokens[self.at][2]
        while (token := self.tokens[self.at])[1] in ("+", "-") and token[0] == "op":
            negative ^= token[1] == "-"
            self.at += 1
        self.depth += 1
        if self.depth > _DEPTH_LIMIT:
            self.fail(f"nested more than {_DEPTH_LIMIT} deep", offset)
        self.power()
        self.depth -= 1
        if negative:
            self.emit("neg", offset)

    def power(self) -> None:
        self.atom()
        kind, word, start, _ = self.tokens[self.at]
        if kind == "op" and word in ("^", "**"):
            self.at += 1
            self.unary()
            self.emit("pow", start)

    def atom(self) -> None:
        kind, word, start, _ = self.tokens[self.at]
        if kind == "number":
            self.number()
            if self.tokens[self.at][0] == "unit":
                self.unit(self.tokens[self.at][2], literal=word)
            return
        self.at += 1
        if kind == "name" and word in CONSTANTS:
            self.program.append(("const", CONSTANTS[word]))
            self.typed.append(("const", CONSTANTS[word], start))
            return
        elif kind == "name" and self.tokens[self.at][1] == "(":
            self.call(word, start)
        elif kind == "name":
            if word in FUNCTIONS:
                self.fail(f"'{word}' is a function; write {word}(…)", start)
            self.names.add(word)
            self.program.append(("name", word))
            self.typed.append(("name", word, start))
            return
        elif kind == "op" and word == "(":
            self.expression()
            self.close(start)
        else:
            self.fail(self.unexpected(kind, word, start), start)
        kind, word, start, _ = self.tokens[self.at]
        if kind == "unit":
            self.unit(start)

    def unit(self, start: int, literal: str = "") -> None:
        """Apply a unit to the value before it; ``literal`` is that value's text, if a number."""
        self.at += 1
        unit = match_unit(self.text, start)
        assert unit is not None
        self.typed.append(("unit", unit, start))
        last = self.program[-1]
        if last[0] == "const":
            value = float(last[1]) * unit.numerator / unit.denominator
            up, down = _TENS.get(unit.numerator), _TENS.get(unit.denominator)
            if literal and up is not None and down is not None:
                # Shift the decimal point in the text: 33.3 mm is exactly the number 0.0333.
                digits, _, exponent = literal.lower().partition("e")
                value = float(f"{digits}e{int(exponent or 0) + up - down}")
            if math.isinf(value):
                self.fail("this number is too large", start)
            self.program[-1] = ("const", value)
        elif unit.numerator != unit.denominator:
            self.program += ("const", unit.numerator / unit.denominator), ("mul", 0)

    def call(self, word: str, start: int) -> None:
        if word not in FUNCTIONS:
            self.fail(
                f"unknown function '{word}'"
                f"{did_you_mean(word, FUNCTIONS) or '; functions: ' + ' '.join(FUNCTIONS)}",
                start,
            )
        opening = self.tokens[self.at][2]
        self.at += 1
        wanted, count = FUNCTIONS[word], 0
        if self.tokens[self.at][1] != ")":
            while True:
                self.expression()
                count += 1
                if wanted is None and count > 1:
                    self.emit(word, start)
                if self.tokens[self.at][1] != ",":
                    break
                self.at += 1
        self.close(opening)
        if count != wanted and not (wanted is None and count > 1):
            needs = (
                "two or more values" if wanted is None else f"{wanted} value" + "s" * (wanted > 1)
            )
            self.fail(f"{word} needs {needs}, not {count}", start)
        if wanted is not None:
            self.emit(word, start)

    def close(self, opening: int) -> None:
        kind, word, start, _ = self.tokens[self.at]
        if word == ")" and kind == "op":
            self.at += 1
        elif kind == "end":
            self.fail("this '(' is not closed", opening)
        else:
            self.fail(self.unexpected(kind, word, start), start)
