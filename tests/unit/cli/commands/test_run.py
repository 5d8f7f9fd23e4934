from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import kinegen as kg
from kinegen.cli import main
from kinegen.cli.main import EXIT_INPUT, EXIT_OK, EXIT_STOPPED

WORLD = """raff: 1
name: turn
world: {seed: 2, time: 0.05}
gravity: [0, 0, 0]
joints:
  - {name: W, parent: base, motor: {torque: 5, speed: 20, mode: velocity}, mass: 1,
     shape: {cylinder: [0.1, 0.02]}}
sensors: [{name: e, type: encoder, parent: W, noise: 0.01}]
agents: [{name: a, program: "agent.py:go"}]
"""


@pytest.fixture
def turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.py").write_text("def go(time, seen):\n    return {'W': 3.0}\n")
    (tmp_path / "turn.raff").write_text(WORLD)
    return tmp_path / "turn.raff"


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_it_runs_for_the_time_of_the_file(turn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, data = answer(capsys, "run", "turn.raff", "--out", "run.csv", "--rate", "100 Hz")
    assert code == EXIT_OK and data["complete"] and data["steps"] == 50 and data["seed"] == 2
    assert data["signals"]["W.target"] == 3.0 and data["events"] == [] and data["rows"] == 5
    with open("run.csv", encoding="utf-8") as file:
        assert len(list(csv.reader(file))) == 7  # headings, the start, five rows


def test_signals_are_listed_without_running(turn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, data = answer(capsys, "run", "turn.raff", "--list-signals")
    assert code == EXIT_OK
    rows = {row["name"]: row for row in data["signals"]}
    assert rows["W.target"]["unit"] == "rad/s" and rows["e.position"]["writer"] == "e"
    assert main(["run", "turn.raff", "--list-signals", "--force", "e.position=90 deg"]) == EXIT_OK
    assert "forced to 1.5708" in capsys.readouterr().out


def test_forced_and_cut_signals_act(turn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, data = answer(capsys, "run", "turn.raff", "--force", "W.target=60 rpm", "--time", "0.5")
    assert data["signals"]["W.velocity"] == pytest.approx(6.283, rel=1e-3)
    assert data["overridden"] == ["W.target is forced to 6.2832 rad/s"]
    _, data = answer(capsys, "run", "turn.raff", "--cut", "W.target")
    assert data["signals"]["W.velocity"] == 0.0 and data["signals"]["W.target"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--force", "W.target"], "--force takes SIGNAL=VALUE"),
        (["--force", "W.target=5 kg"], "'5 kg'"),
        (["--force", "W.targ=5"], "did you mean 'W.target'"),
        (["--seed", "1.5"], "use a whole number"),
        (["--time", "0"], "use a positive value"),
        (["--out", "run.txt"], ".mcap, .csv"),
        (["--pace", "1e-9"], "use 0.01 or more"),
        (["--engine", "reducd"], "engine 'reducd' is not"),
        (["--step", "0.03"], "which does not divide|makes 33.3333 steps"),
    ],
)
def test_what_does_not_fit_is_refused(
    turn: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    import re

    code, data = answer(capsys, "run", "turn.raff", *words)
    assert code == EXIT_INPUT and re.search(message, data["error"]), data["error"]


def test_ctrl_c_keeps_what_was_logged(
    turn: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    step = kg.World.step

    def interrupted(world: kg.World) -> None:
        if world.count == 30:
            raise KeyboardInterrupt
        step(world)

    monkeypatch.setattr(kg.World, "step", interrupted)
    code, data = answer(capsys, "run", "turn.raff", "--out", "run.csv")
    assert code == EXIT_STOPPED and data["rows"] == 3 and "Ctrl-C" in data["reason"]
    with open("run.csv", encoding="utf-8") as file:
        assert len(list(csv.reader(file))) == 5


def test_simulate_says_that_run_runs_agents(turn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "turn.raff", "--time", "0.01"]) == EXIT_OK
    assert "Left out: sensors and agents; 'kinegen run' runs them." in capsys.readouterr().out
    _, data = answer(capsys, "simulate", "turn.raff", "--time", "0.01")
    assert data["left_out"] == "sensors and agents"


def test_the_world_of_an_included_file_is_remarked(turn: Path) -> None:
    outer = turn.with_name("outer.raff")
    outer.write_text("raff: 1\nrobots: [{name: r, include: turn.raff}]\n")
    remarks = kg.load(outer).remarks
    assert [one.message for one in remarks] == [
        "the world of an included file is not used: only that of the outermost file is"
    ]
