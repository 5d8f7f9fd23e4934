"""Run benches, save their numbers, compare two runs.

``python -m bench [NAME …] [--short] [--save FILE] [--compare FILE]``: without names, all of them.
``--compare`` prints each number beside the one that an earlier ``--save`` kept, and their ratio;
above 1 this run is better. Machines differ from hour to hour: compare runs that follow each other,
and believe no ratio between 0.9 and 1.1. Files of numbers are not committed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.support.notes import NOTES

FOLDER = Path(__file__).resolve().parent
NO_BENCHES = {"endurance", "fuzz", "support"}
"""Folders of other programs, and of what benches share."""
SHORT = {
    "analytic": ["--poses", "20"],
    "assembly": ["--poses", "500", "--attempts", "50"],
    "bridges": ["--reads", "20", "--sdk", "20"],
    "cloud": ["--points", "100000"],
    "contact": ["--rounds", "1"],
    "drag": ["--rounds", "1"],
    "dynamics": ["--rounds", "1"],
    "edit": ["--rounds", "1"],
    "gym": ["--rounds", "1", "--envs", "2", "--steps", "5", "--mechanism", "so101"],
    "haptic": ["--rounds", "1", "--seconds", "0.5"],
    "headset": ["--frames", "60"],
    "hull": ["--rounds", "1"],
    "iftomm": ["--problem", "A01", "--engine", "reduced"],
    "import": ["--rounds", "1"],
    "journal": ["--sessions", "5", "--seconds", "1"],
    "kernels": ["--rounds", "1"],
    "loops_dynamics": ["--rounds", "1", "--time", "0.5"],
    "page": ["--rounds", "1", "--moves", "20"],
    "path": ["--rounds", "1"],
    "reading": ["--most", "1000"],
    "scaling": ["--rounds", "1"],
    "scaling_dynamics": ["--rounds", "1", "--family", "chain", "--no-mujoco"],
    "solve": ["puma560", "--poses", "20", "--rounds", "1"],
    "studio": ["--clients", "3", "--seconds", "1"],
    "workspace": ["--poses", "100000"],
}
"""Options with which a bench shows that it runs, rather than measures; others have none."""


def modules() -> dict[str, str]:
    """The module of every bench, by the bench's name."""
    files = [file for file in FOLDER.glob("*/*.py") if file.parent.name not in NO_BENCHES]
    return {
        file.stem: f"bench.{file.parent.name}.{file.stem}"
        for file in sorted(files, key=lambda file: file.stem)
        if file.stem != "__init__"
    }


def names() -> list[str]:
    """The benches of all rooms."""
    return list(modules())


def run(chosen: list[str], short: bool) -> tuple[dict[str, Any], list[str]]:
    """Run benches; their numbers by name, and those that failed."""
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes"
        notes.touch()
        for name in chosen:
            print(f"== {name}", flush=True)
            command = [sys.executable, "-u", "-m", modules()[name]]
            command += SHORT.get(name, []) if short else []
            environment = {**os.environ, NOTES: str(notes)}
            done = subprocess.run(command, cwd=FOLDER.parent, env=environment, check=False)
            if done.returncode != 0:
                failed.append(name)
        lines = map(json.loads, notes.read_text(encoding="utf-8").splitlines())
        return {f"{line['bench']}: {line['name']}": line for line in lines}, failed


def compare(before: dict[str, Any], now: dict[str, Any]) -> None:
    """Print the numbers of two runs side by side."""
    width = max(map(len, now), default=4)
    print(f"\n{'':{width}} {'before':>12} {'now':>12} {'':8} {'better':>8}")
    for name, line in now.items():
        value, unit = line["value"], line["unit"]
        if name not in before:
            print(f"{name:{width}} {'–':>12} {value:12.4g} {unit:8}")
            continue
        old = before[name]["value"]
        gain = value / old if line["more_is_better"] else old / value
        print(f"{name:{width}} {old:12.4g} {value:12.4g} {unit:8} {gain:7.2f}×")
    for name in before.keys() - now.keys():
        print(f"{name:{width}} {before[name]['value']:12.4g} {'–':>12} {before[name]['unit']:8}")


def main() -> int:
    """Read the options, run, save and compare."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names()))
    parser.add_argument("--short", action="store_true", help="only show that they run")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep the numbers")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="numbers of an earlier run")
    given = parser.parse_args()
    unknown = set(given.names) - set(names())
    if unknown:
        parser.error(f"no bench {', '.join(sorted(unknown))}; benches: {', '.join(names())}")
    before = json.loads(given.compare.read_text(encoding="utf-8")) if given.compare else None
    now, failed = run(given.names or names(), given.short)
    if given.save:
        text = json.dumps(now, indent=1, ensure_ascii=False)
        given.save.write_text(text + "\n", encoding="utf-8")
    if before is not None:
        compare(before, now)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
