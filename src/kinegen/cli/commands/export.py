"""``kinegen export``: a mechanism in a pose, or a recorded motion, as a file for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    parse_start,
)
from kinegen.cli.options.formats import add_format_options, format_list, format_options
from kinegen.cli.out import check_place
from kinegen.errors import UsageError
from kinegen.formats.export import ZIP, export, writer_of

EXAMPLES = [
    "kinegen export stewart page.html      # a page with the mechanism to drag, for any browser",
    "kinegen export my-arm.raff arm.glb    # 3D model, recorded motions as animations",
    "kinegen export my-arm.raff wave.csv --motion wave",
    "kinegen export five-bar bars.urdf     # for ROS; reports where the loop was cut",
    "kinegen export stewart stewart.xml    # for MuJoCo, loops closed",
    "kinegen export five-bar bars.fmu --fmi 3  # an FMU for Simulink, Dymola, OpenModelica …",
    "kinegen export my-arm.raff arm.sdf.zip",
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, pose, motion, file."""
    add_mechanism(parser)
    parser.add_argument(
        "file",
        metavar="FILE",
        help="file to write; its suffix chooses the format. Further files, such as meshes, are "
        f"written beside it, or all into one file if the name ends in {ZIP}, as arm.urdf{ZIP}",
    )
    add_q(parser)
    add_parameters(parser)
    parser.add_argument("--motion", metavar="NAME", help="one of the file's recorded motions")
    parser.add_argument("--to", dest="target_format", metavar="FORMAT", help="default: by suffix")
    parser.add_argument(
        "--fmi", choices=("2", "3"), help="version of the standard, for .fmu files; default: 2"
    )
    parser.add_argument(
        "--platforms", metavar="NAMES", help="computers that a .fmu file runs on, such as "
        "'linux64,win64', or all: needs kinegen[platforms]; default: this one",
    )  # fmt: skip
    add_format_options(parser, "an option of the format")
    parser.epilog = f"{parser.epilog}\n\nformats:\n{format_list(written=True)}"


def run(options: argparse.Namespace) -> int:
    """Write the file and say where it is."""
    check_place("FILE", options.file)
    writer = writer_of(options.file, options.target_format)
    given = format_options(options)
    for key in ("fmi", "platforms"):
        value = getattr(options, key)
        if value is None:
            continue
        if key not in writer.options:
            raise UsageError(f"--{key} is for .fmu files, and '{options.file}' is not one")
        given[key] = value
    mechanism = load_mechanism(options)
    model = mechanism.compile()
    made = export(
        mechanism,
        Path(options.file),
        q=parse_start(model, options.q),
        motion=options.motion,
        format=writer.name,
        options=given,
    )
    if options.json:
        print_json({"file": options.file, **made.to_dict()})
        return 0
    for note in made.notes:
        print(f"note: {note}")
    more = len(made.files) - 1
    beside = f", with {more} further file{'s'[: more > 1]}" if more else ""
    print(f"wrote {made.files[0]} ({made.bytes / 1000:.0f} kB{beside})")
    return 0
