"""``kinegen check``: every problem of RAFF files, each with its place."""

from __future__ import annotations

import argparse
from typing import Any

from kinegen.cli.output import angle, print_json
from kinegen.errors import KinegenError, RaffError
from kinegen.kinematics import loop_gap
from kinegen.mechanism.load import load

EXAMPLES = ["kinegen check my-arm.raff", "kinegen check *.raff --json"]

OPEN_GAP = 1e-6
"""A start whose loops are open by more than this [m, rad] is worth a note."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One or more files."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="RAFF files, or library names")


def run(options: argparse.Namespace) -> int:
    """Check each file; exit code 1 when any has a problem."""
    results = [_check(file) for file in options.files]
    if options.json:
        print_json(results if len(results) > 1 else results[0])
    else:
        for result in results:
            for problem in result["problems"]:
                place = [str(problem[k]) for k in ("file", "line", "column") if k in problem]
                print(": ".join([":".join(place), problem["message"]]))
            for note in result["notes"]:
                print(f"{result['file']}: note: {note}")
            if result["ok"]:
                print(f"{result['file']}: ok, {result['summary']}")
    return 0 if all(result["ok"] for result in results) else 1


def _check(file: str) -> dict[str, Any]:
    result: dict[str, Any] = {"file": file, "ok": False, "problems": [], "notes": []}
    try:
        model = load(file).compile()
    except RaffError as error:
        result["problems"] = [
            {"file": p.file, "line": p.line, "column": p.column, "message": p.message}
            for p in error.problems
        ]
        return result
    except (KinegenError, OSError) as error:
        result["problems"] = [{"file": file, "message": str(error)}]
        return result
    distance, turn = loop_gap(model)
    if max(distance, turn) > OPEN_GAP:
        result["notes"].append(
            f"at the start values the loops are open by up to {distance * 1000:.4g} mm and "
            f"{angle(turn)}"
        )
    result["ok"] = True
    result["summary"] = (
        f"{len(model.joints)} joints, {len(model.loops)} loops, {len(model.frames)} frames"
    )
    return result
