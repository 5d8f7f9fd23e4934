"""``kinegen workspace``: the points that the links of an arm get to."""

from __future__ import annotations

import argparse

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    parse_closed,
    real,
)
from kinegen.cli.options.body import add_body, body_json, body_of, is_surface, print_body
from kinegen.cli.options.figures import add_figure, is_figure, palette_of, write_figure
from kinegen.cli.options.ranges import add_range, parse_ranges
from kinegen.cli.options.workspace_store import (
    SUFFIX,
    add_store,
    frames_of,
    print_held,
    run_into_store,
)
from kinegen.cli.output import angle, count, length, print_table
from kinegen.errors import UsageError
from kinegen.workspace.clouds.cloud import Cloud, cloud
from kinegen.workspace.colours import PALETTES
from kinegen.workspace.progressive.plan import propose_cloud

EXAMPLES = [
    "kinegen workspace lynx6 --factor 15",
    "kinegen workspace puma560 --auto --layer dexterity --out cloud.ply",
    'kinegen workspace puma560 --range "waist=-90 deg:90 deg" --count 200000 --out cloud.ply',
    "kinegen workspace lynx6 --layer manipulability --out cloud.csv",
    "kinegen workspace lynx6 --count 100000 --body --out surface.glb",
    "kinegen workspace lynx6 --factor 15 --palette paper --out figure5.svg",
    "kinegen workspace puma560 --count 100000 --tool-only --float32 --out tool.zarr",
    "kinegen workspace puma560 --count 100000 --out all.zarr --cluster local:2",
    "kinegen workspace puma560 --count 100000 --out all.zarr --verify",
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, ranges, how many poses, what the points are coloured by."""
    add_mechanism(parser)
    add_range(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--factor", type=real,
        help="degrees between two values of each joint (the Factor of 3D-RAS); default: 15",
    )  # fmt: skip
    how.add_argument("--count", type=int, help="number of quasi-random poses, instead of a grid")
    how.add_argument(
        "--auto", action="store_true",
        help="a useful number of poses, on a grid or, where that would be too coarse, quasi-random",
    )  # fmt: skip
    parser.add_argument("--frame", metavar="F", help="the tool; default: the last frame")
    parser.add_argument(
        "--frames",
        metavar="NAMES",
        help="links and frames to include; default: all on the chain to the tool",
    )
    parser.add_argument(
        "--layer", default="link",
        help="colour by link, joint:NAME, manipulability, limits, singularity, density or "
        "dexterity",
    )  # fmt: skip
    parser.add_argument(
        "--palette", choices=tuple(PALETTES), default="safe", help="colours of links"
    )
    add_body(parser)
    parser.add_argument(
        "--out", metavar="FILE",
        help="file for the points: .csv, .npz, .json or .ply; .glb or .stl for the surface of the "
        "tool; .svg, .pdf or .png for a picture; .zarr for clouds larger than memory, piece by "
        "piece: the same command continues where it stopped",
    )  # fmt: skip
    add_figure(parser)
    add_store(parser)
    add_q(parser)
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Make the cloud, say how large it is, write it."""
    if (options.out or "").rstrip("/").endswith(SUFFIX):
        return run_into_store(options)
    for name in ("cluster", "float32", "chunk", "verify"):
        if getattr(options, name):
            raise UsageError(f"--{name} is for large clouds in a store: use --out NAME{SUFFIX}")
    model = load_mechanism(options).compile()
    if options.auto:
        plan = propose_cloud(
            model, parse_closed(model, options.q), options.frame, frames=frames_of(model, options),
            ranges=parse_ranges(model, options.range), layer=options.layer,
        )  # fmt: skip
        options.factor = plan.factor
        options.count = None if plan.factor else plan.sweep.count
    made = cloud(
        model, parse_closed(model, options.q), options.frame, seed=options.seed,
        frames=frames_of(model, options),
        ranges=parse_ranges(model, options.range), factor=options.factor, count=options.count,
        layer=options.layer,
    )  # fmt: skip
    body = body_of(options, made)
    if is_figure(options.out):
        write_figure(made, options, q=parse_closed(model, options.q))
    elif options.out and not is_surface(options.out):
        made.save(options.out, **palette_of(options))
    if options.json:
        print_json({**body_json(body), **_as_json(made)})
        return 0
    _print_cloud(made)
    print_body(body, made.frames[-1])
    if options.out:
        print(f"wrote {options.out}")
    return 0


def _as_json(made: Cloud) -> dict[str, object]:
    return {
        "name": made.name,
        "poses": made.pose_count,
        "points": made.point_count,
        "seconds": made.elapsed,
        "layer": made.layer,
        "ranges": {
            one.name: {
                "lower": one.lower,
                "upper": one.upper,
                "count": one.count if made.sweep.is_grid else None,
            }
            for one in made.sweep.ranges
        },
        "follow": [one.name for one in made.sweep.following],
        "held": list(made.held),
        "frames": {
            frame: {"lower": ends[0], "upper": ends[1]}
            for frame, ends in zip(made.frames, made.bounds, strict=True)
        },
    }


def _print_cloud(made: Cloud) -> None:
    print(
        f"{made.name}: {count(made.pose_count, 'pose')}, {count(made.point_count, 'point')} in "
        f"{made.elapsed:.3f} s"
    )
    shown = [
        (
            one.name,
            *(angle(x) if one.quantity == "angle" else length(x) for x in (one.lower, one.upper)),
            str(one.count) if made.sweep.is_grid else "quasi-random",
        )
        for one in made.sweep.ranges
    ]
    print_table(("joint", "from", "to", "values"), shown, right=(1, 2, 3))
    print_held(made.held)
    if made.sweep.following:
        names = ", ".join(one.name for one in made.sweep.following)
        print(f"coupled joints follow: {names}")
    print()
    print_table(
        ("frame", "x", "y", "z"),
        [
            (frame, *(f"{length(low)} … {length(high)}" for low, high in ends.T))
            for frame, ends in zip(made.frames, made.bounds, strict=True)
        ],
        right=(1, 2, 3),
    )
