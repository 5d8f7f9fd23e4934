"""``kinegen fk``."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from tests.unit.cli.conftest import Run


def test_one_frame_by_hand(run: Run) -> None:
    """Crank and coupler stretched along x: the handle is 100 + 500 mm away."""
    code, out, err = run("fk", "four-bar", "--q", "0 0 0 0", "--frame", "handle")
    assert code == 0
    assert err.startswith("note: in this pose the loops are open by 100 mm,")
    header, _, row = out.splitlines()
    assert header.split() == ["frame", "x", "y", "z", "roll", "pitch", "yaw", "quaternion", *"wxyz"]
    assert row.split() == ["handle", "600.00", "mm", "0.00", "mm", "0.00", "mm", *["0.00°"] * 3,
                           "1.00000", "0.00000", "0.00000", "0.00000"]  # fmt: skip


def test_without_a_frame_all_are_shown(run: Run) -> None:
    out = run("fk", "four-bar").out.splitlines()
    assert [line.split()[0] for line in out[2:]] == ["base", "crank", "coupler", "rocker", "handle"]
    assert len({len(line) for line in out[1:]}) == 1  # one block


def test_open_loops_are_reported(run: Run) -> None:
    assert run("fk", "four-bar").err == ""
    closed = run("fk", "four-bar", "--json").data
    assert closed["closed"] is True
    done = run("fk", "four-bar", "--q", "0 0 0 0", "--json")
    assert done.err == ""
    gap = kg.kinematics.loop_gap(kg.load("four-bar").compile(), [0, 0, 0, 0])
    assert done.data["closed"] is False
    assert done.data["gap"] == pytest.approx(gap.to_dict())


def test_values_by_name_and_parameters(run: Run) -> None:
    words = ("fk", "puma560", "--json")
    data = run(*words, "--q", "waist=90 deg, wrist_1=0.5").data
    assert (data["q"]["waist"], data["q"]["wrist_1"]) == (pytest.approx(math.pi / 2), 0.5)
    assert data["q"]["shoulder"] == kg.load("puma560").compile().start()[1], "as in the file"


def test_loops_are_closed_around_the_joints_that_are_named(run: Run) -> None:
    words = ("fk", "four-bar", "--frame", "handle", "--json", "--set", "reach=0.3")
    done = run(*words, "--q", "crank=90 deg")
    assert done.err == "" and done.data["closed"] is True
    assert done.data["q"]["crank"] == pytest.approx(math.pi / 2)
    refused = run("fk", "four-bar", "--q", "crank=0, coupler=90 deg")
    assert refused.code != 0 and "do not close with these values" in refused.err


@pytest.mark.parametrize("name", kg.library_names())
def test_json_is_the_forward_kinematics(run: Run, name: str) -> None:
    data = run("fk", name, "--json").data
    for frame, X in kg.poses(kg.load(name).compile()).items():
        np.testing.assert_allclose(data["frames"][frame]["xyz"], X.translation, atol=1e-15)
        np.testing.assert_allclose(data["frames"][frame]["quat"], X.quat, atol=1e-15)


def test_joints_of_several_variables_are_lists(run: Run) -> None:
    data = run("fk", "humanoid-30", "--json").data
    assert len(data["q"]["pelvis"]) == 7
    assert len(data["q"]["waist"]) == 4
    assert isinstance(data["q"]["left_elbow"], float)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--frame", "handel"),
            "frame 'handel' is not in mechanism 'four-bar'; did you mean 'handle'?",
        ),
        (("--frame", "pin"), "frame 'pin' is not in mechanism 'four-bar'"),
        (("--q", "1 2"), "--q of mechanism 'four-bar' takes 4 numbers, got 2"),
        (("--q", "crank=1 mm"), "--q: '1 mm': this is an angle"),
        (("--set", "crank"), "--set takes PARAMETER=VALUE"),
    ],
)
def test_mistakes_are_reported(run: Run, words: tuple[str, ...], message: str) -> None:
    code, out, err = run("fk", "four-bar", *words)
    assert (code, out) == (1, "")
    assert err.startswith(f"kinegen: {message}")
    code, _, err = answer = run("fk", "four-bar", *words, "--json")
    assert (code, err) == (1, "")
    assert answer.data["problems"][0]["message"].startswith(message)


def test_zero_is_never_written_as_minus_zero(run: Run) -> None:
    out = run("fk", "four-bar", "--q", "180deg 180deg 0 0").out
    assert "-0.00 " not in out
    assert "-0.00°" not in out
    assert "-0.00000" not in out


def test_a_mode_that_does_not_exist_is_refused(run: Run, tmp_path: Path) -> None:
    text = kg.load("four-bar").to_raff()
    path = tmp_path / "my.raff"
    path.write_text(text.replace("raff: 1", "raff: 1\nmode: 3", 1), encoding="utf-8")
    for words in (("fk", path), ("fk", path, "--json"), ("check", path)):
        answer = run(*words)
        assert answer.code != 0
        assert "names mode '3'" in answer.out + answer.err
