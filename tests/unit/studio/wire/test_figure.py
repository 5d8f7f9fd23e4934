"""Figures of mechanisms for lists."""

from __future__ import annotations

import re

import pytest

import kinegen as kg
from kinegen.studio.wire.figure import FIELD, stick_figure


@pytest.mark.parametrize("name", ["four-bar", "stewart", "ur5e", "cart"])
def test_strokes_stay_in_the_field_and_fill_it(name: str) -> None:
    path = stick_figure(kg.load(name).compile())
    assert re.fullmatch(r"(M-?[\d.]+ -?[\d.]+L-?[\d.]+ -?[\d.]+)+", path)
    numbers = [float(x) for x in re.findall(r"-?\d+\.\d+", path)]
    xs, ys = numbers[::2], numbers[1::2]
    assert 0 <= min(xs) <= max(xs) <= FIELD[0]
    assert 0 <= min(ys) <= max(ys) <= FIELD[1]
    # one of the two directions is used up but for the margins
    assert max(max(xs) - min(xs) - FIELD[0], max(ys) - min(ys) - FIELD[1]) == pytest.approx(
        -8, abs=0.2
    )


def test_a_mechanism_of_one_joint_on_the_base_has_no_strokes() -> None:
    text = "raff: 1\njoints:\n  - {name: A, parent: base}\n"
    assert stick_figure(kg.load(text).compile()) == ""
