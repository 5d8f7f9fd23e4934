"""Small algebra on imported numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinegen.formats.mechanisms.symbols import added, constant_part, joined, readable_angle, terms
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("q1", [("+", "q1")]),
        ("-q1", [("-", "q1")]),
        ("q1 - 90", [("+", "q1"), ("-", "90")]),
        ("a*-b + c", [("+", "a*-b"), ("+", "c")]),
        ("1e-3 + x", [("+", "1e-3"), ("+", "x")]),
        ("(a+b) - f(c-d)", [("+", "(a+b)"), ("-", "f(c-d)")]),
        ("a - -b", [("+", "a"), ("+", "b")]),
        ("2^-x", [("+", "2^-x")]),
    ],
)
def test_terms_of_a_sum(text: str, parts: list[tuple[str, str]]) -> None:
    assert terms(text) == parts


names = st.sampled_from(["a", "b", "2*c", "(a - b)", "3", "1.5e-2", "sin(a)", "a*-b"])


@given(st.lists(st.tuples(st.sampled_from("+-"), names), min_size=1, max_size=5))
def test_terms_can_be_joined_again(parts: list[tuple[str, str]]) -> None:
    text = joined(parts)
    values = {"a": 0.7, "b": 1.3, "c": -0.4}
    total = sum(
        parse_formula(term).evaluate(values) * (1 if sign == "+" else -1) for sign, term in parts
    )
    assert parse_formula(text).evaluate(values) == pytest.approx(total)
    assert terms(text) == parts


@pytest.mark.parametrize(
    ("text", "rest"),
    [("q", "0"), ("q + pi/2", "pi/2"), ("pi - a + q", "pi - a"), ("-2 deg + q", "-2 deg")],
)
def test_the_variable_is_taken_out(text: str, rest: str) -> None:
    found = constant_part(parse_formula(text), "q")
    assert found is not None
    assert found.text == rest


@pytest.mark.parametrize("text", ["-q", "2*q", "q*q", "sin(q)", "q*a"])
def test_what_is_not_variable_plus_constant_is_refused(text: str) -> None:
    assert constant_part(parse_formula(text), "q") is None


def test_sums_are_short() -> None:
    zero, one = parse_formula("0"), parse_formula("-90 deg")
    assert added(zero, one) is one
    assert added(one, zero) is one
    assert added(parse_formula("a"), one).text == "a - 90 deg"


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("pi/2", "90 deg"),
        ("-pi/2", "-90 deg"),
        ("1.57079632679000", "90 deg"),
        ("2*pi/3", "120 deg"),
        ("1.5708", "1.5708"),
        ("45 deg", "45 deg"),
        ("0", "0"),
        ("a + pi", "a + pi"),
    ],
)
def test_whole_degrees_read_as_degrees(text: str, readable: str) -> None:
    assert readable_angle(parse_formula(text)).text == readable


@given(st.floats(-10, 10))
def test_an_angle_never_changes_by_more_than_it_may(angle: float) -> None:
    value = readable_angle(Formula.constant(angle)).value
    assert value is not None
    assert math.isclose(value, angle, abs_tol=1e-9)
