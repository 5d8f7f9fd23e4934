"""Diagnosis of parallel robots: tilted axes of 3-UPU and tripteron, and healthy relatives."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.diagnosis.diagnosis import FindingKind, diagnose
from tests.unit.kinematics.diagnosis.test_diagnosis import axes_text, named, point_text, unit

pytestmark = pytest.mark.slow


def upu(outer: tuple[float, float, float] = (0, 1, 0)) -> kg.Model:
    """Tsai's 3-UPU: the outer axes of each leg are parallel, and the platform does not turn.

    L.-W. Tsai, "Kinematics of a three-DOF platform with three extensible limbs", 1996. Outer axes
    are given for the leg on the x axis: along y they are tangents of the base circle.
    """
    rows = ["raff: 1", "name: 3-upu", "joints:"]
    for i in range(1, 4):
        turn = kg.SO3.exp([0, 0, 2 * math.pi / 3 * i]).matrix
        low, high = turn @ [0.5, 0, 0], turn @ [0.25, 0, 0.6]
        e, z = unit(high - low), turn @ unit(np.array(outer, dtype=float))
        x = unit(np.cross(z, e))
        swing = math.atan2(e @ z, e @ np.cross(z, x))
        start = math.atan2(z @ np.cross(x, -e), z @ -e)
        rows += [
            f"  - {{name: U{i}, type: universal, parent: base, xyz: {point_text(low)}, "
            f"rpy: {axes_text(x, z)}, start: [0, {swing:.15f}]}}",
            f"  - {{name: leg{i}, type: prismatic, parent: U{i}, alpha: -90 deg, "
            f"start: {np.linalg.norm(high - low):.15f}, motor: true}}",
        ]
        upper = f"name: V{i}, type: universal, parent: leg{i}, rpy: [0, 90 deg, 0]"
        upper += f", start: [{start:.15f}, 0]"
        if i == 1:
            R = np.column_stack([z, np.cross(x, z), x])
            back = kg.SE3(kg.SO3.from_matrix(R), high).inverse()
            rows += [
                f"  - {{{upper}}}",
                f"  - {{name: platform, type: fixed, parent: V1, "
                f"xyz: {point_text(back.translation)}, rpy: {point_text(back.so3.rpy)}}}",
            ]
        else:
            rows.append(
                f"  - {{{upper}, closes: {{onto: platform, xyz: {point_text(high)}, "
                f"rpy: {axes_text(z, x)}}}}}"
            )
    return kg.load("\n".join(rows) + "\n").compile()


def tripteron(tilted: str = "", degrees: float = 0.0) -> kg.Model:
    """Three legs of a slide and three hinges parallel to it, along x, y and z."""
    first, second = math.radians(40), math.radians(-80)
    ends = np.cumsum([np.exp(1j * first), np.exp(1j * (first + second))]) * 0.3
    rows = ["raff: 1", "name: tripteron", "joints:"]
    for i in range(1, 4):
        R = np.roll(np.eye(3), i, axis=0)
        rpy = point_text(kg.SO3.from_matrix(R).rpy)
        base = point_text(-R @ [ends[-1].real, ends[-1].imag, 0.2])
        rows.append(
            f"  - {{name: P{i}, type: prismatic, parent: base, xyz: {base}, rpy: {rpy}, "
            "start: 0.2, motor: true}"
        )
        for hinge, parent, x, start in (
            (f"A{i}", f"P{i}", 0.0, first),
            (f"B{i}", f"A{i}", 0.3, second),
            (f"C{i}", f"B{i}", 0.3, -first - second),
        ):
            tilt = degrees if hinge == tilted else 0
            row = f"name: {hinge}, parent: {parent}, xyz: [{x}, 0, 0], start: {start}"
            row += f", rpy: [{tilt} deg, 0, 0]"
            if hinge in {"C2", "C3"}:
                row += f", closes: {{onto: platform, rpy: {rpy}}}"
            rows.append(f"  - {{{row}}}")
        if i == 1:
            inverse = point_text(kg.SO3.from_matrix(R.T).rpy)
            rows.append(f"  - {{name: platform, type: fixed, parent: C1, rpy: {inverse}}}")
    return kg.load("\n".join(rows) + "\n").compile()


def rps() -> kg.Model:
    """Three legs of a tangent hinge, a slide and a ball: the platform is meant to turn."""
    rows = ["raff: 1", "name: 3-rps", "joints:"]
    rows.append("  - {name: platform, type: free, parent: base, start: {xyz: [0, 0, 0.6]}}")
    for i in range(1, 4):
        turn = kg.SO3.exp([0, 0, 2 * math.pi / 3 * i]).matrix
        low, high = turn @ [0.5, 0, 0], turn @ [0.3, 0, 0.6]
        x = axes_text(unit(high - low), turn @ [0, 1, 0])
        rows += [
            f"  - {{name: R{i}, parent: base, xyz: {point_text(low)}, rpy: {x}}}",
            f"  - {{name: P{i}, type: prismatic, parent: R{i}, rpy: [0, 90 deg, 0], "
            f"start: {np.linalg.norm(high - low):.15f}, motor: true}}",
            f"  - {{name: S{i}, type: spherical, parent: P{i}, closes: {{onto: platform, "
            f"xyz: {point_text(turn @ [0.3, 0, 0])}}}}}",
        ]
    return kg.load("\n".join(rows) + "\n").compile()


def tilt(model: kg.Model, joint: str, key: str, degrees: float) -> None:
    model.set_number(joint, key, model.number(joint, key) + math.radians(degrees))


@pytest.mark.parametrize("model", [upu(), upu((0.2, 1, 0.3)), upu((1, 0, 0)), tripteron(), rps()])
def test_healthy_platforms(model: kg.Model) -> None:
    found = diagnose(model)
    assert found.is_healthy, found.text
    assert found.mobility.finite == 3


@pytest.mark.parametrize(("hinge", "key", "degrees"), [("R1", "yaw", 10), ("R2", "roll", 3)])
def test_a_platform_that_is_meant_to_turn_is_left_alone(
    hinge: str, key: str, degrees: float
) -> None:
    model = rps()
    tilt(model, hinge, key, degrees)
    assert diagnose(model).is_healthy


@pytest.mark.parametrize("degrees", [1, 25])
@pytest.mark.parametrize(
    ("joint", "key"),
    [("U2", "roll"), ("V1", "pitch"), ("V3", "closes.yaw"), ("V2", "closes.pitch")],
)
def test_a_tilted_axis_of_a_3_upu_is_named(joint: str, key: str, degrees: float) -> None:
    model = upu()
    tilt(model, joint, key, degrees)
    found = diagnose(model)
    assert not found.is_healthy
    assert found.mobility.finite == 3  # the count alone sees nothing
    finding = found.findings[0]
    assert finding.kind is FindingKind.TURNING
    assert named(found) == [joint], found.text
    (suspect,) = found.suspects
    assert math.degrees(suspect.tilt) == pytest.approx(degrees, abs=1e-6)
    cosine = float(suspect.axis @ suspect.proposed_axis)
    assert cosine == pytest.approx(math.cos(math.radians(degrees)), abs=1e-9)
    assert f"'{joint}'" in finding.text
    assert "With this one change it does not turn at all" in finding.text


def test_a_leg_of_another_3_upu_may_be_wrong_at_either_end() -> None:
    model = upu((0.2, 1, 0.3))
    tilt(model, "V2", "closes.pitch", 20)
    assert named(diagnose(model)) == ["V2"]  # with it, the loops close where the file starts
    q = diagnose(model).mobility.q
    assert sorted(named(diagnose(model, q))) == ["U2", "V2"]


def test_two_tilted_axes_of_a_3_upu_are_named_together() -> None:
    model = upu()
    tilt(model, "V1", "pitch", 20)
    tilt(model, "U3", "roll", 10)
    found = diagnose(model)
    assert sorted(named(found)) == ["U3", "V1"]
    assert found.findings[0].suspects.together
    assert "No single change removes it" in found.text
    for suspect in found.suspects:
        for number in suspect.numbers:
            model.set_number(number.owner, number.key, number.new)
    assert diagnose(model).is_healthy


@pytest.mark.parametrize(
    ("joint", "key", "degrees"), [("V2", "pitch", -20), ("U1", "yaw", 25), ("V3", "closes.yaw", 20)]
)
def test_a_tilted_axis_of_a_radial_3_upu_is_named(joint: str, key: str, degrees: float) -> None:
    model = upu((1, 0, 0))
    tilt(model, joint, key, degrees)
    found = diagnose(model)
    tilts = {suspect.joint: math.degrees(suspect.tilt) for suspect in found.suspects}
    assert tilts[joint] == pytest.approx(abs(degrees), abs=1e-6), found.text
    assert not found.findings[0].suspects.together


@pytest.mark.parametrize("degrees", [22, -40])
@pytest.mark.parametrize("joint", ["A2", "B1", "C1", "C3"])
def test_a_tilted_axis_of_a_tripteron_is_named(joint: str, degrees: float) -> None:
    found = diagnose(tripteron(joint, degrees))
    assert not found.is_healthy
    tilts = {suspect.joint: math.degrees(suspect.tilt) for suspect in found.suspects}
    assert tilts[joint] == pytest.approx(abs(degrees), abs=1e-6), found.text
    assert all(suspect.dof == 3 for suspect in found.suspects)


@pytest.mark.parametrize("degrees", [15, 60])
@pytest.mark.parametrize("joint", [f"{hinge}{leg}" for hinge in "ABC" for leg in (1, 2, 3)])
def test_tilts_of_any_size_are_found_where_the_start_closes_without(
    joint: str, degrees: float
) -> None:
    found = diagnose(tripteron(joint, degrees))
    # a first hinge tilts its leg about the line to the platform: the other end may as well
    assert len(named(found)) <= 2 and joint in named(found), found.text
    assert joint.startswith("A") or named(found) == [joint]
    tilts = {suspect.joint: math.degrees(suspect.tilt) for suspect in found.suspects}
    assert tilts[joint] == pytest.approx(degrees, abs=1e-6)


@pytest.mark.parametrize("degrees", [60])
@pytest.mark.parametrize(
    ("joint", "key"), [("U1", "roll"), ("U2", "yaw"), ("V2", "pitch"), ("V3", "closes.yaw")]
)
def test_large_tilts_of_a_3_upu_are_found(joint: str, key: str, degrees: float) -> None:
    model = upu()
    tilt(model, joint, key, degrees)
    assert named(diagnose(model)) == [joint]


SARRUS = """raff: 1
name: sarrus
joints:
  - {name: A1, parent: base, rpy: [90 deg, 0, 0], start: 60 deg, motor: true}
  - {name: B1, parent: A1, d: 0.3, start: 60 deg}
  - {name: C1, parent: B1, d: 0.3, start: -120 deg}
  - {name: platform, type: fixed, parent: C1, rpy: [-90 deg, 0, 0]}
  - {name: A2, parent: base, xyz: [0.4, 0.4, 0], rpy: [90 deg, 0, 90 deg], start: 60 deg}
  - {name: B2, parent: A2, d: 0.3, start: 60 deg}
  - {name: C2, parent: B2, d: 0.3, start: -120 deg,
     closes: {onto: platform, xyz: [0.4, 0.4, 0], rpy: [90 deg, 0, 90 deg]}}
"""


@pytest.mark.parametrize("degrees", [1, -30])
@pytest.mark.parametrize("joint", ["B1", "C1", "B2", "C2"])
def test_a_tilted_axis_of_a_sarrus_linkage_is_named(joint: str, degrees: float) -> None:
    model = kg.load(SARRUS).compile()
    assert diagnose(model).is_healthy
    tilt(model, joint, "alpha", degrees)
    assert named(diagnose(model)) == [joint]


@pytest.mark.parametrize("name", ["3-rrr", "hybrid-9", "stewart", "tricept", "delta"])
def test_library_platforms_stay_healthy_in_other_poses(name: str) -> None:
    model = kg.load(name).compile()
    q = kg.assemble(model).q
    for motor, way in zip(
        kg.kinematics.inputs_of(model), (0.2, -0.1, 0.15, 0, 0.1, -0.2), strict=False
    ):
        q[model.joint(motor).q] += way
    found = diagnose(model, q)
    assert found.is_healthy, found.text
