"""``kinegen workspace``, ``zone`` and ``backlash``."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from tests.unit.cli.conftest import Run


def test_workspace_in_words_and_json(run: Run) -> None:
    code, out, _ = run("workspace", "lynx6", "--factor", "15")
    assert code == 0 and out.startswith("lynx6: 5184 poses, 25920 points in ")
    code, out, _ = run("workspace", "lynx6", "--factor", "30", "--body", "--json")
    answer = json.loads(out)
    assert answer["poses"] == 6 * 3 * 3 * 6 and answer["points"] == 5 * answer["poses"]
    assert answer["ranges"]["waist"] == {"lower": 0, "upper": pytest.approx(math.pi), "count": 6}
    assert answer["frames"]["tool"]["upper"][2] == pytest.approx(0.48, abs=0.01)
    assert answer["body"]["unit"] == "m³" and answer["body"]["pieces"] >= 1


def test_what_is_worth_looking_at_is_chosen(run: Run) -> None:
    spread = run("workspace", "puma560", "--auto", "--json").data
    assert spread["poses"] == 50_000 and spread["ranges"]["waist"]["count"] is None
    grid = run("workspace", "lynx6", "--auto", "--layer", "dexterity", "--json").data
    assert grid["poses"] == 5184 and list(grid["frames"]) == ["tool"]
    zone = run("zone", "delta", "--step", "auto", "--json").data
    # the step is as fine as this machine computes in a few seconds
    assert zone["kind"] == "inputs" and zone["points"] >= 1000


def test_workspace_ranges_and_files(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "points.npz"
    code, _, _ = run(
        "workspace", "lynx6", "--range", "waist=0:0, elbow=10 deg:20 deg", "--factor", "30",
        "--out", str(file),
    )  # fmt: skip
    assert code == 0
    with np.load(file) as kept:
        assert np.abs(kept["points"][..., 1]).max() < 1e-12
    surface = tmp_path / "surface.glb"
    assert run("workspace", "lynx6", "--factor", "20", "--out", str(surface))[0] == 0
    assert surface.read_bytes()[:4] == b"glTF"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("workspace", "five-bar"), "has loops"),
        (("workspace", "lynx6", "--range", "elbow=1"), "is not JOINT=LOW:HIGH"),
        (("workspace", "lynx6", "--range", "elbow=90 deg:0 deg"), "reversed"),
        (("workspace", "lynx6", "--range", "elbow=5 mm:1"), "length"),
        (("workspace", "lynx6", "--range", "hand=0:1"), "joint 'hand' is not in"),
        (("workspace", "lynx6", "--count", "1000000000000"), "1e+12 poses"),
        (("workspace", "lynx6", "--layer", "shine"), "there is no layer 'shine'"),
        (("zone", "five-bar", "--step", "3 kg"), "takes an angle or a length"),
        (("zone", "stewart", "--step", "50 mm", "--turn"), "--step that is an angle"),
        (("zone", "five-bar", "--step", "20 deg", "--out", "zone.glb"), "have no surface"),
        (("zone", "stewart",), "too many to sweep"),
        (("zone", "five-bar", "--method", "solver", "--cluster", "local:x"), "as local:4"),
        (("backlash", "five-bar"), "there is no backlash"),
        (("backlash", "five-bar", "--joints", "A"), "is not JOINT=ANGLE"),
        (("backlash", "five-bar", "--angle=-1 deg"), "use 0, or from"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(run: Run, words: tuple[str, ...], message: str) -> None:
    code, out, err = run(*words)
    assert code == 1 and out == ""
    assert message in err


def test_zone_in_words_and_json(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("zone", "eight-bar", "--step", "4 deg", "--tilt", "80 deg", "--body")
    assert code == 0 and "tilt held at 80.00°, by the triangle method" in out
    assert "F+I flipped" in out and "hole" in out
    file = tmp_path / "zone.csv"
    code, out, _ = run(
        "zone", "five-bar", "--step", "10 deg", "--modes", "home", "--out", str(file), "--json"
    )
    answer = json.loads(out)
    assert answer["method"] == "triangles" and answer["unit"] == "m²"
    assert [mode["name"] for mode in answer["modes"]] == ["home"]
    assert len(file.read_text(encoding="utf-8").splitlines()) == answer["points"] + 1


def test_a_zone_is_coloured_by_quality(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "zone.csv"
    words = ("zone", "five-bar", "--step", "10 deg", "--layer", "manipulability")
    code, out, _ = run(*words, "--out", str(file))
    assert code == 0 and "manipulability: " in out and ", on average " in out
    head, *rows = file.read_text(encoding="utf-8").splitlines()
    assert head == "mode,x [m],y [m],z [m],manipulability"
    answer = json.loads(run(*words, "--json")[1])
    assert answer["layer"] == "manipulability"
    found = [float(row.split(",")[4]) for row in rows if row.startswith("home,")]
    assert answer["modes"][0]["values"]["highest"] == pytest.approx(max(found))
    picture = tmp_path / "zone.svg"
    assert run(*words, "--out", str(picture)).code == 0
    assert "manipulability" in picture.read_text(encoding="utf-8")
    assert "there is no layer 'speed'" in run(*words[:-1], "speed").err
    assert "colour it by mode" in run(*words[:-1], "link").err


def test_zone_by_place_and_by_turn(run: Run) -> None:
    place = json.loads(run("zone", "3-rrr", "--step", "20 mm", "--json")[1])
    assert place["kind"] == "place" and place["unit"] == "m²" and place["size"] > 0.03
    turn = json.loads(run("zone", "stewart", "--step", "30 deg", "--turn", "--json")[1])
    assert turn["kind"] == "turn" and turn["points"] > 5


def test_backlash_in_words_and_json(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "backlash.ply"
    code, out, _ = run("backlash", "five-bar", "--joints", "A=1 deg, E=1 deg", "--out", str(file))
    assert code == 0 and "may be off by" in out and "Most of it comes from" in out
    assert file.read_bytes().startswith(b"ply")
    answer = json.loads(run("backlash", "lynx6", "--angle", "0.5 deg", "--json")[1])
    assert answer["worst"] >= max(answer["upper"]) > 0
    assert sum(answer["shares"].values()) == pytest.approx(max(answer["bound"]))


def test_what_holds_still_is_said_and_random_poses_have_no_counts(run: Run) -> None:
    words = ["workspace", "humanoid-30", "--frame", "right_hand", "--count", "50"]
    code, out, _ = run(*words)
    assert code == 0 and "are held fixed: " in out and "right_shoulder" in out
    answer = json.loads(run(*words, "--json").out)
    assert "right_shoulder" in answer["held"]
    assert {one["count"] for one in answer["ranges"].values()} == {None}
