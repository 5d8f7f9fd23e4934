"""Numbers of a bench, noted so that two runs can be compared: ``python -m bench --save FILE``."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

__all__ = ["NOTES", "note"]

NOTES = "KINEGEN_BENCH_NOTES"
"""The environment variable with the file that collects a run's numbers, a line each."""


def note(name: str, value: float, unit: str, *, more_is_better: bool = False) -> None:
    """Keep one number under a name that is the same in every run; without a file, do nothing."""
    file = os.environ.get(NOTES)
    if not file:
        return
    line = {
        "bench": Path(sys.argv[0]).stem,
        "name": name,
        "value": float(value),
        "unit": unit,
        "more_is_better": more_is_better,
    }
    with Path(file).open("a", encoding="utf-8") as out:
        out.write(json.dumps(line, ensure_ascii=False) + "\n")
