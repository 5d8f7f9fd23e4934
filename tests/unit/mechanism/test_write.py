import math
from pathlib import Path

import pytest

from kinegen.formats.load import load
from kinegen.joint_types import JointType
from kinegen.mechanism.graph import (
    Closure,
    Frame,
    Joint,
    LinkProperties,
    Mechanism,
    Parameter,
    Placement,
    PlacementKind,
)
from kinegen.mechanism.load import library_names
from kinegen.mechanism.write import write
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula

EVERYTHING = Path(__file__).parents[1] / "raff" / "everything.raff"


def placed(*numbers: float, kind: PlacementKind = PlacementKind.KLEINFINGER) -> Placement:
    return Placement(kind, tuple(Formula.constant(number) for number in numbers))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", library_names())
def test_written_and_read_again_it_is_the_same(name: str) -> None:
    mechanism = load(name)
    text = write(mechanism)
    flat = load(text)
    if any("." in parameter for parameter in mechanism.parameters):
        # those of an included robot have other names in one file: the second time it is the same
        mechanism = flat
        assert [*flat.joints] == [*load(name).joints]
    assert load(write(flat)) == flat == mechanism
    assert write(flat) == text


def test_everything_can_be_written() -> None:
    """Parts of included robots keep their names, parameters lose their dot."""
    flat = load(write(load(EVERYTHING)))
    assert load(write(flat)) == flat
    assert "left.A" in flat.joints and flat.joints["left.B"].parent == "left.A"
    assert flat.parameters["left_crank"].formula.text == "2*half"
    assert flat.scene["sensors"][1]["parent"] == "left.handle"


def test_a_file_a_person_likes_to_read() -> None:
    mechanism = Mechanism(
        "arm",
        title="My arm: the first",
        parameters={"len": Parameter("len", parse_formula("150 mm"))},
        joints={
            "A": Joint(
                "A",
                JointType.REVOLUTE,
                "base",
                placed(0, 0, 0, 0, 0, 0.1),
                limits=((Formula.constant(-math.pi / 2), Formula.constant(math.pi / 2)),),
                motors=({},),
            ),
            "shoulder": Joint(
                "shoulder", JointType.REVOLUTE, "A", placed(0, 0, math.pi / 2, 0.25, 0, 0)
            ),
            "C": Joint(
                "C",
                JointType.FIXED,
                "shoulder",
                placed(0, 0, 0, 0, 0, math.pi, kind=PlacementKind.POSE),
                closes=Closure("A", placed(0, 0, 0, 1, 0, 0)),
            ),
        },
        frames={"tip": Frame("tip", "shoulder", placed(0, 0, 0, 0.5, 0, 0), note="a, b")},
        base=LinkProperties(color="gray"),
    )
    text = """raff: 1
name: arm
title: "My arm: the first"
base: {color: gray}

parameters:
  len: 150 mm

joints:
  - {name: A,        parent: base,     r: 0.1, limits: [-90 deg, 90 deg], motor: true}
  - {name: shoulder, parent: A,        alpha: 90 deg, d: 0.25}
  - {name: C,        parent: shoulder, type: fixed, rpy: [0, 0, 180 deg], closes: {onto: A, d: 1}}

frames:
  - {name: tip, parent: shoulder, d: 0.5, note: "a, b"}
"""
    assert write(mechanism) == text
    assert load(text) == mechanism


def test_a_mechanism_without_anything() -> None:
    assert write(Mechanism("empty")) == "raff: 1\nname: empty\n"


def test_lines_stay_within_a_hundred_columns_where_they_can() -> None:
    for name in library_names():
        for line in write(load(name)).split("\n"):
            # A value is never broken: 120 is the longest that a library file has.
            assert len(line) <= 120, (name, line)


def test_dotted_names_stay_apart() -> None:
    text = "raff: 1\nparameters: {l_crank: 1}\nrobots:\n  - {name: l, include: five-bar}\n"
    flat = load(write(load(text)))
    assert flat.parameters["l_crank"].formula.value == 1
    assert flat.parameters["l_crank_"].formula.value == 0.15
    assert flat.joints["l.B"].placement.numbers[3].names == {"l_crank_"}


def test_a_long_list_is_folded_inside_its_row() -> None:
    """Never in column 0, where it would belong to nothing."""
    numbers = ", ".join(f"{0.123456789012 + i}" for i in range(6))
    text = f"raff: 1\njoints:\n  - {{name: A, parent: base, mass: 1, inertia: [{numbers}]}}\n"
    mechanism = load(text)
    written = write(mechanism)
    assert all(len(line) <= 100 for line in written.splitlines())
    assert not any(line.startswith(("inertia", "[")) for line in written.splitlines())
    assert load(written).joints["A"].link.inertia == mechanism.joints["A"].link.inertia
