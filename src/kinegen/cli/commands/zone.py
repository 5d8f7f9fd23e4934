"""``kinegen zone``: where a frame of a mechanism with loops gets to."""

from __future__ import annotations

import argparse
import math

import numpy as np

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    numbers_of,
    parse_closed,
)
from kinegen.cli.options.body import add_body, body_json, body_of, is_surface, print_body
from kinegen.cli.options.cluster import add_cluster
from kinegen.cli.options.figures import add_figure, is_figure, palette_of, write_figure
from kinegen.cli.options.ranges import add_range, amount_of, parse_ranges
from kinegen.cli.output import angle, count, length, print_table
from kinegen.cli.progress import PatientLine
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.workspace.bodies.measure import Measure
from kinegen.workspace.colours import PALETTES
from kinegen.workspace.progressive.zone import propose_zone
from kinegen.workspace.zones.result import Zone, unit_of
from kinegen.workspace.zones.zone import zone, zone_slice

EXAMPLES = [
    'kinegen zone five-bar --step "2 deg"',
    'kinegen zone eight-bar --step "1 deg" --tilt "90 deg" --out zone.csv',
    'kinegen zone stewart --step "200 mm"',
    "kinegen zone delta --step auto",
    'kinegen zone stewart --step "10 deg" --turn',
    'kinegen zone five-bar --step "2 deg" --layer manipulability --out zone.ply',
    'kinegen zone five-bar --step "2 deg" --out zone.svg',
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, step, what is swept and what holds."""
    add_mechanism(parser)
    parser.add_argument(
        "--step", default="5 deg",
        help="an angle sweeps the inputs, a length sweeps the position of the frame, 'auto' uses "
        "a suitable step; default: 5 deg",
    )  # fmt: skip
    parser.add_argument("--frame", metavar="F", help="a frame or link; default: the last")
    parser.add_argument("--input", metavar="JOINTS", help="inputs to sweep; default: the motors")
    add_range(parser)
    parser.add_argument(
        "--tilt", metavar="ANGLE", help="tilt of a planar frame; default: as at the start"
    )
    parser.add_argument(
        "--turn",
        action="store_true",
        help="sweep the orientation of the frame at its start position",
    )
    parser.add_argument(
        "--through",
        action="store_true",
        help="for position or orientation: pass through singular poses",
    )
    parser.add_argument("--modes", metavar="NAMES", help="only these modes; 'all' for every mode")
    parser.add_argument(
        "--method", choices=("auto", "triangles", "solver"), default="auto",
        help="intersecting circles (planar linkages), or the solver; default: whichever applies",
    )  # fmt: skip
    add_cluster(parser)
    add_body(parser)
    parser.add_argument(
        "--out", metavar="FILE",
        help="file for the points: .csv, .npz or .ply; .glb for the surface of a volume; .svg, "
        ".pdf or .png for a picture",
    )  # fmt: skip
    parser.add_argument(
        "--layer", metavar="NAME",
        help="quality that colours the points: manipulability, singularity, limits, density or "
        "joint:NAME; default: by mode",
    )  # fmt: skip
    parser.add_argument(
        "--palette", choices=tuple(PALETTES), default="safe", help="colours of modes"
    )
    add_figure(parser)
    add_q(parser)
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Explore the zone, say how large it is, write it."""
    model = load_mechanism(options).compile()
    q = parse_closed(model, options.q) if options.q else None
    line = PatientLine()
    try:
        made = _made(model, options, q, line)
    finally:
        line.end()
    body = None
    if _wants_body(options):
        body = body_of(options, made)
    if is_figure(options.out):
        write_figure(made, options, q=q)
    elif options.out and not is_surface(options.out):
        made.save(options.out, **palette_of(options))
    if options.json:
        print_json(_as_json(made) | body_json(body))
    else:
        _print(made)
        print_body(body, made.frame)
        if options.out:
            print(f"wrote {options.out}")
    return 0


def _wants_body(options: argparse.Namespace) -> bool:
    return bool(options.body) or is_surface(options.out)


def _made(model: Model, options: argparse.Namespace, q: Floats | None, line: PatientLine) -> Zone:
    names = None if options.input is None else options.input.replace(",", " ").split()
    modes = None
    if options.modes:
        modes = [part.strip() for part in options.modes.split(",")]
    tilt = None if options.tilt is None else numbers_of("--tilt", options.tilt, ["angle"])[0]
    if options.step == "auto":
        plan = propose_zone(
            model, q, options.frame, kind="turn" if options.turn else None, inputs=names,
            ranges=parse_ranges(model, options.range), tilt=tilt, modes=modes, layer=options.layer,
        )  # fmt: skip
        return plan.finest()
    step, quantity = amount_of("--step", options.step)
    if options.turn or quantity == "length":
        if options.turn and quantity == "length":
            raise UsageError("--turn needs a --step that is an angle")
        kind = "turn" if options.turn else "place"
        return zone_slice(
            model, q, options.frame, step=step, kind=kind, through=options.through,
            layer=options.layer, progress=line,
        )  # fmt: skip
    return zone(
        model, q, options.frame, step=step, ranges=parse_ranges(model, options.range),
        inputs=names, tilt=tilt, modes=modes, method=options.method, layer=options.layer,
        executor=options.cluster, progress=line, poses=_wants_body(options),
    )  # fmt: skip


def _size(measure: Measure, kind: str) -> str:
    if kind == "turn":
        return f"{measure.value:.4g} {unit_of(measure, kind)}"
    return f"{measure.value:.4g} ± {measure.error:.1g} {unit_of(measure, kind)}"


def _print(made: Zone) -> None:
    swept = {"inputs": ", ".join(made.inputs), "place": "its position", "turn": "its orientation"}[
        made.kind
    ]
    held = "".join(f", {name} held at {angle(value)}" for name, value in made.held.items())
    method = {"triangles": "the triangle method", "solver": "the solver"}[made.method]
    print(f"{made.name}: zone of '{made.frame}' over {swept}{held}, by {method}")
    print(
        f"{count(sum(mode.count for mode in made.modes), 'point')} of {count(made.tried, 'pose')} "
        f"in {made.elapsed:.3f} s; together {_size(made.measure, made.kind)}"
    )
    show = angle if made.kind == "turn" else length
    rows = []
    for mode in made.modes:
        ends = ["-"] * 3
        if mode.count:
            ends = [f"{show(float(r.min()))} … {show(float(r.max()))}" for r in mode.points.T]
        rows.append((mode.name, str(mode.count), _size(mode.measure, made.kind), *ends))
    print_table(("mode", "points", "size", "x", "y", "z"), rows, right=(1, 2, 3, 4, 5))
    values = made.values
    if values is not None and len(values):
        print(
            f"{made.layer}: {values.min():.4g} … {values.max():.4g}, on average {values.mean():.4g}"
        )


def _as_json(made: Zone) -> dict[str, object]:
    def bounds(points: np.ndarray) -> object:
        if not len(points):
            return None
        return {"lower": points.min(axis=0), "upper": points.max(axis=0)}

    def values(of: Floats | None) -> object:
        if of is None or not len(of):
            return None
        return {"lowest": of.min(), "mean": of.mean(), "highest": of.max()}

    return {
        "name": made.name,
        "frame": made.frame,
        "method": made.method,
        "kind": made.kind,
        "layer": made.layer,
        "inputs": list(made.inputs),
        "held": {name: math.remainder(value, math.tau) for name, value in made.held.items()},
        "tried": made.tried,
        "points": sum(mode.count for mode in made.modes),
        "seconds": made.elapsed,
        "size": made.measure.value,
        "size_error": made.measure.error,
        "unit": "rad" if made.kind == "turn" else made.measure.unit,
        "modes": [
            {
                "name": mode.name,
                "points": mode.count,
                "size": mode.measure.value,
                "size_error": mode.measure.error,
                "bounds": bounds(mode.points),
                "values": values(mode.values),
            }
            for mode in made.modes
        ],
    }
