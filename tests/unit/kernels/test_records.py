"""Records: where their fields lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from kinegen.kernels.records import Place, flat, places, size_of


class Spring(NamedTuple):
    stiffness: float
    ends: tuple[float, float, float]
    count: int


@dataclass(frozen=True)
class Pair:
    first: tuple[float, float]
    second: float


def test_fields_lie_one_after_another() -> None:
    assert places(Spring) == (Place("stiffness", 0, 1), Place("ends", 1, 3), Place("count", 4, 1))
    assert size_of(Spring) == 5 and size_of(Pair) == 3
    assert list(range(5))[places(Spring)[1].part] == [1, 2, 3]


def test_the_numbers_of_a_record_are_in_that_order() -> None:
    assert flat(Spring(1.5, (2.0, 3.0, 4.0), 5)) == [1.5, 2.0, 3.0, 4.0, 5.0]
    assert flat(Pair((1.0, 2.0), 3.0)) == [1.0, 2.0, 3.0]
