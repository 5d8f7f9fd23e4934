"""Logs at any time, forwards and backwards, as they were written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import FormatError
from kinegen.world.log.player import INDEXED, open_player
from tests.support.worlds import WHEEL

SENSED = "sensors: [{name: imu, type: imu, parent: W}]\n"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[float, float]]:
    """The same run as both kinds of logs, and where the wheel was."""
    folder, places = tmp_path_factory.mktemp("logs"), {}
    with kg.World(WHEEL + SENSED, agents={"a": lambda time, seen: {"W": 5 * time}}) as world:
        world.log(folder / "run.mcap", rate=1000)
        world.log(folder / "run.csv", rate=1000)
        for _ in range(2):
            world.run(0.3)
            places[round(world.time, 3)] = world.signals["W.position"].value
            world.signals["imu.rate"].force([1, 2, 3])
    return folder, places


@pytest.mark.parametrize("name", ["run.mcap", "run.csv"])
def test_any_time_is_found_again(logs: tuple[Path, dict[float, float]], name: str) -> None:
    folder, places = logs
    assert len(places) == 2 and INDEXED < 600  # several blocks of rows
    with open_player(folder / name) as log:
        assert (log.start, log.end) == pytest.approx((0, 0.6))
        assert log.units["W.velocity"] == "rad/s" and log.units["imu.acceleration"] == "m/s²"
        for time in (0.3, 0.6, 0.3, 0.6):
            row = log.at(time)
            assert row.time == pytest.approx(time)
            assert row.joints["W"] == pytest.approx([places[time]], abs=0)
            assert np.shape(row.values["imu.rate"]) == (3,)
        assert log.at(0.6).values["imu.rate"].tolist() == [1, 2, 3]
        assert log.at(0.2995).time == pytest.approx(0.299)  # the row before
        assert log.at(99).time == pytest.approx(0.6) and log.at(-1).time == 0
        # row by row is the same as jumping there
        times = [log.at(0.001 * i).time for i in range(1, 600, 7)]
        assert times == pytest.approx([0.001 * i for i in range(1, 600, 7)])


def test_an_mcap_log_has_its_world_and_says_what_was_overridden(
    logs: tuple[Path, dict[float, float]],
) -> None:
    with open_player(logs[0] / "run.mcap") as log:
        assert log.world == "wheel" and kg.load(log.text).name == "wheel"
        assert log.at(0.2).overridden == frozenset()
        assert log.at(0.5).overridden == {"imu.rate"}
        assert log.at(0.2).overridden == frozenset()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.mcap", b"nonsense", "not a complete log"),
        ("a.csv", b"x,y\n1,2\n", "not time"),
        ("b.csv", b"time [s],W.position [rad]\n", "no rows"),
        ("c.csv", b"time [s],W.position [rad]\nx,1\n", "not a time"),
        ("a.txt", b"", "one of .mcap, .csv"),
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=message):
        open_player(tmp_path / name)


def test_a_table_that_was_cut_off_is_played_to_its_last_whole_row(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"time [s],W.position [rad]\n0.0,1.0\n0.1,2.0\n0.2,3")
    with open_player(tmp_path / "a.csv") as log:
        assert log.at(0.15).joints["W"].tolist() == [2.0]
