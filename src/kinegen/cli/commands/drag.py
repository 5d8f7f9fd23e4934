"""``kinegen drag``: drag a frame with every loop kept closed."""

from __future__ import annotations

import argparse
import math

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    parse_closed,
)
from kinegen.cli.options.surroundings import Avoiding, add_avoid
from kinegen.cli.options.targets import add_target, by_joint, handle_of, joint_text
from kinegen.cli.output import print_table
from kinegen.errors import UsageError
from kinegen.kinematics.closure import loop_gap
from kinegen.kinematics.collisions.checker import depth_text
from kinegen.kinematics.positions import pose
from kinegen.kinematics.solving.assembling.assembly import assemble
from kinegen.kinematics.solving.dragging import drag

EXAMPLES = [
    'kinegen drag five-bar --frame handle --to "0.05 0.3 0"',
    'kinegen drag stewart --to "0.3 0 2.2" --json',
    'kinegen drag arm-and-wall --frame tool --to "0.9 0 0.5" --avoid',
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, target, where it starts."""
    add_mechanism(parser)
    add_target(parser, option="--to")
    add_q(parser)
    add_parameters(parser)
    parser.add_argument(
        "--lock", metavar="JOINT", action="append", default=[], help="keep a joint at its value"
    )
    parser.add_argument(
        "--ticks", type=int, default=100, help="maximum number of ticks; default: 100"
    )
    add_avoid(parser)


def run(options: argparse.Namespace) -> int:
    """Drag and say where it ended and why there."""
    if options.ticks < 1:
        raise UsageError(f"--ticks is {options.ticks}: use 1 or more")
    model = load_mechanism(options).compile()
    handle = handle_of(model, options)
    # a file's start may lie flat, from where a drag alone could not close the loops
    start = assemble(model, parse_closed(model, options.q), locked=options.lock).q
    avoiding = Avoiding.parse(model, options)
    result = drag(
        model, start, handle, locked=options.lock, ticks=options.ticks,
        avoid=avoiding.checker or False, clearance=avoiding.clearance,
    )  # fmt: skip
    X = pose(model, result.q, handle.frame)
    gap = loop_gap(model, result.q).distance
    if options.json:
        lack = result.handles[0]
        print_json(
            {
                "name": model.name,
                "frame": handle.frame,
                "reached": result.reached,
                "reason": result.reason,
                "q": by_joint(model, result.q),
                "xyz": X.translation,
                "quat": X.quat,
                "residual": {"distance": lack.distance, "angle": lack.angle},
                "gap": gap,
                "limits": [limit.joint for limit in result.limits],
                "dof": result.dof,
                "obstacle": result.obstacle,
                "clearance": result.clearance if math.isfinite(result.clearance) else None,
                "local_minimum": (
                    None if result.local_minimum is None else by_joint(model, result.local_minimum)
                ),
            }
        )
        return 0
    print(f"'{handle.frame}': {result.reason}")
    if model.constraint_count:
        print(f"Loops are closed to {gap * 1e9:.3g} nm.")
    if math.isfinite(result.clearance):
        print(f"The nearest bodies are {depth_text(result.clearance)}.")
    print_table(
        ("joint", "value"),
        [(j.name, joint_text(j, result.q)) for j in model.joints if j.q.stop > j.q.start],
        right=(1,),
    )
    return 0
