"""Joint values and parameters as people type them."""

from __future__ import annotations

import argparse
import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.cli.options.arguments import load_mechanism, parse_q
from kinegen.errors import KinegenError, NameNotFoundError, UsageError

TEXT = """raff: 1
name: mixed
joints:
  - {name: A, parent: base, start: 0.5}
  - {name: slide, type: prismatic, parent: A, start: 0.25}
  - {name: knee, type: universal, parent: slide}
  - {name: ball, type: spherical, parent: knee}
  - {name: weld, type: fixed, parent: ball}
"""
REST = [0.5, 0.25, 0, 0, 1, 0, 0, 0]
DEGREE = math.pi / 180


@pytest.fixture
def model() -> kg.Model:
    return kg.load(TEXT).compile()


def test_nothing_typed_is_the_files_start(model: kg.Model) -> None:
    np.testing.assert_array_equal(parse_q(model, None), REST)


@pytest.mark.parametrize(
    "text",
    [
        "0.1 0.2 0.3 0.4 1 0 0 0",
        "0.1, 0.2, 0.3, 0.4, 1, 0, 0, 0",
        "0.1,0.2,0.3,0.4,1,0,0,0",
        "0.1; 0.2; 0.3; 0.4; 1; 0; 0; 0",
        "[0.1, 0.2, 0.3, 0.4, 1, 0, 0, 0]",
        "(0.1 0.2 0.3 0.4 1 0 0 0)",
        "  0.1\t0.2 0.3   0.4 1 0 0 0  ",
        "0.1 rad 200 mm 0.3 rad 0.4 1 0 0 0",
        "0.1 rad, 20 cm, 0.3, 0.4 rad, 1, 0, 0, 0",
        "0.1rad 200mm 0.3 0.4 1 0 0 0",
        "0.1 (0.1+0.1) 3/10 0.4 cos(0) sin(0) 0 0",
        "0.1 (0.1 + 0.1) 0.3 0.4 max(1, 0) 0 0 0",
        "min(0.1, 3), 0.2, 0.3, 0.4, 1, 0, 0, 0",
    ],
)
def test_all_values_in_order(model: kg.Model, text: str) -> None:
    np.testing.assert_allclose(parse_q(model, text), [0.1, 0.2, 0.3, 0.4, 1, 0, 0, 0], atol=1e-16)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("A=30 deg", [30 * DEGREE, *REST[1:]]),
        ("A=30deg", [30 * DEGREE, *REST[1:]]),
        ("A=30°", [30 * DEGREE, *REST[1:]]),
        ("A=-30 °,", [-30 * DEGREE, *REST[1:]]),
        ("A = pi/2, slide = 10 mm", [math.pi / 2, 0.01, *REST[2:]]),
        ("slide=10 mm; A=1", [1, 0.01, *REST[2:]]),
        ("knee=(10 deg 20 deg)", [0.5, 0.25, 10 * DEGREE, 20 * DEGREE, 1, 0, 0, 0]),
        ("knee=(10 deg, 20 deg), A=1", [1, 0.25, 10 * DEGREE, 20 * DEGREE, 1, 0, 0, 0]),
        ("knee=[0.1, 0.2]", [0.5, 0.25, 0.1, 0.2, 1, 0, 0, 0]),
        ("knee=0.1 0.2", [0.5, 0.25, 0.1, 0.2, 1, 0, 0, 0]),
        ("ball=(0 1 0 0)", [0.5, 0.25, 0, 0, 0, 1, 0, 0]),
        ("ball=(0, 1, 0, 0)", [0.5, 0.25, 0, 0, 0, 1, 0, 0]),
        ("A=(1)", [1, *REST[1:]]),
        ("A=1, A=2", [2, *REST[1:]]),
        ("weld=()", REST),
        ("A=atan2(1, 1)", [math.pi / 4, *REST[1:]]),
    ],
)
def test_values_by_name(model: kg.Model, text: str, wanted: list[float]) -> None:
    np.testing.assert_allclose(parse_q(model, text), wanted, atol=1e-15)


ORDER = "A, slide, knee.z, knee.x, ball.qw, ball.qx, ball.qy, ball.qz"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.1 0.2", f"--q of mechanism 'mixed' takes 8 numbers, got 2; in order: {ORDER}"),
        ("", f"--q of mechanism 'mixed' takes 8 numbers, got 0; in order: {ORDER}"),
        ("0 " * 9, f"--q of mechanism 'mixed' takes 8 numbers, got 9; in order: {ORDER}"),
        ("1 2 3 foo 1 0 0 0", "--q: 'foo' is not a number"),
        ("1 2 3 nan 1 0 0 0", "--q: 'nan' is not a number"),
        ("1 2 3 4 1 0 0 1/0", "--q: in '1/0' at character 2: division by zero"),
        ("1 2 3 4 1 0 0 1e999", "--q: in '1e999' at character 1: this number is too large"),
        ("1 mm, 2, 3, 4, 1, 0, 0, 0", "--q: '1 mm': this is an angle; 'mm' is a unit of length"),
        ("1, 2 deg, 3, 4, 1, 0, 0, 0", "--q: '2 deg': this is a length; 'deg' is a unit of angle"),
        ("1, 2, 3, 4 dge, 1, 0, 0, 0", "--q: in '4 dge' at character 3: unknown unit 'dge'"),
        ("A=", "--q: joint 'A' (revolute) takes 1 number; got 0"),
        ("A=1 2", "--q: joint 'A' (revolute) takes 1 number; got 2"),
        ("A=30 mm", "--q: '30 mm': this is an angle; 'mm' is a unit of length: use rad, deg"),
        ("slide=30 deg", "--q: '30 deg': this is a length; 'deg' is a unit of angle: use m, mm"),
        ("A=1, 2", "--q: '2' is not NAME=VALUE; put several numbers of one joint in ( )"),
        ("A=1 slide=2", "--q: put commas between the joints, got 'A=1 slide=2'"),
        ("ball=(1 0 0)", "--q: joint 'ball' (spherical) takes 4 numbers: ball.qw, ball.qx, "
         "ball.qy, ball.qz; got 3"),
        ("ball=(0 0 0 0)", "the quaternion w x y z of joint 'ball' has length 0"),
        ("weld=1", "--q: joint 'weld' (fixed) takes 0 numbers; got 1"),
        ("A=B", "--q: 'B' is not a number"),
        ("A=[1", "--q: in '[1' at character 1: '[' is not part of a formula"),
        ("A=((((", "--q: in '((((' at character"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(model: kg.Model, text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_q(model, text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("text", ["a=1", "bal=(1 0 0 0)", "=1", "x y=2"])
def test_unknown_joints_are_named(model: kg.Model, text: str) -> None:
    with pytest.raises(NameNotFoundError, match=r"joints: A, slide, knee, ball, weld"):
        parse_q(model, text)


@pytest.mark.parametrize(
    "text", ["=", ",,,", ";", "()", "[]", "(", ")", "==", "A==", "A=(", "\x00", "💥"]
)
def test_noise_is_refused_with_a_sentence(model: kg.Model, text: str) -> None:
    with pytest.raises(KinegenError, match=r"\w"):
        parse_q(model, text)


def test_a_mechanism_without_joints_takes_no_values() -> None:
    still = kg.load("raff: 1\nname: still\n").compile()
    assert parse_q(still, "").shape == (0,)
    with pytest.raises(UsageError, match=r"'still' takes 0 numbers, got 1$"):
        parse_q(still, "1")


# Parameters


def loaded(*assignments: str) -> kg.Mechanism:
    return load_mechanism(argparse.Namespace(mechanism="four-bar", set=list(assignments)))


@pytest.mark.parametrize(
    ("assignment", "value"),
    [("crank=120 mm", 0.12), ("crank = 0.12", 0.12), ("crank=coupler/2 - 5 mm", 0.12)],
)
def test_parameters_are_set(assignment: str, value: float) -> None:
    assert loaded(assignment).compile().parameters["crank"] == pytest.approx(value)


def test_several_parameters_are_set_in_turn() -> None:
    model = loaded("crank=90 mm", "rocker=crank*3").compile()
    assert model.parameters["rocker"] == pytest.approx(0.27)


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("crank", "--set takes PARAMETER=VALUE, got 'crank'"),
        ("crank=", "--set takes PARAMETER=VALUE, got 'crank='"),
        ("=3", "--set takes PARAMETER=VALUE, got '=3'"),
        ("crank=1/0", "--set crank=1/0: in '1/0' at character 2: division by zero"),
        ("crank=1 furlong", "--set crank=1 furlong: in '1 furlong' at character 3: unknown unit"),
        ("crnk=3", "parameter 'crnk' is not in mechanism 'four-bar'; did you mean 'crank'?"),
        ("crank=3*crnk", "parameter 'crnk' is not in mechanism 'four-bar'"),
    ],
)
def test_bad_assignments_are_reported(assignment: str, message: str) -> None:
    with pytest.raises(KinegenError) as caught:
        loaded(assignment)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("assignment", ["crank=30 deg", "crank=crank+1", "crank=nan"])
def test_values_that_do_not_fit_are_refused(assignment: str) -> None:
    with pytest.raises(KinegenError):
        loaded(assignment).compile()


def test_the_library_itself_is_never_changed() -> None:
    loaded("crank=120 mm")
    assert kg.load("four-bar").compile().parameters["crank"] == 0.1


def test_mixed_numbers_are_read_as_in_files(model: kg.Model) -> None:
    inches = parse_q(model, "slide=4 1/2 in, A=1 1/2 turn")
    np.testing.assert_allclose(inches[:2], [3 * math.pi, 4.5 * 0.0254])
    with pytest.raises(UsageError, match="takes 1 number; got 2"):
        parse_q(model, "slide=4 1")
