"""SYMORO files: trees, loops, symbols, masses, and mistakes with their places."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegen.errors import FormatError
from kinegen.formats.load import load
from kinegen.formats.mechanisms.symoro import FORMAT, read_symoro
from kinegen.formats.mechanisms.values import parse_values
from kinegen.formats.problems import FormatProblems
from kinegen.joint_types import JointType
from kinegen.mechanism.graph import Mechanism, PlacementKind
from kinegen.mechanism.write import write
from tests.unit.formats.matrices import Rx, Rz, Tx, Tz, link_poses, parameter_values, placed

# A palletiser's parallelogram on a turning column, made up for these tests.
PALLETISER = """\
(* Robotname = 'Palletiser' *)
NL = 5
NJ = 6
NF = 7
Type = 2      (* closed loop *)
is_mobile = 0

(* Geometric parameters *)
Ant = {0,1,2,1,4,5,3}
Sigma = {0,0,0,0,0,0,2}
B = {0,0,0,0,0,0,0}
d = {0,D2,L3,D2,L5,
     L3,-L5}
R = {H1,0,0,0,0,0,0}
gamma = {0,0,0,0,0,0,0}
Alpha = {0,Pi/2,0,1.57079632679000,0,0,0}
Mu = {1,1,0,1,0,0,0}
Theta = {t1,t2,t3,t4,t5 - Pi,t6,0}

(* Dynamic parameters *)
XX = {0.2,XX2,XX3,XX4,XX5}
XY = {0,0,0,0,0}
XZ = {0,0,0,0,0}
YY = {0.3,YY2,YY3,YY4,YY5}
YZ = {0,0,0,0,0}
ZZ = {0.4,ZZ2,ZZ3,ZZ4,ZZ5}
MX = {0,MX2,0,0,0}
MY = {0,MY2,0,0,0}
MZ = {4,MZ2,0,0,0}
M = {20,M2,7.5,M4,M5}
IA = {0.5,IA2,0,IA4,0}
FV = {1.5,FV2,0,0,0}
FS = {0.25,FS2,0,0,0}
G = {0,0,-9.81}
Z = {1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1}
(* End of definition *)
"""
GIVEN = ("H1=0.8", "D2=150 mm", "L3=1.2", "L5=0.4")


def read(text: str, *assignments: str) -> Mechanism:
    return read_symoro(text, file="robot.par", values=parse_values(assignments))


def simple(**lists: str) -> str:
    """A two-joint arm with some lists exchanged."""
    given = {
        "NL": "2", "NJ": "2", "ant": "{0,1}", "sigma": "{0,0}", "d": "{0,0.5}", "r": "{0,0}",
        "alpha": "{0,0}", "theta": "{th1,th2}", **lists,
    }  # fmt: skip
    return "".join(f"{key} = {value}\n" for key, value in given.items() if value)


def test_a_closed_loop_becomes_a_cut_joint() -> None:
    mechanism = read(PALLETISER, *GIVEN)
    assert mechanism.name == "palletiser"
    assert list(mechanism.joints) == ["j1", "j2", "j3", "j4", "j5", "j6"]
    cut = mechanism.joints["j6"]
    assert cut.parent == "j5"
    assert cut.closes is not None
    assert cut.closes.onto == "j3"
    assert [n.text for n in cut.closes.placement.numbers] == ["0", "0", "0", "-L5", "0", "0"]
    assert [j.has_motor for j in mechanism.joints.values()] == [
        True, True, False, True, False, False]  # fmt: skip
    assert mechanism.joints["j5"].placement.numbers[4].text == "-180 deg"
    load(write(mechanism)).compile()


@given(a=st.floats(-3, 3), b=st.floats(-3, 3), turn=st.floats(-3, 3))
def test_the_loop_closes_as_a_parallelogram_does(a: float, b: float, turn: float) -> None:
    mechanism = read(PALLETISER, *GIVEN)
    cut = mechanism.joints["j6"]
    assert cut.closes is not None
    # Link 2 at angle a and link 4 opposite to link 3's angle b; j5 has -180 deg built in.
    poses = link_poses(mechanism, [turn, a, b - a, b + math.pi, a - b, 0])
    values = parameter_values(mechanism)
    end = poses["j5"] @ placed(cut.placement, values) @ Rz(b - a)
    landing = poses["j3"] @ placed(cut.closes.placement, values)
    assert np.allclose(end, landing, atol=1e-9)
    there = Rz(turn) @ Tz(0.8) @ Rx(math.pi / 2) @ Tx(0.15) @ Rz(a) @ Tx(1.2) @ Rz(b - a) @ Tx(-0.4)
    assert np.allclose(landing, there, atol=1e-9)


def test_the_text_is_one_a_person_likes_to_read() -> None:
    text = write(read(PALLETISER, *GIVEN))
    flat = " ".join(text.split())
    assert "parameters: H1: 0.8 D2: 150 mm L3: 1.2 L5: 0.4 " in flat
    assert "closes: {onto: j3, d: -L5}" in flat
    assert "alpha: 90 deg" in flat
    assert "Pi" not in text
    assert "gravity: [0, 0, -9.81]" in text


def test_masses_and_inertias_come_over_where_known() -> None:
    mechanism = read(PALLETISER, *GIVEN)
    column = mechanism.joints["j1"].link
    assert column.mass is not None and column.centre is not None and column.inertia is not None
    assert column.mass.value == 20
    assert [n.value for n in column.centre] == [0, 0, 0.2]
    # About the centre of mass: J - m c² about x and y.
    tensor = [n.value for n in column.inertia]
    assert tensor == pytest.approx([0.2 - 20 * 0.04, 0.3 - 20 * 0.04, 0.4, 0, 0, 0])
    joint = mechanism.joints["j1"]
    assert joint.friction is not None
    assert {k: v.value for k, v in joint.friction.items()} == {"viscous": 1.5, "coulomb": 0.25}
    assert joint.motors[0] is not None
    assert joint.motors[0]["inertia"].value == 0.5
    assert mechanism.joints["j2"].link.mass is None
    assert mechanism.joints["j3"].link.mass is not None


def test_numbers_for_dynamic_symbols_are_used() -> None:
    mechanism = read(PALLETISER, *GIVEN, "M2=3", "MX2=1.5", "MY2=0", "MZ2=0")
    link = mechanism.joints["j2"].link
    assert link.centre is not None
    assert [n.value for n in link.centre] == [0.5, 0, 0]
    assert link.inertia is None


@given(seed=st.integers(0, 10**6))
def test_every_kleinfinger_number_arrives(seed: int) -> None:
    random = np.random.default_rng(seed)
    g, b, al, d, th, r = np.round(random.uniform(-2, 2, size=(6, 3)), 3)
    sigma = random.integers(0, 2, size=3)
    q = random.uniform(-1, 1, size=3)

    def numbers(values: np.ndarray) -> str:
        return "{" + ",".join(repr(float(v)) for v in values) + "}"

    ants = [0, int(random.integers(0, 2)), int(random.integers(0, 3))]
    text = f"""NL = 3\nNJ = 3\nant = {{{ants[0]},{ants[1]},{ants[2]}}}
sigma = {{{",".join(map(str, sigma))}}}
b = {numbers(b)}\nd = {numbers(d)}\nr = {numbers(r)}\ngamma = {numbers(g)}
alpha = {numbers(al)}\ntheta = {numbers(th)}\n"""
    poses = [np.eye(4)]
    for i in range(3):
        X = Rz(g[i]) @ Tz(b[i]) @ Rx(al[i]) @ Tx(d[i]) @ Rz(th[i]) @ Tz(r[i])
        poses.append(poses[ants[i]] @ X @ (Tz(q[i]) if sigma[i] else Rz(q[i])))
    mechanism = load(write(read(text)))
    found = link_poses(mechanism, q)
    for i in range(1, 4):
        assert np.allclose(found[f"j{i}"], poses[i], atol=1e-8)


def test_variables_vanish_and_their_numbers_are_starts() -> None:
    text = simple(sigma="{0,1}", theta="{th1 + pi/4, 0}", r="{0, r2 + L}")
    mechanism = read(text, "L=0.3", "th1=30 deg")
    assert list(mechanism.parameters) == ["L"]
    one, two = mechanism.joints.values()
    assert one.placement.numbers[4].text == "45 deg"
    assert [n.text for n in one.start] == ["30 deg"]
    assert two.type is JointType.PRISMATIC
    assert two.placement.numbers[5].text == "L"
    assert two.start == ()


def test_a_serial_arm_gets_a_tool_frame_and_a_tree_none() -> None:
    assert list(read(simple()).frames) == ["tool"]
    assert list(read(simple(ant="{0,0}")).frames) == []


def test_a_symbol_may_be_called_like_a_column() -> None:
    mechanism = read(simple(d="{d,d}"), "d=0.5")
    assert list(mechanism.parameters) == ["d"]


def test_missing_symbols_are_reported_all_at_once() -> None:
    with pytest.raises(FormatError, match=r"robot.par: 3 symbols have no number: H1, D2, L5"):
        read(PALLETISER, "L3=1")


def test_a_symbol_that_is_not_there_is_reported() -> None:
    with pytest.raises(FormatError, match="symbol 'H11' is not in the file; did you mean 'H1'"):
        read(PALLETISER, *GIVEN, "H11=2")


TWO_LOOPS = """\
NL = 4
NJ = 6
NF = 8
ant = {0,1,0,3, 2,4, 4,7}
sigma = {0,0,0,0,0,0,2,2}
d = {0,1,0,1,1,1,1,%s}
r = {0,0,0,0,0,0,0,0}
alpha = {0,0,0,0,0,0,0,0}
theta = {a,b,c,e,f,g,0,0}
"""


def test_a_frame_on_a_frame_is_stepped_over_or_becomes_a_link() -> None:
    near = read(TWO_LOOPS % "0").joints["j6"].closes
    assert near is not None
    assert near.onto == "j4"
    assert near.placement.numbers[3].text == "1"
    far = read(TWO_LOOPS % "0.5")
    closes = far.joints["j6"].closes
    assert closes is not None
    assert closes.onto == "f7"
    assert far.joints["f7"].type is JointType.FIXED
    values = parameter_values(far)
    poses = link_poses(far, [0.1, 0.2, 0.3, 0.4, 0, 0])
    landing = poses["f7"] @ placed(closes.placement, values)
    assert np.allclose(landing, poses["j4"] @ Tx(1.5))
    load(write(far)).compile()


def test_a_mobile_robot_floats() -> None:
    mechanism = read(simple(is_mobile="1", M="{5,1,1}"))
    body = mechanism.joints["body"]
    assert body.type is JointType.FREE
    assert mechanism.joints["j1"].parent == "body"
    assert body.link.mass is not None
    assert body.link.mass.value == 5
    load(write(mechanism)).compile()


@given(seed=st.integers(0, 10**6))
def test_frame_0_may_stand_elsewhere(seed: int) -> None:
    random = np.random.default_rng(seed)
    R, _ = np.linalg.qr(random.normal(size=(3, 3)))
    R *= np.sign(np.linalg.det(R))
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, random.normal(size=3)
    numbers = ",".join(repr(float(x)) for x in X.ravel())
    mechanism = load(write(read(simple(Z=f"{{{numbers}}}"))))
    mount = mechanism.joints["mount"]
    assert mount.placement.kind is PlacementKind.POSE
    model = mechanism.compile()
    row = model.transforms[model.joint("mount").placement]
    assert np.allclose(row[:9].reshape(3, 3), R, atol=1e-8)
    assert np.allclose(row[9:], X[:3, 3])


def test_brackets_and_capital_functions_are_understood() -> None:
    mechanism = read(simple(d="{0, L*Cos[Pi/3]}"), "L=2")
    values = parameter_values(mechanism)
    assert mechanism.joints["j2"].placement.numbers[3].evaluate(values) == pytest.approx(1)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"NL": ""}, "robot.par:1:1: 'NL = …' is missing"),
        ({"NL": "two"}, "robot.par:1:6: NL must be a whole number, not 'two'"),
        ({"NL": "0"}, "NL must be at least 1"),
        ({"NJ": "1"}, "robot.par:2:6: NJ = 1 cannot be less than NL = 2"),
        ({"NF": "3"}, "NF must be NL . 2 .NJ - NL. = 2"),
        ({"ant": ""}, "the list 'ant' is missing"),
        ({"d": "{0}"}, "robot.par:5:1: 'd' has 1 entries; NF = 2 frames need 2"),
        ({"sigma": "{0,3}"}, "robot.par:4:12: sigma of frame 2 must be 0 to 2, not '3'"),
        ({"ant": "{0,x}"}, "robot.par:3:10: ant of frame 2 must be 0 to 2"),
        ({"ant": "{2,1}"}, "antecedents form a cycle"),
        ({"alpha": "{0,pi/}"}, "robot.par:7:15: alpha of frame 2: the formula ends unexpectedly"),
        ({"alpha": "{0,0"}, "the list of 'alpha' is not closed"),
        ({"theta": "{th1,-th2}"}, "'-th2' must be the variable th2 plus a constant"),
        ({"theta": "{th1,x+y}"}, "which of x, y is the variable"),
        ({"theta": "{th1,th1}"}, "which other frames use too"),
        ({"sigmo": "{0,0}"}, "unknown list 'sigmo'; did you mean 'sigma'"),
        ({"NLL": "2"}, "unknown name 'NLL'; did you mean 'nl'"),
        ({"D": "{0,0}"}, "'D' appears twice"),
        ({"mu": "{1,7}"}, "mu of frame 2 must be 0 to 1"),
        ({"Z": "{1,2,3}"}, "Z has 3 entries; a transformation has 16"),
        ({"Z": "{" + ",".join(["2"] * 16) + "}"}, "Z is not a rotation"),
    ],
)
def test_mistakes_are_reported_with_their_place(change: dict[str, str], problem: str) -> None:
    with pytest.raises(FormatProblems, match=problem):
        read(simple(**change))


def test_what_is_no_assignment_is_reported() -> None:
    with pytest.raises(FormatProblems, match=r"robot.par:1:1: 'hello' is not"):
        read("hello\n" + simple())


def test_a_landing_frame_must_be_fixed() -> None:
    with pytest.raises(
        FormatProblems, match="frame 7 is the closing frame of cut joint 6; its sigma must be 2"
    ):
        read(PALLETISER.replace("0,0,0,0,0,0,2}", "0,0,0,0,0,0,0}"), *GIVEN)


@settings(max_examples=150)
@given(start=st.integers(0, len(PALLETISER)), length=st.integers(0, 40),
       patch=st.text("{}(),=*0123456789abNJLF \n-./", max_size=8))  # fmt: skip
def test_damaged_files_never_end_in_a_traceback(start: int, length: int, patch: str) -> None:
    text = PALLETISER[:start] + patch + PALLETISER[start + length :]
    try:
        mechanism = read(text, *GIVEN)
    except FormatError:
        return
    assert mechanism.joints


def test_symoro_is_a_format_to_read() -> None:
    assert FORMAT.read is not None
    mechanism = FORMAT.read(simple(), file="a.par", values={}, options={"name": "mine"})
    assert mechanism.name == "mine"


def test_the_inertia_of_a_passive_joint_is_kept() -> None:
    text = """(* Robotname = 'two' *)
NL = 2
NJ = 2
NF = 2
Type = 0
Ant = {0, 1}
Sigma = {0, 0}
Mu = {1, 0}
gamma = {0, 0}
B = {0, 0}
Alpha = {0, 0}
d = {0, 1}
Theta = {t1, t2}
R = {0, 0}
M = {1, 1}
IA = {0.5, 0.7}
"""
    model = read_symoro(text).compile()
    assert model.blocks.real_part("rotor").tolist() == [0.5, 0.7]
