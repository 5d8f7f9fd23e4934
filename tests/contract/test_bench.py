"""Benches note their numbers, so that two runs can be compared; ``python -m bench`` does it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.packaging import ROOT

BENCH = ROOT / "bench"
if not BENCH.is_dir():
    pytest.skip("the sources are not here", allow_module_level=True)


def bench(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench", *map(str, words)],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip


def test_every_bench_notes_its_numbers() -> None:
    for file in BENCH.glob("bench_*.py"):
        text = file.read_text(encoding="utf-8")
        # bar() of bench_studio.py notes what it compares
        assert "note(" in text or ("bench_studio import" in text and "bar(" in text), file.name


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
