"""Batches: shapes, and input that is refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import NumberError, UsageError

MODEL = kg.load("puma560").compile()


def test_columns_are_states() -> None:
    rng = np.random.default_rng(0)
    qs, vs, xs = rng.normal(size=(3, 6, 5))
    pushes = rng.normal(size=(MODEL.link_count, 6, 5))
    taus = kg.dynamics.inverse_dynamics_many(MODEL, qs, vs, xs, wrenches=pushes)
    back = kg.dynamics.forward_dynamics_many(MODEL, qs, vs, taus, wrenches=pushes)
    np.testing.assert_allclose(back, xs, atol=1e-9)
    one = kg.inverse_dynamics(MODEL, qs[:, 2], vs[:, 2], xs[:, 2], wrenches=pushes[:, :, 2])
    np.testing.assert_allclose(taus[:, 2], one, atol=1e-12)
    H = kg.dynamics.mass_matrix_many(MODEL, qs)
    assert H.shape == (6, 6, 5)
    np.testing.assert_allclose(H[:, :, 4], kg.mass_matrix(MODEL, qs[:, 4]), atol=1e-12)
    np.testing.assert_allclose(
        kg.dynamics.bias_many(MODEL, qs, vs)[:, 1], kg.dynamics.bias(MODEL, qs[:, 1], vs[:, 1])
    )
    gravity = kg.dynamics.gravity_forces_many(MODEL, qs)
    np.testing.assert_allclose(
        gravity[:, 3], kg.dynamics.gravity_forces(MODEL, qs[:, 3]), atol=1e-12
    )
    kinetic, potential = kg.dynamics.energy_many(MODEL, qs, vs)
    energy = kg.dynamics.energy(MODEL, qs[:, 0], vs[:, 0])
    np.testing.assert_allclose([kinetic[0], potential[0]], [energy.kinetic, energy.potential])
    assert kg.dynamics.gravity_forces_many(MODEL, np.empty((6, 0))).shape == (6, 0)


@pytest.mark.parametrize(
    ("which", "value", "said"),
    [
        ("qs", np.zeros((5, 4)), r"qs of mechanism 'puma560' has a column per state: \(6, n\)"),
        ("qs", np.full((6, 4), np.nan), "qs holds a number that is not finite in column 0"),
        ("vs", np.zeros((6, 3)), r"vs .*: \(6, 4\), got shape \(6, 3\)"),
        ("vdots", np.zeros(6), "vdots"),
        ("vdots", "fast", "vdots takes numbers"),
        ("wrenches", np.zeros((7, 6, 3)), r"wrenches .*\(7, 6, 4\)"),
    ],
)
def test_bad_arrays_are_named(which: str, value: Any, said: str) -> None:
    given: dict[str, Any] = {name: np.zeros((6, 4)) for name in ("qs", "vs", "vdots")}
    with pytest.raises(UsageError, match=said):
        kg.dynamics.inverse_dynamics_many(MODEL, **(given | {which: value}))


def test_quaternions_and_masses_are_checked() -> None:
    person = kg.load("humanoid-30").compile()
    qs = np.repeat(person.start()[:, None], 3, axis=1)
    qs[:4, 1] = 0
    with pytest.raises(UsageError, match="joint 'pelvis' in column 1 of qs is not a rotation"):
        kg.dynamics.gravity_forces_many(person, qs)
    bare = kg.load("raff: 1\nname: bare\njoints:\n  - {name: J, parent: base, shape: none}\n")
    with pytest.raises(NumberError, match="joint 'J'"):
        kg.dynamics.forward_dynamics_many(bare.compile(), *np.zeros((3, 1, 4)))
