"""The plane of motion, and which joint leaves it."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import FormatError
from kinegen.formats.workshop.flat.plane import find_plane

ARM = """
raff: 1
name: arm
joints:
  - {name: A, parent: base, alpha: 90 deg}
  - {name: B, parent: A, d: 0.2}
"""


def test_the_plane_of_a_linkage() -> None:
    assert np.allclose(find_plane(kg.load("five-bar").compile()).normal, [0, 0, 1])
    plane = find_plane(kg.load(ARM).compile())
    assert np.allclose(plane.normal, [0, -1, 0])  # seen from the front
    assert plane.point(np.array([0.3, 5.0, 0.2])) == pytest.approx((0.3, 0.2))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("delta", r"joint 'left1' \(universal: .*\) leaves the plane"),
        ("five-bar-spatial", r"joint 'A' \(spherical"),
        ("arm-6", r"joint 'waist' \(revolute\) leaves the plane: its axis leans by 90°"),
    ],
)
def test_the_joint_that_leaves_it_is_named(name: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        find_plane(kg.load(name).compile())


def test_a_slide_out_of_the_plane_is_named() -> None:
    lift = ARM + "  - {name: lift, type: prismatic, parent: B, d: 0.2}\n"
    with pytest.raises(
        FormatError, match=r"joint 'lift' .* its slide leans by 90° out of the plane"
    ):
        find_plane(kg.load(lift).compile())


def test_nothing_that_moves_is_nothing_to_cut() -> None:
    with pytest.raises(FormatError, match="no joint that moves"):
        find_plane(kg.load("raff: 1\nname: x\njoints: [{name: A, type: fixed, parent: base}]\n"
                           ).compile())  # fmt: skip
