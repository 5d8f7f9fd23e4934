"""Visible motion: what moves a point, an axis, a frame, a loose end or a motor is seen."""

from __future__ import annotations

import numpy as np

import kinegen as kg
from kinegen.kinematics.mobility.mobility import mobility
from kinegen.kinematics.mobility.visible_motion import seen_motions, visible_effects
from tests.unit.kinematics.mobility.test_mobility import BALL_ROD


def test_the_spin_of_a_rod_has_no_effect_and_the_rest_has() -> None:
    model = kg.load(BALL_ROD).compile()
    found = mobility(model)
    assert seen_motions(model, found.q, found.directions) == 1
    effects = visible_effects(model, found.q, found.directions)
    assert effects.shape[0] == 2
    values = np.linalg.svd(effects, compute_uv=False)
    assert values[0] > 0.1
    assert values[1] < 1e-12


def test_a_motor_makes_a_spin_matter() -> None:
    driven = BALL_ROD.replace("name: rod,", "name: rod, motor: true,")
    assert mobility(kg.load(driven).compile()).idle == 0


def test_parts_that_only_tilt_axes_are_seen() -> None:
    """In a spherical linkage no point moves at all."""
    model = kg.load("""raff: 1
joints:
  - {name: A, parent: base, start: 90 deg}
  - {name: B, parent: A, alpha: 40 deg, start: -60 deg}
  - {name: D, parent: base, alpha: 60 deg, start: 90 deg}
  - {name: C, parent: B, alpha: 70 deg, start: 50 deg, closes: {onto: D, alpha: 50 deg}}
""").compile()
    assert mobility(model).idle == 0


def test_a_leg_that_slides_between_two_balls_spins_idly() -> None:
    model = kg.load("""raff: 1
joints:
  - {name: lower, type: spherical, parent: base, start: [0, 90 deg, 0]}
  - {name: upper, type: prismatic, parent: lower, start: 1}
  - {name: D, parent: base, xyz: [0, 2, 0]}
  - {name: ball, type: spherical, parent: upper, start: [0, -90 deg, 0],
     closes: {onto: D, xyz: [1, -2, 0]}}
""").compile()
    found = mobility(model)
    assert (found.finite, found.gruebler, found.idle) == (2, 2, 1)
