"""``kinegen singular``: how near singular poses are, what lies beyond them, and the way across."""

from __future__ import annotations

import argparse
import math
from typing import Any

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    numbers_of,
    parse_closed,
    real,
)
from kinegen.cli.options.targets import by_joint, joint_text
from kinegen.cli.output import count, print_table
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.singular.ahead import singular_ahead
from kinegen.kinematics.singular.crossing import Crossing, CrossingPath, branches_beyond, cross
from kinegen.kinematics.singular.headings import Heading
from kinegen.kinematics.singular.singularity import singularities
from kinegen.kinematics.solving.assembling.assembly import assemble
from kinegen.mechanism.model import Model

EXAMPLES = [
    "kinegen singular five-bar",
    'kinegen singular five-bar --heading "-1 0 0"',
    'kinegen singular puma560 --joints "elbow=1" --json',
    'kinegen singular five-bar --heading "-1 0 0" --cross "other way" --out crossing.csv',
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, where it is, where it is going, which branch to cross to."""
    add_mechanism(parser)
    add_q(parser)
    add_parameters(parser)
    parser.add_argument("--frame", metavar="F", help="a frame or link; default: the last")
    heading = parser.add_mutually_exclusive_group()
    heading.add_argument(
        "--heading", metavar='"X Y Z"',
        help="the direction in which the frame moves, in world axes; six numbers specify a twist; "
        "default: search for the nearest singular pose",
    )  # fmt: skip
    heading.add_argument(
        "--joints", metavar='"A=1, E=-1"', help="or speeds of joints; the other motors hold"
    )
    parser.add_argument("--kind", choices=("task", "gain"), help="only singular poses of this kind")
    parser.add_argument(
        "--cross", metavar="BRANCH", help="cross into this branch: its number, or part of its name"
    )
    parser.add_argument(
        "--step", type=real, default=0.01,
        help="largest movement of a joint between two rows of the crossing [rad or m]; default: "
        "0.01",
    )  # fmt: skip
    parser.add_argument(
        "--out", metavar="FILE", help="CSV file for the crossing; default: the terminal"
    )


def run(options: argparse.Namespace) -> int:
    """Say how singular a pose is, what is ahead and beyond, or write the way there."""
    if options.out and not options.cross:
        raise UsageError("--out writes a crossing: choose its branch with --cross")
    model = load_mechanism(options).compile()
    frame = options.frame or model.site_names[-1]
    q = assemble(model, parse_closed(model, options.q), limits=False).q
    heading = _heading(model, options, frame)
    here = singularities(model, q, frame)
    ahead = None if heading is None else singular_ahead(model, q, frame, heading=heading)
    crossing, why = None, "" if ahead is None else ahead.text
    if ahead is None or ahead.exact:
        try:
            crossing = branches_beyond(model, q, frame, heading=heading, kind=options.kind)
        except UsageError as error:
            why = str(error)
    if options.cross:
        if crossing is None:
            raise UsageError(f"there is no crossing: {why}")
        branch = crossing.branch(int(options.cross) if options.cross.isdigit() else options.cross)
        way = cross(model, q, branch=branch, max_step=options.step)
        return _write(way, options)
    if options.json:
        answer: dict[str, Any] = {
            "name": model.name,
            "frame": frame,
            "q": by_joint(model, q),
            "kind": here.kind,
            "text": here.text,
            "task_distance": _finite(here.task_distance),
            "gain_distance": _finite(here.gain_distance),
            "ahead": None if ahead is None else {
                "found": ahead.found, "exact": ahead.exact, "distance": ahead.distance,
                "unit": ahead.unit, "text": ahead.text,
            },
        }  # fmt: skip
        print_json(answer | _beyond(model, crossing, why))
        return 0
    print(f"{model.name}: {here.text}")
    if ahead is not None:
        print(f"Ahead: {ahead.text}")
    if crossing is None:
        if ahead is None:
            print(f"Nearby: {why}")
        return 0
    if ahead is None:
        print(f"Nearest: {crossing.singular.text}")
    _print_branches(model, q, crossing)
    return 0


def _heading(model: Model, options: argparse.Namespace, frame: str) -> Heading | None:
    """What the options say of where it is going."""
    if options.heading is not None:
        words = options.heading.replace(",", " ").split()
        if len(words) not in {3, 6}:
            raise UsageError(f"--heading takes 3 or 6 numbers, got '{options.heading}'")
        return Heading(frame, numbers_of("--heading", ", ".join(words), [""] * len(words)))
    if options.joints is None:
        return None
    speeds = {}
    for part in options.joints.replace(";", ",").split(","):
        name, equals, value = (branch.strip() for branch in part.partition("="))
        if not equals:
            raise UsageError(f"--joints: '{part}' is not NAME=SPEED")
        joint = model.joint(name)
        speeds[name] = numbers_of("--joints", value, [""] * (joint.v.stop - joint.v.start))
    return Heading(joints=speeds)


def _beyond(model: Model, crossing: Crossing | None, why: str) -> dict[str, Any]:
    if crossing is None:
        return {"singular": None, "reason": why, "branches": []}
    found = crossing.singular
    return {
        "singular": {"kind": found.kind, "text": found.text, "q": by_joint(model, found.q)},
        "reason": "",
        "branches": [
            {
                "name": branch.name,
                "crosses": branch.crosses,
                "q": by_joint(model, branch.q),
                "beyond_limits": branch.beyond,
                "poses": len(branch.path),
            }
            for branch in crossing.branches
        ],
    }


def _print_branches(model: Model, q: Floats, crossing: Crossing) -> None:
    print(f"{count(len(crossing.branches), 'branch', 'branches')}:")
    print_table(
        ("branch", "", ""),
        [
            (
                str(i),
                f"{branch.name}: leads to {'another' if branch.crosses else 'the same'} branch",
                f"outside its limits: {', '.join(branch.beyond)}" if branch.beyond else "",
            )
            for i, branch in enumerate(crossing.branches)
        ],
    )
    print()
    poses = [q, crossing.singular.q, *(branch.q for branch in crossing.branches)]
    names = ["now", "singular", *(f"branch {i}" for i in range(len(crossing.branches)))]
    print_table(
        ("joint", *names),
        [
            (joint.name, *(joint_text(joint, each) for each in poses))
            for joint in model.joints
            if joint.q.stop > joint.q.start
        ],
        right=range(1, len(poses) + 1),
    )


def _write(way: CrossingPath, options: argparse.Namespace) -> int:
    """The way as JSON or CSV."""
    if options.json:
        print_json(
            {
                "name": way.model.name,
                "branch": way.branch.name,
                "columns": list(way.columns()),
                "path": way.q,
            }
        )
    elif options.out is None:
        print(way.to_bytes("way.csv").decode(), end="")
    else:
        way.save(options.out)
        print(f"{way.branch.name}: {count(len(way.q), 'pose')} in {options.out}")
    return 0


def _finite(distance: float) -> float | None:
    return distance if math.isfinite(distance) else None
