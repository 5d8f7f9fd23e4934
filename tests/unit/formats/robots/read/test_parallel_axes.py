"""Axes in loops that are parallel but for rounding: such loops close in every pose."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from tests.unit.formats.robots.read.test_sdf import axis, joint, link, sdf


def four_bar(tilt: str) -> str:
    """A plane linkage whose third hinge is tilted, and closed by a ball."""
    return sdf(
        link("ground")
        + link("crank")
        + link("coupler", "1 0 0 0 0 0")
        + link("rocker", "0 2 0 0 0 0")
        + joint("G", "fixed", "world", "ground")
        + joint("A", "revolute", "ground", "crank", axis("0 0 1"))
        + joint("B", "revolute", "crank", "coupler", axis(tilt))
        + joint("D", "revolute", "ground", "rocker", axis("0 0 -1"))
        + "<joint name='C' type='ball'><pose relative_to='ground'>1 2 0 0 0 0</pose>"
        "<parent>coupler</parent><child>rocker</child></joint>"
    )


@pytest.mark.parametrize("tilt", ["0 1e-7 1", "3e-6 0 -1", "0 0 1"])
def test_rounded_axes_are_made_parallel(tilt: str) -> None:
    mechanism = kg.load(four_bar(tilt), format="sdf")
    said = [one.message for one in mechanism.remarks]
    assert (len(said) == 0) == (tilt == "0 0 1"), said
    assert all("in loops are parallel to others but for rounding" in one for one in said)
    again = kg.load(mechanism.to_raff())
    for model in (mechanism.compile(), again.compile()):
        for angle in (0.2, -0.4, 0.9):
            found = kg.assemble(model, {"A": angle}, locked=["A"])
            assert found.gap < 1e-9
            np.testing.assert_allclose(kg.poses(model, found.q)["rocker"].translation[2], 0)


def test_axes_that_are_meant_to_differ_stay() -> None:
    mechanism = kg.load(four_bar("0 1e-3 1"), format="sdf")
    assert mechanism.remarks == ()
    z = kg.poses(mechanism, mechanism.compile().start())["coupler"].so3.matrix[:, 2]
    np.testing.assert_allclose(z, [0, 0, 1], atol=1e-12)  # the file's own pose, as it is
