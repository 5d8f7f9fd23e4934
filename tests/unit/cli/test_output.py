"""Tables and numbers: units, signs, columns."""

from __future__ import annotations

import math

import pytest

from kinegen.cli import output
from kinegen.kinematics.closure import LoopGap


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "100.00 mm"),
        (-0.0000001, "0.00 mm"),
        (-0.25, "-250.00 mm"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
        (12.3456789, "12345.68 mm"),
    ],
)
def test_lengths_are_in_millimetres(value: float, text: str) -> None:
    assert output.length(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(math.pi, "180.00°"), (-1e-9, "0.00°"), (math.inf, "∞"), (-math.inf, "-∞"), (-0.5, "-28.65°")],
)
def test_angles_are_in_degrees(value: float, text: str) -> None:
    assert output.angle(value) == text


def test_zero_has_no_sign() -> None:
    assert output.number(-0.0) == "0.0000"
    assert output.number(-0.00004) == "0.0000"
    assert output.number(-0.00005001) == "-0.0001"
    assert output.number(-3, 0) == "-3"


def test_counts_are_english() -> None:
    assert [output.count(n, "loop") for n in (0, 1, 2)] == ["0 loops", "1 loop", "2 loops"]


def test_gaps_in_words() -> None:
    assert output.gap(LoopGap(1e-9, 1e-9), 1.0) == "closed"
    assert output.gap(LoopGap(0.0012345, 0.0), 1.0) == "open by up to 1.234 mm and 0°"
    assert output.gap(LoopGap(0.0, math.radians(2.5)), 1.0) == "open by up to 0 mm and 2.5°"


def test_tables_line_up(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table(
        ("name", "size", ""), [("a", "1 mm", ""), ("longer", "10 mm", "x")], right=[1]
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "name     size",
        "──────  ─────  ─",
        "a        1 mm",
        "longer  10 mm  x",
    ]


def test_a_table_without_rows_is_its_header(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table(("a", "b"), [])
    assert capsys.readouterr().out == "a  b\n─  ─\n"


def test_no_line_ends_in_blanks(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table(("a", "b", ""), [("1", "", ""), ("", "2", "")])
    assert all(line == line.rstrip() for line in capsys.readouterr().out.splitlines())
