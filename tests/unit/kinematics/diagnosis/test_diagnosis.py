"""Diagnosis: a joint that is made wrong on purpose must be named, and healthy ones left alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.diagnosis.diagnosis import Diagnosis, FindingKind, diagnose
from kinegen.kinematics.diagnosis.faults import Change, Place
from kinegen.kinematics.mobility.mobility import mobility
from kinegen.mechanism.write import write as written
from tests.unit.kinematics.mobility.test_mobility import BALL_ROD, LIBRARY, SHAKY, four_bar, ladder

pytestmark = pytest.mark.slow


def named(found: Diagnosis) -> list[str]:
    return [suspect.joint for suspect in found.suspects]


def with_number(name: str, joint: str, key: str, degrees: float) -> kg.Model:
    """A library mechanism with one angle of its file off by some degrees."""
    mechanism = kg.load(name)
    now = mechanism.compile().number(joint, key)
    mechanism.set_number(joint, key, now + math.radians(degrees))
    return mechanism.compile()


def with_axis_tilted(name: str, joint: str, about_x: float, about_y: float) -> kg.Model:
    """A library mechanism with the axis between two links tilted [deg]; the links stay in place.

    Both links are drilled askew: the loops are still closed at the start.
    """
    model = kg.load(name).compile()
    q = model.start()
    before = {i: kg.pose(model, q, link) for i, link in enumerate(model.link_names)}
    cut = {model.joints[loop.joint].name: n for n, loop in enumerate(model.loops)}
    j = model.joint(joint)
    tilt = kg.SE3(kg.SO3.exp(np.radians([about_x, about_y, 0])))
    X_PF = transform(model, j.placement)
    if joint in cut:
        X_WM = kg.SE3.from_pose(kg.kinematics.loop_poses(model, q)[cut[joint], 0])
    else:
        X_WM = before[j.child]
    X_FM = (before[j.parent] @ X_PF).inverse() @ X_WM
    X_WM_new = before[j.parent] @ X_PF @ tilt @ X_FM
    write(model, j.placement, X_PF @ tilt)
    if joint in cut:
        write(model, model.loops[cut[joint]].placement, before[j.child].inverse() @ X_WM_new)
    else:
        moved = X_WM_new.inverse() @ X_WM
        places = [other.placement for other in model.joints if other.parent == j.child]
        places += [
            loop.placement for loop in model.loops if model.joints[loop.joint].child == j.child
        ]
        places += [frame.placement for frame in model.frames if frame.link == j.child]
        for place in places:
            write(model, place, moved @ transform(model, place))
    assert kg.kinematics.loop_gap(model).largest < 1e-9
    return model


def transform(model: kg.Model, row: int) -> kg.SE3:
    numbers = model.transforms[row]
    return kg.SE3(kg.SO3.from_matrix(numbers[:9].reshape(3, 3)), numbers[9:])


def write(model: kg.Model, row: int, X: kg.SE3) -> None:
    model.transforms[row] = np.concatenate([X.rotation.ravel(), X.translation])


# Healthy mechanisms


@pytest.mark.parametrize("name", [name for name in LIBRARY if kg.load(name).compile().loops])
def test_library_mechanisms_are_healthy(name: str) -> None:
    found = diagnose(kg.load(name).compile())
    assert found.is_healthy, found.text
    assert found.suspects == ()
    assert found.mobility.finite == LIBRARY[name][0]


def test_healthy_mechanisms_stay_so_away_from_their_start() -> None:
    model = kg.load("delta").compile()
    q = model.start()
    q[model.joint("arm1").q] += 0.4
    q[model.joint("arm3").q] -= 0.2
    assert diagnose(model, q).is_healthy


def test_movable_although_counted_rigid_is_explained() -> None:
    (finding,) = diagnose(kg.load("four-bar").compile()).findings
    assert finding.kind is FindingKind.REDUNDANT
    assert "3 of the 6 constraints are implied by the others" in finding.text
    assert finding.text.endswith(
        "Counted in the plane (degrees of freedom of the joints minus 3 per loop): 1."
    )
    assert finding.joints == ("crank", "coupler", "rocker", "pin")
    (finding,) = diagnose(kg.load("bricard").compile()).findings
    assert "1 of the 6 constraints is implied by the others" in finding.text


# One wrong angle in a file


@pytest.mark.parametrize("degrees", [0.5, -1, 5])
@pytest.mark.parametrize("joint", ["crank", "coupler", "rocker", "pin"])
def test_a_four_bar_with_one_axis_out_of_parallel(joint: str, degrees: float) -> None:
    model = with_number("four-bar", joint, "alpha", degrees)
    found = diagnose(model)
    assert named(found) == [joint]
    (finding,) = found.findings
    assert finding.kind is FindingKind.OPEN
    (suspect,) = found.suspects
    assert (suspect.place, suspect.change) == (Place.PLACEMENT, Change.TILT)
    assert math.degrees(suspect.tilt) == pytest.approx(abs(degrees), abs=1e-6)
    np.testing.assert_allclose(suspect.proposed_axis, [0, 0, 1], atol=1e-7)
    (number,) = suspect.numbers
    assert (number.owner, number.key) == (joint, "alpha")
    assert number.new == pytest.approx(0, abs=1e-7)
    assert suspect.dof == 1
    assert f"'{joint}'" in finding.text
    assert f"(alpha 0° instead of {degrees:.3g}°)" in finding.text
    assert "closes and moves with 1 degree of freedom" in finding.text


def test_the_change_that_is_named_really_frees_it() -> None:
    mechanism = kg.load("four-bar")
    mechanism.set_number("pin", "closes.alpha", "4 deg")
    (suspect,) = diagnose(mechanism.compile()).suspects
    assert suspect.place is Place.LANDING
    assert mobility(mechanism.compile()).finite == 0
    for number in suspect.numbers:
        mechanism.set_number(number.owner, number.key, number.new)
    assert mobility(mechanism.compile()).finite == 1


def test_rounded_numbers_are_recognised() -> None:
    mechanism = kg.load("bricard")
    mechanism.set_number("P3", "d", 1.00001)
    found = diagnose(mechanism.compile())
    assert named(found) == ["P3"]
    assert "a rounded number in the file may be the cause" in found.text
    assert "(d 1000 mm instead of 1000.01 mm)" in found.text


def test_faults_of_many_degrees_are_found_and_larger_ones_left_alone() -> None:
    for degrees in (40, -60):
        found = diagnose(with_number("four-bar", "coupler", "alpha", degrees))
        assert named(found) == ["coupler"]
    found = diagnose(with_number("four-bar", "coupler", "alpha", 80))
    assert named(found) == []
    assert "No tested change of a single joint closes the loop" in found.text


@pytest.mark.parametrize("degrees", [-45, 60])
@pytest.mark.parametrize("joint", ["crank", "coupler", "rocker", "pin"])
def test_a_four_bar_with_one_axis_far_out_of_parallel(joint: str, degrees: float) -> None:
    """The other ground hinge could be tilted as much, but was not off the right angle."""
    assert named(diagnose(with_number("four-bar", joint, "alpha", degrees))) == [joint]


@pytest.mark.parametrize(
    ("name", "joint", "key", "degrees"),
    [
        ("bricard", "P3", "alpha", 2),
        ("bricard", "P2", "alpha", -5),
        ("bricard", "P6", "alpha", 1),
        ("parallel-18", "B1", "alpha", 2),
        ("parallel-18", "C3", "alpha", 3),
        ("parallel-18", "D2", "alpha", -1),
        ("parallel-18", "leg3", "alpha", 5),
        ("slider-crank", "piston", "alpha", -2),
        ("eight-bar-b", "C", "alpha", 2),
        ("peaucellier", "BC", "alpha", 1),
        ("hybrid-9", "rod", "alpha", 1),
    ],
)
def test_other_mechanisms_with_one_wrong_angle(
    name: str, joint: str, key: str, degrees: float
) -> None:
    found = diagnose(with_number(name, joint, key, degrees))
    assert not found.is_healthy
    assert named(found) == [joint], found.text
    (suspect,) = found.suspects
    assert math.degrees(suspect.tilt) == pytest.approx(abs(degrees), abs=1e-6)


def test_an_axis_that_may_be_turned_is_not_accused() -> None:
    """Hinge A2 of the wrist is placed by a tilt about its centre: it still points there."""
    found = diagnose(with_number("parallel-18", "A2", "alpha", 3))
    assert found.is_healthy
    assert found.mobility.finite == 3


# One axis drilled askew between two links that fit


@pytest.mark.parametrize("degrees", [1, 5])
@pytest.mark.parametrize(
    ("name", "joint"),
    [
        ("four-bar", "coupler"),
        ("four-bar", "pin"),
        ("five-bar", "E"),
        ("parallel-18", "A2"),
        ("parallel-18", "B1"),
        ("parallel-18", "D3"),
    ],
)
def test_an_askew_axis_is_named(name: str, joint: str, degrees: float) -> None:
    model = with_axis_tilted(name, joint, 0.8 * degrees, 0.6 * degrees)
    found = diagnose(model)
    assert named(found) == [joint], found.text
    (suspect,) = found.suspects
    assert suspect.place is Place.AXIS
    assert math.degrees(suspect.tilt) == pytest.approx(degrees, abs=1e-6)
    assert found.mobility.finite < suspect.dof == LIBRARY[name][0]


def test_an_askew_axis_of_bricards_linkage_comes_first() -> None:
    """Its other hinges on the same corners could be tilted as well, but a little more."""
    found = diagnose(with_axis_tilted("bricard", "P3", 2, 0.5))
    assert found.findings[0].kind is FindingKind.RIGID
    assert named(found)[0] == "P3"


def test_a_lost_degree_of_freedom_of_several_is_noticed() -> None:
    model = with_axis_tilted("parallel-18", "A2", 2, 1)
    found = diagnose(model)
    assert found.mobility.finite == 2
    finding = found.findings[0]
    assert finding.kind is FindingKind.BLOCKED
    assert (
        "moves with 2 degrees of freedom, and a further motion is only slightly blocked"
        in finding.text
    )
    assert "it moves with 3 degrees of freedom" in finding.text


def test_equal_suspects_are_all_named() -> None:
    """A ground hinge tilted about the ground line: either end may be the wrong one."""
    mechanism = kg.load(four_bar(0.1, 0.25, 0.25, 0.2, 90, -53.13, 90, 53.13))
    mechanism.set_number("A", "alpha", "1.5 deg")
    mechanism.set_number("D", "alpha", "-1.5 deg")
    found = diagnose(mechanism.compile())
    assert sorted(named(found)) == ["A", "D"]
    assert "either 'A' or 'D'" in found.text or "either 'D' or 'A'" in found.text


# Robots with universal joints


def axes_text(x: np.ndarray, z: np.ndarray) -> str:
    """``rpy`` of a frame with given x and z axes."""
    R = np.column_stack([x, np.cross(z, x), z])
    return "[" + ", ".join(f"{v:.15f}" for v in kg.SO3.from_matrix(R).rpy) + "]"


def point_text(p: np.ndarray) -> str:
    return "[" + ", ".join(f"{v:.15f}" for v in p) + "]"


def unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v)


def three_upu(*, wrist: bool) -> str:
    """Three legs: universal joint, slide, universal joint.

    As a wrist all outer axes point at a central ball; without one the outer axes of each leg are
    parallel, and the platform moves without turning.
    """
    rows = ["raff: 1", f"name: 3-upu-{'wrist' if wrist else 'slide'}", "joints:"]
    if wrist:
        rows.append("  - {name: platform, type: spherical, parent: base}")
    for i in range(3):
        turn = kg.SO3.exp([0, 0, 2 * math.pi / 3 * i]).matrix
        low, high = turn @ [0.5, 0.1, -0.3], turn @ [0.25, 0, 0.15 if wrist else 0.3]
        e = unit(high - low)
        outer = unit(-low) if wrist else turn @ unit(np.array([0.2, 1, 0.3]))
        inner = unit(np.cross(outer, e))
        onto_x = unit(-high) if wrist else outer
        # the joint's y is to point along the leg, then its x along the upper outer axis
        swing = math.atan2(e @ outer, e @ np.cross(outer, inner))
        start = math.atan2(onto_x @ np.cross(inner, -e), onto_x @ -e)
        rows += [
            f"  - {{name: U{i + 1}, type: universal, parent: base, xyz: {point_text(low)}, "
            f"rpy: {axes_text(inner, outer)}, start: [0, {swing:.15f}]}}",
            f"  - {{name: leg{i + 1}, type: prismatic, parent: U{i + 1}, alpha: -90 deg, "
            f"start: {np.linalg.norm(high - low):.15f}, motor: true}}",
        ]
        upper = f"name: V{i + 1}, type: universal, parent: leg{i + 1}, rpy: [0, 90 deg, 0]"
        upper += f", start: [{start:.15f}, 0]"
        if i == 0 and not wrist:
            rows.append(f"  - {{{upper}}}")
            first = kg.SE3(
                kg.SO3.from_matrix(np.column_stack([onto_x, np.cross(inner, onto_x), inner])), high
            )
            rows.append(
                f"  - {{name: platform, type: fixed, parent: V1, "
                f"xyz: {point_text(first.inverse().translation)}, "
                f"rpy: {point_text(np.array(first.inverse().so3.rpy))}}}"
            )
        else:
            rows.append(
                f"  - {{{upper}, closes: {{onto: platform, xyz: {point_text(high)}, "
                f"rpy: {axes_text(onto_x, inner)}}}}}"
            )
    return "\n".join(rows) + "\n"


def test_a_3_upu_wrist_moves_against_the_count() -> None:
    found = diagnose(kg.load(three_upu(wrist=True)).compile())
    assert found.is_healthy
    assert (found.mobility.finite, found.mobility.gruebler) == (3, 0)


@pytest.mark.parametrize("degrees", [1, 4])
@pytest.mark.parametrize(
    ("joint", "key"),
    [("U2", "pitch"), ("U3", "roll"), ("V1", "closes.yaw"), ("V3", "closes.pitch")],
)
def test_wrong_universal_axes_of_a_3_upu_wrist_are_named(
    joint: str, key: str, degrees: float
) -> None:
    model = kg.load(three_upu(wrist=True)).compile()
    model.set_number(joint, key, model.number(joint, key) + math.radians(degrees))
    found = diagnose(model)
    assert not found.is_healthy
    assert joint in named(found), found.text
    assert named(found)[0] == joint, found.text
    suspect = found.suspects[0]
    assert suspect.dof == 3
    assert suspect.is_second_axis == joint.startswith("V")


def test_a_wrong_outer_axis_makes_a_translating_3_upu_turn() -> None:
    model = kg.load(three_upu(wrist=False)).compile()
    healthy = diagnose(model)
    assert healthy.is_healthy
    assert (healthy.mobility.finite, healthy.mobility.gruebler) == (3, 3)
    model.set_number("U2", "roll", model.number("U2", "roll") + math.radians(2))
    found = diagnose(model)
    assert found.mobility.finite == 3  # the count alone sees nothing
    assert found.findings[0].kind is FindingKind.TURNING
    # the two outer axes of the leg should be parallel: either may be the wrong one
    assert set(named(found)) <= {"U2", "V2"}
    assert "U2" in named(found)
    assert "Link 'platform' turns by up to 0.461° when it moves by 100 mm" in found.text


@pytest.mark.parametrize(
    ("joint", "key", "value", "right"),
    [
        ("ball2", "d", 1.250, 1.244),
        ("ball3", "d", 1.200, 1.244),
        ("left3", "r", 0.070, 0.0655),
        ("arm2", "alpha", math.radians(-88), math.radians(-90)),
    ],
)
def test_a_delta_with_a_wrong_parallelogram_turns(
    joint: str, key: str, value: float, right: float
) -> None:
    # written without repeated rows: one leg can be changed alone
    mechanism = kg.load(written(kg.load("delta")))
    mechanism.set_number(joint, key, value)
    found = diagnose(mechanism.compile())
    assert found.findings[0].kind is FindingKind.TURNING
    assert named(found) == [joint], found.text
    numbers = {number.key: number.new for number in found.suspects[0].numbers}
    assert numbers == {key: pytest.approx(right, abs=1e-6)}
    # its partner could follow a rod instead: found as well, but it would fit no other rod
    assert found.findings[0].suspects.others or joint == "arm2"


# Structures


def test_a_triangle_needs_one_joint_more() -> None:
    found = diagnose(
        kg.load("""raff: 1
joints:
  - {name: A, parent: base, start: 60 deg}
  - {name: B, parent: A, d: 1, start: -120 deg}
  - {name: C, parent: B, d: 1, start: 60 deg, closes: {onto: base, d: 1}}
""").compile()
    )
    (finding,) = found.findings
    assert finding.kind is FindingKind.RIGID
    assert not found.is_healthy
    assert finding.text == (
        "The loop through 'A', 'B' and 'C' cannot move: 0 degrees of freedom. Counted in the plane "
        "(degrees of freedom of the joints minus 3 per loop) it has 0, so it needs one joint more "
        "to move."
    )


def test_a_shaky_structure_is_called_so() -> None:
    shaky = "raff: 1\njoints:" + SHAKY.replace("PARENT", "base")
    (finding,) = diagnose(kg.load(shaky).compile()).findings
    assert finding.kind is FindingKind.RIGID
    assert "singular in this pose: a motion starts and stops immediately" in finding.text


def test_a_singular_pose_is_no_fault() -> None:
    found = diagnose(kg.load(four_bar(1, 2, 1, 2, 0, 0, 0, 0)).compile())
    assert found.is_healthy
    assert FindingKind.INSTANTANEOUS in {finding.kind for finding in found.findings}
    assert "a singular pose" in found.text


def test_a_loop_between_parts_that_are_one_piece() -> None:
    found = diagnose(
        kg.load("""raff: 1
joints:
  - {name: A, parent: base}
  - {name: plate, type: fixed, parent: A, d: 1}
  - {name: C, parent: plate, closes: {onto: A, d: 1}}
""").compile()
    )
    assert found.findings[0].kind is FindingKind.RIGID
    assert "Its two ends are on parts that are fixed to each other already" in found.text


def test_a_bar_of_no_length() -> None:
    found = diagnose(kg.load(four_bar(1, 0, 1, 1, 60, 60, 120, 0)).compile())
    kinds = [finding.kind for finding in found.findings]
    assert kinds == [FindingKind.RIGID, FindingKind.IDLE]
    assert found.text.startswith(
        "It cannot move; only parts of it spin in place, with 1 degree of freedom."
    )
    assert "cannot move, except that one part can spin in place." in found.text
    assert "link 'B' spins without moving any point" in found.text


SHAFT = """raff: 1
joints:
  - {name: A, parent: base}
  - {name: B, parent: A, r: 1, closes: {onto: base, r: 1}}
"""


@pytest.mark.parametrize(
    "text",
    [
        SHAFT,
        SHAFT + "  - {name: C, parent: A, r: 2, closes: {onto: base, r: 2}}\n",
        SHAFT.replace("A, parent", "A, type: spherical, parent").replace(
            "B, parent", "B, type: spherical, parent"
        ),
    ],
    ids=["two bearings", "three bearings", "two balls"],
)
def test_a_shaft_in_its_bearings_turns_and_is_healthy(text: str) -> None:
    found = diagnose(kg.load(text).compile())
    assert found.is_healthy
    assert found.text.startswith("It turns with 1 degree of freedom.")
    assert "link 'A' turns about its own axis" in found.text
    assert "cannot move" not in found.text
    assert found.mobility.text.startswith("turns with 1 degree of freedom")


def sliders(*alphas: float) -> kg.Model:
    """Slides in a row, closed onto the base, each tilted against the one before [deg]."""
    rows, parent = ["raff: 1", "joints:"], "base"
    for i, alpha in enumerate(alphas):
        rows.append(
            f"  - {{name: S{i}, type: prismatic, parent: {parent}, d: 0.1, gamma: {3 * alpha} deg, "
            f"alpha: {alpha} deg}}"
        )
        parent = f"S{i}"
    closed = kg.pose(kg.load("\n".join(rows) + "\n").compile(), None, parent)
    rows.append(
        f"  - {{name: last, type: fixed, parent: {parent}, closes: {{onto: base, "
        f"xyz: {point_text(closed.translation)}, rpy: {point_text(np.array(closed.so3.rpy))}}}}}"
    )
    return kg.load("\n".join(rows) + "\n").compile()


def test_what_slightly_wrong_axes_would_do_is_tried() -> None:
    """Four slides keep one motion whatever their directions; a Bennett linkage locks."""
    parallel = diagnose(sliders(0, 0, 0, 0))
    assert parallel.mobility.finite == 3
    assert "with slightly misaligned axes it has 1 degree of freedom" in parallel.text
    askew = diagnose(sliders(0, 40, 50, 70))
    assert askew.mobility.finite == 1
    assert "whatever their exact axes" in askew.text
    for found in (parallel, askew):
        assert "would lock it" not in found.text
    assert "slightly misaligned axes would lock it" in diagnose(kg.load(bennett()).compile()).text


def test_idle_rods_are_named_and_no_fault() -> None:
    found = diagnose(kg.load(BALL_ROD).compile())
    assert found.is_healthy
    assert "One degree of freedom is idle: link 'rod' spins" in found.text


def test_bars_that_are_too_short_are_reported_with_their_lengths() -> None:
    found = diagnose(kg.load(four_bar(0.1, 0.2, 0.1, 1, 0, 0, 180, 0)).compile())
    (finding,) = found.findings
    assert finding.kind is FindingKind.OPEN
    assert "at 'C' it stays open by 600 mm" in finding.text
    assert "600 mm too short" in finding.text


def test_a_ladder_of_fifty_loops_with_one_wrong_axis() -> None:
    mechanism = kg.load(ladder(50))
    mechanism.set_number("T30", "alpha", "2 deg")
    found = diagnose(mechanism.compile())
    assert named(found) == ["T30"]
    assert found.findings[0].joints == ("L30", "R30", "T30", "C30")
    assert found.mobility.finite == 49


def test_mechanisms_without_loops_have_nothing_to_find() -> None:
    found = diagnose(kg.load("puma560").compile())
    assert found.findings == ()
    assert found.text == "It moves with 6 degrees of freedom."


# Special dimensions


def bennett(twist_error: float = 0.0, length_error: float = 0.0) -> str:
    """Bennett's linkage, four skew hinges: lengths of opposite bars go with sines of their twists.

    The angles follow from G. T. Bennett, "A new mechanism", Engineering 76, 1903, 777-778.
    """
    alpha, beta, a, first = math.radians(40), math.radians(65), 0.3, math.radians(80)
    b = a * math.sin(beta) / math.sin(alpha)
    ratio = math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2)
    second = 2 * math.atan(ratio / math.tan(first / 2))
    return f"""raff: 1
name: bennett
joints:
  - {{name: J1, parent: base, start: {first}}}
  - {{name: J2, parent: J1, alpha: {alpha}, d: {a}, start: {second}}}
  - {{name: J3, parent: J2, alpha: {beta + twist_error}, d: {b + length_error}, start: {-first}}}
  - {{name: J4, parent: J3, alpha: {alpha}, d: {a}, start: {-second},
     closes: {{onto: base, d: {-b}, alpha: {-beta}}}}}
"""


def test_bennetts_linkage_moves() -> None:
    found = diagnose(kg.load(bennett()).compile())
    assert found.is_healthy
    assert (found.mobility.finite, found.mobility.gruebler, found.mobility.redundant) == (1, -2, 3)


@pytest.mark.parametrize(
    ("twist", "length"), [(math.radians(0.5), 0.0), (math.radians(3), 0.0), (0.0, 0.01)]
)
def test_a_wrong_bar_of_bennetts_linkage_is_named(twist: float, length: float) -> None:
    found = diagnose(kg.load(bennett(twist, length)).compile())
    assert named(found) == ["J3"]
    (suspect,) = found.suspects
    assert suspect.change is (Change.TILT if twist else Change.SHIFT)
    assert suspect.tilt == pytest.approx(twist, abs=1e-7)
    assert suspect.distance == pytest.approx(length, abs=1e-7)


def three_cranks(third: float) -> str:
    """A parallelogram with a crank too many, which fits if it is as long as the others."""
    return f"""raff: 1
joints:
  - {{name: A, parent: base, start: 70 deg}}
  - {{name: P, parent: A, d: 1, start: -70 deg}}
  - {{name: B, parent: base, d: 2, start: 70 deg}}
  - {{name: C, parent: base, d: 1, start: 70 deg}}
  - {{name: PB, parent: B, d: 1, start: -70 deg, closes: {{onto: P, d: 2}}}}
  - {{name: PC, parent: C, d: {third}, start: -70 deg, closes: {{onto: P, d: 1}}}}
"""


def test_a_parallelogram_with_a_crank_too_many_moves_by_its_lengths() -> None:
    found = diagnose(kg.load(three_cranks(1)).compile())
    assert found.is_healthy
    assert (found.mobility.finite, found.mobility.gruebler_planar) == (1, 0)
    assert "Special lengths add 1 degree of freedom." in found.text


@pytest.mark.parametrize("third", [0.98, 1.001])
def test_a_third_crank_of_another_length_locks_it(third: float) -> None:
    found = diagnose(kg.load(three_cranks(third)).compile())
    assert named(found) == ["PC"]
    (number,) = found.suspects[0].numbers
    assert (number.key, number.new) == ("d", pytest.approx(1, abs=1e-7))
