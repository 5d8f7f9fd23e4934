"""Numbers for symbols: from the command line and from side files."""

from __future__ import annotations

import pytest

from kinegen.errors import FormatError
from kinegen.formats.mechanisms.values import check_values, parse_values, read_values
from kinegen.formats.problems import FormatProblems


def test_words_of_the_command_line() -> None:
    values = parse_values(["L2=0.4", "D3 = 400 mm", "g12=20 deg", "x=-1e-3", "h=2*3"])
    found = {name: formula.value for name, formula in values.items()}
    assert found["L2"] == found["D3"] == 0.4
    assert found["g12"] == pytest.approx(0.3490658503988659)
    assert found["x"] == -0.001
    assert found["h"] == 6
    assert values["D3"].text == "400 mm"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["L2"], "'L2' is not NAME=NUMBER"),
        (["2L=1"], "is not NAME=NUMBER"),
        (["L2=1", "L2=2"], "'L2' is given twice"),
        (["L2="], "symbol 'L2'"),
        (["L2=3 bananas"], "symbol 'L2'"),
        (["L2=L3"], "needs 'L3': specify a number"),
    ],
)
def test_words_that_make_no_sense(words: list[str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_values(words)


def test_a_side_file() -> None:
    text = "# lengths\nL2 = 400 mm   # upper arm\n\nL3=0.25\r\n"
    assert {k: v.value for k, v in read_values(text).items()} == {"L2": 0.4, "L3": 0.25}


def test_mistakes_in_a_side_file_are_reported_all_at_once() -> None:
    text = "L2 400\nL3 = 4 mmm\n L4 = 1\nL4 = 2\n"
    with pytest.raises(FormatProblems) as caught:
        read_values(text, "sizes.txt")
    places = [(problem.line, problem.column) for problem in caught.value.problems]
    assert places == [(1, 1), (2, 8), (4, 1)]
    assert str(caught.value).startswith("sizes.txt:1:1: 'L2 400' is not 'name = number'")


def test_missing_and_strange_symbols_are_reported_together() -> None:
    given = parse_values(["L1=1", "L22=2"])
    with pytest.raises(FormatError) as caught:
        check_values(["L1", "L2", "L3", "L2"], given, ["M1"], "a.par")
    lines = str(caught.value).splitlines()
    assert lines[0] == "a.par: symbol 'L22' is not in the file; did you mean 'L2'?"
    assert lines[1].startswith("a.par: 2 symbols have no number: L2, L3;")
    check_values(["L1"], parse_values(["L1=1", "M1=2"]), ["M1"], "a.par")
