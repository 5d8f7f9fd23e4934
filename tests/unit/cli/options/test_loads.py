"""Loads as they are typed."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.cli.options.loads import parse_gravity, parse_loads


@pytest.mark.parametrize(
    "text",
    [
        "handle=1,-10,2",
        "handle=1, -10, 2",
        "handle=1 -10 2",
        "handle = (1 -10 N 2)",
        "handle=[1, -0.01 kN, 2], ",
        "handle=1 -10 2 0 0 0",
    ],
)
def test_forces_are_read_however_they_are_typed(text: str) -> None:
    model = kg.load("five-bar").compile()
    assert parse_loads(model, [text])["handle"].tolist() == [1, -10, 2, 0, 0, 0]


def test_several_are_read_and_those_on_one_frame_summed() -> None:
    model = kg.load("five-bar").compile()
    found = parse_loads(model, ["handle=1,2,3 B=0,1,0", "handle=1,0,0,0,0,2 N m; A=3 0 0"])
    assert list(found) == ["handle", "B", "A"]
    np.testing.assert_array_equal(found["handle"], [2, 2, 3, 0, 0, 2])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5", "specify FRAME=fx,fy,fz"),
        ("on handle=1,2,3", "specify FRAME=fx,fy,fz"),
        ("handle=1,2", "specify handle=fx,fy,fz"),
        ("handel=1,2,3", "did you mean 'handle'"),
        ("handle=1,2,3 kg", "unit of mass"),
        ("handle=1,nan,3", "is not a number"),
    ],
)
def test_slips_are_reported(text: str, message: str) -> None:
    with pytest.raises(kg.errors.KinegenError, match=message):
        parse_loads(kg.load("five-bar").compile(), [text])


def test_gravity_is_three_numbers() -> None:
    assert parse_gravity(None) is None and parse_gravity("0 -9.81 m/s2 0") == (0, -9.81, 0)
    with pytest.raises(kg.errors.KinegenError, match="--gravity takes 3 numbers"):
        parse_gravity("9.81")
