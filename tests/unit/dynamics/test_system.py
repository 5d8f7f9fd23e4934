"""What an engine moves."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from tests.support.simulated import bob, falling_ball


def test_gravity_may_be_another_one() -> None:
    system = kg.System.of(bob(), gravity=(1, 2, 3))
    assert system.model.gravity.tolist() == [1, 2, 3]
    with pytest.raises(kg.KinegenError, match="gravity is three finite numbers"):
        kg.System.of(bob(), gravity=(0, 0, float("nan")))


def test_a_system_stays_as_it_is() -> None:
    system = kg.System.of(bob())
    assert kg.System.of(system) is system
    with pytest.raises(kg.KinegenError, match="gravity, objects and floor already"):
        kg.simulate(system, 1, gravity=(0, 0, 0))
    with pytest.raises(kg.KinegenError, match="made of a Mechanism, got Model"):
        kg.System.of(bob().compile())  # type: ignore[arg-type]


def test_cut_joints_are_not_in_the_tree() -> None:
    system = kg.System.of(kg.load("five-bar"))
    cut = [joint.v.start for joint in system.model.joints if joint.is_cut]
    assert np.flatnonzero(~system.tree).tolist() == cut


def test_objects_take_part_only_when_asked() -> None:
    assert kg.System.of(falling_ball()).object_names == ()
    system = kg.System.of(falling_ball(velocity=3), objects=True)
    assert system.object_names == ("ball",)
    link = system.model.link_names.index("ball")
    assert system.contacts.friction[link] == 0.5 and not system.contacts.enabled
    assert system.model.inertia[link, 0] == 2
    np.testing.assert_allclose(kg.pose(system.model, None, "ball").translation, [0, 0, 1])
    np.testing.assert_allclose(system.start_v[system.model.joint("ball").v], [3, 0, 0, 0, 0, 0])
