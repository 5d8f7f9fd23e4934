"""``kinegen map``: the joint values behind positions of a box."""

from __future__ import annotations

import argparse
from pathlib import PurePath

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
from kinegen.cli.options.figures import FIGURES, is_figure
from kinegen.cli.output import angle, count, length, number, print_table
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.positions import pose
from kinegen.mechanism.model import Model
from kinegen.spatial.rotation import SO3
from kinegen.workspace.maps.joint_map import Branch, JointMap, joint_map
from kinegen.workspace.maps.proposal import propose_map

EXAMPLES = [
    "kinegen map five-bar",
    'kinegen map lynx6 --box "10 cm 10 cm 15 cm; 25 cm 10 cm 15 cm" --wrist "0 deg"',
    'kinegen map lynx6 --box "5 cm 5 cm 5 cm; 25 cm 25 cm 25 cm" --points 12 --out map.svg',
    'kinegen map five-bar --box "5 cm 30 cm 0; 15 cm 30 cm 0" --combined --out map.svg',
]

POINTS = 41
"""Values on each axis of a box that is given."""
_SHOWN = {"angle": angle, "length": length}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, box, how the hand is held, charts."""
    add_mechanism(parser)
    parser.add_argument(
        "--box", metavar='"P; P"', help="two opposite corners of the box; default: around the frame"
    )
    parser.add_argument(
        "--points", type=int, help="number of positions along each axis; default: 41"
    )
    parser.add_argument("--frame", metavar="F", help="a frame or link; default: the last")
    parser.add_argument("--wrist", help="the hand's angle to the ground (lynx6); default: any")
    parser.add_argument("--rpy", metavar='"R P Y"', help="or its full orientation")
    parser.add_argument("--along", choices=("x", "y", "z"), help="horizontal axis of the charts")
    parser.add_argument("--branch", type=int, default=0, help="branch that the charts show")
    parser.add_argument("--combined", action="store_true", help="all joints in one chart")
    parser.add_argument(
        "--out", metavar="FILE",
        help=f"charts: {', '.join(FIGURES)}; or positions and joints: .csv, .npz, .json, .ply",
    )  # fmt: skip
    add_q(parser)
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Solve for all positions, say which are reached and which joints leave their ranges."""
    model = load_mechanism(options).compile()
    q = parse_closed(model, options.q)
    wrist = None if options.wrist is None else numbers_of("--wrist", options.wrist, ["angle"])[0]
    rotation = None
    if options.rpy:
        rotation = SO3.from_rpy(*numbers_of("--rpy", options.rpy, ["angle"] * 3))
    if options.box:
        box = _box(options)
    else:
        about = propose_map(model, q, options.frame)
        box = _counted(about.box, options.points)
        if wrist is None and rotation is None:
            # what the arm can hold at every place it holds as now
            wrist = about.wrist_angle
            if about.holds == ("rotation",):
                rotation = pose(model, q, about.frame).so3
    found = joint_map(
        model, box, frame=options.frame, wrist_angle=wrist, rotation=rotation, start=q
    )
    if not 0 <= options.branch < len(found.branches):
        raise UsageError(
            f"--branch {options.branch}: there are "
            f"{count(len(found.branches), 'branch', 'branches')}, numbered from 0"
        )
    branch = found.branches[options.branch]
    if is_figure(options.out):
        found.save(
            options.out, along=options.along, branch=options.branch, combined=options.combined
        )
    elif options.out:
        is_coloured = PurePath(options.out).suffix.lower() == ".ply"
        found.save(options.out, **({"branch": options.branch} if is_coloured else {}))
    if options.json:
        print_json(_as_json(model, found))
        return 0
    _print_map(model, found, branch)
    if options.out:
        print(f"wrote {options.out}")
    return 0


def _print_map(model: Model, found: JointMap, branch: Branch) -> None:
    print(f"{found.name}: '{found.frame}' at {count(len(found.points), 'position')}")
    print_table(
        ("branch", "name", "reached", "within limits", "out of range"),
        [
            (
                str(k), one.name, str(one.reached.sum()), str(one.within.sum()),
                ", ".join(_lit(model, found, k)) or "-",
            )
            for k, one in enumerate(found.branches)
        ],
        right=(0, 2, 3),
    )  # fmt: skip
    far = int((found.beyond > 0).sum())
    if far:
        print(f"{count(far, 'position')} beyond the length of the arm")
    print()
    print_table(
        ("joint", "from", "to"),
        [
            (name, *(_SHOWN.get(kind, number)(end) for end in _ends(row)))
            for name, row, kind in zip(found.joints, branch.qs.T, _kinds(model), strict=True)
            if np.ptp(_ends(row)) > 1e-9
        ],
        right=(1, 2),
    )


Box = dict[str, tuple[float, float, int]]


def _box(options: argparse.Namespace) -> Box:
    corners = [numbers_of("--box", part, ["length"] * 3) for part in options.box.split(";")]
    if len(corners) != 2:
        raise UsageError('--box takes two corners "X Y Z; X Y Z"')
    low, high = np.sort(np.array(corners), axis=0)
    ends = {axis: (float(low[k]), float(high[k]), POINTS) for k, axis in enumerate("xyz")}
    return _counted(ends, POINTS if options.points is None else options.points)


def _counted(box: Box, points: int | None) -> Box:
    """A box with so many values on each of its axes that have an extent."""
    return {
        axis: (low, high, 1 if low == high else count if points is None else points)
        for axis, (low, high, count) in box.items()
    }


def _ends(row: Floats) -> tuple[float, float]:
    known = row[np.isfinite(row)]
    return float(known.min()), float(known.max())


def _kinds(model: Model) -> list[str]:
    """What each number of q measures."""
    kinds = []
    for joint in model.joints:
        plain = [quantity for _, quantity in joint.type.info.variables]
        count = joint.q.stop - joint.q.start
        kinds += plain if len(plain) == count else [""] * count
    return kinds


def _lit(model: Model, found: JointMap, branch: int) -> list[str]:
    """Joints that leave their range somewhere: the lamps that are on."""
    return [
        joint.name
        for joint, row in zip(model.joints, found.branches[branch].lamps.T, strict=True)
        if row.any()
    ]


def _as_json(model: Model, found: JointMap) -> dict[str, object]:
    return {
        "name": found.name,
        "frame": found.frame,
        "positions": len(found.points),
        "beyond": int((found.beyond > 0).sum()),
        "branches": [
            {
                "name": one.name,
                "reached": int(one.reached.sum()),
                "within": int(one.within.sum()),
                "lamps": _lit(model, found, k),
            }
            for k, one in enumerate(found.branches)
        ],
    }
