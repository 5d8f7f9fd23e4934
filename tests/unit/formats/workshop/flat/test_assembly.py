"""Flat parts: holes, slots and pins of planar mechanisms, and what cannot be made."""

from __future__ import annotations

import math

import pytest

import kinegen as kg
from kinegen.errors import FormatError, UsageError
from kinegen.formats.workshop.flat.assembly import FlatAssembly, flat_assembly
from kinegen.formats.workshop.sizes import Sizes

PLANAR = ("five-bar", "four-bar", "slider-crank", "peaucellier", "3-rrr", "eight-bar-b")


@pytest.fixture(scope="module")
def made() -> dict[str, FlatAssembly]:
    return {name: flat_assembly(kg.load(name)) for name in PLANAR}


@pytest.mark.parametrize("name", PLANAR)
def test_pins_join_their_parts_in_the_pose(made: dict[str, FlatAssembly], name: str) -> None:
    assembly = made[name]
    model = kg.load(name).compile()
    hinges = {joint.name for joint in model.joints if joint.type.info.is_hinge}
    assert {joint for pin in assembly.pins if pin.type == "revolute" for joint in pin.joints} == (
        hinges
    )
    for pin in assembly.pins:
        if pin.type == "revolute":
            places = [assembly.part(part).at.point(at) for part, at in pin.parts]
            assert len(places) >= 2
            assert all(math.dist(place, places[0]) < 1e-9 for place in places), pin.name


def test_lengths_are_those_of_the_file(made: dict[str, FlatAssembly]) -> None:
    bars = {part.name: part for part in made["peaucellier"].parts}
    for name, length in (("PB", 0.055), ("OA", 0.2), ("OC", 0.2), ("BA", 0.13), ("CD", 0.13)):
        a, b = (hole.at for hole in bars[name].holes)
        assert abs(math.dist(a, b) - length) < 1e-12
    platform = made["3-rrr"].part("platform")
    assert platform.kind == "plate" and len(platform.holes) == 3


def test_a_slide_is_a_slot_as_long_as_its_travel(made: dict[str, FlatAssembly]) -> None:
    assembly = made["slider-crank"]
    (slot,) = assembly.part("base").slots
    # crank and rod in line: 130 ± 50 mm, and half a bar's width to either side
    assert slot.start[0] == pytest.approx(0.080 - 0.010, abs=2e-4)
    assert slot.end[0] == pytest.approx(0.180 + 0.010, abs=2e-4)
    guides = [pin for pin in assembly.pins if pin.type == "prismatic"]
    assert len(guides) == 2
    assert any("joint 'piston' has no limits" in one for one in assembly.messages)
    limited = kg.load("slider-crank")
    limited.set_value("piston", "limits", ["60 mm", "200 mm"])
    exact = flat_assembly(limited)
    assert exact.part("base").slots[0].start == pytest.approx((0.050, 0.0))
    assert exact.part("base").slots[0].end == pytest.approx((0.210, 0.0))
    assert exact.messages == ()


def test_fixed_links_are_one_part() -> None:
    bar = kg.load(
        "raff: 1\nname: bent\njoints:\n"
        "  - {name: A, parent: base}\n"
        "  - {name: B, type: fixed, parent: A, d: 0.1, theta: 90 deg}\n"
        "  - {name: C, parent: B, d: 0.1}\n"
        "frames: [{name: tip, parent: C, d: 0.05}]\n"
    )
    assembly = flat_assembly(bar)
    assert [part.name for part in assembly.parts] == ["base", "A", "C"]
    bent = assembly.part("A")
    assert bent.links == ("A", "B")
    assert math.dist(bent.holes[0].at, bent.holes[1].at) == pytest.approx(math.hypot(0.1, 0.1))
    assert assembly.part("C").marks[0].name == "tip"
    drilled = flat_assembly(bar, frames="hole").part("C")
    assert [hole.frame for hole in drilled.holes] == ["", "tip"]
    assert flat_assembly(bar, frames="no").part("C").kind == "disc"


def test_a_bar_without_length_is_refused() -> None:
    chain = kg.load(
        "raff: 1\nname: x\njoints:\n  - {name: A, parent: base}\n  - {name: B, parent: A}\n"
        "frames: [{name: tip, parent: B, d: 0.1}]\n"
    )
    with pytest.raises(FormatError, match="part 'A' has length 0: joints 'A' and 'B' lie on one"):
        flat_assembly(chain)


def test_holes_that_run_into_each_other_are_refused() -> None:
    short = kg.load(
        "raff: 1\nname: x\njoints:\n  - {name: A, parent: base}\n"
        "  - {name: B, parent: A, d: 4 mm}\nframes: [{name: tip, parent: B, d: 0.1}]\n"
    )
    with pytest.raises(FormatError, match=r"'A' and joint 'B' are 4 mm apart .* 5\.1 mm wide"):
        flat_assembly(short)
    assert flat_assembly(short, sizes=Sizes(hole=0.003)).parts


def test_more_parts_than_anyone_makes_are_refused() -> None:
    rows = "".join(f"  - {{name: j{k}, parent: j{k - 1}, d: 1}}\n" for k in range(1, 502))
    chain = kg.load(f"raff: 1\nname: long\njoints:\n  - {{name: j0, parent: base}}\n{rows}")
    with pytest.raises(FormatError, match="mechanism 'long' has 503 parts; at most 500"):
        flat_assembly(chain)


def test_levels_do_not_depend_on_the_pose_of_the_drawing() -> None:
    model = kg.load("five-bar").compile()
    q = kg.assemble(model, {"A": 1.0}, locked=["A"]).q
    levels = [[part.level for part in flat_assembly(model, pose).parts] for pose in (None, q)]
    assert levels[0] == levels[1]


def test_frames_are_marks_holes_or_nothing() -> None:
    with pytest.raises(UsageError, match="use one of mark, hole, no"):
        flat_assembly(kg.load("five-bar"), frames="maybe")
