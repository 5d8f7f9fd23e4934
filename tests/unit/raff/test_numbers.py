"""Numbers of a text: what is allowed and yet seldom meant."""

from __future__ import annotations

import pytest

from kinegen.raff.reading import read_raff


@pytest.mark.parametrize(
    ("row", "remarks"),
    [
        ("alpha: 90", ["alpha is 90 rad; did you mean 90 deg?"]),
        ("d: 150", ["d is 150 m; did you mean 150 mm?"]),
        ("d: -150", ["d is -150 m; did you mean -150 mm?"]),
        ("d: long", ["d is 150 m; did you mean 150 mm?"]),
        ("theta: 1.57, d: 2, r: 150 mm, alpha: 450 deg", []),
        ("d: long/100", []),
    ],
)
def test_plain_numbers_that_are_seldom_meant_get_a_remark(row: str, remarks: list[str]) -> None:
    text = f"raff: 1\nparameters: {{long: 150}}\njoints:\n  - {{name: A, parent: base, {row}}}\n"
    found = read_raff(text).remarks
    assert [one.message for one in found] == remarks
    assert all(one.line == 4 for one in found)
