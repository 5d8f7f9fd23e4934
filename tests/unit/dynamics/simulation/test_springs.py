"""Springs between two points."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.simulation.springs import springs_of
from kinegen.errors import CompileError, RaffError
from tests.support.mechanisms.simulated import double_pendulum


def links_of(model: kg.Model, q: np.ndarray) -> np.ndarray:
    out = np.empty((model.link_count, 12))
    model.kernels.forward_links(q, out)
    return out


def twists_of(model: kg.Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    out = np.empty((model.link_count, 6))
    model.kernels.link_twists(q, v, out)
    return out


def test_ends_on_frames_and_links_are_points_of_links() -> None:
    mechanism = double_pendulum()
    model = mechanism.compile()
    springs = springs_of(model)
    assert springs.names == ("s", "t") and len(springs) == 2
    assert springs.link_a.tolist() == [2, 1] and springs.link_b.tolist() == [0, 2]
    np.testing.assert_allclose(springs.point_a[0], [0.6, 0, 0])
    np.testing.assert_allclose(springs.point_b[0], [0.5, 1, 0])
    q = np.array([0.3, -0.4])
    a, _ = springs.ends(links_of(model, q))
    np.testing.assert_allclose(a[0], kg.pose(model, q, "tip").translation, atol=1e-12)


def test_forces_are_the_slope_of_the_energy() -> None:
    mechanism = double_pendulum()
    model = mechanism.compile()
    springs = springs_of(model)
    q, e = np.array([0.3, -0.4]), 1e-6
    wrenches = springs.wrenches(links_of(model, q), np.zeros((3, 6)))
    for k in range(2):
        step = np.eye(2)[k] * e
        rise = springs.potential(links_of(model, q + step))
        fall = springs.potential(links_of(model, q - step))
        J = [kg.jacobian(model, q, name)[:, k] for name in model.link_names]
        assert sum(w @ j for w, j in zip(wrenches, J, strict=True)) == pytest.approx(
            -(rise - fall) / (2 * e), rel=1e-7
        )


def test_dampers_take_energy_and_forces_cancel() -> None:
    mechanism = double_pendulum()
    model = mechanism.compile()
    springs = springs_of(model)
    object.__setattr__(springs, "damping", np.array([3.0, 1.0]))
    object.__setattr__(springs, "stiffness", np.zeros(2))
    q, v = np.array([0.3, -0.4]), np.array([1.0, -2.0])
    twists = twists_of(model, q, v)
    wrenches = springs.wrenches(links_of(model, q), twists)
    np.testing.assert_allclose(wrenches[:, :3].sum(axis=0), 0, atol=1e-12)
    _, _, apart = springs.tensions(links_of(model, q), twists)
    assert np.sum(wrenches * twists) == pytest.approx(-np.sum(springs.damping * apart**2))
    assert np.sum(wrenches * twists) < 0


def test_numbers_follow_the_parameters() -> None:
    mechanism = kg.load(
        "raff: 1\nname: p\nparameters: {k: 10, a: 0.5}\njoints:\n"
        "  - {name: A, parent: base, mass: 1, inertia: [1, 1, 1]}\nsprings:\n"
        "  - {name: s, from: {link: A, xyz: [a, 0, 0]}, to: {}, stiffness: 2*k, rest: a/2}\n"
    )
    system = kg.dynamics.System.of(mechanism)
    assert system.springs.stiffness.tolist() == [20] and system.springs.rest.tolist() == [0.25]
    system.model.parameters["k"] = 4
    system.refresh()
    assert system.springs.stiffness.tolist() == [8]


def test_a_spring_of_an_included_robot_keeps_its_ends() -> None:
    inner = double_pendulum().to_raff()
    assert "springs:" in inner
    again = kg.load(inner)
    springs, twin = (springs_of(m.compile()) for m in (double_pendulum(), again))
    np.testing.assert_allclose(springs.point_a, twin.point_a)
    assert springs.names == twin.names


def test_a_spring_on_a_link_that_is_gone_is_refused() -> None:
    mechanism = double_pendulum()
    mechanism.scene["springs"][0]["from"] = {"link": "Z"}
    with pytest.raises(
        kg.errors.KinegenError, match="spring 's' of mechanism 'double' ends on 'Z'"
    ):
        kg.dynamics.System.of(mechanism)


HUNG = """raff: 1
gravity: [0, 0, -9.81]
joints: [{name: A, parent: base, xyz: [2, 0, 0], mass: 1, shape: {sphere: 0.1}}]
objects:
  - {name: ball, shape: {sphere: 0.05}, mass: 2, at: {xyz: [0, 0, 0.5]}}
  - {name: post, shape: {box: [0.1, 0.1, 0.1]}, fixed: true, at: {xyz: [1, 0, 0]}}
springs:
  - {name: coil, from: {xyz: [0, 0, 1]}, to: {object: ball}, stiffness: 200, damping: 4, rest: 0.5}
"""


@pytest.mark.parametrize("engine", ["reduced", "impulse", "mujoco"])
def test_a_spring_holds_a_free_object_on_every_engine(engine: str) -> None:
    sim = kg.Simulation(kg.load(HUNG), engine=engine, step=1e-4, objects=True, record=0)
    sim.advance(0.3)
    # a damped oscillation about the length at which it carries the weight
    m, k, c, time = 2.0, 200.0, 4.0, 0.3
    sag, decay = m * 9.81 / k, c / (2 * m)
    rate = np.sqrt(k / m - decay**2)
    swing = np.exp(-decay * time) * (np.cos(rate * time) + decay / rate * np.sin(rate * time))
    assert sim.reason == ""
    # the engines are of first order in the step where springs have dampers
    assert kg.pose(sim.model, sim.engine.q, "ball").translation[2] == pytest.approx(
        0.5 - sag * (1 - swing), abs=2e-4
    )


def test_without_its_object_a_spring_does_not_act_and_a_fixed_object_is_refused() -> None:
    assert len(kg.Simulation(kg.load(HUNG), record=0).system.springs) == 0
    with pytest.raises(CompileError, match="'post', which never moves: attach it to the ground"):
        kg.Simulation(kg.load(HUNG.replace("object: ball", "object: post")), record=0)
    with pytest.raises(RaffError, match="'A' is a link; write 'link: A'"):
        kg.load(HUNG.replace("object: ball", "object: A"))
    with pytest.raises(RaffError, match="'link' and 'object' both specify"):
        kg.load(HUNG.replace("object: ball", "link: A, object: ball"))
