"""Several engines as one mechanism."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.world.bodies.joined import JoinedSimulations

TWO = """
raff: 1
name: two
world: {engines: {other: mujoco}}
joints:
  - {name: A, parent: base, axis: y, mass: 1, centre: [0.2, 0.2, 0],
     shape: {box: [0.4, 0.02, 0.02]}}
  - {name: other, parent: base, xyz: [0, 3, 0], axis: y, mass: 1, centre: [0.2, 0.2, 0],
     motor: {torque: 20}, shape: {box: [0.4, 0.02, 0.02]}}
  - {name: B, parent: base, xyz: [0, 1, 0], axis: y, mass: 1, centre: [0.2, 0.2, 0],
     shape: {box: [0.4, 0.02, 0.02]}}
"""
BALL = "objects: [{name: ball, shape: {sphere: 0.05}, at: {xyz: [0, 9, 0]}, mass: 1}]\n"


def test_numbers_come_in_the_order_of_the_model() -> None:
    with kg.World(kg.load(TWO), {"A": 0.1, "other": 0.2, "B": 0.3}) as world:
        model = world.mechanism.compile()
        joined = JoinedSimulations(model, lambda: [island.simulation for island in world.islands])
        assert joined.q == pytest.approx([0.1, 0.2, 0.3])
        assert joined.owner("other") is world.islands[1].simulation
        assert joined.owner("A") is world.islands[0].simulation
        world.run(0.05)
        first, second = (island.simulation for island in world.islands)
        names = [joint.name for joint in model.joints if joint.q.stop > joint.q.start]
        assert set(joined.velocities) == {*names} and not joined.object_poses
        assert joined.report.kinetic == pytest.approx(first.report.kinetic + second.report.kinetic)
        efforts = dict(zip(names, joined.efforts, strict=True))
        assert efforts["A"] == efforts["B"] == 0 and efforts["other"] != 0
        assert joined.saturated.shape == (model.nv,) and not joined.saturated.any()
        assert joined.contact_forces(10).shape == (0, 6)
        with pytest.raises(kg.errors.KinegenError, match="'mujoco' does not compute"):
            joined.reactions()


def test_one_engine_has_all_of_it_and_the_free_objects() -> None:
    model = kg.load(TWO + BALL).compile()
    simulation = kg.Simulation(model, objects=True, record=0)
    joined = JoinedSimulations(model, lambda: [simulation])
    simulation.advance(0.1)
    assert joined.owner("ball") is simulation and joined.report == simulation.report
    assert joined.velocities["ball"][2] == pytest.approx(-0.981, rel=0.02)
    assert joined.object_poses["ball"][6] < 0
    assert np.array_equal(joined.reactions(), simulation.engine.reactions()[: len(model.joints)])
