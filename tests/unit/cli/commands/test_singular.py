"""``kinegen singular``: what is near, ahead and beyond, and the way across as a table."""

from __future__ import annotations

import csv
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from tests.unit.cli.conftest import Run

HEADING = ("--heading", "-1 0 0")


def test_the_pose_ahead_and_its_branches(run: Run) -> None:
    said = run("singular", "five-bar", *HEADING)
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0].startswith("five-bar: not singular (tool 0.1, motors 0.68)")
    assert lines[1].startswith("Ahead: after 27.52 mm: joints 'E' and 'D' are stretched")
    assert "'D' bends the other way (-): leads to another branch" in said.out
    assert "'D' bends back (+): leads to the same branch" in said.out
    table = [line.split() for line in lines if line.startswith("D ")]
    assert table == [["D", "23.58°", "0.00°", "-23.58°", "23.58°"]]


def test_the_nearest_pose_without_a_heading(run: Run) -> None:
    said = run("singular", "puma560", "--q", "wrist_2=0.3")
    assert "Nearest: the axes of 'wrist_1' and 'wrist_3' are in line" in said.out
    assert "4 branches:" in said.out


def test_everything_for_programs(run: Run) -> None:
    data = run("singular", "puma560", "--joints", "elbow=1", "--json").data
    assert data["kind"] == "none" and data["gain_distance"] is None
    assert 0.3 < data["task_distance"] < 0.5
    stretched = -math.pi / 2 + math.atan(0.0203 / 0.4318)
    assert data["ahead"]["distance"] == pytest.approx(stretched + math.pi, abs=1e-9)
    assert data["ahead"]["unit"] == "rad" and data["ahead"]["exact"]
    assert data["singular"]["kind"] == "task"
    assert data["singular"]["q"]["elbow"] == pytest.approx(stretched, abs=1e-9)
    assert [branch["crosses"] for branch in data["branches"]] == [True, False]
    assert data["branches"][0]["q"]["elbow"] > stretched


def test_what_is_not_there_is_said(run: Run) -> None:
    said = run("singular", "four-bar", "--kind", "gain")
    assert said.code == 0 and "has no singular pose of kind 'gain' near this one" in said.out
    data = run("singular", "four-bar", "--joints", "crank=1", "--json").data
    assert data["singular"] is None and data["branches"] == []
    assert data["reason"].startswith("no singular pose within 36")


@pytest.mark.parametrize("branch", ["0", "other way"])
def test_the_way_across(run: Run, branch: str) -> None:
    said = run(
        "singular", "five-bar", *HEADING, "--cross", branch, "--step", 0.02, "--out", "way.csv"
    )
    assert said.code == 0 and said.out.startswith("'D' bends the other way (-): ")
    with Path("way.csv").open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == [f"{name} [rad]" for name in "ABEDC"]
    way = np.array(rows, dtype=float)
    assert f"{len(way)} poses in way.csv" in said.out
    model = kg.load("five-bar").compile()
    assert max(kg.kinematics.loop_gap(model, q).largest for q in way) < 1e-9
    assert max(np.abs(b - a).max() for a, b in pairwise(way)) <= 0.02
    assert way[0][3] == pytest.approx(-way[-1][3], abs=1e-6)


def test_the_way_goes_to_the_terminal_or_to_programs(run: Run) -> None:
    printed = run("singular", "five-bar", *HEADING, "--cross", "back").out.splitlines()
    data = run("singular", "five-bar", *HEADING, "--cross", "back", "--json").data
    assert data["columns"] == printed[0].split(",") and data["branch"] == "'D' bends back (+)"
    np.testing.assert_array_equal(
        data["path"], np.array([line.split(",") for line in printed[1:]], dtype=float)
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--heading", "1 2"], "--heading takes 3 or 6 numbers, got '1 2'"),
        (["--heading", "0 0 0"], "the heading leads nowhere"),
        (["--joints", "A"], "'A' is not NAME=SPEED"),
        (["--joints", "X=1"], "joint 'X'"),
        (["--frame", "handel"], "did you mean 'handle'"),
        (["--out", "way.csv"], "choose its branch with --cross"),
        ([*HEADING, "--cross", "left"], "there is no branch 'left'; branches: 0: 'D' bends"),
        ([*HEADING, "--cross", "0", "--step", "0"], "max_step is 0.0, must be positive"),
        (["--joints", "A=1", "--cross", "0", "--kind", "task"], "there is no crossing"),
    ],
)
def test_questions_that_make_no_sense(run: Run, words: list[str], reason: str) -> None:
    said = run("singular", "five-bar", *words)
    assert said.code == 1
    assert reason in said.err
