"""What an engine moves."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from tests.support.mechanisms.simulated import bob, falling_ball


def test_gravity_may_be_another_one() -> None:
    system = kg.dynamics.System.of(bob(), gravity=(1, 2, 3))
    assert system.model.gravity.tolist() == [1, 2, 3]
    with pytest.raises(kg.errors.KinegenError, match="gravity must be three finite numbers"):
        kg.dynamics.System.of(bob(), gravity=(0, 0, float("nan")))


def test_a_system_stays_as_it_is() -> None:
    system = kg.dynamics.System.of(bob())
    assert kg.dynamics.System.of(system) is system
    with pytest.raises(kg.errors.KinegenError, match="already has its gravity, objects and floor"):
        kg.simulate(system, time=1, gravity=(0, 0, 0))
    with pytest.raises(kg.errors.KinegenError, match="expected a mechanism or a model, got int"):
        kg.dynamics.System.of(3)  # type: ignore[arg-type]


SPRUNG = """
raff: 1
name: sprung
parameters: {k: 50, friction: 0.3, high: 0.4}
joints:
  - {name: x, type: prismatic, parent: base, mass: 2, inertia: [1, 1, 1], motor: {kp: k}}
frames: [{name: f, parent: x}]
springs: [{name: s, from: {frame: f}, to: {xyz: [0, 0, 2]}, stiffness: k, rest: 1}]
objects:
  - {name: ball, shape: {sphere: 0.1}, at: {xyz: [0, 0, high]}, mass: 1, friction: friction}
"""


def test_a_model_is_enough() -> None:
    mechanism = kg.load(SPRUNG)
    model = mechanism.compile()
    ours, theirs = (
        kg.dynamics.System.of(one, objects=True, floor=-1.0) for one in (model, mechanism)
    )
    assert np.array_equal(ours.model.reals, theirs.model.reals)
    assert np.array_equal(ours.model.ints, theirs.model.ints)
    assert ours.object_names == ("ball",)
    assert np.array_equal(ours.springs.stiffness, [50])
    assert ours.contacts.friction.tolist() == theirs.contacts.friction.tolist()
    assert has_motor(ours, "x")


def test_the_numbers_are_those_of_the_model_now() -> None:
    model = kg.load(SPRUNG).compile()
    model.parameters["k"] = 80.0
    model.parameters["high"] = 0.7
    model.set_number("x", "mass", 5.0)
    model.set_number("x", "upper", 0.25)
    model.set_number("base", "gravity.z", -1.6)
    for objects in (False, True):
        system = kg.dynamics.System.of(model, objects=objects)
        assert system.springs.stiffness.tolist() == [80]
        assert system.model.number("x", "mass") == 5.0
        assert system.model.upper[0] == 0.25
        assert system.model.gravity.tolist() == [0, 0, -1.6]
        if objects:
            assert system.model.start()[system.model.joint("ball").q][-1] == 0.7


def test_a_system_shares_no_number_with_the_model() -> None:
    model = kg.load(SPRUNG).compile()
    system = kg.dynamics.System.of(model, gravity=(0, 0, 1))
    assert model.gravity.tolist() == [0, 0, -9.81]
    model.parameters["k"] = 80.0
    system.refresh()
    assert system.springs.stiffness.tolist() == [50]


def test_later_edits_of_the_mechanism_do_not_reach_a_model() -> None:
    mechanism = kg.load(SPRUNG)
    model = mechanism.compile()
    mechanism.set_parameter("k", 99)
    mechanism.scene["springs"].clear()
    mechanism.joints["x"].motors = ()
    mechanism.rename("x", "y")
    system = kg.dynamics.System.of(pickle.loads(pickle.dumps(model)), objects=True)
    assert system.springs.stiffness.tolist() == [50]
    assert has_motor(system, "x")


def has_motor(system: kg.dynamics.System, name: str) -> bool:
    servos = kg.dynamics.Servos(system)
    return bool(servos.motors.driven[system.model.joint(name).v].all())


def test_cut_joints_are_not_in_the_tree() -> None:
    system = kg.dynamics.System.of(kg.load("five-bar"))
    cut = [joint.v.start for joint in system.model.joints if joint.is_cut]
    assert np.flatnonzero(~system.tree).tolist() == cut


def test_objects_take_part_only_when_asked() -> None:
    assert kg.dynamics.System.of(falling_ball()).object_names == ()
    system = kg.dynamics.System.of(falling_ball(velocity=3), objects=True)
    assert system.object_names == ("ball",)
    link = system.model.link_names.index("ball")
    assert system.contacts.friction[link] == 0.5 and system.contacts.enabled
    assert system.model.inertia[link, 0] == 2
    np.testing.assert_allclose(kg.pose(system.model, None, "ball").translation, [0, 0, 1])
    np.testing.assert_allclose(system.start_v[system.model.joint("ball").v], [3, 0, 0, 0, 0, 0])


def test_bodies_touch_where_there_is_something_to_touch() -> None:
    def touch(**keys: Any) -> bool:
        return kg.dynamics.System.of(falling_ball(), **keys).contacts.enabled

    assert not touch() and not kg.dynamics.System.of(bob(), objects=True).contacts.enabled
    assert touch(objects=True) and touch(floor=0.0)
    assert not touch(objects=True, contacts=False)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"gravity": "down"}, "three finite numbers"),
        ({"gravity": (0, 0, float("inf"))}, "three finite numbers"),
        ({"floor": float("nan")}, "a finite height"),
        ({"floor": True}, "a finite height"),
        ({"floor": "0"}, "a finite height"),
    ],
)
def test_surroundings_that_are_no_numbers_are_reported(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(kg.errors.KinegenError, match=message):
        kg.dynamics.System.of(bob(), **keys)


@pytest.mark.parametrize(
    ("written", "acting", "up"),
    [
        ("[0, 0, -9.81]", None, (0, 0, 1)),
        ("[0, 0, -9.81]", (0, -9.81, 0), (0, 1, 0)),
        ("[0, 0, -9.81]", (3, 0, -4), (-0.6, 0, 0.8)),
        ("[0, -9.81, 0]", None, (0, 1, 0)),
        # where none acts the floor stays where the file has it
        ("[0, -9.81, 0]", (0, 0, 0), (0, 1, 0)),
        ("[0, 0, 0]", None, (0, 0, 1)),
    ],
)
def test_the_floor_is_perpendicular_to_gravity(
    written: str, acting: tuple[float, float, float] | None, up: tuple[float, float, float]
) -> None:
    text = f"raff: 1\ngravity: {written}\njoints: [{{name: A, parent: base}}]\n"
    system = kg.dynamics.System.of(kg.load(text), floor=-0.2, gravity=acting)
    assert system.contacts.up == pytest.approx(up)
    assert system.contacts.floor == -0.2
