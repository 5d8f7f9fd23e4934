"""Numbers of a text: what is allowed and yet seldom meant."""

from __future__ import annotations

import pytest

from kinegen.errors import RaffError
from kinegen.raff.reading import read_raff


@pytest.mark.parametrize(
    ("row", "remarks"),
    [
        ("type: spherical, start: [0, 90, 0]", ["start is 90 rad; did you mean 90 deg?"]),
        ("type: spherical, start: [0, 90 deg, 1.5]", []),
        ("type: universal, start: [0, 90]", ["start is 90 rad; did you mean 90 deg?"]),
        ("type: free, start: {rpy: [0, 90, 0]}", ["rpy is 90 rad; did you mean 90 deg?"]),
        ("alpha: 90", ["alpha is 90 rad; did you mean 90 deg?"]),
        ("d: 150", ["d is 150 m; did you mean 150 mm?"]),
        ("d: -150", ["d is -150 m; did you mean -150 mm?"]),
        ("d: long", ["d is 150 m; did you mean 150 mm?"]),
        ("theta: 1.57, d: 2, r: 150 mm, alpha: 450 deg", []),
        ("d: long/100", []),
        ("alpha: 180/2", ["alpha is 90 rad; did you mean 90 deg?"]),
        ("alpha: 4*pi, theta: 720 deg + 1", []),
        ("d: 100 mm + 1", ["in '100 mm + 1', the plain number 1 counts as 1 m; add a unit"]),
        ("d: 1-1/2 in", ["in '1-1/2 in', the plain number 1 counts as 1 m; add a unit"]),
        (
            "d: '2 + min(3, 1 in)'",
            [
                "in '2 + min(3, 1 in)', the plain number 3 counts as 3 m; add a unit",
                "in '2 + min(3, 1 in)', the plain number 2 counts as 2 m; add a unit",
            ],
        ),
        ("d: 'max(0, 1 in - 3/4 in)', r: long/100 + 2 mm", []),
        (
            "d: 3 mm * sin(30)",
            ["in '3 mm * sin(30)', sin takes 30 as rad; did you mean 30 deg?"],
        ),
        ("d: 3 mm * sin(30 deg) + 2 mm * cos(pi/3)", []),
    ],
)
def test_plain_numbers_that_are_seldom_meant_get_a_remark(row: str, remarks: list[str]) -> None:
    text = f"raff: 1\nparameters: {{long: 150}}\njoints:\n  - {{name: A, parent: base, {row}}}\n"
    found = read_raff(text).remarks
    assert [one.message for one in found] == remarks
    assert all(one.line == 4 for one in found)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("[90 mm, 0, 0]", "start is an angle; 'mm' is a unit of length: use rad, deg, …"),
        ("[0, 0, 1 kg]", "start is an angle; 'kg' is a unit of mass: use rad, deg, …"),
        ("[1, 0, 0, 1 mm]", "start is a number; 'mm' is a unit of length: write it without a unit"),
        ("[90 deg, 0, 0]", ""),
        ("[sqrt(1/2), 0, 0, sqrt(1/2)]", ""),
    ],
)
def test_turns_of_spherical_starts_have_units_of_angle(start: str, message: str) -> None:
    text = f"raff: 1\njoints:\n  - {{name: A, parent: base, type: spherical, start: {start}}}\n"
    if not message:
        read_raff(text)
        return
    with pytest.raises(RaffError) as caught:
        read_raff(text)
    assert [problem.message for problem in caught.value.problems] == [message]
