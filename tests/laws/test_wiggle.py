"""Backlash and friction of a simulated servo come back from a wiggle."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import kinegen as kg
from kinegen.bridges.process.physics import local_robot
from kinegen.drive.wiggle import Wiggle, fit_wiggle
from kinegen.errors import UsageError

KP = 20.0
TICK = 2 * math.pi / 4096
"""Step of an encoder [rad]."""
TEXT = """
raff: 1
name: turret
joints:
  - {{name: A, parent: base, mass: 1, centre: [0, 0, 0], inertia: [0.02, 0.02, 0.02],
     backlash: {backlash}, friction: {{coulomb: {coulomb}, viscous: {viscous}}},
     motor: {{torque: 3, kp: 20, kd: 1, inertia: 1e-5, gear: 20}}}}
"""


@cache
def wiggled(backlash: float, coulomb: float, viscous: float, tick: float = 0.0) -> Wiggle:
    """The servo behind every bridge: one and a half cycles, then strokes that it leads itself."""
    text = TEXT.format(backlash=backlash, coulomb=coulomb, viscous=viscous)
    robot = local_robot(kg.load(text), hold=True, step=2e-3)  # 1 ms finds the same
    (servo,) = robot.servos
    servo.on = True
    rows = []

    def see(goal: float) -> None:
        robot.advance(0.02)
        rows.append((robot.time, goal, rounded(servo.position), servo.effort))

    def rounded(x: float) -> float:
        return round(x / tick) * tick if tick else x

    for i in range(400):
        servo.goal = rounded(0.14 * math.sin(2 * math.pi * i * 0.02 * 1.5 / 8))
        see(servo.goal)
    for speed in (0.22, 0.44):
        servo.speed = speed
        for end in (0.14, -0.14, 0.14):
            servo.goal = end
            for _ in range(round((0.28 / speed + 0.5) / 0.02)):
                see(math.nan)
    robot.physics.close()
    return Wiggle("A", *np.array(rows).T)


@pytest.mark.parametrize(
    ("backlash", "coulomb", "viscous", "tick"),
    [(0.0, 0.1, 0.05, 0.0), (0.0087, 0.05, 0.0, TICK), (0.03, 0.1, 0.0, 0.0),
     (0.06, 0.2, 0.4, TICK)],
)  # fmt: skip
def test_what_the_file_has_is_found(
    backlash: float, coulomb: float, viscous: float, tick: float
) -> None:
    found = fit_wiggle(wiggled(backlash, coulomb, viscous, tick), stiffness=KP)
    # an encoder's step is 1.5 mrad
    assert found.coulomb == pytest.approx(coulomb, abs=0.005)
    assert found.backlash == pytest.approx(backlash, abs=0.001)
    # strokes speed up and slow down near their ends
    assert found.viscous == pytest.approx(viscous, abs=0.02)
    assert found.has_viscous == (viscous > 0)
    assert 0 < found.coulomb_error < 0.01 and 0 < found.viscous_error < 0.1
    assert found.backlash_error < 0.001


def test_backlash_needs_the_stiffness_and_a_motion() -> None:
    found = wiggled(0.03, 0.1, 0.0)
    assert math.isnan(fit_wiggle(found).backlash)
    led = ~np.isnan(found.goals)
    sine = Wiggle("A", *(rows[led] for rows in (
        found.times, found.goals, found.positions, found.efforts)))  # fmt: skip
    assert math.isnan(fit_wiggle(sine, stiffness=KP).viscous)
    still = replace(found, positions=0 * found.positions)
    with pytest.raises(UsageError, match="0 samples in one direction and needs 12"):
        fit_wiggle(still, stiffness=KP)
