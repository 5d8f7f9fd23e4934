"""Formulas of formulas: sums, products and quotients, and one in the place of a name."""

from __future__ import annotations

from collections.abc import Sequence

from kinegen.errors import NumberError
from kinegen.raff.formulas.formula import Formula, Step
from kinegen.raff.formulas.operations import apply

__all__ = ["ONE", "ZERO", "product", "quotient", "substituted", "weighted"]

ZERO, ONE = Formula.constant(0.0), Formula.constant(1.0)


def _made(text: str, steps: Sequence[Step], names: frozenset[str]) -> Formula:
    if names:
        return Formula(text, None, (tuple(steps), (), names))
    stack: list[float] = []
    for operation, payload in steps:
        if operation == "const":
            stack.append(float(payload))
            continue
        b = stack.pop() if operation != "neg" else None
        a = stack.pop()
        result, reason = apply(operation, *((a,) if b is None else (a, b)))
        if reason:
            raise NumberError(f"'{text}' cannot be computed: {reason}")
        stack.append(result)
    return Formula(text, stack[0])


def weighted(*parts: tuple[float, Formula]) -> Formula:
    """The sum of factors times formulas."""
    steps: list[Step] = []
    texts: list[str] = []
    names: frozenset[str] = frozenset()
    for factor, formula in parts:
        if factor == 0 or formula.value == 0:
            continue
        one = [*formula.postfix()]
        if factor != 1:
            one += [("const", factor), ("mul", 0)]
        texts.append(formula.text if factor == 1 else f"{factor:g}·({formula.text})")
        names |= formula.names
        steps += one if not steps else [*one, ("add", 0)]
    return _made(" + ".join(texts), steps, names) if steps else ZERO


def product(a: Formula, b: Formula) -> Formula:
    """One formula times another."""
    if a.value == 1 or b.value == 1:
        return b if a.value == 1 else a
    if a.value == 0 or b.value == 0:
        return ZERO
    text = f"({a.text})·({b.text})"
    return _made(text, [*a.postfix(), *b.postfix(), ("mul", 0)], a.names | b.names)


def quotient(a: Formula, b: Formula) -> Formula:
    """One formula by another."""
    if b.value == 1 or a.value == 0:
        return a
    text = f"({a.text})/({b.text})"
    return _made(text, [*a.postfix(), *b.postfix(), ("div", 0)], a.names | b.names)


def substituted(formula: Formula, name: str, by: Formula) -> Formula:
    """A formula with another one in the place of a name."""
    if name not in formula.names:
        return formula
    steps: list[Step] = []
    for step in formula.postfix():
        steps += by.postfix() if step == ("name", name) else [step]
    names = (formula.names - {name}) | by.names
    if not names:
        return Formula.constant(formula.evaluate({name: by.evaluate({})}))
    return Formula(f"{formula.text} at {name} = {by.text}", None, (tuple(steps), (), names))
