"""``kinegen fk``: where links and frames are."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    parse_closed,
)
from kinegen.cli.output import angle, length, number, print_table
from kinegen.kernels.tolerances import SHOWN_CLOSED
from kinegen.kinematics.closure import loop_gap
from kinegen.kinematics.mobility.words import gap_text
from kinegen.kinematics.positions import forward
from kinegen.kinematics.tolerances import is_closed
from kinegen.spatial.pose import SE3

EXAMPLES = [
    'kinegen fk puma560 --q "0 45deg -180deg 0 45deg 0" --frame tool',
    'kinegen fk ur5e --q "shoulder_lift=-60 deg" --json',
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, joint values, frame."""
    add_mechanism(parser)
    add_q(parser)
    parser.add_argument("--frame", metavar="F", help="one frame or link; default: all of them")
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Print poses in the world frame."""
    model = load_mechanism(options).compile()
    q = parse_closed(model, options.q)
    rows = forward(model, q)
    names = [options.frame] if options.frame else list(model.site_names)
    gap = loop_gap(model, q)
    is_open = not is_closed(model, q, SHOWN_CLOSED)
    poses = {name: SE3.from_pose(rows[model.site(name)]) for name in names}
    if options.json:
        answer: dict[str, Any] = {
            "name": model.name,
            "q": {joint.name: _value(q[joint.q].tolist()) for joint in model.joints},
            "closed": not is_open,
            "gap": gap.to_dict(),
        }
        if options.frame:
            answer |= {"frame": options.frame, **_pose(poses[options.frame])}
        else:
            answer["frames"] = {name: _pose(X) for name, X in poses.items()}
        print_json(answer)
        return 0
    print_table(
        ("frame", "x", "y", "z", "roll", "pitch", "yaw", "quaternion w x y z"),
        [
            (
                name,
                *map(length, X.translation),
                *map(angle, X.so3.rpy),
                " ".join(number(c, 5) for c in X.quat),
            )
            for name, X in poses.items()
        ],
        right=range(1, 7),
    )
    if is_open:
        print(
            f"note: in this pose the loops are open by {gap_text(gap, model.size)}, so the poses "
            "of links depend on where the loops are cut; `kinegen assemble` closes them",
            file=sys.stderr,
        )
    return 0


def _value(numbers: list[float]) -> float | list[float]:
    return numbers[0] if len(numbers) == 1 else numbers


def _pose(X: SE3) -> dict[str, Any]:
    return {"xyz": X.translation, "quat": X.quat}
