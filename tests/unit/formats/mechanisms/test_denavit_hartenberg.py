"""Denavit-Hartenberg tables: exact conversion, units, variables, and mistakes with their places."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinegen.errors import FormatError, UsageError
from kinegen.formats.load import load
from kinegen.formats.mechanisms.denavit_hartenberg import (
    MODIFIED,
    STANDARD,
    read_denavit_hartenberg,
)
from kinegen.formats.problems import FormatProblems
from kinegen.joint_types import JointType
from kinegen.mechanism.write import write
from kinegen.raff.formulas.parser import parse_formula
from tests.unit.formats.matrices import Rx, Rz, Tx, Tz, link_poses, parameter_values, tool_pose

PUMA = """\
theta(deg), d [mm], a [mm], alpha(deg), lower(deg), upper(deg), name
q1,         0,      0,      90,         -160,       160,        waist
q2,         0,      431.8,  0,          -45,        225,        shoulder
q3,         150.05, 20.32,  -90,        ,           ,           elbow
q4,         431.8,  0,      90,         ,           ,
q5 - 90,    0,      0,      -90,        ,           ,
q6,         56.25,  0,      0,          ,           ,
"""

lengths = st.floats(-2, 2).map(lambda x: round(x, 4))
angles = st.floats(-3.2, 3.2).map(lambda x: round(x, 4))
rows = st.lists(st.tuples(st.sampled_from("RP"), angles, lengths, lengths, angles), min_size=1,
                max_size=7)  # fmt: skip
TOLERANCE = 1e-8  # readable_angle may move an angle by 1e-9 rad to a whole degree


def table(chain: list[tuple[str, float, float, float, float]]) -> str:
    lines = ["type theta d a alpha"]
    lines += [f"{t} {theta!r} {d!r} {a!r} {alpha!r}" for t, theta, d, a, alpha in chain]
    return "\n".join(lines)


@given(chain=rows, seed=st.integers(0, 10**6))
def test_standard_tables_convert_exactly(
    chain: list[tuple[str, float, float, float, float]], seed: int
) -> None:
    q = np.random.default_rng(seed).uniform(-3, 3, len(chain))
    expected = np.eye(4)
    for (kind, theta, d, a, alpha), x in zip(chain, q, strict=True):
        turn, slide = (x, 0.0) if kind == "R" else (0.0, x)
        expected = expected @ Rz(theta + turn) @ Tz(d + slide) @ Tx(a) @ Rx(alpha)
    mechanism = read_denavit_hartenberg(table(chain))
    assert np.allclose(tool_pose(mechanism, q), expected, atol=TOLERANCE)


@given(chain=rows, seed=st.integers(0, 10**6))
def test_modified_tables_convert_exactly(
    chain: list[tuple[str, float, float, float, float]], seed: int
) -> None:
    q = np.random.default_rng(seed).uniform(-3, 3, len(chain))
    expected = np.eye(4)
    for (kind, theta, d, a, alpha), x in zip(chain, q, strict=True):
        turn, slide = (x, 0.0) if kind == "R" else (0.0, x)
        expected = expected @ Rx(alpha) @ Tx(a) @ Rz(theta + turn) @ Tz(d + slide)
    mechanism = read_denavit_hartenberg(table(chain), convention="modified")
    assert np.allclose(tool_pose(mechanism, q), expected, atol=TOLERANCE)


@given(chain=rows, convention=st.sampled_from(["standard", "modified"]))
def test_the_raff_text_reads_back_as_the_same_mechanism(
    chain: list[tuple[str, float, float, float, float]], convention: str
) -> None:
    mechanism = read_denavit_hartenberg(table(chain), convention=convention)
    again = load(write(mechanism))
    q = np.linspace(-1, 1, len(chain))
    assert np.allclose(tool_pose(again, q), tool_pose(mechanism, q), atol=1e-12)


def test_the_text_is_one_a_person_likes_to_read() -> None:
    text = write(read_denavit_hartenberg(PUMA, file="tables/Puma 560.csv"))
    assert text.startswith("raff: 1\nname: puma-560\n")
    assert "  a2: 431.8 mm\n  d3: 150.05 mm\n  a3: 20.32 mm\n  d4: 431.8 mm\n" in text
    flat = " ".join(text.split())
    assert "{name: waist, parent: base, limits: [-160 deg, 160 deg], motor: true}" in flat
    assert "{name: shoulder, parent: waist, alpha: 90 deg" in flat
    assert "name: j5, parent: j4, alpha: 90 deg, theta: -90 deg" in flat
    assert "{name: tool, parent: j6}" in text
    load(text).compile()


def test_a_standard_table_moves_a_and_alpha_to_the_next_row() -> None:
    mechanism = read_denavit_hartenberg("theta d a alpha\n0 0.1 0.2 0.3\n0 0 0.5 0.6\n")
    one, two = mechanism.joints.values()
    values = parameter_values(mechanism)
    assert [n.evaluate(values) for n in one.placement.numbers] == [0, 0, 0, 0, 0, 0.1]
    assert [n.evaluate(values) for n in two.placement.numbers] == [0, 0, 0.3, 0.2, 0, 0]
    tool = mechanism.frames["tool"].placement.numbers
    assert [n.evaluate(values) for n in tool] == [0, 0, 0.6, 0.5, 0, 0]
    assert two.placement.numbers[3].text == "a1"


@pytest.mark.parametrize(
    "text",
    [
        "theta,d,a,alpha\n0.1,0.2,0.3,0.4\n",
        "theta;d;a;alpha\n0,1;0,2;0,3;0,4\n",
        "theta\td\ta\talpha\n0.1\t0.2\t0.3\t0.4\n",
        "theta d a alpha\n0.1 0.2 0.3 0.4\n",
        "# a comment\n\ntheta   d [m]   a [m]   alpha (rad)   # more\n0.1  0.2  0.3  0.4\n",
        "| θ | d | a | α |\n|---|---|---|---|\n| 0.1 | 0.2 | 0.3 | 0.4 |\n",
        "|i|alpha_i|a_i|d_i|theta_i|\n|:-:|-|--|---|----|\n|1|0.4|0.3|0.2|0.1|\n",
        "alpha_rad theta/rad a_m d_m\n0.4 0.1 0.3 0.2\n",
    ],
)
def test_tables_come_in_many_dresses(text: str) -> None:
    mechanism = read_denavit_hartenberg(text)
    expected = Rz(0.1) @ Tz(0.2) @ Tx(0.3) @ Rx(0.4)
    assert np.allclose(tool_pose(mechanism, [0]), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("header", "cells", "angle", "length"),
    [
        ("theta(deg) d[mm] a[mm] alpha(deg)", "90 200 300 45", "rad", "m"),
        ("theta d a alpha", "90 200 300 45", "deg", "mm"),
        ("theta d a alpha", "90 20 30 45", "deg", "cm"),
        ("theta d a alpha", "pi/2 0.2 300mm 45deg", "rad", "m"),
        ("theta(deg) d a alpha(deg)", "pi/2 0.2 0.3 pi/4", "rad", "m"),
        ("theta_deg d_cm a(cm) alpha[degrees]", "90 20 30 45", "rad", "m"),
        ("theta(deg) d a alpha(deg)", "90° 0.2 0.3 45°", "rad", "m"),
    ],
)
def test_units_come_from_cell_header_or_argument(
    header: str, cells: str, angle: str, length: str
) -> None:
    mechanism = read_denavit_hartenberg(f"{header}\n{cells}\n", angle=angle, length=length)
    expected = Rz(math.pi / 2) @ Tz(0.2) @ Tx(0.3) @ Rx(math.pi / 4)
    assert np.allclose(tool_pose(mechanism, [0]), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("theta", "d", "kind"),
    [
        ("q1", "0.1", "revolute"),
        ("θ1*", "0.1", "revolute"),
        ("-", "0.1", "revolute"),
        ("0", "0.1", "revolute"),
        ("0", "q1", "prismatic"),
        ("0", "d1*", "prismatic"),
        ("0", "d1", "prismatic"),
        ("-", "q1", "prismatic"),
        ("q1", "L", "revolute"),
    ],
)
def test_the_joint_type_follows_from_where_the_variable_is(theta: str, d: str, kind: str) -> None:
    values = {"L": parse_formula("0.3")} if d == "L" else {}
    mechanism = read_denavit_hartenberg(f"theta,d,a,alpha\n{theta},{d},0,0\n", values=values)
    assert mechanism.joints["j1"].type is JointType(kind)


@pytest.mark.parametrize(
    ("word", "kind"), [("R", "revolute"), ("1", "prismatic"), ("Fixed", "fixed")]
)
def test_the_type_column_wins(word: str, kind: str) -> None:
    mechanism = read_denavit_hartenberg(f"sigma,theta,d,a,alpha\n{word},0,0.2,0,0\n")
    joint = mechanism.joints["j1"]
    assert joint.type is JointType(kind)
    assert joint.has_motor == (kind != "fixed")


@pytest.mark.parametrize("theta", ["q1 + pi/2", "pi/2 + q1", "q1 - -pi/2", "(q1 + pi/2)"])
def test_the_constant_beside_the_variable_stays(theta: str) -> None:
    mechanism = read_denavit_hartenberg(f"theta,d,a,alpha\n{theta},0,0,0\n")
    assert np.allclose(tool_pose(mechanism, [0.2]), Rz(math.pi / 2 + 0.2))


def test_an_offset_is_added_to_the_variable() -> None:
    text = "theta(deg),d,a,alpha,offset(deg),type\nq1+10,0,0,0,80,R\n0,q2,0,0,0.25 m,P\n"
    poses = link_poses(read_denavit_hartenberg(text), [0.0, 0.0])
    assert np.allclose(poses["j2"], Rz(math.pi / 2) @ Tz(0.25))


def test_symbols_become_parameters() -> None:
    text = "theta d a alpha\nq1 L1 2*L2 0\nq2 0 L2 0\n"
    given = {"L1": parse_formula("200 mm"), "L2": parse_formula("0.3")}
    mechanism = read_denavit_hartenberg(text, values=given)
    assert {n: p.formula.text for n, p in mechanism.parameters.items()} == {
        "L1": "200 mm", "L2": "0.3"}  # fmt: skip
    assert np.allclose(tool_pose(mechanism, [0, 0]), Tx(0.9) @ Tz(0.2))


def test_all_symbols_without_a_number_are_reported_at_once() -> None:
    with pytest.raises(FormatError, match=r"2 symbols have no number: L1, L2; specify each, as in"):
        read_denavit_hartenberg("theta d a alpha\nq1 L1 L2 0\n", file="arm.csv")


def test_a_number_for_a_symbol_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FormatError, match="symbol 'L11' is not in the file; did you mean 'L1'"):
        values = {"L1": parse_formula("1"), "L11": parse_formula("1")}
        read_denavit_hartenberg("theta d a alpha\nq1 L1 0 0\n", values=values)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "arm.csv:1:1: the table is empty"),
        ("# nothing\n", "arm.csv:1:1: the table is empty"),
        ("theta d a alpha\n", "arm.csv:1:1: the table has a header but no rows"),
        ("theta d a\n0 0 0\n", "arm.csv:1:1: .*alpha is missing"),
        ("0 0 0 0\n1 1 1 1\n", "arm.csv:1:1: .*theta, d, a, alpha are missing"),
        ("theta d a alpa\n0 0 0 0\n", "arm.csv:1:11: unknown column 'alpa'; did you mean 'alpha'"),
        ("theta d a alpha d\n0 0 0 0 0\n", "arm.csv:1:17: column 'd' appears twice"),
        ("theta,d(km),a,alpha\n0,0,0,0\n", "arm.csv:1:7: column 'd' cannot be in 'km'"),
        ("theta,d(deg),a,alpha\n0,0,0,0\n", "arm.csv:1:7: .*units: m, mm, cm, in"),
        ("theta d a alpha\n0 0 0\n", "arm.csv:2:5: this row has 3 cells, the header has 4"),
        ("theta,d,a,alpha\n0,0,1..2,0\n", "arm.csv:2:"),
        ("theta,d,a,alpha\n0,0,0,sin(1\n", r"arm.csv:2:10: alpha: this '\(' is not closed"),
        ("theta d a alpha\n0 0 0 90\n", r"arm.csv:2:7: alpha: 90 rad .*'alpha\(deg\)'"),
        ("theta,d,a,alpha,type\n0,0,0,0,X\n", "arm.csv:2:9: unknown joint type 'X'"),
        ("theta,d,a,alpha,type\n0,0,0,0,revolut\n", "did you mean 'revolute'"),
        ("theta,d,a,alpha\n-q1,0,0,0\n", "arm.csv:2:1: theta: '-q1' must be the variable q1 plus"),
        ("theta,d,a,alpha\n2*q1,0,0,0\n", "must be the variable q1 plus a constant"),
        ("theta,d,a,alpha\nx+y,0,0,0\n", "which of x, y is the variable of the joint"),
        ("theta,d,a,alpha,name\n0,0,0,0,A\n0,0,0,0,A\n", "arm.csv:3:9: joint 'A' appears twice"),
        ("theta,d,a,alpha,name\n0,0,0,0,base\n", "'base' is the name of the ground"),
        ("theta,d,a,alpha,name\n0,0,0,0,-x\n", "must start with a letter"),
        ("theta,d,a,alpha,lower\n0,0,0,0,1\n", "arm.csv:2:9: specify both limits"),
        ("theta,d,a,alpha,lower,upper\n0,0,0,0,1,0\n", "arm.csv:2:9: lower 1 is above upper 0"),
        (
            "theta,d,a,alpha,type,lower(deg),upper(deg)\n0,0,0,0,P,1,2\n",
            "arm.csv:2:11: lower: this joint slides, but the column is in 'deg'",
        ),
    ],
)
def test_mistakes_are_reported_with_their_place(text: str, problem: str) -> None:
    with pytest.raises(FormatProblems, match=problem):
        read_denavit_hartenberg(text, file="arm.csv")


def test_all_mistakes_are_reported_at_once() -> None:
    with pytest.raises(FormatProblems) as caught:
        read_denavit_hartenberg("theta,d,a,alpha\n0,(,0,0\n0,0,),0\n0,0,0\n")
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4]


@given(st.text(max_size=80))
def test_any_text_gives_a_mechanism_or_a_format_error(text: str) -> None:
    for start in ("", "theta,d,a,alpha\n", "theta d a alpha lower upper type name\n"):
        try:
            read_denavit_hartenberg(start + text)
        except FormatError:
            pass


ODD_CELLS = ["q1", "0", "90", "-", "*", "a", "(", "1e999", "pi", "2 mm", "9 deg", "L", "1/0", "",
             "|", ",", "\n", "θ", "1,5"]  # fmt: skip


@given(st.lists(st.sampled_from(ODD_CELLS), max_size=14))
def test_odd_cells_never_end_in_a_traceback(cells: list[str]) -> None:
    try:
        read_denavit_hartenberg("theta,d,a,alpha,offset,lower,upper\n" + ",".join(cells))
    except FormatError:
        pass


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"convention": "modifid"}, "did you mean 'modified'"),
        ({"angle": "grad"}, "rad"),
        ({"length": "miles"}, "one of m, mm, cm, in"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_denavit_hartenberg("theta d a alpha\n0 0 0 0\n", **options)


def test_both_conventions_are_formats() -> None:
    text = "theta d a alpha\n0 0.1 0.2 0.3\n"
    assert STANDARD.read is not None and MODIFIED.read is not None
    standard = STANDARD.read(text, file="x.csv", values={}, options={"name": "arm"})
    modified = MODIFIED.read(text, file="x.csv", values={}, options={})
    assert standard.name == "arm"
    assert modified.name == "x"
    assert np.allclose(tool_pose(standard, [0]), Tz(0.1) @ Tx(0.2) @ Rx(0.3))
    assert np.allclose(tool_pose(modified, [0]), Rx(0.3) @ Tx(0.2) @ Tz(0.1))
    with pytest.raises(UsageError, match="no option 'convention'"):
        STANDARD.read(text, file="x", values={}, options={"convention": "modified"})
