"""Suspects: the likely one, and others that are possible."""

from __future__ import annotations

import numpy as np

from kinegen.kinematics.diagnosis.faults import Change, Place
from kinegen.kinematics.diagnosis.suspects import Suspect, Suspects, sorted_suspects
from kinegen.kinematics.solving.placement_numbers import NumberChange

ROUND = (NumberChange("A", "alpha", 0.1, 0.0, True),)
ODD = (NumberChange("A", "alpha", 0.1, 0.123, False),)


def suspect(
    joint: str,
    size: float,
    *,
    dof: int = 1,
    place: Place = Place.PLACEMENT,
    change: Change = Change.TILT,
    numbers: tuple[NumberChange, ...] = ODD,
) -> Suspect:
    z = np.array([0.0, 0.0, 1.0])
    return Suspect(joint, place, change, z, z, False, size, np.zeros(3), dof, numbers, size)


def likely(*suspects: Suspect) -> list[str]:
    return [s.joint for s in sorted_suspects(suspects).likely]


def test_nobody_is_accused_without_evidence() -> None:
    assert sorted_suspects([]) == Suspects((), ())
    assert Suspects().dof == 0


def test_the_smallest_change_wins_and_equal_ones_share() -> None:
    assert likely(suspect("B", 0.03), suspect("A", 0.01)) == ["A"]
    assert likely(suspect("B", 0.012), suspect("A", 0.01), suspect("C", 0.5)) == ["A", "B"]


def test_what_frees_more_wins() -> None:
    assert likely(suspect("A", 0.01), suspect("B", 0.02, dof=2)) == ["B"]


def test_round_numbers_win() -> None:
    found = sorted_suspects([suspect("A", 0.01), suspect("B", 0.02, numbers=ROUND)])
    assert [s.joint for s in found.likely] == ["B"]
    assert [s.joint for s in found.others] == ["A"]


def test_an_askew_axis_is_no_single_number() -> None:
    assert not suspect("A", 0.01, place=Place.AXIS, numbers=ROUND).is_tidy
    assert suspect("A", 0.01, numbers=ROUND).is_tidy
    assert not suspect("A", 0.01, numbers=()).is_tidy


def test_each_joint_is_named_once_by_its_best_change() -> None:
    askew = suspect("A", 0.0101, place=Place.AXIS)
    row = suspect("A", 0.0102)
    found = sorted_suspects([askew, row])
    assert found.likely == (row,)
    assert found.others == (askew,)


def test_tilts_and_shifts_are_not_weighed_against_each_other() -> None:
    assert likely(suspect("A", 0.05), suspect("B", 0.01, change=Change.SHIFT)) == ["B", "A"]
