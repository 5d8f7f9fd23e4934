"""``kinegen check``: every problem of RAFF files, each with its place."""

from __future__ import annotations

import argparse
from collections.abc import Sized
from typing import Any

from kinegen.cli.answers import print_json
from kinegen.cli.output import count
from kinegen.dynamics.tree.masses import check_masses
from kinegen.errors import AssemblyError, KinegenError, NumberError, RaffError
from kinegen.formats.load import load
from kinegen.formats.problems import FormatProblems
from kinegen.kinematics.solving.assembling.explained import assemble_explained
from kinegen.kinematics.solving.assembling.words import start_note

EXAMPLES = ["kinegen check my-arm.raff", "kinegen check *.raff --json"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One or more files."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="RAFF files, or library names")


def run(options: argparse.Namespace) -> int:
    """Check each file; exit code 1 when any has a problem."""
    results = [_check(file) for file in options.files]
    wrong = [result for result in results if not result["ok"]]
    if options.json:
        problems = [problem for result in wrong for problem in result["problems"]]
        error = (
            f"{count(len(problems), 'problem')} in {len(wrong)} of {count(len(results), 'file')}"
        )
        content = {"files": results} | ({"problems": problems} if wrong else {})
        print_json(content, error=error if wrong else "")
    else:
        for result in results:
            for problem in result["problems"]:
                place = [str(problem[k]) for k in ("file", "line", "column") if k in problem]
                print(": ".join([":".join(place), problem["message"]]))
            for note in result["notes"]:
                print(f"{result['file']}: note: {note}")
            if result["ok"]:
                print(f"{result['file']}: ok, {result['summary']}")
    return 1 if wrong else 0


def _check(file: str) -> dict[str, Any]:
    result: dict[str, Any] = {"file": file, "ok": False, "problems": [], "notes": []}
    try:
        mechanism = load(file)
        model = mechanism.compile()
    except (RaffError, FormatProblems) as error:
        result["problems"] = [
            {"file": p.file, "line": p.line, "column": p.column, "message": p.message}
            for p in error.problems
        ]
        return result
    except (KinegenError, OSError) as error:
        result["problems"] = [{"file": file, "message": str(error)}]
        return result
    for one in mechanism.remarks:
        is_own = one.file in (file, f"{file} (expanded)")
        result["notes"].append(f"line {one.line}: {one.message}" if is_own else one.brief)
    try:
        note = start_note(model, assemble_explained(model))
    except AssemblyError as error:
        result["problems"] = [{"file": file, "message": str(error)}]
        return result
    if note:
        result["notes"].append(f"{note}: 'kinegen assemble FILE --write' writes the closed pose")
    try:
        check_masses(model)
    except NumberError as error:
        result["notes"].append(f"it cannot be simulated: {error}")
    result["ok"] = True
    sizes: dict[str, Sized] = {"joint": model.joints, "loop": model.loops, "frame": model.frames}
    if model.couplings:
        sizes["coupling"] = model.couplings
    result["summary"] = ", ".join(count(len(parts), what) for what, parts in sizes.items())
    return result
