"""Paths as a page asks for them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from tests.unit.studio.workbench import Pieces, put

ELLIPSE = {
    "kind": "ellipse", "by": "corners", "points": [[0.03, 0.25, 0], [0.17, 0.34, 0]], "radius": 0.1,
    "normal": [0, 0, 1],
}  # fmt: skip
FAR = {**ELLIPSE, "points": [[0.03, 0.25, 0], [0.27, 0.5, 0]]}
PLACED = {"scale": 1.0, "offset": [0, 0, 0]}


@pytest.fixture(scope="module")
def five_bar() -> CompiledText:
    return read("five-bar")


def read(name: str) -> CompiledText:
    return CompiledText.read(kg.load(name).to_raff(), Project(Path.cwd()))


def planned(compiled: CompiledText, **path: Any) -> tuple[Any, Pieces]:
    """The answer to a plan, and its pieces."""
    return put(compiled, "path_plan", path={"curve": ELLIPSE, **path})


def data_of(compiled: CompiledText, **path: Any) -> Any:
    """What is said about a path that can be."""
    found, _ = planned(compiled, **path)
    assert found.problem is None, found.problem
    return found.path


def problem_of(compiled: CompiledText, **path: Any) -> Any:
    found, pieces = planned(compiled, **path)
    assert found.path is None and not pieces.sent
    return found.problem


def floats(pieces: Pieces, kind: str, form: str = "<f4") -> Any:
    ((_, data),) = pieces.of(kind)
    return np.frombuffer(data, form)


def menu_of(compiled: CompiledText) -> Any:
    return put(compiled, "path_menu")[0]


def test_a_plan_is_reported_and_its_numbers_come_in_pieces(five_bar: CompiledText) -> None:
    found, pieces = planned(five_bar, points=50, speed=0.1)
    path_data = found.path
    assert (path_data.count, path_data.reached, path_data.runs) == (50, 50, [(0, 49)])
    assert path_data.closed and path_data.gap == pytest.approx(0, abs=1e-12)
    assert path_data.duration == pytest.approx(path_data.length / 0.1)
    points = floats(pieces, "points")
    xyz, reached = points[:150].reshape(50, 3), points[-50:]
    assert (reached == 1).all()
    # poses are exact: the frame is on the curve, loops closed
    q = floats(pieces, "poses", "<f8").reshape(50, five_bar.model.nq)
    for i in (0, 17, 49):
        place = kg.pose(five_bar.model, q[i], "handle").translation
        assert np.allclose(place, xyz[i], atol=1e-6)
        assert kg.kinematics.loop_gap(five_bar.model, q[i]).distance < 1e-8
    v, vdot = floats(pieces, "rates").reshape(2, 50, five_bar.model.nv)
    assert np.isfinite(v).all() and np.isfinite(vdot).all() and np.abs(v).max() > 0
    assert len(floats(pieces, "line")) == 3 * pieces.of("line")[0][0].count


def test_what_is_not_reached_says_why(five_bar: CompiledText) -> None:
    found, pieces = planned(five_bar, curve=FAR, points=80)
    path_data = found.path
    assert 0 < path_data.reached < 80
    assert sum(gap.last - gap.first + 1 for gap in path_data.gaps) == 80 - path_data.reached
    assert all("mm away" in gap.reason for gap in path_data.gaps)
    assert len(path_data.reasons) == 80 - path_data.reached
    # the stretch is reported with its worst point
    first = path_data.gaps[0]
    far = [float(path_data.reasons[str(i)].split("is ")[1].split(" mm")[0])
           for i in range(first.first, first.last + 1)]  # fmt: skip
    assert f"{max(far):.4g} mm" in first.reason
    q = floats(pieces, "poses", "<f8").reshape(80, -1)
    assert np.isnan(q[first.first]).all()


def test_a_step_says_how_fine(five_bar: CompiledText) -> None:
    path_data = data_of(five_bar, step=0.01)
    assert path_data.length / (path_data.count - 1) <= 0.01 + 1e-9
    wrong = problem_of(five_bar, step=1e-9)
    assert wrong.field == "step" and "at least" in wrong.message


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"tool": {"hold": "direction", "direction": [0, 0, 0]}}, "tool"),
        ({"curve": {"kind": "segment", "points": [[0, 0, 0], [0.1, 0.3, 0]]},
          "tool": {"hold": "normal"}}, "tool"),
    ],
)  # fmt: skip
def test_a_goal_without_sense_is_answered_in_its_field(
    five_bar: CompiledText, change: dict[str, Any], field: str | None
) -> None:
    problem = problem_of(five_bar, **change)
    assert problem.field == field
    assert problem.message


@pytest.mark.parametrize(
    "change",
    [
        {"points": 1},
        {"points": 10**9},
        {"speed": 0},
        {"curve": {"kind": "circle"}},
        {"curve": 3},
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
    ],
)
def test_what_no_page_asks_is_refused(five_bar: CompiledText, change: dict[str, Any]) -> None:
    with pytest.raises(KinegenError):
        planned(five_bar, **change)


def test_a_file_is_of_a_known_format_and_of_a_good_curve(five_bar: CompiledText) -> None:
    with pytest.raises(KinegenError, match="one of csv, json"):
        put(five_bar, "path_file", path={"curve": ELLIPSE}, format="exe")
    flat = {**ELLIPSE, "normal": [0, 0, 0]}
    with pytest.raises(KinegenError, match="normal of an ellipse"):
        put(five_bar, "path_file", path={"curve": flat}, format="csv")


def test_a_curve_is_fitted_to_a_place(five_bar: CompiledText) -> None:
    curve = {"kind": "formula", "x": "2*cos(t)", "y": "3 + sin(t)", "z": "5", "t": ["0", "1 turn"],
             "scale": 7.0, "offset": [1, 2, 3]}  # fmt: skip
    circle = {"centre": [0.1, 0.3, 0], "radius": 0.05}
    found, _ = put(five_bar, "path_fit", curve=curve, **circle)
    fit = dataclasses.asdict(found.fit)
    assert data_of(five_bar, curve={**curve, **fit}, points=40).reached == 40
    nothing, _ = put(five_bar, "path_fit", curve={**curve, "x": "1/(t - t)"}, **circle)
    assert nothing.fit is None and "no point" in nothing.problem.message


def test_menus_say_what_there_is(five_bar: CompiledText) -> None:
    menu = menu_of(five_bar)
    assert {row.name for row in menu.volumes} >= {"moebius-belt", "epicycloid"}
    assert menu.surfaces[0].x1 == ("10 cm", "30 cm")
    assert not menu.wrist and menu_of(read("lynx6")).wrist


def test_volumes_say_which_curves_close() -> None:
    menu = {row.name: dataclasses.asdict(row) for row in menu_of(read("lynx6")).volumes}
    belt = {**menu["moebius-belt"], "kind": "volume", "index": 0, **PLACED}
    del belt["note"]
    found, pieces = planned(read("lynx6"), curve=belt, points=20)
    path_data = found.path
    assert path_data.choices == 28 and path_data.closed
    assert sum(gap < 1e-9 for gap in path_data.closing) == 1  # the middle one
    head, data = pieces.of("grid")[0]
    assert len(data) == 4 * 3 * head.curves * head.points


@pytest.mark.parametrize("law", ["optimal", "smooth"])
def test_a_time_law_keeps_the_limits(five_bar: CompiledText, law: str) -> None:
    pytest.importorskip("toppra" if law == "optimal" else "ruckig")
    motors = ["A", "E"]
    limits = {"speeds": 1.0, "accelerations": 5.0, "jerks": 50.0}
    timing = {"law": law} | {key: dict.fromkeys(motors, x) for key, x in limits.items()}
    found, pieces = planned(five_bar, points=100, timing=timing)
    path_data = found.path
    assert path_data.timing.problem is None and path_data.timing.run == 0
    head, data = pieces.of("timed")[0]
    numbers = np.frombuffer(data, "<f4")
    times, v = numbers[:100], numbers[100 : 100 + 100 * five_bar.model.nv]
    assert (head.first, head.count) == (0, 100)
    assert times[-1] == pytest.approx(path_data.timing.duration)
    for name in motors:
        column = five_bar.model.joint(name).v.start
        assert np.abs(v.reshape(100, -1)[:, column]).max() <= 1.001


def test_a_time_law_that_cannot_be_leaves_the_path(five_bar: CompiledText) -> None:
    pytest.importorskip("ruckig")
    path_data = data_of(five_bar, points=100, timing={"law": "smooth"})
    assert path_data.reached == 100 and "acceleration" in path_data.timing.problem


def test_the_fastest_law_keeps_the_torques_of_the_motors(five_bar: CompiledText) -> None:
    pytest.importorskip("toppra")
    timing = {"law": "optimal", "efforts": "motors", "speeds": {"A": 6, "E": 6}}

    def timing_of(torque: str) -> Any:
        text = five_bar.text.replace("torque: 2,", f"torque: {torque},")
        compiled = CompiledText.read(text, Project(Path.cwd()))
        return data_of(compiled, points=100, timing=timing).timing

    strong, weak = timing_of("2"), timing_of("0.5")
    assert strong.problem is None and weak.problem is None
    assert strong.duration < 0.99 * weak.duration
    assert "hold" in timing_of("0.001").problem


@pytest.mark.parametrize("format", ["csv", "json", "npz", "gcode", "ssc", "svg"])
def test_files_are_made(format: str) -> None:
    seam = {"kind": "seam", "of": "pipes", "radii": [0.04, 0.045], "at": [0.15, 0.15, 0.1],
            "objects": ["", ""], "index": 0, "facing": "between"}  # fmt: skip
    made, _ = put(read("lynx6"), "path_file", path={"curve": seam, "points": 32}, format=format)
    assert made.name == f"lynx6-path.{format}"
    data = made.data
    assert len(data) > 200
    if format == "ssc":
        assert data.count(b"\r") == 32


def test_a_path_begins_in_the_branch_of_its_start(five_bar: CompiledText) -> None:
    ways = put(five_bar, "path_branches", path={"curve": ELLIPSE})[0].branches
    assert len(ways) == 4 and len({way.name for way in ways}) == 4
    for way in ways:
        _, pieces = planned(five_bar, points=40, start=way.q)
        first = floats(pieces, "poses", "<f8").reshape(40, -1)[0]
        assert np.allclose(first, way.q, atol=1e-6)
