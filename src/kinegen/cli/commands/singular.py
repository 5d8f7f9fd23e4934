"""``kinegen singular``: how near singular poses are, what lies beyond them, and the way across."""

from __future__ import annotations

import argparse
import csv
import io
import math
from typing import Any

import numpy as np

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    numbers_of,
    parse_closed,
    q_labels,
    real,
)
from kinegen.cli.options.targets import by_joint, joint_text
from kinegen.cli.out import write_out
from kinegen.cli.output import count, print_table
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics import assemble
from kinegen.kinematics.singular.ahead import singular_ahead
from kinegen.kinematics.singular.courses import Course
from kinegen.kinematics.singular.crossing import Crossing, cross, sides
from kinegen.kinematics.singular.singularity import singularities
from kinegen.mechanism.model import Model

EXAMPLES = [
    "kinegen singular five-bar",
    'kinegen singular five-bar --course "-1 0 0"',
    'kinegen singular puma560 --joints "elbow=1" --json',
    'kinegen singular five-bar --course "-1 0 0" --cross "other way" --out way.csv',
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, where it is, where it is going, which side to cross to."""
    add_mechanism(parser)
    add_q(parser)
    add_parameters(parser)
    parser.add_argument("--frame", metavar="F", help="a frame or link; default: the last")
    course = parser.add_mutually_exclusive_group()
    course.add_argument(
        "--course", metavar='"X Y Z"',
        help="the direction in which the frame moves, in world axes; six numbers: its twist; "
        "default: the nearest singular pose is looked for",
    )  # fmt: skip
    course.add_argument(
        "--joints", metavar='"A=1, E=-1"', help="or speeds of joints; other motors hold"
    )
    parser.add_argument("--kind", choices=("task", "gain"), help="only poses of this kind")
    parser.add_argument("--cross", metavar="SIDE", help="go there: its number, or part of its name")
    parser.add_argument(
        "--step", type=real, default=0.01,
        help="the most a joint moves between two rows of the way [rad or m]; default: 0.01",
    )  # fmt: skip
    parser.add_argument("--out", metavar="FILE", help="where the way goes, as CSV; default: here")


def run(options: argparse.Namespace) -> int:
    """Say how singular a pose is, what is ahead and beyond, or write the way there."""
    if options.out and not options.cross:
        raise UsageError("--out takes a way across: name its side with --cross")
    model = load_mechanism(options).compile()
    frame = options.frame or model.site_names[-1]
    q = assemble(model, parse_closed(model, options.q), limits=False).q
    course = _course(model, options, frame)
    here = singularities(model, q, frame)
    ahead = None if course is None else singular_ahead(model, q, course, frame)
    crossing, why = None, "" if ahead is None else ahead.text
    if ahead is None or ahead.exact:
        try:
            crossing = sides(model, q, frame, course=course, kind=options.kind)
        except UsageError as error:
            why = str(error)
    if options.cross:
        if crossing is None:
            raise UsageError(f"there is no way across: {why}")
        side = crossing.side(int(options.cross) if options.cross.isdigit() else options.cross)
        way = cross(model, q, side=side, max_step=options.step)
        return _write(model, way, side.name, options)
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
    _print_sides(model, q, crossing)
    return 0


def _course(model: Model, options: argparse.Namespace, frame: str) -> Course | None:
    """What the options say of where it is going."""
    if options.course is not None:
        words = options.course.replace(",", " ").split()
        if len(words) not in {3, 6}:
            raise UsageError(f"--course takes 3 or 6 numbers, got '{options.course}'")
        return Course(frame, numbers_of("--course", ", ".join(words), [""] * len(words)))
    if options.joints is None:
        return None
    speeds = {}
    for part in options.joints.replace(";", ",").split(","):
        name, equals, value = (side.strip() for side in part.partition("="))
        if not equals:
            raise UsageError(f"--joints: '{part}' is not NAME=SPEED")
        joint = model.joint(name)
        speeds[name] = numbers_of("--joints", value, [""] * (joint.v.stop - joint.v.start))
    return Course(joints=speeds)


def _beyond(model: Model, crossing: Crossing | None, why: str) -> dict[str, Any]:
    if crossing is None:
        return {"singular": None, "reason": why, "sides": []}
    found = crossing.singular
    return {
        "singular": {"kind": found.kind, "text": found.text, "q": by_joint(model, found.q)},
        "reason": "",
        "sides": [
            {
                "name": side.name,
                "crosses": side.crosses,
                "q": by_joint(model, side.q),
                "beyond_limits": side.beyond,
                "poses": len(side.path),
            }
            for side in crossing.sides
        ],
    }


def _print_sides(model: Model, q: Floats, crossing: Crossing) -> None:
    print(f"{count(len(crossing.sides), 'side')}:")
    print_table(
        ("side", "", ""),
        [
            (
                str(i),
                f"{side.name}: {'another branch' if side.crosses else 'the same branch'}",
                f"outside its limits: {', '.join(side.beyond)}" if side.beyond else "",
            )
            for i, side in enumerate(crossing.sides)
        ],
    )
    print()
    poses = [q, crossing.singular.q, *(side.q for side in crossing.sides)]
    names = ["now", "singular", *(f"side {i}" for i in range(len(crossing.sides)))]
    print_table(
        ("joint", *names),
        [
            (joint.name, *(joint_text(joint, each) for each in poses))
            for joint in model.joints
            if joint.q.stop > joint.q.start
        ],
        right=range(1, len(poses) + 1),
    )


def _write(model: Model, way: list[Floats], name: str, options: argparse.Namespace) -> int:
    """The way as JSON or CSV."""
    labels = q_labels(model.joints)
    if options.json:
        print_json({"name": model.name, "side": name, "columns": labels, "path": np.array(way)})
        return 0
    table = io.StringIO()
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow(labels)
    rows.writerows([repr(float(x)) for x in q] for q in way)
    if options.out is None:
        print(table.getvalue(), end="")
        return 0
    write_out(options.out, table.getvalue())
    print(f"{name}: {count(len(way), 'pose')} in {options.out}")
    return 0


def _finite(distance: float) -> float | None:
    return distance if math.isfinite(distance) else None
