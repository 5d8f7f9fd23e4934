"""``kinegen design``: parameters that let a mechanism reach a goal."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import PurePath

import numpy as np

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    load_mechanism,
    numbers_of,
    real,
)
from kinegen.cli.options.cluster import add_cluster
from kinegen.cli.options.path_shapes import add_shape, curve_of
from kinegen.cli.output import angle, count, length, print_table
from kinegen.curves.curve import Curve
from kinegen.errors import UsageError
from kinegen.formats.export import export, writer_of
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.motion.design.design import Design, DesignProgress, box_points, design
from kinegen.raff.formulas.formula import format_number
from kinegen.studio.wire.data.number import parameter_data

EXAMPLES = [
    "kinegen design four-bar --free crank,ground,coupler,rocker,reach --goal follow "
    '--shape polyline --through "0 30 cm 0; 20 cm 30 cm 0; 40 cm 30 cm 0"',
    'kinegen design five-bar --free crank,coupler --goal cover --box "0 20 cm 0; 20 cm 50 cm 0"',
]


TABLES = (".csv", ".json", ".npz")
"""Files of the result itself; others are of the mechanism."""
EXIT_NOT_MET = 1
"""Exit code when the best design is still too far from the goal."""
FOLLOWED = 0.05
"""Largest distance, as a share of the wanted points' extent, up to which a goal counts as met."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, what may change, what the goal is."""
    add_mechanism(parser)
    parser.add_argument("--free", required=True, metavar="A,B,…", help="parameters that may change")
    parser.add_argument(
        "--goal", required=True, choices=("follow", "cover"), help="follow a curve, or cover a box"
    )
    parser.add_argument("--frame", metavar="F", help="a frame or link; default: the last")
    parser.add_argument(
        "--range", metavar='"A=LOW:HIGH, …"', default="",
        help="ranges of free parameters; default: min and max of the file, or a third to three "
        "times the value",
    )  # fmt: skip
    parser.add_argument("--box", metavar='"P; P"', help="cover: two opposite corners of the box")
    parser.add_argument(
        "--clear", type=real, default=0.0, metavar="D",
        help="keep this far from singular poses (dimensionless, such as 0.1)",
    )  # fmt: skip
    parser.add_argument("--points", type=int, help="number of points; default: 36, or 4 per edge")
    parser.add_argument(
        "--starts", type=int, default=12, help="number of designs to improve; default: 12"
    )
    parser.add_argument(
        "--tries", type=int, default=300, help="number of random designs to choose from"
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="random seed; another seed searches elsewhere"
    )
    parser.add_argument(
        "--out", metavar="FILE",
        help="write the mechanism with its new numbers (.raff, or another format of 'kinegen "
        "export'), or the designs that were found (.csv, .json, .npz)",
    )  # fmt: skip
    add_cluster(parser)
    add_shape(parser, required=False)
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Search and report; exit code 1 when the goal is not met."""
    if options.points is not None and options.points < 1:
        raise UsageError(f"--points {options.points}: use at least 1")
    is_table = PurePath(options.out or "").suffix.lower() in TABLES
    if options.out and not is_table:
        writer_of(options.out)  # a suffix that nobody writes is refused before the search
    mechanism = load_mechanism(options)
    model = mechanism.compile()
    names = [name.strip() for name in options.free.split(",") if name.strip()]
    before = {name: model.parameters[name] for name in names}
    found = design(
        model,
        _ranges(mechanism, model, names, options.range),
        _wanted(model, options),
        frame=options.frame,
        points=36 if options.points is None else options.points,
        starts=options.starts,
        tries=options.tries,
        seed=options.seed,
        clear=options.clear,
        executor=options.cluster,
        progress=_progress if sys.stderr.isatty() and not options.json else None,
    )
    # a single point has no extent to compare with: the mechanism's size counts
    share = found.share if math.isfinite(found.share) else found.worst / model.size
    is_met = share <= FOLLOWED
    if is_table:
        found.save(options.out)
    elif options.out:
        for name, value in found.parameters.items():
            mechanism.set_parameter(name, value)
        export(mechanism, options.out)
    if options.json:
        print_json(
            _data(found, before) | {"met": is_met, "file": options.out},
            error="" if is_met else f"the goal is not met: {_miss(found)}",
        )
    else:
        _report(found, before, _quantities(mechanism, model))
        if not is_met:
            print(f"the goal is not met: {_miss(found)}")
        if options.out:
            print(f"wrote {options.out}")
    return 0 if is_met else EXIT_NOT_MET


def _wanted(model: Model, options: argparse.Namespace) -> Curve | Floats:
    if options.goal == "cover":
        if not options.box:
            raise UsageError("--goal cover needs --box with two corners")
        parts = [part for part in options.box.split(";") if part.strip()]
        if len(parts) != 2:
            raise UsageError(f'--box takes two corners "P; P", got {len(parts)}')
        low, high = (numbers_of("--box", part, ["length"] * 3) for part in parts)
        edge = max(2, round((64 if options.points is None else options.points) ** (1 / 3)))
        return box_points(low, high, (edge, edge, edge))
    if not options.shape:
        raise UsageError("--goal follow needs --shape and its options")
    if options.shape == "polyline" and not options.points:
        # the points themselves, not the lines between them
        parts = [part for part in (options.through or "").split(";") if part.strip()]
        return np.array([numbers_of("--through", part, ["length"] * 3) for part in parts])
    return curve_of(model, options)


def _ranges(
    mechanism: Mechanism, model: Model, names: list[str], text: str
) -> dict[str, tuple[float, float]]:
    given: dict[str, tuple[float, float]] = {}
    quantities = _quantities(mechanism, model)
    for part in text.split(","):
        if not part.strip():
            continue
        name, equals, ends = (word.strip() for word in part.partition("="))
        low, colon, high = ends.partition(":")
        if not (equals and colon) or name not in names:
            raise UsageError(
                f"--range takes NAME=LOW:HIGH of free parameters ({', '.join(names)}), got '{part}'"
            )
        quantity = quantities.get(name)
        ends_of = [
            numbers_of("--range", word, [quantity])[0]
            if quantity in {"angle", "length"}
            else _plain(word)
            for word in (low, high)
        ]
        given[name] = (ends_of[0], ends_of[1])
    values = dict(model.parameters)
    for name in names:
        if name in given:
            continue
        parameter = mechanism.parameters.get(name)
        value = model.parameters[name]
        low_high = (
            (min(value / 3, value * 3), max(value / 3, value * 3))
            if value
            else (-model.size, model.size)
        )
        if parameter and parameter.minimum and parameter.maximum:
            low_high = (parameter.minimum.evaluate(values), parameter.maximum.evaluate(values))
        given[name] = low_high
    return given


def _plain(text: str) -> float:
    """A number with any unit."""
    from kinegen.raff.formulas.parser import parse_formula

    formula = parse_formula(text.strip())
    if formula.names:
        raise UsageError(f"--range: '{text.strip()}' is not a number")
    return formula.evaluate({})


def _progress(report: DesignProgress) -> None:
    text = f"\rstart {report.start + 1}/{report.starts}: best {report.best * 1000:.4g} mm   "
    print(text, end="", file=sys.stderr, flush=True)


def _data(found: Design, before: dict[str, float]) -> dict[str, object]:
    return {
        "parameters": found.parameters,
        "before": before,
        "mean": found.error,
        "worst": found.worst,
        "share": found.share,
        "connected": found.connected,
        "clearance": found.clearance,
        "starts": found.starts,
        "steps": found.steps,
        "history": [{"parameters": one.parameters, "mean": one.error} for one in found.history],
    }


def _miss(found: Design) -> str:
    """How far off the worst point is, in words."""
    part = f" ({found.share * 100:.3g} % of the extent)" if math.isfinite(found.share) else ""
    return f"the worst point is missed by {length(found.worst)}{part}"


def _quantities(mechanism: Mechanism, model: Model) -> dict[str, str]:
    """What each parameter measures: as it is written, else as all its uses say."""
    return {one.name: one.quantity for one in parameter_data(mechanism, model)}


def _report(found: Design, before: dict[str, float], quantities: dict[str, str]) -> None:
    part = f" ({found.share * 100:.3g} % of the extent)" if math.isfinite(found.share) else ""
    print(
        f"mean distance {length(found.error)}, largest {length(found.worst)}{part}, after "
        f"{count(found.steps, 'step')} from {count(found.starts, 'start')}"
    )

    def shown(name: str, value: float) -> str:
        units = {"length": length, "angle": angle}
        show = units.get(quantities.get(name, ""))
        return show(value) if show else format_number(round(value, 6))

    if not found.connected:
        print(
            "warning: no continuous motion passes through all points: the mechanism would have "
            "to be disassembled in between"
        )
    print_table(
        ("parameter", "before", "now"),
        [
            (name, shown(name, before[name]), shown(name, value))
            for name, value in found.parameters.items()
        ],
        right=(1, 2),
    )
