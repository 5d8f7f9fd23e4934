from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run

WORDS = ["plot", "five-bar", "--shape", "segment", "--from", "5 cm 30 cm 0", "--to",
         "15 cm 30 cm 0", "--points", "9"]  # fmt: skip


@pytest.mark.parametrize(("name", "begins"), [("a.svg", b"<svg"), ("a.pdf", b"%PDF")])
def test_report_is_written(run: Run, tmp_path: Path, name: str, begins: bytes) -> None:
    assert run(*WORDS, "--out", name).out == f"wrote {name}: 9 of 9 points reached\n"
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_default_name_and_json(run: Run, tmp_path: Path) -> None:
    assert run(*WORDS, "--json").data["file"] == "five-bar-path.svg"
    assert (tmp_path / "five-bar-path.svg").exists()


def test_unknown_suffix(run: Run) -> None:
    answer = run(*WORDS, "--out", "a.doc")
    assert answer.code == 1
    assert ".svg" in answer.err
