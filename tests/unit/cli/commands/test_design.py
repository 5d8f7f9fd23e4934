from pathlib import Path

import pytest

import kinegen as kg
from tests.unit.cli.conftest import Run

pytestmark = pytest.mark.slow

COVER = ["design", "five-bar", "--free", "crank,coupler", "--goal", "cover", "--box",
         "0 30 cm 0; 20 cm 50 cm 0", "--starts", "2", "--tries", "4", "--points", "27"]  # fmt: skip


def test_cover_writes_the_new_mechanism(run: Run, tmp_path: Path) -> None:
    answer = run(*COVER, "--range", "crank=10 cm:50 cm, coupler=10 cm:60 cm", "--out", "new.raff")
    assert answer.code == 0, answer
    assert "mean distance 0.00 mm" in answer.out
    assert answer.out.endswith("wrote new.raff\n")
    assert "coupler    250.00 mm" in answer.out  # a plain number in the file, used as a length
    made = kg.load(str(tmp_path / "new.raff")).compile()
    assert kg.solve(made, kg.Handle("handle", [0.2, 0.5, 0])).reached


def test_other_suffixes_write_other_files(run: Run, tmp_path: Path) -> None:
    few = [*COVER[:-6], "--starts", "1", "--tries", "0", "--points", "8"]
    assert run(*few, "--out", "new.svg").code in (0, 1)
    assert (tmp_path / "new.svg").read_text().startswith("<svg")
    assert run(*few, "--out", "found.csv").code in (0, 1)
    assert (tmp_path / "found.csv").read_text().startswith("crank,coupler,error [m]")
    answer = run(*few, "--out", "new.doc")
    assert answer.out == "" and "no format writes '.doc' files" in answer.err


def test_starts_on_processes_give_the_same(run: Run) -> None:
    pytest.importorskip("distributed", reason="needs kinegen[cluster]")
    words = [*COVER, "--seed", "3", "--json"]
    here, there = run(*words).data, run(*words, "--cluster", "local:2").data
    assert there["parameters"] == pytest.approx(here["parameters"], rel=1e-9)
    assert there["steps"] == here["steps"]
    answer = run(*words[:-1], "--cluster", "local:x")
    assert answer.code == 1 and "as local:4" in answer.err


def test_follow_gives_data(run: Run) -> None:
    words = ["design", "four-bar", "--free", "crank,reach", "--goal", "follow", "--shape",
             "polyline", "--through", "0 30 cm 0; 20 cm 30 cm 0", "--starts", "1", "--tries", "0",
             "--json"]  # fmt: skip
    data = run(*words).data
    assert set(data["parameters"]) == {"crank", "reach"}
    assert data["mean"] <= data["history"][0]["mean"]
    # the file's own min and max bound them
    assert 0.02 <= data["parameters"]["crank"] <= 0.18


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--free", "nose", "--goal", "cover", "--box", "0 0 0; 1 1 1"], "nose"),
        (["--free", "crank", "--goal", "cover"], "--box"),
        (["--free", "crank", "--goal", "cover", "--box", "0 0 0"], "two corners"),
        (["--free", "crank", "--goal", "follow"], "--shape"),
        ([*COVER[2:], "--range", "ground=1:2"], "--range"),
        ([*COVER[2:], "--range", "crank=1"], "--range"),
    ],
)
def test_bad_input_is_reported(run: Run, words: list[str], message: str) -> None:
    answer = run("design", "five-bar", *words)
    assert answer.code == 1
    assert message in answer.err


def test_a_goal_that_is_not_met_is_reported(run: Run) -> None:
    words = ["design", "four-bar", "--free", "crank", "--goal", "follow", "--shape", "polyline",
             "--through", "0 3 0", "--starts", "1", "--tries", "0"]  # fmt: skip
    answer = run(*words)
    assert answer.code == 1 and "the goal is not met: the worst point is missed by " in answer.out
    assert "from 1 start\n" in answer.out and "inf" not in answer.out
    assert "crank      100.00 mm" in answer.out
    assert run(*words, "--json").data["met"] is False


def test_ranges_have_the_lower_end_first_and_fit_their_parameter(run: Run) -> None:
    answer = run(*COVER, "--range", "crank=2:1")
    assert answer.code == 1 and "the lower end comes first" in answer.err
    answer = run(*COVER, "--range", "crank=1 deg:2 deg")
    assert answer.code == 1 and "--range: '1 deg'" in answer.err
