"""Bodies that touch."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.mujoco.geoms import shape_name
from kinegen.dynamics.engines.mujoco.mjcf import mujoco_model
from kinegen.dynamics.engines.registry import make_engine
from tests.support.mechanisms.simulated import falling_ball

mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")


def test_without_contacts_there_are_no_geoms() -> None:
    system = kg.dynamics.System.of(falling_ball(), objects=True, contacts=False)
    assert mujoco_model(system, 1e-3, "rk4", True).model.ngeom == 0


def test_links_of_a_mechanism_pass_through_each_other_but_not_through_the_floor() -> None:
    system = kg.dynamics.System.of(kg.load("five-bar"), floor=-5.0)
    collisions = kg.dynamics.Collisions(system)
    twin = mujoco_model(system, 1e-3, "implicitfast", True, collisions).model
    floor = twin.geom(shape_name(collisions.geom_names.index("floor")))
    links = [g for g in range(twin.ngeom) if g != floor.id]
    assert links
    for g in links:
        assert twin.geom_conaffinity[g] & floor.contype[0]
        assert not twin.geom_contype[g] & twin.geom_conaffinity[links[0]]


def test_a_ball_that_bounces_gets_its_share_of_height_back() -> None:
    system = kg.dynamics.System.of(falling_ball(1.1, restitution=0.7), objects=True, floor=0.0)
    engine = make_engine(system, "mujoco", 1e-3)
    part = system.model.joint("ball").q
    heights = []
    for _ in range(1000):
        engine.advance(None, 1)
        heights.append(engine.q[part][6])
    lowest = int(np.argmin(heights))
    # steps of MuJoCo fall a little slower than bodies do: half a step's gravity
    assert max(heights[lowest:]) - 0.1 == pytest.approx(0.49, rel=0.01)


def test_a_fixed_object_is_stood_upon() -> None:
    text = (
        falling_ball(2.0)
        .to_raff()
        .replace("objects:", "objects:\n  - {name: table, shape: {box: [1, 1, 0.5]}, fixed: true}")
    )
    system = kg.dynamics.System.of(kg.load(text), objects=True, contacts=True)
    engine = make_engine(system, "mujoco", 1e-3)
    engine.advance(None, 2500)
    height = engine.q[system.model.joint("ball").q][6]
    assert height == pytest.approx(0.25 + 0.1, abs=3e-3)
