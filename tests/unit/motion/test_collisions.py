"""Paths and grasps: where bodies touch on the way, and ways on which they do not."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.curves import segment
from kinegen.kinematics import CollisionChecker
from kinegen.kinematics.scene import scene_object
from kinegen.motion.collisions import collision_spans
from kinegen.motion.grasp import grasp_object

LINE = segment([0.6, -0.3, 0.3], [0.6, 0.35, 0.3])
"""Past the post, which is 80 mm wide around (0.55, 0.05): the wrist runs into it."""


@pytest.fixture(scope="module")
def arm() -> kg.Model:
    return kg.load("arm-and-wall").compile()


@pytest.fixture(scope="module")
def through(arm: kg.Model) -> kg.motion.Path:
    return kg.follow(arm, LINE, points=40)


def test_spans_name_bodies_times_and_depths(through: kg.motion.Path) -> None:
    assert through.is_complete
    spans = through.collisions()
    assert {span.b for span in spans} == {"post"}
    checker = CollisionChecker(through.model)
    touching = checker.measure(through.q).colliding
    rows = np.zeros(len(through), dtype=bool)
    for span in spans:
        rows[span.first : span.last + 1] = True
        assert span.start == through.times[span.first] and span.end == through.times[span.last]
        assert 0 < span.depth < 0.2
    np.testing.assert_array_equal(rows, touching)
    assert "touches post from" in spans[0].text and spans[0].text.endswith("mm deep")


def test_a_path_that_avoids_skips_only_where_the_post_leaves_no_way(
    arm: kg.Model, through: kg.motion.Path
) -> None:
    path = kg.follow(arm, LINE, points=40, avoid=True)
    assert path.collisions() == ()
    # it reaches more than what the plain path passes without a collision
    clear = CollisionChecker(arm).measure(through.q).colliding
    assert path.reachable_count > (~clear).sum()
    reasons = " ".join(gap.reason for gap in path.gaps())
    assert "'post'" in reasons and ("is stopped by" in reasons or "touches" in reasons)
    assert path.reachable[0] and path.reachable[-1]


def test_another_branch_is_taken_where_the_first_collides(arm: kg.Model) -> None:
    text = """raff: 1
name: two-bar
joints:
  - {name: A, parent: base, shape: {capsule: [20 mm, 0.3], xyz: [0.2, 0, 0], rpy: [0, 90 deg, 0]}}
  - {name: B, parent: A, xyz: [0.4, 0, 0], start: 90 deg,
     shape: {capsule: [20 mm, 0.25], xyz: [0.2, 0, 0], rpy: [0, 90 deg, 0]}}
frames:
  - {name: tool, parent: B, xyz: [0.4, 0, 0]}
objects:
  - {name: pin, shape: {sphere: 0.05}, at: {xyz: [0.33, -0.12, 0]}, fixed: true}
"""
    model = kg.load(text).compile()
    line = segment([0.5, 0.1, 0.0], [0.6, 0.1, 0.0])
    plain = kg.follow(model, line, points=10, start={"A": -0.3})
    assert plain.is_complete and plain.collisions()
    free = kg.follow(model, line, points=10, start={"A": -0.3}, avoid=True)
    assert free.is_complete and free.collisions() == ()
    assert np.sign(free.q[0, 1]) == -np.sign(plain.q[0, 1])


def test_rows_without_numbers_are_not_looked_at(arm: kg.Model) -> None:
    assert collision_spans(arm, np.arange(3.0), np.full((3, arm.nq), np.nan)) == ()


def test_a_grasp_that_avoids_touches_nothing_but_its_object() -> None:
    text = """raff: 1
name: gantry
joints:
  - {name: x, type: prismatic, parent: base, axis: x, shape: none}
  - {name: z, type: prismatic, parent: x, shape: {box: [20 mm, 20 mm, 20 mm]}, limits: [-1, 1]}
frames:
  - {name: tool, parent: z}
objects:
  - {name: block, shape: {box: [0.1, 0.1, 0.1]}, at: {xyz: [0.6, 0, 0]}}
  - {name: fence, shape: {box: [0.02, 1, 0.3]}, at: {xyz: [0.3, 0, 0]}, fixed: true}
"""
    mechanism = kg.load(text)
    model = mechanism.compile()
    block = scene_object(mechanism, model, "block")
    plain = grasp_object(model, None, "tool", block)
    assert plain.reached and {span.b for span in plain.collisions()} >= {"fence"}
    careful = grasp_object(model, None, "tool", block, avoid=True)
    assert {span.b for span in careful.collisions()} <= {"block"}
    if not careful.reached:
        assert "fence" in careful.reason
