"""``kinegen backlash``: how far backlash and tolerances move the tool."""

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
from kinegen.cli.options.figures import add_figure, is_figure, write_figure
from kinegen.cli.output import angle, count, length, print_table
from kinegen.errors import UsageError
from kinegen.workspace.accuracy.backlash import backlash

EXAMPLES = [
    'kinegen backlash five-bar-spatial --angle "3 deg"',
    'kinegen backlash lynx6 --angle "0.5 deg" --length "0.1 mm"',
    'kinegen backlash five-bar --joints "A=1 deg, E=1 deg" --out cloud.ply',
]

DIRECTIONS, PICTURED = 300, 3000
"""Extreme poses of a picture and poses between: enough for a cloud to look like one."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, what is loose, by how much."""
    add_mechanism(parser)
    parser.add_argument("--angle", default="0 deg", help="angular backlash of every joint")
    parser.add_argument(
        "--joints", metavar="ANGLES", help='or joint by joint, such as "A=1 deg, E=2 deg"'
    )
    parser.add_argument(
        "--length", default="0 mm", help="length tolerance of bars and backlash of sliders"
    )
    parser.add_argument("--wobble", default="0 deg", help="tilt of hinge axes in their bearings")
    parser.add_argument("--frame", metavar="F", help="a frame or link; default: the last")
    parser.add_argument(
        "--out", metavar="FILE",
        help="file for the points: .csv, .npz, .json or .ply; for a picture: .svg, .pdf or .png",
    )  # fmt: skip
    add_figure(parser)
    add_q(parser)
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Say how far the tool can be from where it should be."""
    model = load_mechanism(options).compile()
    angles = None
    if options.joints is not None:
        angles = {}
        for part in options.joints.replace(";", ",").split(","):
            name, equals, value = (side.strip() for side in part.partition("="))
            if not equals:
                raise UsageError(f"--joints: '{part.strip()}' is not JOINT=ANGLE")
            angles[name] = numbers_of("--joints", value, ["angle"])[0]
    found = backlash(
        model, parse_closed(model, options.q) if options.q else None, options.frame, joints=angles,
        angle=numbers_of("--angle", options.angle, ["angle"])[0],
        length=numbers_of("--length", options.length, ["length"])[0],
        wobble=numbers_of("--wobble", options.wobble, ["angle"])[0],
        directions=DIRECTIONS if is_figure(options.out) else 60,
        fill=PICTURED if is_figure(options.out) else 200,
    )  # fmt: skip
    if is_figure(options.out):
        write_figure(found, options)
    elif options.out:
        found.save(options.out)
    if options.json:
        print_json(
            {
                "name": found.name,
                "frame": found.frame,
                "lower": found.lower,
                "upper": found.upper,
                "bound": found.bound,
                "turn": found.turn,
                "worst": found.worst,
                "shares": found.shares,
                "points": len(found.points),
                "seconds": found.elapsed,
            }
        )
        return 0
    print(
        f"{found.name}: '{found.frame}' may be off by {length(found.worst)} at worst "
        f"({count(len(found.points), 'pose')} in {found.elapsed:.3f} s)"
    )
    print_table(
        ("axis", "down to", "up to", "first order", "rotation"),
        [
            (
                axis,
                length(-float(found.lower[k])),
                length(float(found.upper[k])),
                f"± {length(float(found.bound[k]))}",
                f"± {angle(float(found.turn[k]))}",
            )
            for k, axis in enumerate("xyz")
        ],
        right=range(1, 5),
    )
    most = ", ".join(f"{name} {length(share)}" for name, share in list(found.shares.items())[:4])
    print(f"Most of it comes from {most}")
    if options.out:
        print(f"wrote {options.out}")
    return 0
