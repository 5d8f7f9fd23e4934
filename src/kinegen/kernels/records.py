"""Records: rows of numbers whose places have names, stated once as dataclasses or named tuples.

A record's fields are single numbers, or tuples of a fixed number of them. ``make tables`` writes
the places for the compiled kernels and the page.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Hashable
from typing import NamedTuple

__all__ = ["Place", "flat", "places", "size_of"]


class Place(NamedTuple):
    """Where a field of a record lies."""

    name: str
    first: int
    size: int

    @property
    def part(self) -> slice:
        """Its numbers in a row."""
        return slice(self.first, self.first + self.size)


@functools.cache
def places(record: type) -> tuple[Place, ...]:
    """The fields of a record, in order."""
    found: list[Place] = []
    first = 0
    for name, hint in typing.get_type_hints(record).items():
        size = len(typing.get_args(hint)) if typing.get_origin(hint) is tuple else 1
        found.append(Place(name, first, size))
        first += size
    return tuple(found)


@functools.cache
def size_of(record: type) -> int:
    """How many numbers a record has."""
    return sum(place.size for place in places(record))


def flat(record: Hashable) -> list[float]:
    """The numbers of a record, in order."""
    numbers: list[float] = []
    for name, _, size in places(type(record)):
        value = getattr(record, name)
        if size == 1:
            numbers.append(float(value))
        else:
            numbers.extend(map(float, value))
    return numbers
