"""Batches: shapes, and input that is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import NumberError, UsageError

MODEL = kg.load("puma560").compile()


def test_rows_are_states() -> None:
    rng = np.random.default_rng(0)
    qs, vs, xs = rng.normal(size=(3, 5, 6))
    pushes = rng.normal(size=(5, MODEL.link_count, 6))
    taus = kg.dynamics.inverse_dynamics_many(MODEL, qs, vs, xs, wrenches=pushes)
    back = kg.dynamics.forward_dynamics_many(MODEL, qs, vs, taus, wrenches=pushes)
    np.testing.assert_allclose(back, xs, atol=1e-9)
    one = kg.dynamics.inverse_dynamics(MODEL, qs[2], vs[2], xs[2], wrenches=pushes[2])
    np.testing.assert_allclose(taus[2], one, atol=1e-12)
    H = kg.dynamics.mass_matrix_many(MODEL, qs)
    assert H.shape == (5, 6, 6)
    np.testing.assert_allclose(H[4], kg.dynamics.mass_matrix(MODEL, qs[4]), atol=1e-12)
    np.testing.assert_allclose(
        kg.dynamics.bias_many(MODEL, qs, vs)[1], kg.dynamics.bias(MODEL, qs[1], vs[1])
    )
    gravity = kg.dynamics.gravity_forces_many(MODEL, qs)
    np.testing.assert_allclose(gravity[3], kg.dynamics.gravity_forces(MODEL, qs[3]), atol=1e-12)
    found = kg.dynamics.energy_many(MODEL, qs, vs)
    one = kg.dynamics.energy(MODEL, qs[0], vs[0])
    for name in ("kinetic", "gravity", "springs", "potential", "total"):
        np.testing.assert_allclose(getattr(found, name)[0], getattr(one, name))
    assert kg.dynamics.gravity_forces_many(MODEL, np.empty((0, 6))).shape == (0, 6)


def test_energies_are_a_table(tmp_path: Path) -> None:
    qs = np.random.default_rng(1).normal(size=(3, 6))
    found = kg.dynamics.energy_many(MODEL, qs, qs)
    found.save(tmp_path / "energies.csv")
    table = np.loadtxt(tmp_path / "energies.csv", delimiter=",", skiprows=1)
    assert np.array_equal(table, np.column_stack([found.kinetic, found.gravity, found.springs]))


@pytest.mark.parametrize(
    ("which", "value", "said"),
    [
        ("qs", np.zeros((4, 5)), r"qs of mechanism 'puma560' has a row per state: \(n, 6\)"),
        ("qs", np.full((4, 6), np.nan), "qs contains a number that is not finite in row 0"),
        ("vs", np.zeros((3, 6)), r"vs .*: \(4, 6\), got shape \(3, 6\)"),
        ("vdots", np.zeros(6), "vdots"),
        ("vdots", "fast", "vdots takes numbers"),
        ("wrenches", np.zeros((3, 7, 6)), r"wrenches .*\(4, 7, 6\)"),
    ],
)
def test_bad_arrays_are_named(which: str, value: Any, said: str) -> None:
    given: dict[str, Any] = {name: np.zeros((4, 6)) for name in ("qs", "vs", "vdots")}
    with pytest.raises(UsageError, match=said):
        kg.dynamics.inverse_dynamics_many(MODEL, **(given | {which: value}))


def test_quaternions_and_masses_are_checked() -> None:
    person = kg.load("humanoid-30").compile()
    qs = np.repeat(person.start()[None], 3, axis=0)
    qs[1, :4] = 0
    with pytest.raises(UsageError, match="joint 'pelvis' in row 1 of qs is not a rotation"):
        kg.dynamics.gravity_forces_many(person, qs)
    bare = kg.load("raff: 1\nname: bare\njoints:\n  - {name: J, parent: base, shape: none}\n")
    with pytest.raises(NumberError, match="joint 'J'"):
        kg.dynamics.forward_dynamics_many(bare.compile(), *np.zeros((3, 4, 1)))
