"""``kinegen dynamics``."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from tests.unit.cli.conftest import Run


def test_json_is_what_python_says(run: Run) -> None:
    words = ("dynamics", "ur5e", "--v", "elbow=1.5", "--vdot", "0 0 2 rad/s2 0 0 0", "--json")
    data = run(*words).data
    model = kg.load("ur5e").compile()
    q, v, vdot = model.start(), np.zeros(6), np.zeros(6)
    v[2], vdot[2] = 1.5, 2.0
    tau = kg.inverse_dynamics(model, q, v, vdot)
    assert list(data["torques"].values()) == pytest.approx(tau.tolist())
    assert list(data["bias"].values()) == pytest.approx(kg.bias(model, q, v).tolist())
    assert list(data["gravity"].values()) == pytest.approx(kg.gravity_forces(model, q).tolist())
    np.testing.assert_allclose(data["mass_matrix"], kg.mass_matrix(model, q))
    assert data["energy"]["kinetic"] == pytest.approx(kg.energy(model, q, v).kinetic)
    assert data["variables"] == list(data["torques"]) and data["remarks"] == []


def test_a_table_for_people(run: Run) -> None:
    code, out, err = run("dynamics", "puma560")
    assert code == 0 and "link 'elbow' has principal moments" in err
    lines = out.splitlines()
    assert lines[0].split()[:2] == ["variable", "effort"]
    assert [line.split()[0] for line in lines[2:8]] == list(kg.load("puma560").joints)
    assert "N m" in lines[3] and "kg m²" in lines[3]
    assert lines[-1].startswith("energy ")


def test_several_freedoms_and_loops(run: Run) -> None:
    out = run("dynamics", "humanoid-30", "--v", "waist=(0 0 1)", "--json").data
    assert out["v"]["waist"] == [0, 0, 1] and len(out["mass_matrix"]) == 30
    assert "this is the tree alone" in run("dynamics", "five-bar").err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--v", "1 2"), "--v of 'ur5e' takes 6 numbers, got 2"),
        (("--v", "elbow=1 2"), "--v of joint 'elbow' takes 1 number, got 2"),
        (("--vdot", "elbow=1, 2"), "--vdot: '2' is not NAME=VALUE"),
        (("--v", "elbow=3 mm"), "--v: '3 mm'"),
        (("--v", "elbo=1"), "elbo"),
    ],
)
def test_bad_input(run: Run, words: tuple[str, ...], said: str) -> None:
    code, _, err = run("dynamics", "ur5e", *words)
    assert code == 1 and said in err
