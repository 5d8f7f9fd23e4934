"""Simulations that are pickled or copied continue bit for bit, whatever engine and load."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.reduced.engine import ReducedEngine

ENGINES = ["reduced", "impulse", pytest.param("mujoco", marks=pytest.mark.filterwarnings("ignore"))]
COLUMNS = ("times", "q", "v", "efforts", "kinetic", "work", "gap", "iterations", "contacts")
WAYS: list[Callable[[Any], Any]] = [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy]


def same_motion(simulation: kg.Simulation, time: float = 0.03) -> None:
    """Copies of a running simulation do what it does."""
    simulation.advance(time)
    others = [way(simulation) for way in WAYS]
    simulation.advance(time)
    wanted = simulation.run()
    for other in others:
        assert other.engine.model is other.model is other.system.model is not simulation.model
        other.advance(time)
        found = other.run()
        for column in COLUMNS:
            np.testing.assert_array_equal(getattr(found, column), getattr(wanted, column), column)
        if simulation.engine.name != "mujoco":
            np.testing.assert_array_equal(other.engine.reactions(), simulation.engine.reactions())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("four-bar", {}),
        ("stewart", {"hold": True}),
        ("lynx6", {"floor": 0.05}),
        ("humanoid-30", {}),
    ],
)
def test_a_copy_continues_bit_for_bit(engine: str, name: str, options: dict[str, Any]) -> None:
    if engine == "mujoco" or "floor" in options:
        pytest.importorskip("mujoco", reason="needs kinegen[mujoco]")
    same_motion(kg.Simulation(kg.load(name), engine=engine, **options))


def test_ends_of_travel_that_press_on_bodies_come_along() -> None:
    # the arm lies on the floor and is bent against an end: the next step begins with its impulse
    simulation = kg.Simulation(kg.load("crawler"), floor=0.0)
    simulation.advance(0.3)
    assert isinstance(simulation.engine, ReducedEngine)
    _, _, held = simulation.engine.kernel.snapshot()[-1]
    assert held[:, 1].any()
    same_motion(simulation)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_after_any_number_of_steps(engine: str, steps: int) -> None:
    if engine == "mujoco":
        pytest.importorskip("mujoco", reason="needs kinegen[mujoco]")
    simulation = kg.Simulation(kg.load("puma560"), engine=engine, step=1e-3)
    same_motion(simulation, steps * 1e-3)


@pytest.mark.parametrize("engine", ["reduced", "impulse"])
def test_hands_and_motors_come_along(engine: str) -> None:
    simulation = kg.Simulation(kg.load("lynx6"), engine=engine, targets={"elbow": 0.4})
    push = simulation.push("tool", normal=[1, 0, 0], depth=0.002)
    simulation.pull("tool", target=[0.2, 0.1, 0.2])
    same_motion(simulation)
    other, same = pickle.loads(pickle.dumps((simulation, push)))
    assert other.touches[0] is same and same.energy == push.energy


def test_live_numbers_come_along_and_are_its_own() -> None:
    simulation = kg.Simulation(kg.load("four-bar"))
    name = next(iter(simulation.model.parameters))
    simulation.model.parameters[name] *= 1.01
    same_motion(simulation)
    other = pickle.loads(pickle.dumps(simulation))
    other.model.parameters[name] *= 1.01
    assert other.model.parameters[name] != simulation.model.parameters[name]


def test_what_stopped_stays_stopped() -> None:
    simulation = kg.Simulation(kg.load("four-bar"))
    simulation.stop("enough")
    other = pickle.loads(pickle.dumps(simulation))
    assert other.reason == "enough" and not other.is_running


@pytest.mark.parametrize("integrator", ["adaptive", "implicit", "semi-implicit"])
def test_integrators_keep_what_they_are_at(integrator: str) -> None:
    same_motion(kg.Simulation(kg.load("lynx6"), integrator=integrator))
