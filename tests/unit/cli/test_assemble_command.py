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
    assert kg.loop_gap(other)[0] < 1e-9 and other.start()[1] < -2.8
    assert "# rocker" in file.read_text()


def test_the_library_is_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assemble", "four-bar", "--write"]) == 1
    assert "make a file of it: kinegen convert four-bar" in capsys.readouterr().err


def test_named_joints_hold_in_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assemble", "four-bar", "--q", "crank=60 deg", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["q"]["crank"] == pytest.approx(math.radians(60))
    assert "crank" not in answer["moved"] and answer["branch_changed"] is False
    assert main(["assemble", "five-bar", "--modes", "--input", "A,E"]) == 0
