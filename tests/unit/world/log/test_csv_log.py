from __future__ import annotations

import csv
from pathlib import Path

import pytest

from kinegen.errors import FormatError
from tests.support.worlds import WHEEL, world


def test_a_row_per_moment_with_all_digits(tmp_path: Path) -> None:
    with world(WHEEL, "sensors: [{name: p, type: pose, parent: W}]\n") as one:
        log = one.log(tmp_path / "run.csv", rate=50)
        one.command({"W": 1.0})
        one.run(0.1)
        last = one.signals["W.position"].value
        assert log.rows == 5
    with (tmp_path / "run.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["time [s]"]) for row in rows] == pytest.approx(
        [0, 0.02, 0.04, 0.06, 0.08, 0.1]
    )
    assert float(rows[-1]["W.position [rad]"]) == last
    assert rows[0]["p.position 0 [m]"] == "" and rows[-1]["p.position 0 [m]"] == "0.0"


def test_equal_seeds_write_equal_files(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        more = "sensors: [{name: e, type: encoder, parent: W, noise: 0.1}]\n"
        with world(WHEEL, more, seed=4) as one:
            one.log(tmp_path / name)
            one.command({"W": 1.0})
            one.run(0.2)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_signal_that_comes_too_late_is_reported(tmp_path: Path) -> None:
    with world(WHEEL) as one:
        one.log(tmp_path / "run.csv")
        one.node("W")["load"] = 1.0
        one.run(0.05)
        assert [event.message for event in one.events] == ["added too late for the table: W.load"]


def test_other_suffixes_are_refused(tmp_path: Path) -> None:
    with world(WHEEL) as one, pytest.raises(FormatError, match=r"\.mcap, \.csv"):
        one.log(tmp_path / "run.txt")
