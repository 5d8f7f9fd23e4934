from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.unit.cli.conftest import Run

FIVE = ["path", "five-bar", "--frame", "handle"]
LINE = ["--shape", "segment", "--from", "5 cm 30 cm 0", "--to", "15 cm 30 cm 0", "--points", "12"]
ARM = ["path", "ur5e", "--points", "12"]


def test_a_person_reads_what_is_reached(run: Run) -> None:
    answer = run(*FIVE, *LINE)
    assert answer.code == 0
    assert answer.out.startswith("12 of 12 points reached by 'handle' along a segment of 100.00 mm")
    assert "°/s" in answer.out
    assert "--out table.csv" in answer.out


def test_programs_get_all_numbers(run: Run) -> None:
    data = run(*FIVE, *LINE, "--speed", "20 cm/s", "--json").data
    assert data["reachable"] == 12
    assert np.array(data["q"]).shape == (12, 5)
    assert abs(data["duration"] - 0.5) < 1e-9
    assert data["closed"] is False


@pytest.mark.parametrize(
    "shape",
    [
        ["ellipse", "--corners", "6 cm 26 cm 0; 14 cm 34 cm 0"],
        ["ellipse", "--foci", "8 cm 30 cm 0; 12 cm 30 cm 0", "--radius", "5 cm"],
        ["ellipse", "--centre", "10 cm 30 cm 0", "--radius", "5 cm"],
        ["bezier", "--through", "6 cm 30 cm 0; 8 cm 35 cm 0; 14 cm 30 cm 0"],
        ["spline", "--through", "6 cm 30 cm 0; 10 cm 33 cm 0; 14 cm 30 cm 0", "--closed"],
        ["polyline", "--through", "6 cm 30 cm 0; 10 cm 33 cm 0; 14 cm 30 cm 0"],
        ["formula", "--x", "ground/2 + 4 cm*cos(t)", "--y", "30 cm + 4 cm*sin(t)", "--z", "0",
         "--t", "0:360 deg"],
    ],
)  # fmt: skip
def test_plane_shapes(run: Run, shape: list[str]) -> None:
    answer = run(*FIVE, "--points", "9", "--shape", *shape, "--json")
    assert answer.code == 0, answer
    assert answer.data["reachable"] == 9


@pytest.mark.parametrize(
    "shape",
    [
        ["surface", "--surface", "waves", "--index", "3", "--offset", "10 cm 10 cm 20 cm"],
        ["surface", "--surface", "x1 + x2 + 20 cm", "--gives", "z", "--x1", "20 cm:40 cm",
         "--x2", "0:0.1", "--curves", "4", "--index", "3", "--tool", "normal"],
        ["volume", "--volume", "moebius-belt", "--index", "2"],
        ["volume", "--x", "40 cm + v*cos(u)", "--y", "v*sin(u)", "--z", "30 cm", "--v",
         "1 cm:10 cm", "--index", "5", "--tool", "0 0 -1"],
        ["seam", "--pipes", "8 cm 9 cm", "--offset", "35 cm 25 cm 15 cm"],
        ["seam", "--solid", "sphere: 40 cm 0 30 cm; 10 cm", "--solid",
         "plane: 40 cm 0 33 cm; 0 0 1", "--rpy", "180deg 0 0"],
    ],
)  # fmt: skip
def test_spatial_shapes(run: Run, shape: list[str]) -> None:
    answer = run(*ARM, "--shape", *shape, "--json")
    assert answer.code == 0, answer
    assert answer.data["reachable"] == 12, answer.data["reasons"]


def test_seam_of_meshes(run: Run, tmp_path: Path) -> None:
    for name, shift in (("a.stl", 0.0), ("b.stl", 100.0)):
        corners = np.array([[0, 0, 0], [400, 0, 0], [0, 400, 0], [0, 0, 400]]) + [200 + shift, 0, 0]
        faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
        text = "solid t\n" + "".join(
            "facet normal 0 0 0\nouter loop\n"
            + "".join("vertex {} {} {}\n".format(*corners[i]) for i in face)
            + "endloop\nendfacet\n"
            for face in faces
        )
        (tmp_path / name).write_text(text)
    meshes = ["--shape", "seam", "--mesh", "a.stl", "--mesh", "b.stl", "--scale", "0.001"]
    answer = run(*ARM, *meshes, "--offset", "0 0 1 cm", "--json")
    assert answer.code == 0, answer
    assert abs(answer.data["length"] - 0.3 * 2**0.5) < 1e-6


def test_gaps_and_warnings_are_reported(run: Run) -> None:
    answer = run(*FIVE, "--shape", "ellipse", "--corners", "0 20 cm 0; 20 cm 45 cm 0",
                 "--speed", "1 m/s")  # fmt: skip
    assert answer.code == 0
    assert "not reached: points" in answer.out
    assert "out of reach" in answer.out
    assert "times the speed of its motor" in answer.out


def test_nothing_reached_is_exit_code_one(run: Run) -> None:
    answer = run(*FIVE, "--shape", "segment", "--from", "2 2 0", "--to", "3 3 0", "--points", "3")
    assert answer.code == 1
    assert answer.out.startswith("0 of 3 points")


def test_branches_are_listed_and_chosen(run: Run) -> None:
    line = ["--shape", "segment", "--from", "0.35 0.2 0.3", "--to", "0.4 0.2 0.3"]
    held = [*ARM, *line, "--rpy", "180deg 0 0"]
    answer = run(*held, "--branches")
    assert "8 branches" in answer.out
    assert "elbow down" in answer.out
    data = run(*held, "--branches", "--json").data
    poses = data["branches"]
    assert len(set(data["names"])) == len(poses)
    chosen = run(*held, "--branch", "5", "--json").data["q"][0]
    assert np.allclose(chosen, poses[5])


def test_a_curve_is_brought_within_reach(run: Run) -> None:
    eight = ["--shape", "formula", "--x", "sin(t)", "--y", "sin(2*t)", "--z", "0", "--t", "0:6.28"]
    assert run(*FIVE, *eight, "--points", "20", "--json").data["reachable"] < 20
    fitted = run(*FIVE, *eight, "--points", "20", "--fit", "--json").data
    assert fitted["reachable"] == 20
    plotted = run("plot", *FIVE[1:], *eight, "--points", "20", "--fit").out
    assert plotted.endswith("20 points reached\n")


@pytest.mark.parametrize("suffix", ["csv", "json", "npz", "gcode"])
def test_tables_are_written(run: Run, tmp_path: Path, suffix: str) -> None:
    answer = run(*FIVE, *LINE, "--out", f"table.{suffix}")
    assert answer.out.endswith(f"wrote table.{suffix}\n")
    assert (tmp_path / f"table.{suffix}").stat().st_size > 300
    if suffix == "json":
        assert json.loads((tmp_path / "table.json").read_text())["reachable"] == 12


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--shape", "segment"], "--from"),
        (["--shape", "ellipse"], "--corners"),
        (["--shape", "ellipse", "--corners", "0 0 0"], "two points"),
        (["--shape", "ellipse", "--centre", "0 0 0", "--radius", "nan"], "--radius"),
        (["--shape", "formula", "--x", "1 +", "--y", "0", "--z", "0"], "character 4"),
        (["--shape", "formula", "--x", "spam", "--y", "0", "--z", "0"], "spam"),
        (["--shape", "formula", "--x", "t", "--y", "0", "--z", "0", "--t", "7"], "range"),
        (["--shape", "surface", "--surface", "x1 +"], "character"),
        (["--shape", "volume", "--volume", "blob"], "blob"),
        (["--shape", "seam"], "--pipes"),
        (["--shape", "seam", "--solid", "cone: 1", "--solid", "cone: 1"], "--solid"),
        ([*LINE, "--out", "table.xyz"], "end in"),
        ([*LINE, "--tool", "0 0 0"], "direction"),
        ([*LINE, "--tool", "normal"], "not lie on a surface"),
        ([*LINE, "--tool", "0 0 1", "--rpy", "0 0 0"], "not both"),
        ([*LINE, "--speed", "3 kg"], "--speed"),
        ([*LINE, "--step", "1 mm"], "not both"),
        ([*LINE, "--frame", "nose"], "nose"),
    ],
)
def test_bad_input_is_reported(run: Run, words: list[str], message: str) -> None:
    answer = run("path", "five-bar", *words)
    assert answer.code == 1
    assert message in answer.err


def test_timing(run: Run) -> None:
    pytest.importorskip("toppra")
    words = [*FIVE, *LINE, "--json", "--timing", "optimal"]
    assert run(*words, "--acceleration", "20 rad/s2").data["duration"] < 1
    assert run(*words).code == 1
    pytest.importorskip("ruckig")
    words = [*FIVE, *LINE, "--json", "--timing", "smooth", "--acceleration", "20", "--jerk", "99"]
    assert run(*words).data["duration"] < 2


def test_wrist_angle(run: Run) -> None:
    words = ["path", "lynx6", "--shape", "segment", "--from", "20 cm 15 cm 15 cm", "--to",
             "16 cm 19 cm 15 cm", "--points", "7", "--wrist", "-1 rad", "--json"]  # fmt: skip
    q = np.array(run(*words).data["q"])
    assert np.allclose(q[:, 1] - q[:, 2] + q[:, 3], -1.0)


def test_no_points_and_no_curves_are_refused(run: Run) -> None:
    answer = run("path", "five-bar", "--shape", "segment", "--from", "0 0.3 0", "--to",
                 "0.1 0.3 0", "--points", "0")  # fmt: skip
    assert answer.code == 1 and "points must be a whole number from 2" in answer.err
    answer = run("path", "lynx6", "--shape", "surface", "--surface", "waves", "--curves", "0")
    assert answer.code == 1 and "curves must be a whole number from 1" in answer.err
