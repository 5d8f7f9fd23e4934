"""Swing limits of spherical joints: the compiled solver against the NumPy one, and the law."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import Floats
from kinegen.kernels.reference.solver.bound import BoundSolver
from kinegen.kinematics.limits import past_swing
from kinegen.mechanism.model import Model

LIMIT = math.radians(40)
PENDULUM = """\
raff: 1
name: pendulum
joints:
  - {name: ball, type: spherical, parent: base, limits: 40 deg, start: [10 deg, 5 deg, 0]}
frames:
  - {name: bob, parent: ball, xyz: [0.1, 0, -1]}
"""
# a plate on three rods between balls: loops must stay closed while balls are held back
PLATFORM = """\
raff: 1
name: swing
joints:
  - {name: A, type: spherical, parent: base, limits: 30 deg}
  - {name: B, type: spherical, parent: base, xyz: [1, 0, 0], limits: 25 deg}
  - {name: C, type: spherical, parent: A, xyz: [0, 0, 1]}
  - {name: D, type: spherical, parent: B, xyz: [0, 0, 1],
     closes: {onto: C, xyz: [1, 0, 0]}, limits: 50 deg}
frames:
  - {name: tip, parent: C, xyz: [0.5, 0, 0]}
"""


def run(solver: object, model: Model, frame: str, target: list[float]) -> tuple[Floats, int]:
    reals = np.zeros((1, 15))
    reals[0, 6:9], reals[0, 9], reals[0, 13:15] = target, 1.0, 1.0
    ints = np.array([[model.site(frame), 0, 0]], dtype=np.int32)
    q, held = model.start(), np.zeros(model.nv, dtype=np.int32)
    options = np.array([200, 0.3, 1e-10, 1e-9, 0.0, 1.0])
    solver.run(q, ints, reals, options, None, None, None, None, held)  # type: ignore[attr-defined]
    return q, int(held[0])


@pytest.mark.parametrize("target", [[1.0, 0, -0.2], [-3, 2, 1.0], [0, 1.2, -0.1], [0.2, 0.1, -1]])
def test_a_dragged_pendulum_rests_on_the_cone_in_both_kernels(target: list[float]) -> None:
    model = kg.load(PENDULUM).compile()
    ours, held = run(model.solver, model, "bob", target)
    theirs, _ = run(BoundSolver(model.ints, model.reals), model, "bob", target)
    for q in (ours, theirs):
        assert past_swing(model, q)["ball"] <= 1e-9
    a, b = (kg.pose(model, q, "bob").translation for q in (ours, theirs))
    # both creep to the edge by damped steps; what is left of the way differs by about this
    assert np.linalg.norm(a - b) < 1e-4
    if held:
        assert past_swing(model, ours)["ball"] == pytest.approx(0, abs=1e-9)


def test_it_slides_along_the_cone_to_the_nearest_place() -> None:
    model = kg.load(PENDULUM.replace("0.1, 0, -1", "0, 0, -1")).compile()
    q, held = run(model.solver, model, "bob", [0.0, 2.0, 0.0])
    assert held == 1
    nearest = [0, math.sin(LIMIT), -math.cos(LIMIT)]
    assert np.allclose(kg.pose(model, q, "bob").translation, nearest, atol=1e-4)


@pytest.mark.parametrize("target", [[3.0, 0.5, 1.0], [0.5, 3, 0.2], [-2, -2, 0.0]])
def test_loops_stay_closed_against_a_swing_limit(target: list[float]) -> None:
    model = kg.load(PLATFORM).compile()
    for solver in (model.solver, BoundSolver(model.ints, model.reals)):
        q, _ = run(solver, model, "tip", target)
        assert max(past_swing(model, q).values()) <= 1e-9
        assert kg.kinematics.loop_gap(model, q).distance < 1e-9


def test_searches_find_poses_within_the_swing() -> None:
    model = kg.load(PENDULUM).compile()
    place = [math.sin(LIMIT) * 0.5, 0.4, -0.85]
    answer = kg.solve(model, [kg.Handle("bob", position=place)], seed=3)
    assert max(past_swing(model, answer.q).values()) <= 1e-9
