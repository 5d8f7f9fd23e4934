"""Paths as a page asks for them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from kinegen.studio.jobs.path import path
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.project import Project

ELLIPSE = {"kind": "ellipse", "by": "corners", "points": [[0.03, 0.25, 0], [0.17, 0.34, 0]]}
FAR = {"kind": "ellipse", "by": "corners", "points": [[0.03, 0.25, 0], [0.27, 0.5, 0]]}


class Report:
    """Keeps the pieces that a job sends."""

    def __init__(self) -> None:
        self.pieces: dict[str, tuple[dict[str, Any], bytes]] = {}

    def __call__(self, label: str, share: float | None) -> None:
        assert label

    def piece(self, head: dict[str, Any], data: bytes) -> None:
        self.pieces[head["what"]] = (head, data)

    def floats(self, what: str, kind: str = "<f4") -> Any:
        return np.frombuffer(self.pieces[what][1], kind)


@pytest.fixture(scope="module")
def five_bar() -> CompiledText:
    return read("five-bar")


def read(name: str) -> CompiledText:
    return CompiledText.read(kg.load(name).to_raff(), Project(Path.cwd()))


def asked(piece: CompiledText, report: Report | None = None, **arguments: Any) -> Any:
    return path(piece, piece.start, arguments, report or Report())


def test_a_plan_is_told_and_its_numbers_come_in_pieces(five_bar: CompiledText) -> None:
    report = Report()
    told = asked(five_bar, report, curve=ELLIPSE, points=50, speed=0.1)
    assert (told["count"], told["reached"], told["runs"]) == (50, 50, [[0, 49]])
    assert told["closed"] and told["gap"] == pytest.approx(0, abs=1e-12)
    assert told["duration"] == pytest.approx(told["length"] / 0.1)
    json.dumps(told)  # nothing but plain data
    points = report.floats("points")
    xyz, reached = points[:150].reshape(50, 3), points[-50:]
    assert (reached == 1).all()
    # poses are exact: the frame is on the curve, loops closed
    q = report.floats("poses", "<f8").reshape(50, five_bar.model.nq)
    for i in (0, 17, 49):
        place = kg.pose(five_bar.model, q[i], "handle").translation
        assert np.allclose(place, xyz[i], atol=1e-6)
        assert kg.loop_gap(five_bar.model, q[i]).distance < 1e-8
    v, vdot = report.floats("rates").reshape(2, 50, five_bar.model.nv)
    assert np.isfinite(v).all() and np.isfinite(vdot).all() and np.abs(v).max() > 0
    assert len(report.floats("line")) == 3 * report.pieces["line"][0]["count"]


def test_what_is_not_reached_says_why(five_bar: CompiledText) -> None:
    report = Report()
    told = asked(five_bar, report, curve=FAR, points=80)
    assert 0 < told["reached"] < 80
    assert sum(gap["last"] - gap["first"] + 1 for gap in told["gaps"]) == 80 - told["reached"]
    assert all("mm away" in gap["reason"] for gap in told["gaps"])
    assert len(told["reasons"]) == 80 - told["reached"]
    # the stretch is told with its worst point
    first = told["gaps"][0]
    far = [float(told["reasons"][str(i)].split("is ")[1].split(" mm")[0])
           for i in range(first["first"], first["last"] + 1)]  # fmt: skip
    assert f"{max(far):.4g} mm" in first["reason"]
    q = report.floats("poses", "<f8").reshape(80, -1)
    assert np.isnan(q[first["first"]]).all()


def test_a_step_says_how_fine(five_bar: CompiledText) -> None:
    told = asked(five_bar, curve=ELLIPSE, step=0.01)
    assert told["length"] / (told["count"] - 1) <= 0.01 + 1e-9
    wrong = asked(five_bar, curve=ELLIPSE, step=1e-9)
    assert wrong["problem"]["field"] == "step" and "at least" in wrong["problem"]["message"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"points": 1}, "points"),
        ({"points": 10**9}, "points"),
        ({"speed": 0}, "speed"),
        ({"curve": {"kind": "circle"}}, "kind"),
        ({"curve": 3}, None),
        ({"tool": {"hold": "direction", "direction": [0, 0, 0]}}, "tool"),
        ({"curve": {"kind": "segment", "points": [[0, 0, 0], [0.1, 0.3, 0]]},
          "tool": {"hold": "normal"}}, "tool"),
    ],
)  # fmt: skip
def test_a_goal_without_sense_is_answered_in_its_field(
    five_bar: CompiledText, change: dict[str, Any], field: str | None
) -> None:
    told = asked(five_bar, **{"curve": ELLIPSE, **change})
    assert told["problem"]["field"] == field
    assert told["problem"]["message"]


@pytest.mark.parametrize(
    "change",
    [
        {"ask": "sing"},
        {"frame": "nobody"},
        {"frame": 7},
        {"start": [0.0]},
        {"speed": float("nan")},
        {"tool": "free"},
        {"tool": {"hold": "tight"}},
        {"timing": {"law": "never"}},
        {"timing": {"law": "optimal", "accelerations": [1]}},
        {"timing": {"law": "optimal", "efforts": 7}},
        {"timing": {"law": "smooth", "efforts": "motors"}},
        {"ask": "export", "format": "exe"},
    ],
)
def test_what_no_page_asks_is_refused(five_bar: CompiledText, change: dict[str, Any]) -> None:
    with pytest.raises(KinegenError):
        asked(five_bar, **{"curve": ELLIPSE, **change})


def test_a_curve_is_fitted_to_a_place(five_bar: CompiledText) -> None:
    curve = {"kind": "formula", "x": "2*cos(t)", "y": "3 + sin(t)", "z": "5", "t": ["0", "1 turn"]}
    fit = asked(five_bar, ask="fit", curve=curve, centre=[0.1, 0.3, 0], radius=0.05)
    told = asked(five_bar, curve={**curve, **fit}, points=40)
    assert told["reached"] == 40
    nothing = asked(five_bar, ask="fit", curve={**curve, "x": "1/(t - t)"}, centre=[0, 0, 0])
    assert "no point" in nothing["problem"]["message"]


def test_menus_say_what_there_is(five_bar: CompiledText) -> None:
    menu = asked(five_bar, ask="menu")
    assert {row["name"] for row in menu["volumes"]} >= {"moebius-belt", "epicycloid"}
    assert menu["surfaces"][0]["x1"] == ["10 cm", "30 cm"]
    assert not menu["wrist"] and asked(read("lynx6"), ask="menu")["wrist"]


def test_volumes_say_which_curves_close() -> None:
    menu = {row["name"]: row for row in asked(read("lynx6"), ask="menu")["volumes"]}
    belt = {**menu["moebius-belt"], "kind": "volume", "index": 0}
    report = Report()
    told = asked(read("lynx6"), report, curve=belt, points=20)
    assert told["choices"] == 28 and told["closed"]
    assert sum(gap < 1e-9 for gap in told["closing"]) == 1  # the middle one
    head, data = report.pieces["grid"]
    assert len(data) == 4 * 3 * head["curves"] * head["points"]


@pytest.mark.parametrize("law", ["optimal", "smooth"])
def test_a_time_law_keeps_the_limits(five_bar: CompiledText, law: str) -> None:
    pytest.importorskip("toppra" if law == "optimal" else "ruckig")
    report = Report()
    motors = ["A", "E"]
    limits = {"speeds": 1.0, "accelerations": 5.0, "jerks": 50.0}
    timing = {"law": law} | {key: dict.fromkeys(motors, x) for key, x in limits.items()}
    told = asked(five_bar, report, curve=ELLIPSE, points=100, timing=timing)
    assert told["timing"]["problem"] is None and told["timing"]["run"] == 0
    head, data = report.pieces["timed"]
    numbers = np.frombuffer(data, "<f4")
    times, v = numbers[:100], numbers[100 : 100 + 100 * five_bar.model.nv]
    assert (head["first"], head["count"]) == (0, 100)
    assert times[-1] == pytest.approx(told["timing"]["duration"])
    for name in motors:
        column = five_bar.model.joint(name).v.start
        assert np.abs(v.reshape(100, -1)[:, column]).max() <= 1.001


def test_a_time_law_that_cannot_be_leaves_the_path(five_bar: CompiledText) -> None:
    pytest.importorskip("ruckig")
    told = asked(five_bar, curve=ELLIPSE, points=100, timing={"law": "smooth"})
    assert told["reached"] == 100 and "acceleration" in told["timing"]["problem"]


def test_the_fastest_law_keeps_the_torques_of_the_motors(five_bar: CompiledText) -> None:
    pytest.importorskip("toppra")
    timing = {"law": "optimal", "efforts": "motors", "speeds": {"A": 6, "E": 6}}

    def told(torque: str) -> Any:
        text = five_bar.text.replace("torque: 2,", f"torque: {torque},")
        piece = CompiledText.read(text, Project(Path.cwd()))
        return asked(piece, curve=ELLIPSE, points=100, timing=timing)["timing"]

    strong, weak = told("2"), told("0.5")
    assert strong["problem"] is None and weak["problem"] is None
    assert strong["duration"] < 0.99 * weak["duration"]
    assert "hold" in told("0.001")["problem"]


@pytest.mark.parametrize("format", ["csv", "json", "npz", "gcode", "ssc", "svg"])
def test_files_are_made(format: str) -> None:
    seam = {"kind": "seam", "of": "pipes", "radii": [0.04, 0.045], "at": [0.15, 0.15, 0.1]}
    made = asked(read("lynx6"), ask="export", format=format, curve=seam, points=32)["download"]
    assert made["name"] == f"lynx6-path.{format}"
    data = base64.b64decode(made["data"])
    assert len(data) > 200
    if format == "ssc":
        assert data.count(b"\r") == 32


def test_a_path_begins_in_the_branch_of_its_start(five_bar: CompiledText) -> None:
    ways = asked(five_bar, ask="branches", curve=ELLIPSE)
    assert len(ways) == 4 and len({way["name"] for way in ways}) == 4
    for way in ways:
        report = Report()
        asked(five_bar, report, curve=ELLIPSE, points=40, start=way["q"])
        first = report.floats("poses", "<f8").reshape(40, -1)[0]
        assert np.allclose(first, way["q"], atol=1e-6)
