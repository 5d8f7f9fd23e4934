from __future__ import annotations

import math

import pytest

import kinegen as kg
from kinegen.cli.options.ranges import amount_of, parse_ranges
from kinegen.errors import UsageError

MODEL = kg.load("stewart").compile()


def test_ranges_have_units_and_may_name_a_variable() -> None:
    text = "leg1=2500 mm:3, U1.theta1=10 deg:0.5"
    variables = [name for name, _ in MODEL.joint("U1").type.info.variables]
    text = text.replace("theta1", variables[0])
    found = parse_ranges(MODEL, text)
    assert found["leg1"] == (2.5, 3.0)
    assert found[f"U1.{variables[0]}"] == (pytest.approx(math.radians(10)), 0.5)
    assert parse_ranges(MODEL, None) == {}


@pytest.mark.parametrize("text", ["leg1", "leg1=3", "leg1=3:", "=1:2", "leg1=1:2,"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not JOINT=LOW:HIGH"):
        parse_ranges(MODEL, text)


def test_amounts_are_angles_or_lengths() -> None:
    assert amount_of("--step", "90 deg") == (pytest.approx(math.pi / 2), "angle")
    assert amount_of("--step", "0.1") == (0.1, "angle")
    assert amount_of("--step", "5 mm") == (pytest.approx(0.005), "length")
    with pytest.raises(UsageError, match="an angle or a length"):
        amount_of("--step", "5 kg")
