"""Rules about signals: rewards and ends of episodes, as formulas or functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from kinegen.errors import NumberError, UsageError, unknown_name
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula
from kinegen.world.world import World

__all__ = ["Rule", "SignalValues", "rule_of"]

Rule: TypeAlias = Callable[[World], float]
"""A number of a world as it is now; for an end: whether it is not 0."""
_PARTS = {3: "xyz", 4: "wxyz"}
"""Names of the numbers of a signal that has so many."""


class SignalValues(Mapping[str, float]):
    """Values of a world's signals by the names that formulas use.

    A signal with three or four numbers has its parts under ``NAME.x`` and so on; ``time`` is the
    time of the world [s].
    """

    def __init__(self, world: World) -> None:
        self._world = world

    def __getitem__(self, name: str) -> float:
        if name == "time":
            return self._world.time
        signals = self._world.signals
        if name in signals:
            value = signals[name].value
            if signals[name].shape != ():
                raise KeyError(name)
            return float(value)
        whole, _, part = name.rpartition(".")
        if whole in signals and signals[whole].shape is not None:
            letters = _PARTS.get(len(signals[whole].shape or ()) and signals[whole].value.size, "")
            if part and part in letters:
                return float(signals[whole].value.ravel()[letters.index(part)])
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        yield "time"
        for name in self._world.signals:
            shape = self._world.signals[name].shape
            if shape == ():
                yield name
            elif shape is not None and len(shape) == 1:
                yield from (f"{name}.{letter}" for letter in _PARTS.get(shape[0], ""))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def rule_of(what: str, given: Any, names: SignalValues) -> Rule:
    """A rule from a formula, a comparison of two formulas, or a function of the world.

    Args:
        what: What it is for, in messages: "reward".
        given: The formula's text, or the function.
        names: Of the signals that it may use.

    Raises:
        UsageError: It is neither, or it uses a signal that there is not.
    """
    if callable(given):
        return lambda world: float(given(world))
    if not isinstance(given, str):
        raise UsageError(f"{what} must be a formula of signals or a function, got {given!r}")
    for sign in ("<", ">"):
        if given.count(sign) == 1:
            left, right = (_formula(what, part, names) for part in given.split(sign))
            times = 1.0 if sign == "<" else -1.0
            return lambda world: float(
                times * left.evaluate(SignalValues(world))
                < times * right.evaluate(SignalValues(world))
            )
    formula = _formula(what, given, names)
    return lambda world: formula.evaluate(SignalValues(world))


def _formula(what: str, text: str, names: SignalValues) -> Formula:
    try:
        formula = parse_formula(text.strip())
    except NumberError as error:
        raise UsageError(f"{what}: {error}") from None
    for name in sorted(formula.names):
        if name not in names:
            raise unknown_name("signal", name, f"this world, but {what} uses it", list(names))
    return formula
