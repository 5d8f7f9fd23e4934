"""``kinegen statics``: what motors give and joints bear to hold a mechanism under its loads."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from kinegen.cli.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    numbers_of,
    parse_q,
)
from kinegen.cli.output import count, print_json, print_table
from kinegen.cli.targets import by_joint
from kinegen.dynamics.masses import check_masses
from kinegen.dynamics.statics import MotorEfforts, statics
from kinegen.dynamics.system import System
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics import inputs_of
from kinegen.mechanism.joint_types import JointType
from kinegen.mechanism.model import Model, ModelJoint

EXAMPLES = [
    "kinegen statics stewart",
    'kinegen statics five-bar --gravity "0 -9.81 0" --load "handle=0,-10,0"',
    'kinegen statics bricard --motors P1 --load "P4=0,0,-20,0,0,1.5" --json',
]

_KINDS = ["force"] * 3 + ["torque"] * 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, pose, loads, which joints hold."""
    add_mechanism(parser)
    add_q(parser)
    add = parser.add_argument
    add("--load", metavar='"FRAME=FX,FY,FZ …"', action="append", default=[],
        help="forces on frames or links in world axes [N], three more numbers: moments [N m]; "
        "several in one text or by repeating the option")  # fmt: skip
    add("--gravity", metavar='"X Y Z"', help="instead of the file's, such as '0 -9.81 0'")
    add("--motors", metavar="NAMES", help="joints that hold; default: those with motors")
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Solve and tell."""
    gravity = options.gravity and numbers_of("--gravity", options.gravity, ["acceleration"] * 3)
    system = System.of(
        load_mechanism(options),
        gravity=(gravity[0], gravity[1], gravity[2]) if gravity else None,
    )
    model = system.model
    remarks = check_masses(model)
    loads = _loads(model, options.load)
    motors = None if options.motors is None else options.motors.replace(",", " ").split()
    held = inputs_of(model) if motors is None else motors
    found = statics(system, parse_q(model, options.q), loads, motors=motors)
    if options.json:
        print_json(_answer(model, found, held, loads, remarks))
        return 0
    print(
        f"{model.name} at rest under its weight"
        + (f" and {count(len(loads), 'load')}" if loads else "")
    )
    rows = [_motor(model, found, name, v) for name in held for v in _places(model.joint(name))]
    if rows:
        print_table(["motor", "effort", "unit", "of its limit"], rows, right=(1, 3))
        print()
    print_table(
        ["joint", "force N", "fx", "fy", "fz", "moment N m", "mx", "my", "mz"],
        [_reaction(joint, row) for joint, row in zip(model.joints, found.reactions, strict=True)],
        right=range(1, 9),
    )
    for line in (*_notes(found), *remarks):
        print(line)
    return 0


def _loads(model: Model, texts: list[str]) -> dict[str, Floats]:
    """Wrenches by name from 'frame=fx,fy,fz other=…'."""
    loads: dict[str, Floats] = {}
    for text in " ".join(texts).split():
        name, equals, numbers = text.partition("=")
        words = numbers.split(",")
        if not equals or len(words) not in {3, 6}:
            raise UsageError(
                f"--load '{text}': give FRAME=fx,fy,fz in newtons (six numbers: with moments), "
                "without blanks around the commas"
            )
        model.site(name)  # an unknown name is told with those that exist
        values = np.zeros(6)
        values[: len(words)] = numbers_of("--load", " ".join(words), _KINDS[: len(words)])
        loads[name] = loads.get(name, np.zeros(6)) + values
    return loads


def _places(joint: ModelJoint) -> range:
    return range(joint.v.start, joint.v.stop)


def _unit(joint: ModelJoint, v: int) -> str:
    """N for freedoms that slide, N m for those that turn."""
    k = v - joint.v.start
    slides = (
        joint.type is JointType.PRISMATIC
        or (joint.type is JointType.CYLINDRICAL and k == 1)
        or (joint.type is JointType.PLANAR and k < 2)
        or (joint.type is JointType.FREE and k < 3)
    )
    return "N" if slides else "N m"


def _motor(model: Model, found: MotorEfforts, name: str, v: int) -> list[str]:
    limit = float(model.effort[v])
    share = f"{abs(found.efforts[v]) / limit:.0%}" if np.isfinite(limit) and limit > 0 else "-"
    return [name, f"{found.efforts[v]:.4g}", _unit(model.joint(name), v), share]


def _reaction(joint: ModelJoint, row: Floats) -> list[str]:
    top = max(float(np.abs(row).max()), 1e-300)
    shown = [f"{x:.4g}" if abs(x) > 1e-12 * top else "0" for x in row.tolist()]
    force, moment = np.linalg.norm(row[:3]), np.linalg.norm(row[3:])
    return [joint.name, f"{force:.4g}", *shown[:3], f"{moment:.4g}", *shown[3:]]


def _notes(found: MotorEfforts) -> list[str]:
    """What the numbers leave open."""
    notes = []
    if len(found.internal):
        notes.append(
            f"Motors are redundant: {count(len(found.internal), 'way')} to press against each "
            "other; the smallest efforts are shown."
        )
    if found.redundant:
        notes.append(
            f"The loops are over-constrained: {count(found.redundant, 'force')} in them cannot be "
            "told; the smallest are shown."
        )
    if found.loose:
        notes.append(f"{count(found.loose, 'motion')} that no motor holds and no load drives.")
    if np.any(found.shares > 1):
        notes.append("Efforts above 100 % are more than the motors give.")
    return notes


def _answer(
    model: Model,
    found: MotorEfforts,
    held: list[str] | tuple[str, ...],
    loads: dict[str, Floats],
    remarks: tuple[str, ...],
) -> dict[str, Any]:
    motors = []
    for name in held:
        joint = model.joint(name)
        for v in _places(joint):
            limit = float(model.effort[v])
            motors.append(
                {
                    "joint": name,
                    "effort": float(found.efforts[v]),
                    "unit": _unit(joint, v),
                    "limit": limit,
                    "share": float(found.shares[v]) if np.isfinite(limit) else None,
                }
            )
    return {
        "name": model.name,
        "q": by_joint(model, found.q),
        "loads": loads,
        "motors": motors,
        "reactions": {
            joint.name: {"force": row[:3], "moment": row[3:]}
            for joint, row in zip(model.joints, found.reactions, strict=True)
        },
        "internal": [by_joint_efforts(model, row) for row in found.internal],
        "redundant": found.redundant,
        "loose": found.loose,
        "remarks": list(remarks),
    }


def by_joint_efforts(model: Model, row: Floats) -> dict[str, list[float]]:
    """Efforts other than 0, by joint."""
    return {j.name: row[j.v].tolist() for j in model.joints if np.any(np.abs(row[j.v]) > 1e-12)}
