"""Touched points: where they are, and how the mechanism gives way there."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.engine import Loads
from kinegen.dynamics.touch.grip import Grip, effective_mass
from kinegen.errors import KinegenError


@pytest.mark.parametrize("name", ["arm-6", "five-bar", "stewart"])
def test_mobility_is_what_a_force_does(name: str) -> None:
    simulation = kg.Simulation(kg.load(name), gravity=(0, 0, 0), record=0)
    engine, model = simulation.engine, simulation.model
    link = model.link_names[-1]
    grip = Grip(model, link, (0.01, 0.02, 0.03))
    state = grip.state(engine.q, engine.v)
    W = grip.mobility(engine.q, state.J)
    assert np.allclose(W, W.T, atol=1e-9 * abs(W).max())
    assert np.linalg.eigvalsh((W + W.T) / 2)[0] > -1e-9 * abs(W).max()
    for force in np.eye(6):
        wrench = force.copy()
        wrench[3:] += np.cross(state.arm, force[:3])
        loads = Loads.of(model, efforts=None, wrenches=wrench[None], links=np.array([grip.link]))
        vdot = engine.accelerations(loads)  # type: ignore[attr-defined] # of the reduced engine
        # at rest the point's acceleration is J vdot
        assert np.allclose(state.J @ vdot, W @ force, atol=1e-8 * abs(W).max())


def test_a_frame_is_a_point_of_its_link() -> None:
    model = kg.load("five-bar").compile()
    q, v = kg.assemble(model).q, np.zeros(model.nv)
    grip = Grip(model, "handle")
    assert model.link_names[grip.link] == "B"
    assert np.allclose(grip.state(q, v).place, kg.pose(model, q, "handle").translation)


def test_a_place_of_the_world_becomes_a_point_of_the_link() -> None:
    model = kg.load("arm-6").compile()
    q = model.start()
    place = [0.3, 0.1, 0.9]
    grip = Grip.at(model, q, "elbow", place)
    assert np.allclose(grip.state(q, np.zeros(6)).place, place)
    grip.slide(q, model.link_names.index("waist"), np.array(place))
    assert grip.name == "waist" and np.allclose(grip.state(q, np.zeros(6)).place, place)


@pytest.mark.parametrize(
    ("diagonal", "mass"),
    [((0.5, 0.5, 0.5), 2.0), ((1.0, 0.0, 0.0), 1.0), ((4.0, 2.0, 1.0), 0.5), ((0, 0, 0), np.inf)],
)
def test_the_mass_that_a_hand_feels(diagonal: tuple[float, ...], mass: float) -> None:
    assert effective_mass(np.diag(diagonal)) == pytest.approx(mass)


def test_a_point_is_three_numbers() -> None:
    model = kg.load("arm-6").compile()
    with pytest.raises(KinegenError, match="three finite numbers"):
        Grip(model, "elbow", (0, np.nan, 0))
    with pytest.raises(KinegenError, match="elbow"):
        Grip(model, "elbwo")
