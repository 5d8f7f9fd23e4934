from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run

BOX = ["grasp", "amtec-7", "--at", "45 cm 10 cm 30 cm", "--box", "4 cm 5 cm 6 cm"]


def test_a_gripper_takes_a_box(run: Run) -> None:
    answer = run(*BOX)
    assert answer.code == 0 and "closes finger_left, finger_right" in answer.out
    data = run(*BOX, "--clearance", "8 cm", "--json").data
    assert data["reached"] and data["object"] == "box"
    assert len(data["path"]) == data["poses"] > data["grasp_at"]


def test_an_object_of_the_scene_as_a_motion(run: Run, tmp_path: Path) -> None:
    answer = run("grasp", "arm-and-wall", "post", "--time", "2 s", "--out", "grasp.csv")
    assert answer.code == 0 and answer.out.endswith("wrote grasp.csv\n")
    with (tmp_path / "grasp.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert float(rows[-1][0]) == 2.0
    assert run("grasp", "arm-and-wall", "post", "--out", "grasp.json").code == 0


def test_what_is_out_of_reach_ends_with_1(run: Run) -> None:
    far = run("grasp", "arm-and-wall", "post", "--at", "5 0 0")
    assert far.code == 1 and "not reached" in far.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name an object"),
        (["--at", "1 0 0"], "--box"),
        (["cup"], "objects: wall, post"),
        (["post", "--box", "1 1 1"], "not both"),
        (["post", "--rpy", "0 0 0"], "--at"),
        (["post", "--out", "grasp.doc"], ".csv"),
        (["post", "--frame", "claw"], "claw"),
    ],
)
def test_bad_calls(run: Run, words: list[str], message: str) -> None:
    answer = run("grasp", "arm-and-wall", *words)
    assert answer.code != 0 and message in answer.err
