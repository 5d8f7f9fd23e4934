from pathlib import Path

import numpy as np
import pytest

from tests.unit.cli.conftest import Run

WORDS = ["map", "lynx6", "--box", "10 cm 10 cm 20 cm; 32 cm 10 cm 20 cm", "--points", "12",
         "--wrist", "0 deg"]  # fmt: skip


def test_branches_in_words_and_json(run: Run) -> None:
    out = run(*WORDS).out
    assert out.startswith("lynx6: 'tool' at 12 positions\n") and "front, elbow up" in out
    answer = run(*WORDS, "--json").data
    assert answer["positions"] == 12
    assert answer["branches"][0]["name"] == "front, elbow up"
    assert answer["branches"][0]["lamps"] == ["shoulder", "elbow"]
    assert answer["branches"][0]["within"] < answer["branches"][0]["reached"] == 12


def test_without_a_box_one_around_the_frame_is_taken(run: Run) -> None:
    plain = run("map", "lynx6", "--json").data
    assert plain["positions"] == 11**3 and "elbow" in plain["branches"][0]["name"]
    assert run("map", "delta", "--points", "3", "--json").data["positions"] == 27
    assert run("map", "five-bar", "--json").data["positions"] == 21**2


def test_charts_and_tables(run: Run, tmp_path: Path) -> None:
    assert run(*WORDS, "--out", "map.svg").code == 0
    assert b"q1: waist" in (tmp_path / "map.svg").read_bytes()
    assert run(*WORDS, "--combined", "--out", "one.svg").code == 0
    assert b"q1: waist" not in (tmp_path / "one.svg").read_bytes()
    assert run(*WORDS, "--out", "map.npz").code == 0
    with np.load(tmp_path / "map.npz") as kept:
        assert kept["points"].shape == (12, 3) and kept["qs"].shape[1] == 12


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--box", "0 0 0"], "two corners"),
        (["--branch", "9"], "--branch 9"),
        (["--points", "0"], "at least 1"),
        (["--box", "5 0 0; 6 0 0"], "reaches no place"),
        (["--out", "map.doc"], ".csv"),
    ],
)
def test_what_is_refused(run: Run, words: list[str], message: str) -> None:
    answer = run(*WORDS, *words)
    assert answer.code == 1 and message in answer.err
