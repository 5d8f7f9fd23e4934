"""Couplings as equations: ratios, offsets, starts, and what is refused with its place."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import RaffError, UsageError
from kinegen.kinematics import loop_residual
from kinegen.mechanism.couplings.relation import variable_of
from kinegen.mechanism.couplings.relations import find_relations
from kinegen.mechanism.write import write
from kinegen.raff.formulas.formula import Formula

HEAD = "raff: 1\nname: m\n"
TWO = "joints:\n  - {name: a, parent: base}\n  - {name: b, parent: base, d: 60 mm}\n"
SLIDE = "joints:\n  - {name: a, parent: base}\n  - {name: s, type: prismatic, parent: base}\n"


def ratios(text: str) -> dict[str, float]:
    model = kg.load(HEAD + text).compile()
    (coupling,) = model.couplings
    values = model.blocks.real_part("ratio").tolist()
    names = [model.joints[i].name for i in coupling.joints]
    return dict(zip(names, values, strict=True))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("gears: [a, b], teeth: [20, 40]", {"a": 1, "b": 2}),
        ("gears: [a, b], teeth: [20, 40], module: 2 mm", {"a": 1, "b": 2}),
        ("gears: [a, b], teeth: [80, 20], internal: true, module: 2 mm", {"a": 1, "b": -0.25}),
        ("belt: [a, b], radii: [10 mm, 30 mm]", {"a": 1, "b": -3}),
        ("belt: [a, b], radii: [10 mm, 30 mm], crossed: true", {"a": 1, "b": 3}),
        ("chain: [a, b], teeth: [14, 28]", {"a": 1, "b": -2}),
        ("relation: {a: 2, b: -6}", {"a": 1, "b": -3}),
    ],
)
def test_hinges_side_by_side(row: str, expected: dict[str, float]) -> None:
    assert ratios(TWO + "couplings: [{name: c, " + row + "}]") == pytest.approx(expected)


def test_opposite_axes_turn_the_other_way() -> None:
    turned = TWO.replace("d: 60 mm", "xyz: [60 mm, 0, 0], rpy: [180 deg, 0, 0]")
    rows = "couplings: [{name: c, gears: [a, b], teeth: [20, 40]}]"
    assert ratios(turned + rows) == pytest.approx({"a": 1, "b": -2})


def test_bevel_gears_turn_opposite_seen_from_outside() -> None:
    # axes z and x meet in the origin, both gears on the positive sides
    joints = (
        "joints:\n  - {name: a, parent: base, xyz: [0, 0, 1], rpy: [0, 0, 0]}\n"
        "  - {name: b, parent: base, xyz: [1, 0, 0], rpy: [0, 90 deg, 0]}\n"
    )
    rows = "couplings: [{name: c, gears: [a, b], teeth: [20, 40]}]"
    assert ratios(joints + rows) == pytest.approx({"a": 1, "b": 2})
    below = joints.replace("xyz: [0, 0, 1]", "xyz: [0, 0, -1]")
    assert ratios(below + rows) == pytest.approx({"a": 1, "b": -2})


def test_slides() -> None:
    rack = "couplings: [{name: c, rack: s, pinion: a, radius: 20 mm}]"
    assert ratios(SLIDE + rack) == pytest.approx({"s": 1, "a": -0.02})
    screw = "couplings: [{name: c, screw: a, nut: s, lead: 4 mm}]"
    assert ratios(SLIDE + screw) == pytest.approx({"s": 1, "a": -0.004 / math.tau})


PLANETARY = """
joints:
  - {name: sun, parent: base}
  - {name: arm, parent: base}
  - {name: planet, parent: arm, d: 30 mm}
couplings:
  - {name: inner, gears: [sun, planet], teeth: [20, 10], module: 2 mm}
  - {name: outer, gears: [base, planet], teeth: [40, 10], internal: true, module: 2 mm}
"""


def test_planetary_gear_turns_by_williss_formula() -> None:
    model = kg.load(HEAD + PLANETARY).compile()
    assert kg.mobility(model).finite == 1
    v = kg.kinematics.velocities(model, model.start(), {"sun": 1.0}).v
    # ring held: sun / arm = 1 + ring teeth / sun teeth
    assert v[1] == pytest.approx(1 / (1 + 40 / 20), abs=1e-12)


def test_parameters_are_live() -> None:
    text = HEAD + "parameters: {z: 20}\n" + TWO
    model = kg.load(text + "couplings: [{name: c, gears: [a, b], teeth: [z, 40]}]").compile()
    model.parameters["z"] = 10
    assert model.blocks.real_part("ratio").tolist() == [1, 4]
    assert model.number("c", "ratio.1") == 4


def test_gears_mesh_as_they_start_and_relations_at_their_offset() -> None:
    started = TWO.replace("base}", "base, start: 30 deg}").replace("60 mm}", "60 mm, start: 1}")
    model = kg.load(
        HEAD + started + "couplings: [{name: c, gears: [a, b], teeth: [10, 20]}]"
    ).compile()
    assert kg.kinematics.loop_gap(model).largest == pytest.approx(0, abs=1e-15)
    assert model.number("c", "offset") == pytest.approx(math.radians(30) + 2)
    rows = "couplings: [{name: c, relation: {a: 2, b: 1}, offset: 3}]"
    one_open = TWO.replace("base}", "base, start: 0.5}")
    assert kg.load(HEAD + one_open + rows).compile().start().tolist() == [0.5, 2.0]


def test_followers_start_where_they_follow() -> None:
    text = HEAD + (
        "joints:\n"
        "  - {name: c, parent: base, follows: {joint: b, ratio: 2, offset: 1}}\n"
        "  - {name: b, parent: base, follows: {joint: a, ratio: -1}}\n"
        "  - {name: a, parent: base, start: 0.25}\n"
    )
    model = kg.load(text).compile()
    assert model.start() == pytest.approx([0.5, -0.25, 0.25])
    assert kg.kinematics.loop_gap(model).largest == 0


def test_cam_followers_start_on_their_cam() -> None:
    cam = SLIDE.replace("{name: a, parent: base}", "{name: a, parent: base, start: 60 deg}")
    for profile in ("10 mm * (1 - cos(x))", "[[0, 0], [60 deg, 5 mm], [180 deg, 0], [360 deg, 0]]"):
        row = f"couplings: [{{name: c, cam: a, follower: s, profile: {profile}}}]"
        model = kg.load(HEAD + cam + row).compile()
        assert model.start()[1] == pytest.approx(0.005, abs=1e-15), profile
        assert kg.kinematics.loop_gap(model).largest < 1e-15


def test_tables_repeat_where_their_ends_meet() -> None:
    row = "couplings: [{{name: c, cam: a, follower: s, profile: {}}}]"
    for table, repeats in (
        ("[[0, 0], [2, 1], [360 deg, 0]]", True),
        ("[[0, 0], [2, 1], [360 deg, 1]]", False),
        ("[[0, 0], [2, 1], [3, 0]]", False),
    ):
        (found,) = find_relations(kg.load(HEAD + SLIDE + row.format(table))).found
        assert found.repeats is repeats


def test_variables_by_name() -> None:
    text = "joints:\n  - {name: cyl, type: cylindrical, parent: base}\n"
    text += "  - {name: ball, type: spherical, parent: cyl}\n  - {name: h, parent: ball}\n"
    mechanism = kg.load(HEAD + text)
    slide = variable_of(mechanism, "cyl.r")
    assert slide is not None and (slide.index, slide.is_length, slide.name) == (1, True, "cyl.r")
    assert variable_of(mechanism, "cyl") is None
    assert variable_of(mechanism, "ball") is None
    assert variable_of(mechanism, "h.theta") == variable_of(mechanism, "h")


BAD = {
    "gears: [a, x], teeth: [1, 2]": (6, "gears 'x' is not known"),
    "gears: [a, a], teeth: [1, 2]": (6, "'a' cannot be coupled with itself"),
    "gears: [a, b], teeth: [0, 2]": (6, "teeth must be above 0"),
    "gears: [a, b]": (6, "gears needs 'teeth'"),
    "gears: [a, b, x], teeth: [1, 2]": (6, "gears needs 2 values (two links), not 3"),
    "gears: [a, b], teeth: [20, 40], module: 3 mm": (6, "needs 90 mm: module · (40 + 20) / 2"),
    "gears: [a, b], teeth: [20, 20], internal: true": (6, "more teeth than its pinion"),
    "gears: [a, base], teeth: [20, 40]": (6, "'base' does not turn on 'base'"),
    "gears: [a, b], teeth: [20, 40], radius: 1": (6, "'radius' belongs to rack, not to gears"),
    "belt: [a, b]": (6, "a belt needs 'radii' or 'teeth', and has neither"),
    "gears: [a, b], belt: [a, b], teeth: [1, 2]": (6, "not gears and belt"),
    "rack: a, pinion: b, radius: 1": (6, "'a' does not slide: the rack must"),
    "rack: a, pinion: b, radius: 0": (6, "radius must not be 0"),
    "screw: a, nut: b, lead: 1 mm": (6, "'b' does not slide: the nut must"),
    "relation: {a: 1}": (6, "a relation needs two joints or more"),
    "relation: {a: 1, b: 0}": (6, "b must not be 0"),
    "relation: {a: 1, bb: 2}": (6, "joint 'bb' is not known; did you mean 'b'?"),
    "cam: a, follower: a, profile: x": (6, "cannot be coupled with itself"),
    "cam: {x: 1}, follower: b, profile: [[0, 1], [1, 0], [2, 1]]": (6, "cam must be a name"),
    "cam: a, follower: b, profile: 2": (6, "does not contain 'x'"),
    "cam: a, follower: b, profile: 1/(x-pi)": (6, "at x = 180 deg"),
    "cam: a, follower: b, profile: x + y": (6, "unknown parameter 'y'"),
    "cam: a, follower: b, profile: [[0, 1], [2, 0]]": (6, "3 rows or more"),
    "cam: a, follower: b, profile: [[0, 1], [2, 0], [1, 1]]": (6, "1 does not come after 2"),
    "cam: a, follower: b, profile: [[0, 1], [2, 0], [2, 1]]": (6, "the table jumps at 2"),
    "ratio: 2": (6, "a coupling needs one of"),
}


@pytest.mark.parametrize("row", BAD)
def test_what_is_wrong_is_said_at_its_place(row: str) -> None:
    line, message = BAD[row]
    text = HEAD + TWO + "couplings: [{name: c, " + row + "}]"
    with pytest.raises(RaffError) as caught:
        kg.load(text)
    found = [(one.line, one.message) for one in caught.value.problems]
    assert any(at == line and message in said for at, said in found), found
    assert all(one.column > 1 for one in caught.value.problems)


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        ("{name: a, parent: base, follows: {joint: a}}", "joint 'a' cannot follow itself"),
        (
            "{name: a, parent: base, follows: {joint: b}}\n"
            "  - {name: b, parent: a, follows: {joint: a}}",
            "joints follow each other in a cycle: a -> b -> a",
        ),
        (
            "{name: a, parent: base}\n  - {name: b, parent: a, follows: {joint: aa}}",
            "joint 'aa' is not known; did you mean 'a'?",
        ),
        (
            "{name: a, parent: base}\n  - {name: b, parent: a, follows: {joint: a, ratio: 0}}",
            "ratio must not be 0",
        ),
        (
            "{name: a, parent: base}\n"
            "  - {name: b, type: spherical, parent: a, follows: {joint: a}}",
            "a spherical joint has no single variable that could follow another",
        ),
        (
            "{name: a, type: spherical, parent: base}\n"
            "  - {name: b, parent: a, follows: {joint: a}}",
            "joint 'a' has no single variable that could be coupled",
        ),
        (
            "{name: a, type: cylindrical, parent: base}\n"
            "  - {name: b, parent: a, follows: {joint: a}}",
            "joint 'a' has several variables: name one of a.r, a.theta",
        ),
        (
            "{name: a, parent: base}\n  - {name: b, parent: a, mimic: {joint: a}}",
            "has 'follows: {joint: …, ratio: …}'",
        ),
    ],
)
def test_followers_that_cannot_be(joints: str, message: str) -> None:
    with pytest.raises(RaffError) as caught:
        kg.load(f"{HEAD}joints:\n  - {joints}\n")
    assert message in str(caught.value)


def test_contradictions_name_both() -> None:
    rows = (
        "couplings:\n  - {name: one, relation: {a: 1, b: 1}, offset: 1}\n"
        "  - {name: two, relation: {a: 2, b: 2}, offset: 3}\n"
    )
    with pytest.raises(RaffError) as caught:
        kg.load(HEAD + TWO + rows)
    (problem,) = caught.value.problems
    assert problem.line == 8
    assert "it contradicts 'one'" in problem.message


def test_skew_and_sliding_gears_are_refused() -> None:
    skew = TWO.replace("d: 60 mm", "xyz: [60 mm, 0, 0], rpy: [90 deg, 0, 0]").replace(
        "parent: base}", "parent: base, b: 1}"
    )
    skew = skew.replace("[90 deg, 0, 0]", "[1, 0.2, 0]")
    row = "couplings: [{name: c, gears: [a, b], teeth: [1, 2]}]"
    with pytest.raises(RaffError, match="neither parallel nor do they meet"):
        kg.load(HEAD + skew + row)
    with pytest.raises(RaffError, match="gears and pulleys turn on hinges"):
        kg.load(HEAD + SLIDE + row.replace("b]", "s]"))


def test_cut_loops_and_couplings_share_the_rows() -> None:
    model = kg.load(
        HEAD
        + """
joints:
  - {name: A, parent: base, start: 120 deg, motor: true}
  - {name: B, parent: A, d: 0.1}
  - {name: D, parent: base, d: 0.2, start: 60 deg}
  - {name: C, parent: D, d: 0.1}
  - {name: E, parent: B, d: 0.15, closes: {onto: C, d: 0.15}}
couplings: [{name: mesh, gears: [A, D], teeth: [30, 30]}]
"""
    ).compile()
    found = kg.mobility(model)
    assert (len(model.loops), len(model.couplings), found.finite) == (1, 1, 1)
    assert np.abs(loop_residual(model, kg.assemble(model).q)).max() < 1e-9


def test_renaming_and_removing_joints_keeps_couplings_whole() -> None:
    mechanism = kg.load(
        HEAD
        + """joints:
  - {name: shaft, type: cylindrical, parent: base}
  - {name: a, parent: base, d: 1}
  - {name: b, parent: base, d: 2, follows: {joint: shaft.theta, ratio: -1}}
couplings:
  - {name: mesh, gears: [a, b], teeth: [20, 20]}
  - {name: sum, relation: {shaft.r: 1, a: 2}}
"""
    )
    mechanism.rename("shaft", "spindle")
    mechanism.rename("a", "wheel")
    assert mechanism.joints["b"].follows is not None
    assert mechanism.joints["b"].follows.joint == "spindle.theta"
    assert mechanism.couplings["mesh"].members == ("wheel", "b")
    assert mechanism.couplings["sum"].members == ("spindle.r", "wheel")
    assert kg.load(mechanism.to_raff()).couplings == mechanism.couplings
    with pytest.raises(UsageError, match="joint 'wheel' is coupled by mesh, sum; remove these"):
        mechanism.remove_joint("wheel")


def test_includes_prefix_couplings(tmp_path: Path) -> None:
    inner = HEAD + "parameters: {z: 20}\n" + TWO
    inner += "couplings:\n  - {name: c, gears: [a, b], teeth: [z, 2*z]}\n"
    inner += "  - {name: k, cam: a, follower: b, profile: z*x}\n"
    (tmp_path / "pair.raff").write_text(inner, encoding="utf-8")
    outer = HEAD + "robots: [{name: left, include: pair.raff, parameters: {z: 10}}]\n"
    mechanism = kg.load(outer, folder=tmp_path)
    assert mechanism.couplings["left.c"].members == ("left.a", "left.b")
    assert mechanism.couplings["left.c"].numbers[0].text == "left.z"
    profile = mechanism.couplings["left.k"].profile
    assert isinstance(profile, Formula) and profile.text == "left.z*x"
    written = kg.load(write(mechanism))
    assert written.couplings["left.c"].members == ("left.a", "left.b")
    model = mechanism.compile()
    model.parameters["left.z"] = 3
    q = np.array([0.5, 0.0])
    assert loop_residual(model, q)[model.couplings[1].row] == pytest.approx(-1.5)


def test_writing_and_reading_gives_the_same_couplings() -> None:
    rows = [
        "gears: [a, b], teeth: [80, 20], internal: true, module: 2 mm, offset: 10 deg, note: hi",
        "belt: [a, b], radii: [10 mm, 20 mm], crossed: true, carrier: base",
        "relation: {a: 2, b: -1.5}, offset: 0.5",
        "cam: a, follower: b, profile: [[0, 0], [1, 0.5], [360 deg, 0]]",
        "cam: a, follower: b, profile: 0.1*sin(x)",
    ]
    for row in rows:
        mechanism = kg.load(HEAD + TWO + "couplings: [{name: c, " + row + "}]")
        assert kg.load(write(mechanism)).couplings == mechanism.couplings, row
    slides = ["rack: s, pinion: a, radius: -20 mm", "screw: a, nut: s, lead: 4 mm"]
    for row in slides:
        mechanism = kg.load(HEAD + SLIDE + "couplings: [{name: c, " + row + "}]")
        assert kg.load(write(mechanism)).couplings == mechanism.couplings, row


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ("1 mm*sqrt(x)", "the profile has no value beside the cam's start, x = 0: .* not negative"),
        ("1 mm*sqrt(abs(x))", "jumps or has an infinite slope at the cam's start, x = 0"),
        ("1 mm*floor(x)", "jumps or has an infinite slope at the cam's start, x = 0"),
    ],
)
def test_profiles_are_smooth_where_the_cam_starts(profile: str, message: str) -> None:
    text = f"{HEAD}{SLIDE}couplings:\n  - {{name: c, cam: a, follower: s, profile: {profile}}}\n"
    with pytest.raises(RaffError, match=rf":7:\d+: .*{message}"):
        kg.load(text)
    smooth = text.replace(profile, "1 mm*(1 - cos(x))")
    assert kg.load(smooth).compile().couplings
