"""``kinegen statics``: what motors give and joints bear to hold a mechanism under its loads."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    parse_start,
)
from kinegen.cli.options.loads import add_gravity, add_loads, parse_gravity, parse_loads
from kinegen.cli.options.targets import by_joint
from kinegen.cli.output import count, print_table
from kinegen.dynamics.simulation.system import System
from kinegen.dynamics.tree.masses import check_masses
from kinegen.dynamics.tree.statics import MotorEfforts, statics
from kinegen.kernels import Floats
from kinegen.kinematics.solving.assembling.assembly import inputs_of
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint

EXAMPLES = [
    "kinegen statics stewart",
    'kinegen statics five-bar --gravity "0 -9.81 0" --load "handle=0,-10,0"',
    'kinegen statics bricard --motors P1 --load "P4=0,0,-20,0,0,1.5" --json',
]

NOTHING = 1e-9
"""Share of the largest force or moment below which another is rounding."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, pose, loads, which joints hold."""
    add_mechanism(parser)
    add_q(parser)
    add_loads(parser)
    add_gravity(parser)
    parser.add_argument(
        "--motors", metavar="NAMES", help="joints that hold; default: those with motors"
    )
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Solve and report."""
    system = System.of(load_mechanism(options), gravity=parse_gravity(options.gravity))
    model = system.model
    remarks = check_masses(model)
    loads = parse_loads(model, options.load)
    motors = None if options.motors is None else options.motors.replace(",", " ").split()
    held = inputs_of(model) if motors is None else motors
    found = statics(system, parse_start(model, options.q), loads=loads, motors=motors)
    if options.json:
        print_json(_answer(model, found, held, loads, remarks))
        return 0
    print(
        f"{model.name} at rest under its weight"
        + (f" and {count(len(loads), 'load')}" if loads else "")
    )
    force, moment = _sizes(found)
    if print_motors(model, found, held):
        print()
    if model.couplings:
        pairs = list(zip(model.couplings, found.transmitted.tolist(), strict=True))
        rows = [
            [one.name, one.kind, one.members[0],
             _shown(effort, force if one.is_length else moment), "N" if one.is_length else "N m"]
            for one, effort in pairs
        ]  # fmt: skip
        print_table(["coupling", "kind", "on", "effort", "unit"], rows, right=(3,))
        print()
    print_table(
        ["joint", "force [N]", "fx", "fy", "fz", "moment [N m]", "mx", "my", "mz"],
        [
            [joint.name, *_parts(row[:3], force), *_parts(row[3:], moment)]
            for joint, row in zip(model.joints, found.reactions, strict=True)
        ],
        right=range(1, 9),
    )
    for line in (*_notes(found), *remarks):
        print(line)
    return 0


def _places(joint: ModelJoint) -> range:
    return range(joint.v.start, joint.v.stop)


def _unit(joint: ModelJoint, v: int) -> str:
    """N for degrees of freedom that slide, N m for those that turn."""
    return "N" if joint.type.info.is_length[v - joint.v.start] else "N m"


def print_motors(model: Model, found: MotorEfforts, held: list[str] | tuple[str, ...]) -> bool:
    """A table of what motors give; whether there are any."""
    force, moment = _sizes(found)
    rows = []
    for name in held:
        joint = model.joint(name)
        for v in _places(joint):
            unit, effort, limit = _unit(joint, v), float(found.efforts[v]), float(model.effort[v])
            share = f"{abs(effort) / limit:.0%}" if np.isfinite(limit) and limit > 0 else "-"
            scale = force if unit == "N" else moment
            rows.append([name, _shown(effort, scale), unit, share])
    if rows:
        print_table(["motor", "effort", "unit", "of its limit"], rows, right=(1, 3))
    return bool(rows)


def _sizes(found: MotorEfforts) -> tuple[float, float]:
    """The largest force [N] and moment [N m] that are about: weights as well."""
    model, rows = found.model, np.abs(found.reactions)
    weight = float(model.inertia[1:, 0].sum() * np.linalg.norm(model.gravity))
    force = max(float(rows[:, :3].max(initial=0.0)), weight)
    return force, max(float(rows[:, 3:].max(initial=0.0)), force * model.size)


def _shown(value: float, scale: float) -> str:
    return f"{value:.4g}" if abs(value) > NOTHING * scale else "0"


def _parts(row: Floats, scale: float) -> list[str]:
    """Size and components of a force or moment; what is rounding is 0."""
    return [_shown(float(x), scale) for x in (np.linalg.norm(row), *row)]


def _notes(found: MotorEfforts) -> list[str]:
    """What the numbers leave open."""
    notes = []
    if len(found.internal):
        notes.append(
            "The motors are redundant: they can act against each other in "
            f"{count(len(found.internal), 'way')}; the smallest efforts are shown."
        )
    if found.redundant:
        notes.append(
            f"The loops are over-constrained: {count(found.redundant, 'force')} in them cannot be "
            "determined; the smallest possible forces of cut joints are shown."
        )
    if found.loose:
        verb = "is" if found.loose == 1 else "are"
        free = count(found.loose, "motion")
        notes.append(f"{free} {verb} neither held by a motor nor driven by a load.")
    if np.any(found.shares > 1):
        notes.append("Efforts above 100 % exceed the limits of the motors.")
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
        "couplings": {
            one.name: {"on": one.members[0], "effort": float(effort)}
            for one, effort in zip(model.couplings, found.transmitted, strict=True)
        },
        "internal": [by_joint_efforts(model, row) for row in found.internal],
        "redundant": found.redundant,
        "loose": found.loose,
        "remarks": list(remarks),
    }


def by_joint_efforts(model: Model, row: Floats) -> dict[str, list[float]]:
    """Efforts other than 0, by joint."""
    return {j.name: row[j.v].tolist() for j in model.joints if np.any(np.abs(row[j.v]) > 1e-12)}
