from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.workspace.zones.planar import PlanarLinkage, planar_linkage


def linkage(name: str) -> PlanarLinkage | None:
    model = kg.load(name).compile()
    return planar_linkage(model, kg.assemble(model).q)


def test_hinges_of_the_five_bar_are_where_they_are() -> None:
    found = linkage("five-bar")
    assert found is not None
    places = {hinge.name: hinge.point for hinge in found.hinges}
    assert places["A"] == 0 and places["E"] == pytest.approx(0.2)
    assert places["B"] == pytest.approx(0.15j) and places["D"] == pytest.approx(0.2 + 0.15j)
    body, point, height = found.point("handle")
    assert body == 2 and height == 0
    assert point == pytest.approx(0.1 + 0.379128784747792j)


@pytest.mark.parametrize("name", ["stewart", "puma560", "slider-crank", "bricard", "delta"])
def test_others_are_not_planar_linkages_of_hinges(name: str) -> None:
    assert linkage(name) is None


def test_any_plane_will_do() -> None:
    text = """
raff: 1
joints:
  - {name: a, parent: base, alpha: 90 deg, b: 2}
  - {name: plate, type: fixed, parent: a, d: 1}
  - {name: b, parent: plate, alpha: 180 deg, d: 1}
frames: [{name: tip, parent: b, d: 1}]
"""
    model = kg.load(text).compile()
    found = planar_linkage(model, model.start())
    assert found is not None
    assert found.body_of == (0, 1, 1, 2) and found.body_count == 3
    assert [hinge.sense for hinge in found.hinges] in ([1, -1], [-1, 1])
    _, point, height = found.point("tip")
    world = found.world(np.array([[point.real], [point.imag]]), height)[:, 0]
    np.testing.assert_allclose(world, kg.pose(model, None, "tip").translation, atol=1e-12)
    assert math.isfinite(found.tilt("tip"))
