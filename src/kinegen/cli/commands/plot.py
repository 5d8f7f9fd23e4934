"""``kinegen plot``: a report of a path on one page."""

from __future__ import annotations

import argparse
from pathlib import Path as File

from kinegen.cli.answers import print_json
from kinegen.cli.commands.path import add_follow, followed, placed_curve
from kinegen.cli.options.arguments import load_mechanism
from kinegen.cli.output import count
from kinegen.formats.reports.path_report import CHARTS

EXAMPLES = [
    'kinegen plot five-bar --shape ellipse --corners "5 cm 25 cm 0; 15 cm 35 cm 0" --out a.pdf',
    "kinegen plot lynx6 --shape volume --volume latitudinal-sphere --index 3",
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """As for a path, and where to write."""
    add_follow(parser)
    parser.add_argument(
        "--charts", default=",".join(CHARTS), metavar="NAMES",
        help=f"which of {', '.join(CHARTS)}; default: all",
    )  # fmt: skip
    parser.add_argument(
        "--out", metavar="FILE", help="an .svg, .pdf or .png file; default: NAME-path.svg"
    )


def run(options: argparse.Namespace) -> int:
    """Follow, draw, say where the report is."""
    model = load_mechanism(options).compile()
    path = followed(model, placed_curve(model, options), options)
    charts = options.charts.replace(",", " ").split()
    file = File(options.out or f"{model.name}-path.svg")
    path.save(file, charts=charts)
    if options.json:
        print_json({"file": str(file), "reachable": path.reachable_count})
    else:
        reached = f"{path.reachable_count} of {count(len(path), 'point')}"
        print(f"wrote {file}: {reached} reached")
    return 0
