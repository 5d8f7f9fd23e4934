"""Engines with contacts: compiled and NumPy kernels make the same steps."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.impulse.engine import ImpulseEngine
from kinegen.dynamics.engines.reduced.engine import REFINE, ReducedEngine
from kinegen.kernels import Integrator, reference

native = pytest.importorskip("kinegen.kernels._native")

SCENE = """raff: 1
name: scene
joints:
  - {name: A, parent: base, mass: 1, xyz: [0, 0, 0.4], axis: y, shape: {box: [0.1, 0.1, 0.3],
     xyz: [0, 0.15, 0]}, start: 20 deg, surface: {friction: 0.5, restitution: 0.3}}
objects:
  - {name: ball, shape: {sphere: 0.05}, mass: 0.5, at: {xyz: [0.4, 0.1, 0.0505]},
     velocity: [-1, 0, 0], rolling_friction: 1 mm, torsional_friction: 2 mm}
  - {name: box, shape: {box: [0.1, 0.1, 0.1]}, mass: 1, at: {xyz: [0.2, 0.1, 0.0502]}}
"""

ISLANDS = """raff: 1
name: islands
objects:
  - {name: ball, shape: {sphere: 0.05}, mass: 0.5, at: {xyz: [1, 0, 0.0503]},
     velocity: [0, 0, -1], restitution: 0.5}
  - {name: b0, shape: {box: [0.2, 0.2, 0.1]}, mass: 1, at: {xyz: [0, 0, 0.05]}, friction: 0}
  - {name: b2, shape: {sphere: 0.05}, mass: 1, at: {xyz: [0, 0.01, 0.25]}, friction: 0}
  - {name: b1, shape: {box: [0.2, 0.2, 0.1]}, mass: 2, at: {xyz: [0.01, 0, 0.15]}, friction: 0}
  - {name: b3, shape: {sphere: 0.05}, mass: 1, at: {xyz: [0.02, 0.02, 0.35]}, friction: 0}
  - {name: b4, shape: {box: [0.1, 0.1, 0.1]}, mass: 1, at: {xyz: [0.1503, 0, 0.05]}, friction: 0,
     velocity: [-0.5, 0, 0]}
"""
"""A ball that bounces for itself, and five bodies (30 variables: a sparse system) that touch;
without friction, of which there may be several solutions."""


def system(text: str = SCENE) -> kg.dynamics.System:
    return kg.dynamics.System.of(kg.load(text), objects=True, floor=0.0)


@pytest.mark.parametrize(("text", "calls"), [(SCENE, 30), (ISLANDS, 2)], ids=["scene", "islands"])
def test_the_reduced_engine_makes_the_same_steps(text: str, calls: int) -> None:
    made = system(text)
    _ = made.model.inertia  # writes the masses into the blocks
    bodies = kg.dynamics.Collisions(made)
    q = bodies.lifted(made.model.start())
    ends, touched = [], 0
    for kernels in (native, reference):
        nothing = np.zeros(0, np.int32), np.zeros((0, 3))
        bound = kernels.BoundReduced(
            made.model.blocks.ints, made.model.blocks.reals, *nothing, *nothing, np.zeros((3, 0))
        )
        refine = REFINE[Integrator.RK4] * made.model.size
        bound.set(int(Integrator.RK4), 1e-3, 1e-9, True, False, 0.0, refine)
        bound.touch(bodies.arrays, bodies.reach, 1e-3)
        bound.ease(True, REFINE[Integrator.SEMI_IMPLICIT] * made.model.size)
        bound.start(q, made.start_v, 0.0)
        for _ in range(calls):
            bound.run(5, np.zeros(made.model.nv), None)
            touched += len(bound.contacts[0])
        ends.append((bound.q, bound.v))
    assert touched > 3 * calls
    # sweeps end at 1e-8 of the change of speed in each of the 150 steps
    np.testing.assert_allclose(ends[0][0], ends[1][0], atol=1e-5)
    np.testing.assert_allclose(ends[0][1], ends[1][1], atol=1e-3)


def test_the_impulse_engine_makes_the_same_steps() -> None:
    made = system()
    engine = ImpulseEngine(made, 1e-3)
    engine.reset()
    compiled = engine._bound
    plain = engine._world.bind(engine._options, kernels=reference)
    engine._bound = plain
    engine._let_touch()
    poses, twists = compiled.poses, np.zeros((len(compiled.poses), 6))
    for bound in (compiled, plain):
        bound.start(poses, twists, compiled.q, np.zeros(len(engine._world.bonds)), 0.0)
        bound.run(20, np.zeros(len(compiled.v)), np.zeros(0, np.int32), np.zeros((0, 9)))
    np.testing.assert_allclose(compiled.poses, plain.poses, atol=1e-8)
    assert compiled.poses[-1, 6] > 0.049  # it stands on the floor


def test_wheels_that_share_a_load_take_few_sweeps() -> None:
    """A segway leans on two wheels, each with two contacts: sweeps alone take thousands."""
    with kg.World("segway", cameras=False, keyframes=0) as world:
        world.run(0.4)
        engine = world.islands[0].simulation.engine
        assert isinstance(engine, ReducedEngine)
        found, model = engine.contacts, engine.model
        q, v = engine.q, engine.v + engine.step * engine.accelerations()
    assert found is not None and len(found) == 4
    nothing = np.zeros(0, np.int32), np.zeros((0, 3))
    sweeps, weight = [], 8 * 9.81
    for kernels in (native, reference):
        bound = kernels.BoundReduced(
            model.blocks.ints, model.blocks.reals, *nothing, *nothing, np.zeros((3, 0))
        )
        bound.set(int(Integrator.RK4), engine.step, 1e-9, True, False, 0.0, 1e9)
        bound.meet_later(True)
        bound.start(q, v, 0.0)
        given = (found.link_a, found.link_b, found.points, found.normals, found.distances)
        surfaces = np.tile([0.6, 0.0, 0.0, 0.0], (len(found), 1))
        _, impulses, count = bound.meet(*given, surfaces, v)
        sweeps.append(count)
        X, V = np.empty((model.link_count, 12)), np.zeros((model.link_count, 6))
        model.kernels.forward_links(q, X)
        model.kernels.link_twists(q, bound.v, V)
        # the wheels roll: their points that press on the floor stand
        arms = found.points - X[found.link_b, 9:]
        speeds = V[found.link_b, :3] + np.cross(V[found.link_b, 3:], arms)
        presses = impulses[:, 2] > 1e-6
        assert np.abs(speeds[presses]).max() < 1e-9 and presses.sum() >= 2
        assert impulses[:, 2].sum() == pytest.approx(weight * engine.step, rel=1e-3)
    assert sweeps[0] < 20 < 1000 < sweeps[1]
