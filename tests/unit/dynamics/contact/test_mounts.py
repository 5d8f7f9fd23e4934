"""Links that stand in the floor from the start."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.contact.mounts import usual_start
from tests.support.mechanisms.simulated import falling_ball

pytestmark = pytest.mark.slow

pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")

ENGINES = ("reduced", "impulse", "mujoco")


def lowest(mechanism: kg.Mechanism) -> float:
    """Height of a mechanism's lowest point at its start [m]."""
    system = kg.dynamics.System.of(mechanism, floor=-10.0)
    found = kg.dynamics.Collisions(system).find(usual_start(system.model), margin=100.0)
    return float(found.distances.min()) - 10.0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("hold", [True, False])
def test_a_stewart_platform_stands_on_the_floor_of_its_base(engine: str, hold: bool) -> None:
    simulation = kg.Simulation(kg.load("stewart"), floor=0.0, hold=hold, engine=engine)
    simulation.advance(0.05)
    pull = simulation.pull("platform")
    simulation.advance(0.002)
    pull.move(pull.place + [0.3, 0.1, 0.3])
    simulation.advance(0.1)
    run = simulation.run()
    assert run.complete, run.reason
    assert run.max_gap < 1e-4
    assert run.energy_drift < 0.02
    assert simulation.remarks == ()  # the legs are hinged to the ground: nothing to report


@pytest.mark.parametrize("name", kg.library_names())
def test_every_mechanism_bears_a_floor_at_any_height(name: str) -> None:
    mechanism = kg.load(name)
    size, low = mechanism.compile().size, lowest(mechanism)
    for k, height in enumerate((0.0, low, low + 0.02 * size, low + 0.3 * size)):
        hold = k % 2 == 0 and name != "bricard"  # which has no motors
        run = kg.simulate(mechanism, time=0.02, floor=height, hold=hold, record=0)
        assert run.complete, (height, run.reason)
        assert run.max_gap < 1e-9
        # nothing is thrown; gears multiply speeds
        assert np.abs(run.v[-1]).max() < (10 if mechanism.couplings else 5), height


def test_links_that_are_held_in_the_floor_are_reported() -> None:
    delta = kg.load("delta")
    low = lowest(delta)
    (remark,) = kg.Simulation(delta, floor=low + 0.1).remarks
    assert "inside the floor at the start" in remark
    assert kg.Simulation(delta, floor=low).remarks == ()


def test_an_arm_on_a_table_passes_through_that_table_only() -> None:
    text = kg.load("arm-6").to_raff()
    low = lowest(kg.load("arm-6"))
    text += f"""
objects:
  - {{name: table, fixed: true, shape: {{box: [2, 2, 0.2]}}, at: {{xyz: [0, 0, {low}]}}}}
  - {{name: wall, fixed: true, shape: {{box: [0.1, 2, 2]}}, at: {{xyz: [3, 0, 0]}}}}
"""
    system = kg.dynamics.System.of(kg.load(text), objects=True, contacts=True)
    bodies = kg.dynamics.Collisions(system)
    assert len(bodies.find(usual_start(system.model))) == 0
    # from afar the wall is still there for every link
    found = bodies.find(usual_start(system.model), margin=5.0)
    assert set(found.link_b.tolist()) | set(found.link_a.tolist()) >= set(bodies.geom_link.tolist())


@pytest.mark.parametrize("engine", ENGINES)
def test_what_floats_is_lifted_onto_the_floor(engine: str) -> None:
    system = kg.dynamics.System.of(falling_ball(-0.3), objects=True, floor=0.0)
    run = kg.simulate(system, time=0.1, engine=engine)
    assert run.complete, run.reason
    # the ball's radius is 0.1
    np.testing.assert_allclose(run.joint("ball")[:, 6], 0.1, atol=2e-3)


def test_links_of_several_shapes_are_seen_from_afar() -> None:
    system = kg.dynamics.System.of(kg.load("stewart"), floor=-5.0)
    found = kg.dynamics.Collisions(system).find(usual_start(system.model), margin=10.0)
    assert set(found.link_b.tolist()) == set(range(1, system.model.link_count))
