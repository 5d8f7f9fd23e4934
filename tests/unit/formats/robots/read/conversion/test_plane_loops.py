"""Plane loops whose numbers are rounded close in every pose; their links stay where they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from tests.unit.formats.robots.read.sdf_reader.test_sdf import axis, joint, link, sdf

BALL = ("ball", "")
HINGE = ("revolute", axis("0 0 1"))
SLIDER = ("prismatic", axis("1 0 1e-7"))


def four_bar(tilt: str, closing: tuple[str, str] = BALL) -> str:
    """A plane linkage whose second hinge is tilted."""
    kind, inner = closing
    return sdf(
        link("ground")
        + link("crank")
        + link("coupler", "1 0 0 0 0 0")
        + link("rocker", "0 2 0 0 0 0")
        + joint("G", "fixed", "world", "ground")
        + joint("A", "revolute", "ground", "crank", axis("0 0 1"))
        + joint("B", "revolute", "crank", "coupler", axis(tilt))
        + joint("D", "revolute", "ground", "rocker", axis("0 0 -1"))
        + f"<joint name='C' type='{kind}'><pose relative_to='ground'>1 2 0 0 0 0</pose>"
        f"<parent>coupler</parent><child>rocker</child>{inner}</joint>"
    )


@pytest.mark.parametrize("closing", [BALL, HINGE], ids=["ball", "hinge"])
@pytest.mark.parametrize("tilt", ["0 1e-7 1", "3e-6 0 -1", "0 0 1"])
def test_rounded_loops_close(tilt: str, closing: tuple[str, str]) -> None:
    mechanism = kg.load(four_bar(tilt, closing), format="sdf")
    said = [one.message for one in mechanism.remarks]
    assert (len(said) == 0) == (tilt == "0 0 1"), said
    assert all("the loop of joint 'C' is planar except for rounding" in one for one in said)
    again = kg.load(mechanism.to_raff())
    for model in (mechanism.compile(), again.compile()):
        assert kg.mobility(model, kg.assemble(model).q).finite == 1
        for angle in (0.2, -0.4, 0.9):
            found = kg.assemble(model, {"A": angle}, locked=["A"])
            assert found.gap < 1e-9
            np.testing.assert_allclose(kg.poses(model, found.q)["rocker"].translation[2], 0)


def test_a_slider_that_closes_a_plane_loop_is_loosened_too() -> None:
    mechanism = kg.load(four_bar("0 0 1", SLIDER), format="sdf")
    assert "'C_slide' and 'C_tilt'" in mechanism.remarks[0].message
    model = mechanism.compile()
    found = kg.assemble(model, {"A": -0.3}, locked=["A"])
    assert found.gap < 1e-9
    assert abs(found.q[model.joint("C_slide").q][0]) < 1e-6
    assert np.abs(found.q[model.joint("C_tilt").q]).max() < 1e-6


def test_the_numbers_of_the_file_stay() -> None:
    model = kg.load(four_bar("3e-6 0 1"), format="sdf").compile()
    turned = kg.poses(model, {"A": 0.0, "B": 1.0})["coupler"].so3.matrix
    expected = kg.SO3.exp(np.array([3e-6, 0, 1.0]) / np.hypot(3e-6, 1)).matrix
    np.testing.assert_allclose(turned, expected, atol=1e-15)


@pytest.mark.parametrize("closing", [BALL, HINGE], ids=["ball", "hinge"])
def test_rounding_is_not_felt_in_a_fall(closing: tuple[str, str]) -> None:
    ends = []
    for tilt in ("0 0 1", "0 1e-7 1"):
        mechanism = kg.load(four_bar(tilt, closing), format="sdf")
        mechanism.set_key("gravity", [0, -9.81, 0])
        model = mechanism.compile()
        run = kg.simulate(model, time=0.3)
        ends.append(kg.poses(model, run.q[-1])["rocker"].matrix)
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-6)
    assert np.abs(ends[0][0, 1]) > 0.1  # it did fall


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".sdf"])
@pytest.mark.parametrize("closing", [BALL, HINGE], ids=["ball", "hinge"])
def test_loosened_loops_are_written_and_read_back(
    closing: tuple[str, str], suffix: str, tmp_path: Path
) -> None:
    mechanism = kg.load(four_bar("0 1e-7 1", closing), format="sdf")
    kg.export(mechanism, tmp_path / f"robot{suffix}")
    model, twin = mechanism.compile(), kg.load(tmp_path / f"robot{suffix}").compile()
    ours = kg.assemble(model, {"A": 0.2}, locked=["A"])
    theirs = kg.assemble(twin, {"A": 0.2}, locked=["A"])
    assert theirs.gap < 1e-9
    rockers = [kg.poses(*both)["rocker"].matrix for both in ((model, ours.q), (twin, theirs.q))]
    np.testing.assert_allclose(rockers[1], rockers[0], atol=1e-8)


def test_loops_that_are_meant_to_be_spatial_stay() -> None:
    mechanism = kg.load(four_bar("0 1e-3 1"), format="sdf")
    assert mechanism.remarks == ()
    assert "C_slide" not in mechanism.joints
