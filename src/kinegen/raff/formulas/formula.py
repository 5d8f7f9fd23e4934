"""Formula: a number of a RAFF file, such as ``150 mm`` or ``2*crank*sin(pi/6)``."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any, Final

from kinegen.errors import NumberError, did_you_mean
from kinegen.raff.formulas.operations import OPERATIONS, apply
from kinegen.raff.units import Unit

__all__ = ["Formula", "Step", "TypedStep", "format_number"]

Step = tuple[str, float | str | int]
"""One step of the postfix form: ("const", x), ("name", n) or (operation, 0)."""
TypedStep = tuple[str, float | str | Unit | int, int]
"""A step before folding, with units kept and the character it came from."""

_Parsed = tuple[tuple[Step, ...], tuple[TypedStep, ...], frozenset[str]]
_NO_NAMES: Final[frozenset[str]] = frozenset()


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
