"""Tables in plain text: cells, and where they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinegen.formats.mechanisms.table import read_rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n1, 2 \n", [["a", "b"], ["1", "2"]]),
        ("a;b\n1,5;2\n", [["a", "b"], ["1,5", "2"]]),
        ('a,b\n"1,5",atan2(1,2)\n', [["a", "b"], ["1,5", "atan2(1,2)"]]),
        ("a [mm]  b (deg)\n1  2\n", [["a [mm]", "b (deg)"], ["1", "2"]]),
        ("a [mm] b\n1 2\n", [["a [mm]", "b"], ["1", "2"]]),
        ("a  b\nq1 + 3  2\n", [["a", "b"], ["q1 + 3", "2"]]),
        ("a b\n1 # one\n", [["a", "b"], ["1"]]),
        ("| # | b |\n|--|:-:|\n| 1 | |\n", [["#", "b"], ["1", ""]]),
        ("a | b\n--|--\n1 | 2\n", [["a", "b"], ["1", "2"]]),
        ("% matlab\na b\n\n1 2\n", [["a", "b"], ["1", "2"]]),
        ("", []),
    ],
)
def test_cells(text: str, rows: list[list[str]]) -> None:
    assert [[cell.text for cell in row] for row in read_rows(text)] == rows


@given(st.text(alphabet="ab1 ,;|\t\n#\"'[]()-", max_size=60))
def test_every_cell_is_where_it_says(text: str) -> None:
    for row in read_rows(text):
        for cell in row:
            assert text[cell.offset : cell.offset + len(cell.text)] == cell.text
