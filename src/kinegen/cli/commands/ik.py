"""``kinegen ik``: joint values that put a frame where it is wanted."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    parse_closed,
)
from kinegen.cli.options.targets import add_target, by_joint, handle_of, joint_text
from kinegen.cli.output import count, print_table
from kinegen.kinematics.solving.inverse import Solution, solve, solve_all

EXAMPLES = [
    'kinegen ik puma560 --frame tool --xyz "0.5 0.1 0.6"',
    'kinegen ik ur5e --xyz "0.35 0.2 0.3" --rpy "180deg 0 0" --all',
    'kinegen ik stewart --xyz "0.2 0 2.1" --quat "1 0 0 0" --json',
]

EXIT_UNREACHED = 1
MOST_SHOWN = 8
"""Columns that fit a terminal."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, target, all branches or one."""
    add_mechanism(parser)
    add_target(parser, option="--xyz")
    parser.add_argument(
        "--all", action="store_true", help="find all distinct solutions, not just one"
    )
    add_q(parser)
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Solve; exit code 1 when the target cannot be reached."""
    model = load_mechanism(options).compile()
    handle = handle_of(model, options)
    start = parse_closed(model, options.q)
    first = solve(model, handle, start=start)
    found: Sequence[Solution] = [first] if first.reached else []
    if options.all and first.reached:
        found = solve_all(model, handle, start=start)
    lack = first.handles[0]
    if options.json:
        print_json(
            {
                "name": model.name,
                "frame": handle.frame,
                "reached": first.reached,
                "reason": first.reason,
                "solutions": [by_joint(model, solution.q) for solution in found],
                "nearest": by_joint(model, first.q),
                "residual": {"distance": lack.distance, "angle": lack.angle},
                "dof_left": first.dof_left,
                "limits": [limit.joint for limit in first.limits],
            },
            error="" if first.reached else f"not reached: {first.reason}",
        )
        return 0 if first.reached else EXIT_UNREACHED
    shown = [solution.q for solution in found[:MOST_SHOWN]] or [first.q]
    if not first.reached:
        print(f"Not reached: {first.reason}. The nearest pose:")
    elif first.dof_left and options.all:
        print(
            "The target leaves "
            f"{count(first.dof_left, 'degree of freedom', 'degrees of freedom')} open, so "
            f"solutions form families; {len(found)} samples:"
        )
    else:
        print(f"{count(len(found), 'solution')} for '{handle.frame}':")
    header = [f"{n + 1}" for n in range(len(shown))] if first.reached else ["nearest"]
    print_table(
        ("joint", *header),
        [
            (joint.name, *(joint_text(joint, q) for q in shown))
            for joint in model.joints
            if joint.q.stop > joint.q.start
        ],
        right=range(1, len(shown) + 1),
    )
    if len(found) > len(shown):
        print(f"… and {len(found) - len(shown)} more: --json lists them all")
    return 0 if first.reached else EXIT_UNREACHED
