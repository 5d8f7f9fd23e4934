"""Sizes of parts: what can be made, and how lengths are written."""

from __future__ import annotations

import pytest

from kinegen.errors import UsageError
from kinegen.formats.workshop.sizes import (
    Sizes,
    millimetres,
    parse_length,
    parse_sizes,
    parse_switch,
)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"width": -0.003}, "width must be greater than 0, not -3 mm"),
        ({"thickness": 0.0}, "thickness must be greater than 0"),
        ({"clearance": -0.001}, "clearance must be at least 0"),
        ({"hole": 0.03}, "a hole of 30.1 mm does not fit a bar that is 20 mm wide"),
        ({"hole": 0.0199}, "does not fit a bar"),
        ({"corner": 0.011}, "corner is 11 mm: at most half the width, 10 mm"),
        ({"kerf": 0.006}, "kerf is 6 mm: a cut as wide as the holes"),
        ({"width": 20}, "lengths without a unit are in metres"),
        ({"width": float("nan")}, "width must be a finite length"),
    ],
)
def test_sizes_that_no_part_can_have(given: dict[str, float], words: str) -> None:
    with pytest.raises(UsageError) as error:
        Sizes(**given)
    assert words in str(error.value)


def test_lengths_have_units() -> None:
    assert parse_length("width", "20mm") == 0.02
    assert parse_length("width", "1/4 in") == pytest.approx(0.00635)
    assert parse_sizes({"width": "3 cm", "layout": "nested"}).width == 0.03
    assert millimetres(0.15) == "150 mm"


@pytest.mark.parametrize("text", ["", "wide", "20 deg", "20 kg", "2*crank", "20mm mm"])
def test_what_is_no_length_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"^width="):
        parse_length("width", text)


def test_a_switch_is_yes_or_no() -> None:
    assert parse_switch({"ground": "Yes"}, "ground", False)
    assert parse_switch({}, "ground", True)
    with pytest.raises(UsageError, match="ground=maybe: use one of yes, no"):
        parse_switch({"ground": "maybe"}, "ground", False)
