"""The reference formula machine: every operation, refusals, all or nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels.layout import Blocks
from kinegen.kernels.reference import BoundModel
from kinegen.kernels.reference.base import formula

CASES = {
    "-p": -0.6,
    "p + 2": 2.6,
    "p - 2": -1.4,
    "p*3": 1.7999999999999998,
    "p/4": 0.15,
    "p^2": 0.36,
    "sin(p)": math.sin(0.6),
    "cos(p)": math.cos(0.6),
    "tan(p)": math.tan(0.6),
    "asin(p)": math.asin(0.6),
    "acos(p)": math.acos(0.6),
    "atan(p)": math.atan(0.6),
    "atan2(p, 2)": math.atan2(0.6, 2),
    "sqrt(p)": math.sqrt(0.6),
    "abs(-p)": 0.6,
    "min(p, 1)": 0.6,
    "max(p, 1)": 1.0,
    "exp(p)": math.exp(0.6),
    "log(p)": math.log(0.6),
    "floor(p)": 0.0,
    "ceil(p)": 1.0,
    "round(p)": 1.0,
    "hypot(p, 0.8)": 1.0,
    "sign(p)": 1.0,
    "sign(-p)": -1.0,
    "sign(0*p)": 0.0,
    "round(p - 0.1)": 0.0,  # halves go to the even number
    "round(p + 0.9)": 2.0,
}


def blocks_of(text: str, value: str = "0.6") -> Blocks:
    source = f"raff: 1\nparameters: {{p: {value}, f: '{text}'}}\n"
    model = kg.load(source).compile()
    return Blocks(model.ints, model.reals.copy())


@pytest.mark.parametrize("text", CASES)
def test_operations_give_their_value(text: str) -> None:
    blocks = blocks_of(text)
    assert formula.run(blocks, 0) == pytest.approx(CASES[text], abs=1e-16)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/p", 0.0),
        ("log(p)", 0.0),
        ("sqrt(p)", -1.0),
        ("asin(p)", 1.1),
        ("acos(p)", -1.1),
        ("p^0.5", -1.0),
        ("exp(p)", 1e4),
        ("p*p", 1e200),
        ("p^9", 1e200),
        # finite again at the end, but not on the way: as when the file is read
        ("atan(1/p)", 0.0),
        ("1/exp(p)", 1e4),
        ("1/(p*p)", 1e200),
        ("min(p*p, 3)", 1e200),
    ],
)
def test_values_that_a_file_could_not_have_are_refused(text: str, value: float) -> None:
    blocks = blocks_of(text)
    before = blocks.reals.copy()
    assert formula.set_parameter(blocks, 0, value) == 1
    np.testing.assert_array_equal(blocks.reals, before)
    assert formula.set_parameter(blocks, 0, 0.7) == 0
    assert blocks.reals[0] == 0.7


def test_indices_that_do_not_exist_are_refused() -> None:
    blocks = blocks_of("2*p")
    for index in (-1, 2, 1000):
        assert formula.set_parameter(blocks, index, 1.0) == formula.BAD_INDEX
    for index in (-1, 0, 1, blocks.value_count):
        assert formula.set_number(blocks, index, 1.0) == formula.BAD_INDEX


def test_a_number_places_its_frame() -> None:
    model = kg.load("raff: 1\njoints: [{name: A, parent: base}]\n").compile()
    blocks = Blocks(model.ints, model.reals.copy())
    bound = BoundModel(blocks.ints, blocks.reals)
    d = blocks.offset("placements") + 3  # gamma, b, alpha, d
    assert bound.set_number(d, 0.4) == 0
    np.testing.assert_array_equal(blocks.real_part("transforms")[9:], [0.4, 0, 0])
