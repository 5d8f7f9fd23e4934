"""``kinegen statics``: table, JSON, and what it refuses."""

from __future__ import annotations

import json

import pytest

from kinegen.cli.main import main

UPRIGHT = ["--gravity", "0 -9.81 0"]


def test_the_table_names_motors_and_joints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["statics", "five-bar", *UPRIGHT, "--load", "handle=0,-10,0"]) == 0
    out = capsys.readouterr().out
    assert "at rest under its weight and 1 load" in out
    assert "A      -0.3538  N m            18%" in out
    lines = [line.split() for line in out.splitlines()]
    assert [line[0] for line in lines if len(line) == 9][-5:] == ["A", "B", "E", "D", "C"]


def test_json_balances(capsys: pytest.CaptureFixture[str]) -> None:
    loads = ["--load", "handle=1,-10,2,0,0,0.5 B=0,1,0", "--load", "handle=0,-5,0"]
    assert main(["statics", "five-bar", *UPRIGHT, *loads, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["loads"]["handle"] == [1, -15, 2, 0, 0, 0.5]
    assert [motor["joint"] for motor in answer["motors"]] == ["A", "E"]
    assert answer["motors"][0]["unit"] == "N m"
    assert answer["motors"][0]["limit"] == 2
    forces = [answer["reactions"][name]["force"] for name in ("A", "E")]
    # sideways and out of the plane there is no weight
    assert forces[0][0] + forces[1][0] == pytest.approx(-1)
    assert forces[0][2] + forces[1][2] == pytest.approx(-2)


def test_legs_push_in_newtons(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["statics", "stewart", "--json"]) == 0
    motors = json.loads(capsys.readouterr().out)["motors"]
    assert {motor["unit"] for motor in motors} == {"N"}
    assert all(motor["effort"] > 0 for motor in motors)


def test_redundant_motors_and_forces_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["statics", "bricard", "--motors", "P1, P2"]) == 0
    out = capsys.readouterr().out
    assert "The motors are redundant: they can act against each other in 1 way" in out
    assert "over-constrained: 1 force" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["statics", "five-bar", "--load", "handle=1"], "specify handle=fx,fy,fz"),
        (["statics", "five-bar", "--load", "handel=1,2,3"], "handel"),
        (["statics", "five-bar", "--load", "handle=1,x,3"], "--load"),
        (["statics", "five-bar", "--motors", "Z"], "'Z'"),
        (["statics", "bricard"], "no motor of mechanism 'bricard' holds"),
    ],
)
def test_mistakes_are_reported(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 1
    assert message in capsys.readouterr().err


def test_rounding_is_not_shown_as_a_force(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("stewart", "four-bar", "delta"):
        assert main(["statics", name]) == 0
        assert "e-" not in capsys.readouterr().out


def test_named_joints_keep_their_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["statics", "four-bar", "--q", "crank=0 deg", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["q"]["crank"] == 0 and answer["motors"][0]["effort"] > 0.3
