"""``kinegen collisions``: which bodies touch at a pose, or are near each other."""

from __future__ import annotations

import argparse

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    numbers_of,
    parse_closed,
)
from kinegen.cli.options.surroundings import add_floor, parse_floor
from kinegen.cli.options.targets import by_joint
from kinegen.cli.output import count, length, print_table
from kinegen.errors import UsageError
from kinegen.kinematics.collisions.checker import Clearances, collisions

EXAMPLES = [
    'kinegen collisions so101 --q "shoulder_lift=60 deg" --floor',
    "kinegen collisions arm-and-wall --margin 100mm --json",
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, pose, how near counts."""
    add_mechanism(parser)
    add_q(parser)
    parser.add_argument(
        "--margin",
        metavar="LENGTH",
        default="0",
        help="list bodies that are nearer to each other than this; default: those that overlap",
    )
    add_floor(parser)
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Measure and report."""
    model = load_mechanism(options).compile()
    q = parse_closed(model, options.q)
    (margin,) = numbers_of("--margin", options.margin, ["length"])
    if margin < 0:
        raise UsageError(f"--margin is {length(margin)}: use 0 or more")
    found = collisions(model, q, margin=margin, floor=parse_floor(options.floor))
    touching = int(found.touching.sum())
    if options.json:
        print_json(
            {
                "name": model.name,
                "q": by_joint(model, q),
                "margin": margin,
                "collides": touching > 0,
                "pairs": pair_rows(found),
                "remarks": list(found.remarks),
            }
        )
        return 0
    if touching:
        print(f"{model.name}: {count(touching, 'pair')} of bodies overlap")
    else:
        print(f"{model.name}: no bodies overlap")
    if len(found):
        order = found.distances.argsort().tolist()
        print_table(
            ("body", "other", "distance"),
            [(found.a[i], found.b[i], length(float(found.distances[i]))) for i in order],
            right=(2,),
        )
    elif margin:
        print(f"No bodies are nearer to each other than {length(margin)}.")
    for remark in found.remarks:
        print(remark)
    return 0


def pair_rows(found: Clearances) -> list[dict[str, object]]:
    """A row of JSON per pair, nearest first."""
    return [
        {
            "a": found.a[i],
            "b": found.b[i],
            "distance": found.distances[i],
            "point_a": found.points_a[i],
            "point_b": found.points_b[i],
            "normal": found.normals[i],
        }
        for i in found.distances.argsort().tolist()
    ]
