"""Benches note their numbers, so that two runs can be compared; ``python -m bench`` does it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.__main__ import NO_BENCHES, names
from tests.support.packages.building import ROOT

BENCH = ROOT / "bench"
if not BENCH.is_dir():
    pytest.skip("the sources are not here", allow_module_level=True)


def bench(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench", *map(str, words)],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip


def test_every_bench_notes_its_numbers() -> None:
    rooms = [room for room in BENCH.iterdir() if room.is_dir() and room.name not in NO_BENCHES]
    files = [file for room in rooms for file in room.glob("*.py") if file.stem != "__init__"]
    assert sorted(file.stem for file in files) == names()  # no two of one name
    for file in files:
        text = file.read_text(encoding="utf-8")
        # bar() of bench/studio/studio.py notes what it compares
        noted = "note(" in text or ("bench.studio.studio import" in text and "bar(" in text)
        assert noted, file.name


def test_two_runs_are_compared(tmp_path: Path) -> None:
    saved = tmp_path / "before.json"
    first = bench("path", "--short", "--save", saved)
    assert first.returncode == 0, first.stderr
    numbers = json.loads(saved.read_text(encoding="utf-8"))
    assert numbers and all(line["value"] > 0 for line in numbers.values())
    # as if the run before had taken a thousand times as long
    for line in numbers.values():
        line["value"] *= 1000
    saved.write_text(json.dumps(numbers), encoding="utf-8")
    second = bench("path", "--short", "--compare", saved)
    assert second.returncode == 0, second.stderr
    ratios = [
        float(line.rsplit(maxsplit=1)[1].rstrip("×"))
        for line in second.stdout.splitlines()
        if line.startswith("path: ")
    ]
    assert len(ratios) == len(numbers) and min(ratios) > 10


def test_unknown_benches_are_named() -> None:
    done = bench("pth")
    assert done.returncode == 2
    assert "no bench pth; benches: analytic" in done.stderr
