from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.workspace.zones.triangle_method import construction


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("five-bar", ("A", "E")),
        ("eight-bar", ("O", "B", "tilt")),
        ("eight-bar-b", ("O", "forearm", "wrist")),
        ("3-rrr", ("A1", "A2", "tilt")),
    ],
)
def test_inputs_are_the_motors_or_one_fewer_and_a_tilt(name: str, inputs: tuple[str, ...]) -> None:
    model = kg.load(name).compile()
    home = kg.assemble(model).q
    built = construction(model, home, kg.kinematics.inputs_of(model), model.site_names[-1], None)
    assert built is not None and built.inputs == inputs


def test_a_four_bar_has_a_curve_in_each_of_two_modes() -> None:
    found = kg.zone(kg.load("four-bar").compile(), step=0.01)
    assert found.method == "triangles" and len(found.modes) == 2
    for mode in found.modes:
        steps = np.linalg.norm(np.diff(mode.points, axis=0), axis=1)
        assert mode.count > 100 and np.median(steps) < 0.01


def test_an_annulus_has_its_area() -> None:
    # two bars on one ground point, driven: tip between |l1 - l2| and l1 + l2
    text = """
raff: 1
joints:
  - {name: a, parent: base, motor: true}
  - {name: b, parent: a, d: 1, motor: true}
frames: [{name: tip, parent: b, d: 0.4}]
"""
    model = kg.load(text).compile()
    found = kg.zone(model, step=0.01)
    exact = np.pi * (1.4**2 - 0.6**2)
    assert [mode.name for mode in found.modes] == ["home"]
    assert abs(found.measure.value - exact) < found.measure.error < 0.1
    assert kg.workspace.boundary(found.points[:, :2], found.measure.cell).voids == 1
