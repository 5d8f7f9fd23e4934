"""``kinegen info``."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import kinegen as kg
from tests.unit.cli.conftest import Run

File = Callable[[str], Path]

EVERYTHING = """raff: 1
name: everything
title: One of each
description: A mechanism with a joint of every type.
source: Made up.
parameters: {arm: 100 mm, tilt: 30 deg, load: 2 kg, area: 3 cm2, odd: (2 kg)*area, plain: 0.5}
joints:
  - {name: turn, parent: base, d: arm, alpha: tilt, limits: [-1, 90 deg], motor: true, mass: load}
  - {name: slide, type: prismatic, parent: turn, start: 20 mm, limits: [10 mm, 30 mm]}
  - {name: thread, type: screw, parent: slide, pitch: 2 mm}
  - {name: bush, type: cylindrical, parent: thread, limits: [none, [0, 5 mm]]}
  - {name: cross, type: universal, parent: bush, start: [0.1, 0.2]}
  - {name: ball, type: spherical, parent: cross, start: [10 deg, 20 deg, 30 deg], limits: 45 deg}
  - {name: table, type: planar, parent: ball}
  - {name: weld, type: fixed, parent: table}
  - {name: body, type: free, parent: base, start: {xyz: [0, 0, 1], rpy: [0, 0, 90 deg]}}
  - {name: pin, parent: body, closes: {onto: weld}}
frames:
  - {name: tool, parent: weld, r: plain}
"""


def cells(out: str, name: str) -> list[str]:
    """The cells of the table row that begins with a name."""

    row = next(line for line in out.splitlines() if line.split()[:1] == [name])
    return re.split(r" {2,}", row)


def test_everything_is_shown_with_its_unit(run: Run, file: File) -> None:
    code, out, err = run("info", file(EVERYTHING))
    assert (code, err) == (0, "")
    assert out.startswith("everything: One of each\n  A mechanism with a joint of every type.\n")
    assert "  Source: Made up.\n" in out
    assert "10 joints, 10 links (base included), 1 loop; nq = 22, nv = 20\n" in out
    assert cells(out, "turn") == ["turn", "revolute", "base", "0.00°", "-57.30° … 90.00°", "yes"]
    assert cells(out, "slide")[3:] == ["20.00 mm", "10.00 mm … 30.00 mm"]
    assert cells(out, "bush")[3:] == ["0.00°, 0.00 mm", "r 0.00 mm … 5.00 mm"]
    assert cells(out, "cross")[3:] == ["5.73°, 11.46°", "none"]
    assert cells(out, "ball")[3:] == ["rpy 10.00°, 20.00°, 30.00°", "swing up to 45.00°"]
    assert cells(out, "table")[3:] == ["0.00 mm, 0.00 mm, 0.00°", "none"]
    assert cells(out, "weld")[3:] == ["-", "none"]
    assert cells(out, "body")[3] == "xyz 0.00 mm, 0.00 mm, 1000.00 mm; rpy 0.00°, 0.00°, 90.00°"
    assert cells(out, "pin")[-1] == "weld"
    assert cells(out, "tool") == ["tool", "weld"]
    assert cells(out, "arm")[1:] == ["100.00 mm", "100 mm"]
    assert cells(out, "tilt")[1:] == ["30.00°", "30 deg"]
    assert cells(out, "load")[1:] == ["2 kg", "2 kg"]
    assert cells(out, "area")[1:] == ["0.0003 m2", "3 cm2"]
    assert cells(out, "odd")[1:] == ["0.0006 kgm2", "(2 kg)*area"]
    assert cells(out, "plain")[1:] == ["0.5", "0.5"]
    assert "A value without a unit is in SI units" in out
    assert "At its start its loop is open by up to " in out


def test_the_table_of_joints_lines_up(run: Run, file: File) -> None:
    out = run("info", file(EVERYTHING)).out.splitlines()
    rule = next(i for i, line in enumerate(out) if line.startswith("─"))
    starts = [
        i for i, c in enumerate(out[rule]) if c == "─" and (i == 0 or out[rule][i - 1] == " ")
    ]
    for line in [out[rule - 1], *out[rule + 1 : rule + 11]]:
        for start in starts[1:]:
            assert line[start - 2 : start].strip() == ""  # two blanks before every column
    assert out[rule - 1].split() == ["joint", "type", "on", "link", "start", "limits", "motor",
                                     "closes", "onto"]  # fmt: skip


def test_only_what_is_there_is_shown(run: Run, file: File) -> None:
    out = run("info", file("raff: 1\nname: bare\n")).out
    assert (
        out == "bare: a mechanism\n\n0 joints, 1 link (base included), 0 loops; nq = 0, nv = 0\n\n"
    )
    out = run("info", file("raff: 1\njoints: [{name: A, parent: base}]\n")).out
    for absent in ("closes onto", "parameter", "\nframe", "loop is", "SI units"):
        assert absent not in out
    assert "1 joint, 2 links" in out


def test_closed_loops_are_said_to_be_closed(run: Run) -> None:
    assert "At its start its loop is closed.\n" in run("info", "four-bar").out
    assert "At its start its loops are closed.\n" in run("info", "stewart").out


def test_parameters_change_what_is_shown(run: Run) -> None:
    out = run("info", "five-bar", "--set", "crank=120 mm").out
    assert cells(out, "crank")[1:] == ["120.00 mm", "120 mm"]
    assert "its loop is open by up to" in run("info", "four-bar", "--set", "crank=120 mm").out


@pytest.mark.parametrize("name", kg.library_names())
def test_json_describes_the_model(run: Run, name: str) -> None:
    data = run("info", name, "--json").data
    model = kg.load(name).compile()
    assert data["name"] == name
    assert [joint["name"] for joint in data["joints"]] == [joint.name for joint in model.joints]
    assert data["links"] == list(model.link_names)
    assert [loop["joint"] for loop in data["loops"]] == [j.name for j in model.joints if j.is_cut]
    assert (data["nq"], data["nv"]) == (model.nq, model.nv)
    assert data["frames"] == [frame.name for frame in model.frames]
    assert data["parameters"] == dict(model.parameters)
    counts = (data["joint_count"], data["link_count"], data["loop_count"])
    assert counts == (len(model.joints), model.link_count, len(model.loops))
    assert max(data["start_gap"].values()) < 1e-6
    for joint in data["joints"]:
        kind = kg.JointType(joint["type"]).info
        assert len(joint["lower"]) == len(joint["upper"]) == kind.nv
        assert len(joint["start"]) == kind.nq


def test_json_of_limits_start_and_loops(run: Run, file: File) -> None:
    data = run("info", file(EVERYTHING), "--json").data
    joints = {joint["name"]: joint for joint in data["joints"]}
    assert joints["turn"]["lower"] == [-1.0]
    assert joints["cross"]["lower"] == [None, None]  # JSON has no infinity
    assert joints["turn"]["motor"] is True
    assert joints["pin"]["cut"] is True
    assert data["loops"] == [{"joint": "pin", "from": "body", "onto": "weld"}]
    assert (data["title"], data["source"]) == ("One of each", "Made up.")


@pytest.mark.parametrize("name", kg.library_names())
def test_every_mechanism_can_be_shown(run: Run, name: str) -> None:
    code, out, err = run("info", name)
    assert (code, err) == (0, "")
    assert out.startswith(f"{name}: ")


def test_a_frame_that_never_moves_reads_well(run: Run, file: File) -> None:
    text = "raff: 1\nname: fixed\njoints:\n  - {name: A, parent: base}\nframes:\n"
    out = run("info", file(text + "  - {name: wall, parent: base}\n")).out
    assert "For 'wall' this mechanism has no singular poses." in out
