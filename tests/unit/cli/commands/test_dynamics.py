"""``kinegen dynamics``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from tests.unit.cli.conftest import Run

CRANE = """raff: 1
name: crane
joints:
  - {name: boom, parent: base, alpha: 90 deg, mass: 5, centre: [0.5, 0, 0], inertia: [0, 0.4, 0.4]}
frames: [{name: tip, parent: boom, d: 1}]
springs: [{name: s, from: {frame: tip}, to: {xyz: [1, 0, 2]}, stiffness: 100 N/m, rest: 1.5}]
"""


def test_json_is_what_python_says(run: Run) -> None:
    words = ("dynamics", "ur5e", "--v", "elbow=1.5", "--vdot", "0 0 2 rad/s2 0 0 0", "--json")
    data = run(*words).data
    model = kg.load("ur5e").compile()
    q, v, vdot = model.start(), np.zeros(6), np.zeros(6)
    v[2], vdot[2] = 1.5, 2.0
    tau = kg.dynamics.inverse_dynamics(model, q, v, vdot)
    assert list(data["torques"].values()) == pytest.approx(tau.tolist())
    assert list(data["bias"].values()) == pytest.approx(kg.dynamics.bias(model, q, v).tolist())
    assert list(data["gravity"].values()) == pytest.approx(
        kg.dynamics.gravity_forces(model, q).tolist()
    )
    np.testing.assert_allclose(data["mass_matrix"], kg.dynamics.mass_matrix(model, q))
    assert data["energy"]["kinetic"] == pytest.approx(kg.dynamics.energy(model, q, v).kinetic)
    assert data["variables"] == list(data["torques"]) and data["remarks"] == []


def test_a_table_for_people(run: Run) -> None:
    code, out, err = run("dynamics", "puma560")
    assert code == 0 and "link 'elbow' has principal moments" in err
    lines = out.splitlines()
    assert lines[0].split()[:2] == ["variable", "effort"]
    assert [line.split()[0] for line in lines[2:8]] == list(kg.load("puma560").joints)
    assert "N m" in lines[3] and "kg m²" in lines[3]
    assert lines[-1].startswith("energy ")


def test_several_degrees_of_freedom(run: Run) -> None:
    out = run("dynamics", "humanoid-30", "--v", "waist=(0 0 1)", "--json").data
    assert out["v"]["waist"] == [0, 0, 1] and len(out["mass_matrix"]) == 30


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--v", "1 2"), "--v of 'ur5e' takes 6 numbers, got 2; in order: shoulder_pan"),
        (("--vdot", "elbow=1 deg/s"), "use rad/s2, deg/s2"),
        (("--load", "tol=1,2,3"), "did you mean 'tool'?"),
        (("--v", "elbow=1 2"), "--v of joint 'elbow' takes 1 number, got 2"),
        (("--vdot", "elbow=1, 2"), "--vdot: '2' is not NAME=VALUE"),
        (("--v", "elbow=3 mm"), "--v: '3 mm'"),
        (("--v", "elbo=1"), "elbo"),
    ],
)
def test_bad_input(run: Run, words: tuple[str, ...], said: str) -> None:
    code, _, err = run("dynamics", "ur5e", *words)
    assert code == 1 and said in err


def test_efforts_are_the_sum_of_their_columns(run: Run) -> None:
    words = ("--v", "waist=3 rad/s", "--vdot", "elbow=1", "--load", "tool=0,0,-20")
    out = run("dynamics", "puma560", *words).out
    head, _, *rows = (line for line in out.splitlines())
    assert head.split("  ")[0] == "variable" and "= acceleration" in head and "+ loads" in head
    for row in rows[:6]:
        effort, *parts = (float(x) for x in row.replace("N m", "").split()[1:6])
        assert effort == pytest.approx(sum(parts), abs=3e-4)


def test_loads_and_gravity_are_taken(run: Run) -> None:
    data = run("dynamics", "ur5e", "--load", "tool=0 0 -20 N", "--gravity", "0 0 0", "--json").data
    model = kg.load("ur5e").compile()
    wanted = kg.jacobian(model, None, "tool").T @ [0, 0, 20, 0, 0, 0]
    assert list(data["torques"].values()) == pytest.approx(wanted.tolist())
    assert data["torques"] == pytest.approx(data["loads"]) and data["energy"]["gravity"] == 0


def test_motors_of_loops_are_those_of_the_closed_mechanism(run: Run) -> None:
    words = ("dynamics", "five-bar", "--v", "A=1, E=-1", "--vdot", "A=0, E=5")
    data = run(*words, "--json").data
    model = kg.load("five-bar").compile()
    found = kg.dynamics.motor_efforts(model, None, {"A": 1, "E": -1}, {"A": 0, "E": 5})
    assert data["motor_torques"] == pytest.approx(
        {name: found.effort(name)[0] for name in ("A", "E")}
    )
    assert any("loops cut open" in remark for remark in data["remarks"])
    assert data["v"]["C"] == pytest.approx(found.v[-1])  # as the loops move it
    # all of v by numbers: the motors' count, the others follow
    full = run("dynamics", "five-bar", "--v", "1 0 -1 0 0", "--vdot", "0 0 5 0 0", "--json").data
    assert full["motor_torques"] == pytest.approx(data["motor_torques"])
    out = run(*words).out
    assert "Motors, through the closed loops:" in out and "Without the loops" in out
    assert "\nC " not in out  # a cut joint has no row in the tree


def test_at_rest_the_motors_hold_as_statics_says(run: Run) -> None:
    held = run("statics", "stewart", "--json").data["motors"]
    moved = run("dynamics", "stewart", "--json").data["motor_torques"]
    assert moved == pytest.approx({row["joint"]: row["effort"] for row in held})


def test_loops_without_motors_say_so(run: Run) -> None:
    code, out, _ = run("dynamics", "bricard")
    assert code == 0 and "no motor of mechanism 'bricard' holds" in out and "kg m²" in out
    data = run("dynamics", "bricard", "--json").data
    assert data["motor_torques"] is None and "no motor" in data["remarks"][-1]
    code, _, err = run("dynamics", "five-bar", "--v", "A=1, B=2, C=3")
    assert code == 1 and "cannot all be met\n" in err


def test_springs_between_points_count(run: Run, file: Callable[..., Path]) -> None:
    data = run("dynamics", file(CRANE), "--json").data
    # 2 m long, 0.5 m stretched: 50 N upwards at an arm of 1 m
    assert data["passive"]["boom"] == pytest.approx(50)
    assert data["energy"]["springs"] == pytest.approx(0.5 * 100 * 0.25)
    assert "minus the share of springs and friction" in run("dynamics", file(CRANE)).out


def test_nothing_to_move_is_no_error(run: Run, file: Callable[..., Path]) -> None:
    path = file("raff: 1\nname: rock\njoints: []\n")
    assert run("dynamics", path).code == 0
    assert run("dynamics", path, "--json").data["centre_of_mass"] is None
