"""Records: rows of numbers whose places have names, stated once as named tuples.

A record's fields are single numbers, or tuples of a fixed number of them. ``make tables`` writes
the places for the compiled kernels and the page.
"""

from __future__ import annotations

import functools
import typing
from typing import Any, NamedTuple

__all__ = ["Place", "flat", "parts", "places", "size_of"]


class Place(NamedTuple):
    """Where a field of a record lies."""

    name: str
    first: int
    size: int


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


def parts(record: type) -> tuple[Any, ...]:
    """Where the fields lie in a row: an index for a single number, a slice for several."""
    return tuple(
        place.first if place.size == 1 else slice(place.first, place.first + place.size)
        for place in places(record)
    )


def flat(record: tuple[Any, ...]) -> list[float]:
    """The numbers of a record, in order."""
    numbers: list[float] = []
    for value in record:
        if type(value) is tuple:
            numbers += value
        else:
            numbers.append(value)
    return numbers
