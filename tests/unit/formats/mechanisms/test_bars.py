"""Linkages from drawn bars: pins, rigid figures, loops, and what cannot be a linkage."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.formats.mechanisms.bars import Bar, linkage_from_bars

GROUND = Bar((0.0, 0.0), (0.2, 0.0), fixed=True)
FOUR_BAR = [
    GROUND,
    Bar((0, 0), (0.05, 0.05)),
    Bar((0.05, 0.05), (0.2, 0.15)),
    Bar((0.2, 0.15), (0.2, 0)),
]


def place(mechanism: kg.Mechanism, name: str) -> np.ndarray:
    model = mechanism.compile()
    return kg.pose(model, kg.assemble(model).q, name).translation


def test_four_bars_make_a_four_bar() -> None:
    linkage = linkage_from_bars(FOUR_BAR, name="drawn")
    model = linkage.compile()
    assert linkage.name == "drawn" and len(linkage.joints) == 4
    assert kg.mobility(model).finite == 1
    assert kg.kinematics.loop_gap(model).distance < 1e-8, "the start must be the drawing"
    assert place(linkage, "C") == pytest.approx([0.05, 0.05, 0], abs=1e-9)
    lengths = sorted(linkage.compile().parameters[name] for name in linkage.parameters)
    expected = sorted(math.dist(bar.start, bar.end) for bar in FOUR_BAR[1:])
    assert lengths == pytest.approx(expected, rel=1e-8)  # written with nine digits


def test_a_triangle_is_one_link_and_its_free_corner_a_frame() -> None:
    tip = (0.15, 0.25)
    drawn = [*FOUR_BAR, Bar((0.05, 0.05), tip), Bar((0.2, 0.15), tip)]
    linkage = linkage_from_bars(drawn)
    assert len(linkage.joints) == 4
    assert place(linkage, "E") == pytest.approx([*tip, 0], abs=1e-8)


def test_points_on_the_ground_stand_for_a_fixed_bar() -> None:
    linkage = linkage_from_bars(FOUR_BAR[1:], ground=[(0, 0), (0.2, 0)])
    assert kg.mobility(linkage.compile()).finite == 1


def test_three_bars_in_one_pin_have_two_hinges() -> None:
    # a four-bar with a dyad on the pin of crank and coupler
    more = [Bar((0.05, 0.05), (-0.05, 0.15)), Bar((-0.05, 0.15), (-0.1, 0.0))]
    linkage = linkage_from_bars([*FOUR_BAR, *more], ground=[(-0.1, 0.0)])
    model = linkage.compile()
    assert kg.mobility(model).finite == 1 and len(model.loops) == 2
    assert kg.kinematics.loop_gap(model).distance < 1e-8


def test_ends_that_almost_meet_are_one_pin() -> None:
    off = Bar((0.05, 0.05 + 1e-6), (0.2, 0.15))
    assert len(linkage_from_bars([*FOUR_BAR[:2], off, FOUR_BAR[3]]).joints) == 4


def test_names_of_bars_are_kept_as_notes() -> None:
    linkage = linkage_from_bars([GROUND, Bar((0, 0), (0.1, 0.1), name="it's the crank")])
    assert linkage.joints["A"].note == "it's the crank"


@pytest.mark.parametrize(
    ("bars", "ground", "message"),
    [
        ([], [], "there are no bars"),
        (FOUR_BAR[1:], [], "nothing is fixed to the ground"),
        ([GROUND, Bar((0, 0), (0, 1e-7), name="dot")], [], "bar 'dot' has length 0"),
        ([GROUND, Bar((1, 1), (2, 2))], [], r"the bar at \(1, 1\) m is not connected"),
        ([GROUND, Bar((1, 1), (2, 2), name="x")], [], "bar 'x' is not connected"),
        ([GROUND, Bar((0, 0), (0.1, 0.1)), Bar((0.2, 0), (0.1, 0.1))], [], "nothing can move"),
        ([GROUND, Bar((0, 0), (math.nan, 1))], [], "bar 2 has an end that is not a number"),
        (FOUR_BAR, [(9, 9)], r"the fixed point at \(9, 9\) m is not at the end of a bar"),
        ([GROUND] * 501, [], "501 bars are too many"),
    ],
)
def test_what_is_no_linkage(
    bars: list[Bar], ground: list[tuple[float, float]], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        linkage_from_bars(bars, ground=ground)


def test_many_pins_have_names_of_their_own() -> None:
    points = [(float(i), float(i % 2)) for i in range(40)]
    chain = [Bar(a, b) for a, b in pairwise(points)]
    linkage = linkage_from_bars([Bar((-1, 0), (0, 0), fixed=True), *chain])
    assert len(linkage.joints) == 39
