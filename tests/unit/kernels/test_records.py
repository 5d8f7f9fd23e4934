"""Records: where their fields lie."""

from __future__ import annotations

from typing import NamedTuple

from kinegen.kernels.records import Place, flat, parts, places, size_of


class Spring(NamedTuple):
    stiffness: float
    ends: tuple[float, float, float]
    count: int


def test_fields_lie_one_after_another() -> None:
    assert places(Spring) == (Place("stiffness", 0, 1), Place("ends", 1, 3), Place("count", 4, 1))
    assert size_of(Spring) == 5
    assert parts(Spring) == (0, slice(1, 4), 4)


def test_the_numbers_of_a_record_are_in_that_order() -> None:
    assert flat(Spring(1.5, (2.0, 3.0, 4.0), 5)) == [1.5, 2.0, 3.0, 4.0, 5.0]
