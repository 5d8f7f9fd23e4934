"""How near a mechanism is to the objects around it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.contact.clearance import ObjectClearance

BALL = """
raff: 1
name: slider
joints:
  - {name: rail, type: prismatic, parent: base, alpha: 90 deg, motor: true, shape: {sphere: 50 mm}}
objects:
  - {name: ball, shape: {sphere: 30 mm}, at: {xyz: [0, -0.3, 0]}}
"""


def test_the_distance_is_that_of_the_surfaces_wherever_the_object_is() -> None:
    clearance = ObjectClearance(kg.load(BALL))
    found = [clearance.at([x]) for x in (0.15, 0.25, 0.27)]
    assert [one.distance for one in found] == pytest.approx([0.07, -0.03, -0.05])
    assert (found[0].link, found[0].object) == ("rail", "ball")
    away = np.array([1, 0, 0, 0, 0, 5, 0], dtype=float)
    assert math.isinf(clearance.at([0.25], {"ball": away}).distance)


def test_without_objects_nothing_is_near() -> None:
    found = ObjectClearance(kg.load("arm-6")).at()
    assert math.isinf(found.distance) and (found.link, found.object) == ("", "")
