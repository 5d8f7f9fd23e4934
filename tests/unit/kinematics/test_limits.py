"""Swing limits: every place that filters by limits sees them."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.limits import (
    any_outside_limits,
    outside_limits,
    past_limits,
    past_swing,
    swing_angles,
)
from kinegen.spatial.rotation import SO3

BALL = """\
raff: 1
name: ball
joints:
  - {name: ball, type: spherical, parent: base, limits: 40 deg}
  - {name: other, type: spherical, parent: ball}
frames:
  - {name: tip, parent: ball, xyz: [0, 0, 1]}
"""


def test_the_swing_is_the_angle_between_the_z_axes() -> None:
    rng = np.random.default_rng(2)
    quats = rng.normal(size=(50, 4))
    quats /= np.linalg.norm(quats, axis=1)[:, None]
    cosines = [SO3(quat).apply(np.array([0.0, 0, 1]))[2] for quat in quats]
    np.testing.assert_allclose(np.cos(swing_angles(quats)), cosines, atol=1e-12)


@pytest.mark.parametrize(("angle", "out"), [(39, False), (41, True), (319, True), (321, False)])
def test_every_filter_sees_a_swing(angle: float, out: bool) -> None:
    model = kg.load(BALL).compile()
    half = np.radians(angle) / 2
    q = np.array([np.cos(half), 0, np.sin(half), 0, 0, 1, 0, 0])
    names = ["ball"] if out else []
    assert outside_limits(model, q) == names
    assert any_outside_limits(model, np.array([model.zero(), q])).tolist() == [False, out]
    assert list(past_swing(model, q)) == ["ball"]


def test_inverse_kinematics_stops_at_the_swing_and_says_so() -> None:
    model = kg.load(BALL).compile()
    far = kg.Handle("tip", [1.0, 0, 0.0])
    found = kg.solve(model, [far])
    assert not found.reached
    assert outside_limits(model, found.q) == []
    assert swing_angles(found.q[:4]) == pytest.approx(np.radians(40), abs=1e-6)
    assert "ball" in found.reason
    assert kg.solve(model, [far], limits=False).reached


def test_limits_count_modulo_a_turn() -> None:
    model = kg.load("lynx6").compile()
    qs = np.repeat(model.start()[None], 4, axis=0)
    qs[:, 0] = [0, np.pi, 2 * np.pi + 1, -0.1]
    assert any_outside_limits(model, qs).tolist() == [False, False, False, True]
    assert past_limits(model, qs[3])[0] == pytest.approx(0.1)


def test_lengths_count_in_sizes_of_the_mechanism() -> None:
    model = kg.load("stewart").compile()
    leg = next(joint for joint in model.joints if joint.type.name == "PRISMATIC")
    q = model.start()
    q[leg.q] = model.upper[leg.v] + 0.25 * model.size
    assert past_limits(model, q)[leg.v] == pytest.approx(0.25)
    assert outside_limits(model, q) == [leg.name]
