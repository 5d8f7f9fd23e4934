"""Formula: a number of a RAFF file, such as ``150 mm`` or ``2*crank*sin(pi/6)``, parsed safely."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from kinegen.errors import NumberError, did_you_mean
from kinegen.raff.operations import CONSTANTS, FUNCTIONS, OPERATIONS, apply
from kinegen.raff.tokens import NUMBER_PATTERN, FormulaError, tokens
from kinegen.raff.units import Unit, match_unit

__all__ = ["Formula", "FormulaError", "format_number", "parse_formula"]

Step = tuple[str, float | str | int]
"""One step of the postfix form: ("const", x), ("name", n) or (operation, 0)."""
TypedStep = tuple[str, float | str | Unit | int, int]
"""A step before folding, with units kept and the character it came from."""

_Parsed = tuple[tuple[Step, ...], tuple[TypedStep, ...], frozenset[str]]
_NO_NAMES: Final[frozenset[str]] = frozenset()

_TENS: Final = {10.0**power: power for power in range(10)}
_LENGTH_LIMIT: Final = 4000  # characters; a longer formula is a mistake
_SHORT: Final = 80  # characters of formulas that are remembered: long ones would fill the memory
_DEPTH_LIMIT: Final = 50  # nested parentheses, powers, calls: far below Python's own limit

_PLAIN = re.compile(rf"[+-]?{NUMBER_PATTERN}\Z")


class Formula:
    """A number as written: a constant, or an expression over named parameters (immutable).

    Two formulas are equal when they mean the same: ``150 mm`` equals ``0.15``.
    """

    __slots__ = ("_parsed", "_text", "value")

    _text: str | None
    """As written; None for a constant that nobody has looked at yet."""
    value: float | None
    """The number in SI units and radians, when the formula has no names."""
    _parsed: _Parsed | None
    """Steps, steps with units, names; None for a plain number, of which files have thousands."""

    def __init__(self, text: str, value: float | None, parsed: _Parsed | None = None) -> None:
        fix = object.__setattr__
        fix(self, "_text", text)
        fix(self, "value", value)
        fix(self, "_parsed", parsed)

    @property
    def text(self) -> str:
        """As written, or as a person would write it."""
        if self._text is None:
            assert self.value is not None
            _set_text(self, format_number(self.value))
        return self._text or ""

    @property
    def names(self) -> frozenset[str]:
        """The parameters it needs."""
        return self._parsed[2] if self._parsed else _NO_NAMES

    @property
    def typed(self) -> tuple[TypedStep, ...] | None:
        """Steps with their units, for the check of quantities; None for a plain number."""
        return self._parsed[1] if self._parsed else None

    @classmethod
    def constant(cls, value: float, text: str | None = None) -> Formula:
        """The formula of one finite number [SI]; ``text`` is how to write it."""
        value = float(value)
        if not math.isfinite(value):
            raise NumberError(f"{value} is not a finite number")
        made = cls.__new__(cls)  # robots have tens of thousands of them
        _set_text(made, text)
        _set_value(made, value)
        _set_parsed(made, None)
        return made

    def evaluate(self, values: Mapping[str, float]) -> float:
        """The number [SI] for given parameter values; NumberError when there is none."""
        if self.value is not None:
            return self.value
        stack: list[float] = []
        for operation, payload in self.postfix():
            if operation == "const":
                stack.append(float(payload))
            elif operation == "name":
                try:
                    stack.append(float(values[str(payload)]))
                except KeyError:
                    raise NumberError(
                        f"'{self.text}' needs '{payload}', which has no value"
                        f"{did_you_mean(str(payload), values)}"
                    ) from None
            else:
                count = OPERATIONS[operation][0]
                result, reason = apply(operation, *stack[-count:])
                if reason:
                    raise NumberError(f"'{self.text}' cannot be computed: {reason}")
                stack[-count:] = [result]
        if not math.isfinite(stack[0]):
            raise NumberError(f"'{self.text}' is not a finite number")
        return stack[0]

    def postfix(self) -> tuple[Step, ...]:
        """The formula as steps of a stack machine, constants folded."""
        if self._parsed:
            return self._parsed[0]
        assert self.value is not None
        return (("const", self.value),)

    def renamed(self, rename: Callable[[str], str]) -> Formula:
        """The same formula over renamed parameters."""
        if self.value is not None or self._parsed is None:
            return self
        program, typed, names = self._parsed
        other = {name: rename(name) for name in names}
        pieces: list[str] = []
        at = 0
        starts, shifts = [], [0]  # behind each name the text moves by that much
        for name, start in self.name_places():
            pieces += self.text[at:start], other[name]
            at = start + len(name)
            starts.append(start)
            shifts.append(shifts[-1] + len(other[name]) - len(name))
        pieces.append(self.text[at:])
        moved = [
            (*_renamed(step, other)[:2], step[2] + shifts[bisect_left(starts, step[2])])
            for step in typed
        ]
        parsed = (
            tuple(_renamed(step, other) for step in program),
            tuple(moved),
            frozenset(other.values()),
        )
        return Formula("".join(pieces), None, parsed)

    def name_places(self) -> list[tuple[str, int]]:
        """The names in the text with the character each starts at, from left to right."""
        if self._parsed is None:
            return []
        places = [(str(name), at) for kind, name, at in self._parsed[1] if kind == "name"]
        return sorted(places, key=lambda place: place[1])

    def __eq__(self, other: object) -> bool:
        """Whether both mean the same number."""
        if not isinstance(other, Formula):
            return NotImplemented
        if self.value is not None or other.value is not None:
            return self.value == other.value
        return self.postfix() == other.postfix()

    def __hash__(self) -> int:
        return hash(self.postfix() if self.value is None else self.value)

    def __repr__(self) -> str:
        return f"Formula({self.text!r})"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Formula cannot change; tried to set {name!r}")

    def __copy__(self) -> Formula:
        return self

    def __deepcopy__(self, memo: object) -> Formula:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Formula, (self.text, self.value, self._parsed)


_set_text = Formula.__dict__["_text"].__set__
_set_value = Formula.__dict__["value"].__set__
_set_parsed = Formula.__dict__["_parsed"].__set__


def _renamed(step: Any, other: Mapping[str, str]) -> Any:
    return (step[0], other[step[1]], *step[2:]) if step[0] == "name" else step


def format_number(value: float) -> str:
    """The shortest decimal text that reads back as the same number."""
    text = repr(float(value))
    return text.removesuffix(".0") if "e" not in text else text.replace("e+", "e")


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
            return "the formula ends too early: a value is missing"
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
