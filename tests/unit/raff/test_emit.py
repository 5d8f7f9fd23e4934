import math
from typing import Any

import pytest
import yaml

from kinegen.raff.emit import angle_text, flow_text, number_like, paragraph, scalar_text
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.nodes import Mapping, Scalar
from kinegen.raff.source import parse_source

TEXTS = [
    "plain", "two words", "150 mm", "-90 deg", "- x", "-", "--- x", "a, b", "a: b", "a:", "a #b",
    "#b", "a#b", "", " lead", "trail ", "[x]", "{x}", "*x", "&x", "!x", "%x", "@x", "'q'", '"q"',
    "a\nb", "a\tb", "\x00\x07", "\u2028", "\x85", "\ufeff", "\\", "é", "𝄞", "x" * 300, "? x",
    "| x", "> x", "min(a, b)", "2*a", "...",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_texts_read_back_as_they_were(text: str) -> None:
    for line in (
        f"{{a: {scalar_text(text)}, b: 1}}\n",
        f"a: {scalar_text(text, flow=False)}\nb: 1\n",
    ):
        _, root, problems = parse_source(line, "t")
        assert not problems and isinstance(root, Mapping)
        found = root.get("a")
        assert isinstance(found, Scalar) and found.text == text
        assert set(root.table) == {"a", "b"}


def test_quotes_only_where_needed() -> None:
    assert scalar_text("-90 deg") == "-90 deg"
    assert scalar_text("2*crank*sin(pi/6)") == "2*crank*sin(pi/6)"
    assert scalar_text("min(a, b)") == '"min(a, b)"'
    assert scalar_text("a, b", flow=False) == "a, b"


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        None,
        5,
        0.5,
        "5",
        "true",
        "null",
        "~",
        "",
        "a b",
        [1, [2.5]],
        {"a": {"b": []}, "5": None},
    ],
)
def test_free_values_read_back_as_they_were(value: Any) -> None:
    assert yaml.safe_load(flow_text(value)) == value


def test_formulas_keep_their_text() -> None:
    assert flow_text([parse_formula("2*a"), Formula.constant(0.5)]) == "[2*a, 0.5]"


@pytest.mark.parametrize(
    ("value", "old", "text"),
    [
        (0.2, "150 mm", "200 mm"),
        (0.2, "150mm", "200mm"),
        (0.0333, "1 mm", "33.3 mm"),
        (math.pi / 4, "90 deg", "45 deg"),
        (-math.pi, "90°", "-180°"),
        (0.2, "0.150", "0.2"),
        (0.2, "2*crank", "0.2"),
        (0.2, "", "0.2"),
        (0.127, "1/2 in", "5 in"),
        (math.pi / 4, "2*(1/3 turn)", "0.125 turn"),
        (0.127, "1/2 in + 3 mm", "0.127"),
        (math.tau, "60 rpm", "60 rpm"),
        (1e-7, "1 gcm2", "1 gcm2"),
    ],
)
def test_a_new_number_keeps_the_old_unit(value: float, old: str, text: str) -> None:
    assert number_like(value, old) == text


@pytest.mark.parametrize("unit", ["deg", "mm", "in", "rpm", "kgcm"])
def test_a_number_in_any_unit_is_as_near_as_a_double_can_be(unit: str) -> None:
    for value in (0.1234567890123456, math.pi / 7, 1e-9 / 3, 12345.678901234567):
        written = parse_formula(number_like(value, f"1 {unit}")).value
        # One unit in the last place: the conversion rounds once more.
        assert written == pytest.approx(value, rel=2.3e-16)


@pytest.mark.parametrize(
    ("value", "text"),
    [(math.pi / 2, "90 deg"), (-math.pi / 6, "-30 deg"), (0.5, "0.5"), (0.0, "0"), (1.0, "1")],
)
def test_angles_in_degrees_where_that_is_short_and_exact(value: float, text: str) -> None:
    assert angle_text(Formula.constant(value)) == text


def test_angles_as_written_stay() -> None:
    assert angle_text(parse_formula("pi/2")) == "pi/2"


def test_long_texts_are_folded() -> None:
    text = "word " * 60 + "end"
    folded = "a: " + paragraph(text) + "\n"
    assert max(map(len, folded.split("\n"))) <= 100
    assert yaml.safe_load(folded) == {"a": text}
    for odd in ("two  blanks " * 20, "line\nbreak " * 20, " lead" * 30):
        assert yaml.safe_load("a: " + paragraph(odd) + "\n") == {"a": odd}
