"""``kinegen draw``: a picture of a mechanism."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    parse_closed,
)
from kinegen.cli.options.figures import view_of
from kinegen.cli.out import write_out
from kinegen.errors import UsageError
from kinegen.formats.drawing.picture import picture

EXAMPLES = [
    "kinegen draw stewart",
    'kinegen draw puma560 --q "shoulder=80 deg" --out arm.svg --view side',
    "kinegen draw my-arm.raff --theme dark --size 1200x900",
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, joint values, how to look at it, where to write."""
    add_mechanism(parser)
    add_q(parser)
    add_parameters(parser)
    parser.add_argument("--out", metavar="FILE", help="the SVG file to write; default: NAME.svg")
    parser.add_argument(
        "--view",
        default="auto",
        help="auto, iso, front, top, side, or AZIMUTH,ELEVATION in degrees; default: auto",
    )
    parser.add_argument("--size", default="800x600", help="in pixels; default: 800x600")
    parser.add_argument(
        "--theme", choices=("light", "dark"), default="light", help="colours; default: light"
    )
    parser.add_argument("--names", action="store_true", help="label the joints")


def run(options: argparse.Namespace) -> int:
    """Draw and say where the picture is."""
    mechanism = load_mechanism(options)
    model = mechanism.compile()
    q = parse_closed(model, options.q)
    drawn = picture(
        model,
        q,
        size=_size(options.size),
        view=view_of(options.view),
        title=mechanism.title or mechanism.name,
        theme=options.theme,
        names=options.names,
    )
    file = Path(options.out or f"{mechanism.name}.svg")
    if file.suffix.lower() != ".svg" and not file.is_dir():
        raise UsageError(f"--out {file}: pictures are SVG files: use a name that ends in .svg")
    write_out(file, drawn)
    if options.json:
        print_json({"file": str(file)})
    else:
        print(f"wrote {file}: open it in any browser")
    return 0


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,5})", text.lower())
    if not found:
        raise UsageError(f"--size takes WIDTHxHEIGHT in pixels, such as 800x600, got '{text}'")
    return int(found[1]), int(found[2])
