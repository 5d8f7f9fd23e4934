"""Runs as files."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.simulation.run_files import SUFFIXES
from kinegen.mechanism.headings import q_headings, v_headings


@pytest.fixture(scope="module")
def run() -> kg.dynamics.Run:
    return kg.simulate(kg.load("crawler"), time=0.05)


def test_headings_name_every_number(run: kg.dynamics.Run) -> None:
    assert len(q_headings(run.model)) == run.model.nq
    assert len(v_headings(run.model)) == run.model.nv
    assert "A [rad]" in q_headings(kg.load("five-bar").compile())


def test_a_table_has_every_moment(run: kg.dynamics.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "run.csv").read_text())))
    assert len(rows) == 1 + len(run) and rows[0][0] == "time [s]" and len(rows[1]) == len(rows[0])
    column = rows[0].index("kinetic [J]")
    np.testing.assert_allclose([float(row[column]) for row in rows[1:]], run.kinetic, rtol=1e-10)


def test_arrays_come_back(run: kg.dynamics.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as data:
        np.testing.assert_array_equal(data["q"], run.q)
        assert data["engine"] == "reduced" and len(data["columns"]) == run.model.nq


def test_json_has_summary_and_rows(run: kg.dynamics.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.json")
    data = json.loads((tmp_path / "run.json").read_text())
    assert data["steps"] == 50 and len(data["rows"]["times"]) == len(run)


def test_a_log_has_states_and_reports(run: kg.dynamics.Run, tmp_path: Path) -> None:
    reader = pytest.importorskip("mcap.reader")
    run.save(tmp_path / "run.mcap")
    with open(tmp_path / "run.mcap", "rb") as file:
        found = [
            (channel.topic, message.log_time, json.loads(message.data))
            for _, channel, message in reader.make_reader(file).iter_messages()
        ]
    assert len(found) == 2 * len(run)
    states = [data for topic, _, data in found if topic == "/joint_states"]
    np.testing.assert_allclose([s["position"] for s in states], run.q)
    last = [data for topic, _, data in found if topic == "/simulation"][-1]
    assert last["kinetic"] == run.kinetic[-1] and last["time"] == pytest.approx(0.05)


def test_the_command_line_lists_the_suffixes(run: kg.dynamics.Run) -> None:
    assert set(SUFFIXES) == set(run.suffixes())


def test_other_suffixes_are_reported(run: kg.dynamics.Run, tmp_path: Path) -> None:
    with pytest.raises(
        kg.errors.KinegenError, match=r"its files end in \.json, \.npz, \.csv, \.mcap"
    ):
        run.save(tmp_path / "run.bag")


@pytest.mark.parametrize("suffix", ["npz", "json"])
def test_a_run_comes_back_whole(run: kg.dynamics.Run, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"run.{suffix}"
    run.save(path)
    for mechanism in (kg.load("crawler"), run.model):
        back = kg.dynamics.Run.load(mechanism, path)
        assert back.summary() == run.summary() and repr(back) == repr(run)
        for name in ("times", "q", "v", "efforts", "contacts", "velocity_gap"):
            np.testing.assert_array_equal(getattr(back, name), getattr(run, name))
    with pytest.raises(
        kg.errors.KinegenError, match="whose joints differ from those of 'five-bar'"
    ):
        kg.dynamics.Run.load(kg.load("five-bar"), path)


def test_remarks_and_early_ends_come_back(tmp_path: Path) -> None:
    broken = kg.simulate(kg.load("puma560"), time=0.1, control=lambda t, q, v: [np.nan] * 6)
    broken.save(tmp_path / "run.npz")
    back = kg.dynamics.Run.load(kg.load("puma560"), tmp_path / "run.npz")
    assert back.reason == broken.reason and not back.complete and back.remarks == broken.remarks


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("run.csv", b"time [s]", ".npz and .json files can"),
        ("run.npz", b"PK nothing", "not a run file"),
        ("run.json", b"{}", "not a run file"),
        ("run.json", b"[1, 2", "not a run file"),
    ],
)
def test_other_files_are_reported(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(kg.errors.KinegenError, match=message):
        kg.dynamics.Run.load(kg.load("crawler"), tmp_path / name)
