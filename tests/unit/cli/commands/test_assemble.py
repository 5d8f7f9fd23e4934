"""kinegen assemble: what moved, and the pose written back."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.cli import main

TEXT = """raff: 1
joints:
  - {name: A, parent: base, start: 90 deg, motor: true}
  - {name: B, parent: A, d: 0.3, start: -90 deg}
  - {name: D, parent: base, d: 0.4, start: 90 deg}  # rocker
  - {name: C, parent: B, d: 0.4, closes: {onto: D, d: 0.3}}
"""


def test_the_closed_pose_is_written_into_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "my.raff"
    file.write_text(TEXT)
    assert main(["assemble", str(file), "--write"]) == 0
    assert "these joints moved: C by 90.00°" in capsys.readouterr().out
    assert file.read_text() == TEXT.replace("d: 0.3}}", "d: 0.3}, start: 90 deg}")
    assert main(["assemble", str(file), "--modes", "--mode", "2", "--write"]) == 0
    other = kg.load(file).compile()
    assert kg.kinematics.loop_gap(other).distance < 1e-9 and other.start()[1] < -2.8
    assert "# rocker" in file.read_text()


def test_the_library_is_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assemble", "four-bar", "--write"]) == 1
    assert "make a file of your own: kinegen convert four-bar" in capsys.readouterr().err


def test_named_joints_hold_in_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assemble", "four-bar", "--q", "crank=60 deg", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["q"]["crank"] == pytest.approx(math.radians(60))
    assert "crank" not in answer["moved"] and answer["branch_changed"] is False
    assert main(["assemble", "five-bar", "--modes", "--input", "A,E"]) == 0


def test_the_mode_is_named_in_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "my.raff"
    file.write_text(TEXT)
    for words, message in (
        (["--mode", "2", "--modes"], "either --write or --write-mode"),
        (["--write-mode"], "needs --modes and --mode N"),
        (["--modes", "--mode", "2", "--write-mode", "--q", "A=1"], "no --q or --input"),
        (["--modes", "--mode", "9", "--write-mode"], "there are 2 modes"),
    ):
        assert main(["assemble", str(file), *words]) == 1
        assert message in capsys.readouterr().err
    assert file.read_text() == TEXT
    assert main(["assemble", str(file), "--modes", "--mode", "2", "--write-mode"]) == 0
    assert file.read_text() == TEXT + 'mode: "-"\n'
    assert kg.assemble(kg.load(file).compile()).q[1] < -2.8
    capsys.readouterr()
    # the other one again: modes are listed from the one that is named
    assert main(["assemble", str(file), "--modes", "--mode", "2", "--write-mode", "--json"]) == 0
    assert [mode["key"] for mode in json.loads(capsys.readouterr().out)["assembly_modes"]] == [
        "-",
        "+",
    ]
    assert kg.load(file).mode == "+"
    assert main(["check", str(file)]) == 0
    file.write_text(TEXT + "mode: 3\n")
    assert main(["check", str(file)]) == 1
    assert "its modes: 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["fk", "--json"],
        ["drag", "--to", "0.1 0.4 0", "--json"],
        ["statics", "--json"],
        ["singular", "--json"],
        ["simulate", "--time", "0.01", "--json"],
    ],
)
def test_commands_begin_in_the_mode_that_is_named(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = []
    for mode in ("+", "-"):
        file = tmp_path / "my.raff"
        file.write_text(
            TEXT.replace("d: 0.3, start: -90", "d: 0.25, start: -60") + f'mode: "{mode}"\n'
        )
        assert main([words[0], str(file), *words[1:]]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] != answers[1]
