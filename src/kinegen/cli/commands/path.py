"""``kinegen path``: a frame follows a curve: what is reached, joint values, speeds."""

from __future__ import annotations

import argparse
import math
from typing import Literal

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
from kinegen.cli.options.figures import FIGURES, add_figure, is_figure, write_figure
from kinegen.cli.options.path_shapes import add_shape, curve_of, lines_around
from kinegen.cli.options.surroundings import Avoiding, add_avoid
from kinegen.cli.options.targets import joint_text
from kinegen.cli.output import angle, count, length, print_table
from kinegen.curves.curve import Curve
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.motion.branches import branch_namer
from kinegen.motion.curve_place import find_place, fit_curve
from kinegen.motion.follow import follow, path_branches
from kinegen.motion.path import Path
from kinegen.motion.targets import Tool
from kinegen.motion.timing.timing import retime
from kinegen.spatial.rotation import SO3

EXAMPLES = [
    'kinegen path five-bar --shape ellipse --corners "5 cm 25 cm 0; 15 cm 35 cm 0" --points 60',
    'kinegen path ur5e --shape segment --from "0.3 0.2 0.3" --to "0.5 0.2 0.3" --rpy "180deg 0 0"',
    'kinegen path arm-and-wall --shape segment --from "0.6 -0.2 0.3" --to "0.6 0.2 0.3" --avoid',
    "kinegen path lynx6 --shape volume --volume latitudinal-sphere --index 3 --out table.ssc",
    'kinegen path five-bar --shape formula --x "cos(t)" --y "sin(2*t)" --z 0 --t "0:360 deg" --fit',
    'kinegen path lynx6 --shape seam --pipes "4 cm 45 mm" --offset "15 cm 15 cm 10 cm" --points 32',
]

NO_BEGIN = "the curve cannot be started: its first point is out of reach"
EXIT_NOTHING = 1
"""Exit code when no point is reached."""
SUFFIXES = (".csv", ".json", ".npz", ".mcap", ".gcode", ".ssc")
"""Of joint tables."""
SHOWN = 9
"""Rows of the joint table that are printed; --out has them all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, curve, how it is followed, where to write."""
    add_follow(parser)
    parser.add_argument(
        "--branches", action="store_true", help="list the branches in which the curve can start"
    )
    kinds = ", ".join(SUFFIXES)
    parser.add_argument(
        "--out", metavar="FILE",
        help=f"file for the joint table, by suffix: {kinds}; or a picture: {', '.join(FIGURES)}",
    )  # fmt: skip
    add_figure(parser)


def add_follow(parser: argparse.ArgumentParser) -> None:
    """What a path needs, here and in ``kinegen plot``."""
    add_mechanism(parser)
    parser.add_argument("--frame", metavar="F", help="a frame or link; default: the last")
    add_shape(parser)
    parser.add_argument(
        "--fit",
        action="store_true",
        help="scale and move the curve to where the frame can follow it",
    )
    add = parser.add_argument_group("following").add_argument
    add("--points", type=int, help="number of equally spaced points; default: 200")
    add("--step", help="or the spacing of the points, such as '2 mm'")
    add("--speed", default="0.1 m/s", help="speed of the frame along the curve; default: 0.1 m/s")
    add(
        "--tool",
        help='direction of its z axis: "free" (default), "normal" (to the surface) or "X Y Z"',
    )
    add("--rpy", metavar='"R P Y"', help="or its full orientation, constant along the curve")
    add("--wrist", help="or a constant angle of the hand to the ground, such as '-45 deg' (lynx6)")
    add("--branch", type=int, help="number of one of the --branches; default: the nearest to --q")
    add("--no-limits", action="store_true", help="ignore joint limits")
    add("--timing", choices=("constant", "optimal", "smooth"), default="constant",
        help="timing of the longest segment: constant speed, least time, limited jerk")  # fmt: skip
    add(
        "--acceleration",
        help="acceleration limit of every joint, such as '20 rad/s2'; for optimal, smooth",
    )
    add("--effort", help="effort limit of every motor, such as '20 Nm', or 'motors' for the "
        "file's; for optimal")  # fmt: skip
    add("--jerk", help="jerk limit of every joint [rad/s3, m/s3]; for smooth")
    add_avoid(parser)
    add_q(parser)
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Follow the curve and report; exit code 1 when no point is reached."""
    model = load_mechanism(options).compile()
    curve = placed_curve(model, options)
    if options.branches:
        return _branches(model, curve, options)
    path = followed(model, curve, options)
    if is_figure(options.out):
        around = [] if options.fit else lines_around(model, options)
        write_figure(path, options, around=around)
    elif options.out:
        path.save(options.out)
    if options.json:
        why = "" if path.reachable_count else f"no point is reached: {path.gaps()[0].reason}"
        more = {"file": options.out, "closed": curve.is_closed, "collisions": path.collisions()}
        print_json(path.to_dict() | more, error=why)
    else:
        _report(path, curve)
        if options.out:
            print(f"wrote {options.out}")
    return 0 if path.reachable_count else EXIT_NOTHING


def placed_curve(model: Model, options: argparse.Namespace) -> Curve:
    """The curve that the options describe, brought within reach if that is asked for."""
    curve = curve_of(model, options)
    if not options.fit:
        return curve
    place = find_place(model, parse_closed(model, options.q), options.frame)
    fit = fit_curve(curve, place.centre, place.radius)
    return curve.placed(fit.scale, fit.offset)


def followed(model: Model, curve: Curve, options: argparse.Namespace) -> Path:
    """The path that the options ask for."""
    avoiding = Avoiding.parse(model, options)
    path = follow(
        model,
        curve,
        frame=options.frame,
        points=options.points,
        step=numbers_of("--step", options.step, ["length"])[0] if options.step else None,
        speed=numbers_of("--speed", options.speed, ["speed"])[0],
        tool=tool_of(options),
        wrist_angle=_wrist(options),
        start=parse_closed(model, options.q),
        branch=options.branch,
        limits=not options.no_limits,
        avoid=avoiding.checker or False,
        clearance=avoiding.clearance,
    )
    if options.timing == "constant" or not path.runs:
        return path
    rise = options.acceleration
    jerk = options.jerk
    return retime(
        path,
        options.timing,
        run=path.longest_run,
        accelerations=_number("--acceleration", rise, "angular acceleration") if rise else None,
        efforts=_effort(options.effort),
        jerks=_number("--jerk", jerk, "number") if jerk else None,
    )


def _wrist(options: argparse.Namespace) -> float | None:
    return None if options.wrist is None else _number("--wrist", options.wrist, "angle")


def _effort(text: str | None) -> float | Literal["motors"] | None:
    if text is None:
        return None
    if text == "motors":
        return "motors"
    return _number("--effort", text, "torque")


def _number(option: str, text: str, quantity: str) -> float:
    return numbers_of(option, text, [quantity])[0]


def tool_of(options: argparse.Namespace) -> Tool:
    """How the tool is held."""
    if options.rpy:
        if options.tool:
            raise UsageError("specify --rpy or --tool, not both")
        return SO3.from_rpy(*numbers_of("--rpy", options.rpy, ["angle"] * 3))
    if options.tool in (None, "free"):
        return None
    if options.tool == "normal":
        return "normal"
    return numbers_of("--tool", options.tool, [""] * 3)


def _branches(model: Model, curve: Curve, options: argparse.Namespace) -> int:
    found = path_branches(
        model, curve, frame=options.frame, tool=tool_of(options), wrist_angle=_wrist(options),
        start=parse_closed(model, options.q), limits=not options.no_limits,
    )  # fmt: skip
    name_of = None
    if len(found):
        name_of = branch_namer(model, found[0], options.frame or model.site_names[-1])
    names = [name_of(q) for q in found] if name_of else []
    if options.json:
        print_json({"branches": found, "names": names}, error="" if len(found) else NO_BEGIN)
        return 0 if len(found) else EXIT_NOTHING
    print(f"The curve can be started in {count(len(found), 'branch', 'branches')}:")
    moving = [joint for joint in model.joints if joint.q.stop > joint.q.start]
    print_table(
        ("branch", "name", *(joint.name for joint in moving)),
        [
            (str(k), name, *(joint_text(joint, q) for joint in moving))
            for k, (name, q) in enumerate(zip(names, found, strict=True))
        ],
        right=(0, *range(2, len(moving) + 2)),
    )
    return 0 if found else EXIT_NOTHING


def _report(path: Path, curve: Curve) -> None:
    apart = curve.gap()
    ends = "closed" if curve.is_closed else f"open: its ends are {length(apart)} apart"
    if math.isnan(apart):
        ends = "one end is missing"
    article = "an" if path.name[0] in "aeiou" else "a"
    print(
        f"{path.reachable_count} of {count(len(path), 'point')} reached by '{path.frame}' along "
        f"{article} {path.name} of {length(float(path.ways[-1]))} ({ends}), {path.duration:.3g} s"
    )
    for gap in path.gaps():
        where = f"points {gap.first} to {gap.last}"
        if gap.first == gap.last:
            where = f"point {gap.first}"
        print(f"not reached: {where}: {gap.reason}")
    for crossing in path.crossings:
        print(f"warning: {crossing.text}")
    for span in path.collisions():
        print(f"warning: {span.text} (points {span.first} to {span.last})")
    for name, times in path.too_fast.items():
        print(f"warning: joint '{name}' would need {times:.3g} times the speed of its motor")
    if not path.reachable_count:
        return
    _print_rates(path)
    rows = np.flatnonzero(path.reachable)
    shown = rows[np.unique(np.linspace(0, len(rows) - 1, SHOWN).astype(int))].tolist()
    moving = [joint for joint in path.model.joints if joint.q.stop > joint.q.start]
    print()
    print_table(
        ("point", "time", *(joint.name for joint in moving)),
        [
            (str(i), f"{path.times[i]:.3f} s", *(joint_text(j, path.q[i]) for j in moving))
            for i in shown
        ],
        right=range(len(moving) + 2),
    )
    if len(shown) < len(rows):
        print(f"… {len(rows)} rows in total; --out table.csv writes them all")


def _print_rates(path: Path) -> None:
    rows = []
    for joint in path.model.joints:
        if joint.v.stop == joint.v.start:
            continue
        fastest, hardest = (_largest(values[:, joint.v]) for values in (path.v, path.vdot))
        unit = angle if _turns(joint) else length
        rows.append((joint.name, f"{unit(fastest)}/s", f"{unit(hardest)}/s²"))
    print()
    print_table(("joint", "fastest", "largest acceleration"), rows, right=(1, 2))


def _turns(joint: ModelJoint) -> bool:
    return not joint.type.info.is_length[0]


def _largest(values: Floats) -> float:
    known = np.abs(values[np.isfinite(values)])
    return float(known.max()) if len(known) else 0.0
