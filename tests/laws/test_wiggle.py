"""Backlash and friction of a simulated servo come back from a wiggle."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.bridges.physics import local_robot
from kinegen.drive.wiggle import Wiggle, fit_wiggle
from kinegen.errors import UsageError

KP = 20.0
TEXT = """
raff: 1
name: turret
joints:
  - {{name: A, parent: base, mass: 1, centre: [0, 0, 0], inertia: [0.02, 0.02, 0.02],
     backlash: {backlash}, friction: {{coulomb: {coulomb}, viscous: {viscous}}},
     motor: {{torque: 3, kp: 20, kd: 1, inertia: 1e-5, gear: 20}}}}
"""


def wiggled(backlash: float, coulomb: float, viscous: float) -> Wiggle:
    """The servo behind every bridge, moved to and fro for one and a half cycles."""
    text = TEXT.format(backlash=backlash, coulomb=coulomb, viscous=viscous)
    robot = local_robot(kg.load(text), hold=True)
    (servo,) = robot.servos
    rows = []
    for i in range(600):
        goal = 0.14 * math.sin(2 * math.pi * i * 0.02 / 8)
        servo.on = True
        servo.goal = goal
        robot.advance(0.02)
        rows.append(((i + 1) * 0.02, goal, servo.position, servo.effort))
    robot.physics.close()
    return Wiggle("A", *np.array(rows).T)


@pytest.mark.parametrize(
    ("backlash", "coulomb", "viscous"), [(0.0, 0.1, 0.05), (0.03, 0.1, 0.0), (0.06, 0.2, 0.1)]
)
def test_what_the_file_has_is_found(backlash: float, coulomb: float, viscous: float) -> None:
    found = fit_wiggle(wiggled(backlash, coulomb, viscous), stiffness=KP)
    # goals move in steps of 20 ms: the effort between two of them falls by up to kp v 20 ms
    assert found.coulomb == pytest.approx(coulomb, abs=0.02)
    assert found.backlash == pytest.approx(backlash, abs=0.002)


def test_backlash_needs_the_stiffness_and_a_motion() -> None:
    found = wiggled(0.03, 0.1, 0.0)
    assert math.isnan(fit_wiggle(found).backlash)
    still = Wiggle("A", found.times, found.goals, 0 * found.positions, found.efforts)
    with pytest.raises(UsageError, match="0 samples of one direction, and needs 12"):
        fit_wiggle(still, stiffness=KP)
