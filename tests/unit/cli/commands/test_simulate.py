"""``kinegen simulate``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from tests.unit.cli.conftest import Run, surroundings

PENDULUM = """raff: 1
name: bob
gravity: [0, -9.81, 0]
joints:
  - {name: A, parent: base, mass: 1, centre: [1, 0, 0], inertia: [0, 0.01, 0.01]}
"""


def test_json_has_the_run_in_numbers(run: Run) -> None:
    code, out, _ = run("simulate", "bricard", "--time", "0.2", "--step", "0.001", "--json")
    data = json.loads(out)
    assert code == 0 and data["complete"] and data["steps"] == 200 and data["engine"] == "reduced"
    assert data["seconds"] == pytest.approx(0.2) and list(data["q"]) == [
        f"P{i}" for i in range(1, 7)
    ]
    assert data["max_gap"] < 1e-9 and data["max_velocity_gap"] < 1e-9
    assert data["energy_end"] == pytest.approx(data["energy_start"]) and data["energy_drift"] < 1e-6


def test_people_read_units(run: Run) -> None:
    code, out, _ = run("simulate", "bricard", "--time", "100 ms", "--step", "2 ms")
    assert code == 0 and "0.1 s in 50 steps of 2 ms, engine reduced" in out
    assert "widest loop gap" in out and "µm" in out and "P1" in out


def test_start_and_gravity_are_taken(run: Run, file: Callable[..., Path]) -> None:
    path = file(PENDULUM)
    words = ("simulate", path, "--time", "0.5", "--json", "--gravity", "0 0 0")
    data = run(*words, "--q", "A=30 deg", "--v", "A=90 deg/s").data
    assert data["q"]["A"] == pytest.approx(np.radians(30 + 45)) and data["energy_start"] > 1
    assert run(*words, "--v", "-1").data["q"]["A"] == pytest.approx(-0.5)


@pytest.mark.parametrize(
    "engine", [n for n in kg.dynamics.engine_names() if n in ("reduced", "mujoco")]
)
def test_engines_are_chosen(run: Run, file: Callable[..., Path], engine: str) -> None:
    if engine == "mujoco":
        pytest.importorskip("mujoco")
    data = run("simulate", file(PENDULUM), "--time", "1", "--engine", engine, "--json").data
    assert data["engine"] == engine and data["q"]["A"] == pytest.approx(-2.966775, abs=1e-5)


@pytest.mark.parametrize("suffix", ["csv", "npz", "json", "mcap"])
def test_recordings_are_written(run: Run, tmp_path: Path, suffix: str) -> None:
    if suffix == "mcap":
        pytest.importorskip("mcap")
    out = tmp_path / f"run.{suffix}"
    answer = run("simulate", "four-bar", "--time", "0.1", "--record", "50", "--out", out)
    assert answer.code == 0 and "6 rows" in answer.out and out.stat().st_size > 100


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--engine", "reducd"], "did you mean 'reduced'?"),
        (["--time", "0"], "use a positive time"),
        (["--time", "5 mm"], "--time"),
        (["--step", "-1"], "use a positive number of seconds"),
        (["--gravity", "0 0"], "--gravity takes 3 numbers"),
        (["--v", "Z=1"], "joint 'Z' is not in"),
        (["--v", "A=1 m/s"], "--v"),
        (["--v", "1 2"], "takes 1 number, got 2"),
        (["--record", "0"], "use a positive rate"),
        (["--out", "run.bag"], ".csv, .json, .npz, .mcap"),
    ],
)
def test_mistakes_are_reported(
    run: Run, file: Callable[..., Path], words: list[str], message: str
) -> None:
    code, _, err = run("simulate", file(PENDULUM), *words)
    assert code == 1 and message in err


def test_masses_that_no_body_has_are_reported(run: Run, file: Callable[..., Path]) -> None:
    bad = PENDULUM.replace("[0, 0.01, 0.01]", "[0, 0.01, 5]")
    code, _, err = run("simulate", file(bad))
    assert code == 1 and "link 'A'" in err and "which is impossible" in err


def test_a_step_too_large_is_reported_and_the_recording_kept(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "run.csv"
    code, text, _ = run(
        "simulate", "puma560", "--v", "waist=200", "--step", "0.1", "--time", "2", "--out", out,
        "--engine", "impulse",
    )  # fmt: skip
    assert code == 1 and "ended early" in text and "s would be small enough" in text
    assert len(out.read_text().splitlines()) >= 2


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_what_there_is(tmp_path: Path, ending: signal.Signals) -> None:
    words = ["simulate", "humanoid-30", "--time", "1000", "--record", "20", "--out", "run.csv"]
    # when the tests run in the background, all processes ignore the signal by default
    program = (
        "import signal, sys\n"
        "from kinegen.cli import main\n"
        "from kinegen.dynamics.simulation.simulation import Simulation\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "advance = Simulation.advance\n"
        "def tell(self, seconds):\n"
        "    if 1 < self.time < 1.2: print('going', file=sys.stderr, flush=True)\n"
        "    return advance(self, seconds)\n"
        "Simulation.advance = tell\n"
        f"sys.exit(main({words!r}))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "going\n"
    process.send_signal(ending)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "stopped by Ctrl-C" in out and "wrote run.csv" in out
    assert len((tmp_path / "run.csv").read_text().splitlines()) > 20


def test_motors_hold_or_go_to_their_targets(run: Run) -> None:
    command = ("simulate", "arm-6", "--time", "0.5", "--json")
    code, out, _ = run(*command, "--hold")
    start = kg.load("arm-6").compile().start()
    assert code == 0
    for value, begin in zip(json.loads(out)["q"].values(), start, strict=True):
        assert value == pytest.approx(begin, abs=0.02)
    code, out, _ = run(*command, "--target", "elbow=30 deg, wrist_1=0.2")
    data = json.loads(out)
    # the elbow starts with full torque, the wrist turns as fast as it can
    assert code == 0 and set(data["saturation"]) == {"elbow", "wrist_1"}
    assert data["q"]["elbow"] == pytest.approx(np.radians(30), abs=0.02)
    assert data["q"]["wrist_1"] == pytest.approx(0.2, abs=0.02)


def test_targets_are_in_the_units_of_the_mode(run: Run) -> None:
    code, _, err = run("simulate", "arm-6", "--target", "elbow=30 deg/s")
    assert code == 1 and "--target" in err
    code, out, _ = run(
        "simulate", "arm-6", "--time", "0.2", "--gravity", "0 0 0", "--json",
        "--mode", "elbow=velocity", "--target", "elbow=30 deg/s",
    )  # fmt: skip
    assert code == 0
    moved = json.loads(out)["q"]["elbow"] - np.radians(5)
    assert moved == pytest.approx(np.radians(6), abs=0.02)
    code, _, err = run("simulate", "arm-6", "--mode", "elbow=fast", "--hold")
    assert code == 1 and "computed" in err
    code, _, err = run("simulate", "arm-6", "--mode", "elbow", "--hold")
    assert code == 1 and "NAME=MODE" in err
    code, _, err = run("simulate", "arm-6", "--target", "elbow")
    assert code == 1 and "NAME=VALUE" in err


def test_a_floor_carries_what_falls(run: Run) -> None:
    code, out, _ = run("simulate", "cart", "--floor", "0", "--time", "0.3", "--json")
    data = json.loads(out)
    assert code == 0 and data["complete"]
    assert data["q"]["chassis"][6] == pytest.approx(0.06, abs=1e-4)


def test_times_that_make_no_sense_are_refused(run: Run) -> None:
    code, _, err = run("simulate", "five-bar", "--step", "10")
    assert code == 1 and "--step 10 is longer than --time" in err
    code, _, err = run("simulate", "five-bar", "--time", "1000000000")
    assert code == 1 and "rows per second" in err


def test_named_joints_keep_their_place_in_loops(run: Run) -> None:
    words = ("simulate", "four-bar", "--time", "1 ms", "--q", "crank=30 deg", "--json")
    assert run(*words).data["q"]["crank"] == pytest.approx(np.radians(30), abs=1e-4)
    code, _, err = run("simulate", "five-bar", "--q", "A=1, B=2, C=3")
    assert code == 1 and "do not close with these values" in err and "B = " in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--q", "elbow=500 deg"], "joint 'elbow' is at 500°, beyond its limits"),
        (["--mode", "elbow=torque"], "use --hold or --target too"),
        (["--target", "elbow=1 N m"], "use rad, deg"),
        (["--objects"], "has no objects"),
        (["--out", "nowhere/run.csv"], "there is no folder 'nowhere'"),
        (["--out", "."], "this is a folder"),
        (["--time", ""], "takes 1 number, got"),
        (["--v", "1 2"], "in order: waist, shoulder"),
    ],
)
def test_mistakes_with_an_arm_are_reported_before_the_work(
    run: Run, words: list[str], message: str
) -> None:
    code, _, err = run("simulate", "arm-6", *words)
    assert code == 1 and message in err


def test_torques_are_read_as_they_are_written(run: Run) -> None:
    words = ("simulate", "arm-6", "--time", "0.01", "--mode", "elbow=torque", "--json", "--target")
    spaced, plain = (run(*words, f"elbow={text}").data["q"] for text in ("2 N m", "2 Nm"))
    assert spaced == plain != run(*words, "elbow=4 Nm").data["q"]


def test_a_folder_is_no_recording(run: Run, tmp_path: Path) -> None:
    (tmp_path / "run.csv").mkdir()
    code, _, err = run("simulate", "arm-6", "--out", tmp_path / "run.csv")
    assert code == 1 and "this is a folder" in err


def test_targets_of_ball_joints_are_angles_or_a_quaternion(run: Run) -> None:
    words = ("simulate", "humanoid-30", "--time", "0.6", "--gravity", "0 0 0", "--json", "--target")
    by_angles = run(*words, "waist=(0 0 30 deg)").data["q"]["waist"]
    half = np.radians(15)
    assert by_angles == pytest.approx([np.cos(half), 0, 0, np.sin(half)], abs=0.02)
    by_quaternion = run(*words, f"waist=({np.cos(half):.9f} 0 0 {np.sin(half):.9f})")
    assert by_quaternion.data["q"]["waist"] == pytest.approx(by_angles, abs=1e-6)
    code, _, err = run(*words[:-2], "--target", "waist=(1 2)")
    assert code == 1 and "roll pitch yaw, or the quaternion w x y z; got 2" in err
