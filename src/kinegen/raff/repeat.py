"""Rows that are written once and stand for several: ``repeat: {i: 6}``, with {i} in names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from collections.abc import Mapping as Values
from itertools import product
from typing import Final, TypeAlias

from kinegen.errors import NumberError
from kinegen.raff.formulas.formula import Formula, format_number
from kinegen.raff.formulas.operations import CONSTANTS, FUNCTIONS
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.nodes import Listing, Mapping, Node, Scalar
from kinegen.raff.wording import short

__all__ = ["REPEAT", "ROWS", "Indices", "bindings", "fill", "fill_formula", "written_rows"]

REPEAT: Final = "repeat"
ROWS: Final = "rows"
ROW_LIMIT: Final = 10_000
"""Rows that one ``repeat`` may make, and all of a text together: more is a typing slip."""

Indices: TypeAlias = Values[str, int]
"""What each index is now."""
Complain: TypeAlias = Callable[[Node, str], None]
WrittenRow: TypeAlias = tuple[tuple[str | int, ...], Mapping, Indices]
"""Where in its list a row is written, the row itself, and the indices that it is for."""

_WHOLE = re.compile(r"[-+]?[0-9]{1,9}\Z")
_INDEX = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_BRACES = re.compile(r"\{([^{}]*)\}")


def bindings(node: Mapping, complain: Complain) -> list[dict[str, int]]:
    """The indices for which a row or group with ``repeat`` stands, the last index fastest.

    Args:
        node: The row or group.
        complain: Called with a place and what is wrong there; then there are none.
    """
    table = node.get(REPEAT)
    if not isinstance(table, Mapping) or not table.keys:
        complain(table or node, "repeat must be a mapping {index: count} or {index: [first, last]}")
        return []
    ranges: list[range] = []
    for key, value in zip(table.keys, table.values, strict=False):
        name = key.text
        if not _INDEX.match(name):
            complain(key, f"'{short(name)}' cannot be an index: letters, digits and _")
        elif name in FUNCTIONS or name in CONSTANTS:
            complain(key, f"'{name}' is a word of formulas; choose another index")
        else:
            ends = _ends(value)
            if ends is None:
                complain(
                    value,
                    f"{name} must be a whole number ({name}: 6 is 1 to 6) or [first, last]; the "
                    "number of rows cannot follow a parameter",
                )
            elif ends[1] < ends[0]:
                wrong = f"{name} runs from {ends[0]} to {ends[1]} and has no values"
                right = f"count up, as in {name}: 6 (1 to 6) or {name}: [0, 5]"
                complain(value, f"{wrong}; {right}")
            else:
                ranges.append(range(ends[0], ends[1] + 1))
    if len(ranges) != len(table.keys):
        return []
    total = 1
    for one in ranges:
        total *= len(one)
        if total > ROW_LIMIT:
            complain(table, f"at most {ROW_LIMIT} repetitions are allowed")
            return []
    names = [key.text for key in table.keys]
    return [dict(zip(names, values, strict=True)) for values in product(*ranges)]


def _ends(node: Node) -> tuple[int, int] | None:
    items = node.items if isinstance(node, Listing) else [node]
    texts = [item.text for item in items if isinstance(item, Scalar) and _WHOLE.match(item.text)]
    if len(texts) != len(items) or len(items) != (2 if isinstance(node, Listing) else 1):
        return None
    last = int(texts[-1])
    return (int(texts[0]), last) if len(texts) == 2 else (1, last)


def fill(text: str, indices: Indices) -> str:
    """A name or text with ``{i}``, ``{i+1}``, … worked out; FormulaError when one cannot be."""
    return _BRACES.sub(lambda found: _whole(found, indices), text) if "{" in text else text


def _whole(found: re.Match[str], indices: Indices) -> str:
    written = found.group(1).strip()
    formula = parse_formula(written)
    unknown = sorted(formula.names - set(indices))
    if unknown:
        listed = ", ".join(indices)
        what = f"'{{{short(written)}}}': '{unknown[0]}' is not an index here; indices: {listed}"
        raise FormulaError(what, text=found.string, offset=found.start())
    try:
        value = formula.evaluate({name: float(index) for name, index in indices.items()})
    except NumberError as error:
        raise FormulaError(str(error), text=found.string, offset=found.start()) from error
    if value != int(value):
        what = f"'{{{short(written)}}}' is {value:g}, not a whole number"
        raise FormulaError(what, text=found.string, offset=found.start())
    return str(int(value))


def fill_formula(formula: Formula, indices: Indices) -> Formula:
    """A formula with its indices replaced by what they are now."""
    if indices.keys().isdisjoint(formula.names):
        return formula
    text = formula.text
    for name, start in reversed(formula.name_places()):
        if name in indices:
            number = format_number(float(indices[name]))
            number = f"({number})" if indices[name] < 0 else number
            text = text[:start] + number + text[start + len(name) :]
    return parse_formula(text)


def written_rows(listing: Node | None, outer: Indices | None = None) -> Iterator[WrittenRow]:
    """The rows of a section with where they are written; what cannot be read is left out."""
    outer = outer or {}
    for at, item in enumerate(listing.items if isinstance(listing, Listing) else ()):
        if not isinstance(item, Mapping):
            continue
        if REPEAT not in item.table:
            yield (at,), item, outer
            continue
        rows = item.get(ROWS)
        for bound in bindings(item, lambda node, message: None):
            inner = {**outer, **bound}
            if rows is None:
                yield (at,), item, inner
            else:
                for path, row, indices in written_rows(rows, inner):
                    yield (at, ROWS, *path), row, indices
