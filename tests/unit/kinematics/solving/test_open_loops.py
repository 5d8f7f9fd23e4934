"""Loops that cannot be closed: the loop, the gap with its direction, and what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.solving.assembling.explained import assemble_explained
from kinegen.kinematics.solving.open_loops import open_loop
from tests.unit.kinematics.diagnosis.test_diagnosis import bennett

SECOND_LOOP = """  - {name: E, parent: base, d: 0.8, start: 90 deg}
  - {name: F, parent: E, d: 0.3, r: 3 mm, start: -90 deg}
  - {name: H, parent: F, d: -0.4, closes: {onto: D, d: 0.3}}
"""
APART = """  - {name: E, parent: base, d: 1, start: 90 deg}
  - {name: F, parent: E, d: 0.3, start: -90 deg}
  - {name: G, parent: base, d: 1.4, start: 90 deg}
  - {name: H, parent: F, d: 0.4, closes: {onto: G, d: 0.3}}
"""
SLIDES = """raff: 1
joints:
  - {name: X, type: prismatic, parent: base, rpy: [0, 90 deg, 0]}
  - {name: Y, type: prismatic, parent: X, rpy: [90 deg, 0, 0]}
  - {name: Z, type: prismatic, parent: Y, xyz: [0.1, 0.2, 0.3], rpy: [0, 40 deg, 0],
     closes: {onto: base, xyz: [0.3, 0.2, 0.3]}}
"""


def four_bar(B: str = "", C: str = "", landing: str = "") -> str:
    return f"""raff: 1
name: bars
joints:
  - {{name: A, parent: base, start: 90 deg, motor: true}}
  - {{name: B, parent: A, d: 0.3, start: -90 deg{B}}}
  - {{name: D, parent: base, d: 0.4, start: 90 deg}}
  - {{name: C, parent: B, d: 0.4{C}, closes: {{onto: D, d: 0.3{landing}}}}}
"""


def slider_crank(slide: float, landing: float, r: str = "0") -> str:
    return f"""raff: 1
joints:
  - {{name: A, parent: base, start: 60 deg, motor: true}}
  - {{name: B, parent: A, d: 0.1, r: {r}, start: -80 deg}}
  - {{name: P, type: prismatic, parent: base, rpy: [0, {slide} deg, 0], start: 0.3}}
  - {{name: C, parent: B, d: 0.3, closes: {{onto: P, rpy: [0, {landing} deg, 0]}}}}
"""


def failure(text: str) -> str:
    with pytest.raises(kg.errors.AssemblyError) as caught:
        assemble_explained(kg.load(text).compile())
    return str(caught.value)


ALONG = "2 mm along the hinges' common axis"
TILTED = "1° (axes tilted by 1° against each other)"


@pytest.mark.parametrize(
    ("text", "gap", "change"),
    [
        (four_bar(B=", r: 2 mm"), ALONG, "'B' is placed wrongly: move 'B'"),
        (four_bar(C=", r: -2 mm"), ALONG, "'C' is placed wrongly: move 'C'"),
        (four_bar(landing=", r: 2 mm"), ALONG, "closes.r 0 mm instead of 2 mm"),
        (four_bar(B=", alpha: 1 deg"), TILTED, "alpha 0° instead of 1°"),
        (four_bar(C=", alpha: 1 deg"), TILTED, "'C' is placed wrongly: tilt the axis"),
        (four_bar(landing=", alpha: -1 deg"), TILTED, "closes.alpha 0° instead of -1°"),
    ],
)
def test_a_plane_loop_that_leaves_its_plane(text: str, gap: str, change: str) -> None:
    message = failure(text)
    assert f"the loop through 'A', 'B', 'D' and 'C' stays open at 'C' by {gap}" in message
    assert change in message


@pytest.mark.parametrize(
    ("text", "gap", "change"),
    [
        (slider_crank(90, -90, "3 mm"), "3 mm along the hinges' common axis", "r 0 mm instead of"),
        (slider_crank(91, -90), TILTED, "pitch 90° instead of 91°"),
        (slider_crank(91, -91), "along the hinges' common axis", ""),
    ],
)
def test_slides_out_of_the_plane(text: str, gap: str, change: str) -> None:
    message = failure(text)
    assert "the loop through 'A', 'B', 'P' and 'C' stays open at 'C' by" in message
    assert gap in message and change in message


def test_slides_only() -> None:
    message = failure(SLIDES)
    assert "the loop through 'X', 'Y' and 'Z' stays open at 'Z' by" in message


@pytest.mark.parametrize(
    ("text", "joints"),
    [
        (four_bar() + SECOND_LOOP, "'D', 'E', 'F' and 'H'"),
        (four_bar(B=", r: 3 mm") + SECOND_LOOP.replace("r: 3 mm, ", ""), "'A', 'B', 'D' and 'C'"),
        (four_bar(B=", r: 3 mm") + APART, "'A', 'B', 'D' and 'C'"),
        (four_bar() + APART.replace("d: 0.3, start: -90", "d: 0.3, r: 3 mm, start: -90"),
         "'E', 'F', 'G' and 'H'"),
    ],
)  # fmt: skip
def test_of_two_loops_the_bad_one_is_named(text: str, joints: str) -> None:
    message = failure(text)
    assert f"the loop through {joints} stays open" in message
    assert "by 3 mm along the hinges' common axis" in message


def test_loops_that_close_alone_and_not_together() -> None:
    # the long coupler hardly turns; to reach the third crank it would have to turn by 90 deg
    text = (
        four_bar().replace("0.4", "3")
        + """  - {name: E, parent: base, xyz: [0, 2, 0]}
  - {name: F, parent: E, d: 0.3, closes: {onto: B, d: 2}}
"""
    )
    found = open_loop(model := kg.load(text).compile(), model.start())
    assert found is not None and found.group.loops == (0, 1)
    assert "the 2 loops through" in found.text and "cannot be closed together" in found.text


def test_a_spatial_loop_is_named_with_its_bar() -> None:
    message = failure(bennett(length_error=0.01))
    assert "the loop through 'J1', 'J2', 'J3' and 'J4' stays open at 'J4' by" in message
    assert "most likely 'J3' is placed wrongly: move 'J3'" in message


def test_bars_that_are_too_short_in_the_plane_are_named_as_before() -> None:
    message = failure(four_bar(C=", d: 1.4").replace("d: 0.4, d: 1.4", "d: 1.4"))
    assert "link 'B' (1400 mm)" in message and "400 mm too short" in message
    assert "placed wrongly" not in message


def test_values_that_are_held_are_no_fault_of_a_part() -> None:
    model = kg.load(four_bar().replace("B, d: 0.4", "B, d: 0.2")).compile()
    with pytest.raises(kg.errors.AssemblyError) as caught:
        assemble_explained(model, {"A": np.pi}, locked=["A"])
    message = str(caught.value)
    assert "with A = 180° held" in message and "placed wrongly" not in message


def test_gaps_are_the_same_in_every_unit_of_length() -> None:
    small = four_bar(B=", r: 2 um").replace("0.3", "0.3 mm").replace("0.4", "0.4 mm")
    assert "2 µm along the hinges' common axis" in failure(small)
