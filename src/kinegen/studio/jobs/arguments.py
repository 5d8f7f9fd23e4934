"""Arguments of a page's question about the workspace, checked: pages are not to be trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats

__all__ = ["Asked"]


class Asked:
    """What a page asks for; every look at it says what would be right."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self._given = {key: value for key, value in arguments.items() if value is not None}

    def has(self, key: str) -> bool:
        """Whether it is given."""
        return key in self._given

    def number(self, key: str, low: float, high: float) -> float | None:
        """A finite number between two ends, None where it is left out."""
        value = self._given.get(key)
        if value is None:
            return None
        if not _is_number(value) or not low <= value <= high:
            raise UsageError(f"{key} is a number from {low:g} to {high:g}, got {value!r}")
        return float(value)

    def whole(self, key: str, low: int, high: int) -> int | None:
        """A whole number between two ends, None where it is left out."""
        value = self.number(key, low, high)
        if value is not None and value != int(value):
            raise UsageError(f"{key} is a whole number, got {value!r}")
        return None if value is None else int(value)

    def word(self, key: str) -> str | None:
        """A word, None where it is left out."""
        value = self._given.get(key)
        if value is not None and not isinstance(value, str):
            raise UsageError(f"{key} is a word, got {value!r}")
        return value

    def choice(self, key: str, choices: Sequence[str], default: str) -> str:
        """One of some words."""
        value = self.word(key) or default
        if value not in choices:
            raise UsageError(f"{key} is one of {', '.join(choices)}, got '{value}'")
        return value

    def words(self, key: str) -> list[str] | None:
        """A list of words, None where it is left out."""
        value = self._given.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise UsageError(f"{key} is a list of words, got {value!r}")
        return value

    def flag(self, key: str) -> bool:
        """Whether something is wanted."""
        value = self._given.get(key, False)
        if not isinstance(value, bool):
            raise UsageError(f"{key} is true or false, got {value!r}")
        return value

    def ranges(self, key: str = "ranges") -> dict[str, tuple[float, float]] | None:
        """Joint → lowest and highest value [rad, m], None where it is left out."""
        value = self._given.get(key)
        if value is None:
            return None
        if not isinstance(value, dict) or not all(
            isinstance(ends, list) and len(ends) == 2 and all(map(_is_number, ends))
            for ends in value.values()
        ):
            raise UsageError(f"{key} gives two numbers for each joint, got {value!r}")
        return {name: (float(low), float(high)) for name, (low, high) in value.items()}

    def rows(self, key: str, width: int, most: int) -> Floats:
        """Rows of numbers, (n, width) with 1 ≤ n ≤ most."""
        value = self._given.get(key)
        if (
            not isinstance(value, list)
            or not 1 <= len(value) <= most
            or not all(
                isinstance(row, list) and len(row) == width and all(map(_is_number, row))
                for row in value
            )
        ):
            raise UsageError(f"{key} is 1 to {most} rows of {width} numbers, got {value!r}")
        return np.array(value, dtype=float)

    def floats(self, key: str, count: int) -> Floats | None:
        """So many numbers, None where they are left out."""
        value = self._given.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != count or not all(map(_is_number, value)):
            raise UsageError(f"{key} is {count} numbers, got {value!r}")
        return np.array(value, dtype=float)

    def numbers(self, key: str, counts: Sequence[int]) -> list[float]:
        """As many numbers as one of some counts says."""
        value = self._given.get(key)
        if not isinstance(value, list) or len(value) not in counts:
            raise UsageError(f"{key} is {' or '.join(map(str, counts))} numbers, got {value!r}")
        if not all(map(_is_number, value)):
            raise UsageError(f"{key} holds something that is no number: {value!r}")
        return [float(x) for x in value]

    def part(self, key: str) -> Asked | None:
        """Arguments within the arguments, None where they are left out."""
        value = self._given.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise UsageError(f"{key} is an object, got {value!r}")
        return Asked(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
