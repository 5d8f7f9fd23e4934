"""``kinegen dynamics``: torques for a motion, mass matrix, gravity, energies."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from kinegen.cli.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    parse_q,
    parse_v,
)
from kinegen.cli.output import number, print_json, print_table
from kinegen.dynamics import (
    bias,
    centre_of_mass,
    check_masses,
    energy,
    gravity_forces,
    inverse_dynamics,
    mass_matrix,
    passive_forces,
)
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model

EXAMPLES = [
    'kinegen dynamics ur5e --q "0 -60deg 90deg 0 0 0"',
    'kinegen dynamics ur5e --v "elbow=1.5" --vdot "elbow=-2" --json',
]
_UNITS = {"angle": ("N m", "rad/s", "rad/s²"), "length": ("N", "m/s", "m/s²")}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, state, accelerations."""
    add_mechanism(parser)
    add_q(parser)
    for name, what in (("--v", "velocities [rad/s, m/s]"), ("--vdot", "accelerations [/s²]")):
        parser.add_argument(
            name,
            metavar="VALUES",
            help=f'{what}: all in the file\'s order, or some by name ("elbow=1.5"); default 0',
        )
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Print the equations of motion of the tree at one state."""
    model = load_mechanism(options).compile()
    q = parse_q(model, options.q)
    v, vdot = parse_v(model, options.v, "v"), parse_v(model, options.vdot, "vdot")
    remarks = check_masses(model)
    tau = inverse_dynamics(model, q, v, vdot)
    parts = {
        "torques": tau,
        "bias": bias(model, q, v),
        "gravity": gravity_forces(model, q),
        "passive": passive_forces(model, q, v),
    }
    H, now = mass_matrix(model, q), energy(model, q, v)
    mass, centre = float(model.inertia[1:, 0].sum()), centre_of_mass(model, q)
    if options.json:
        answer: dict[str, Any] = {"name": model.name, "q": _by_joint(model, q, "q")}
        answer |= {"v": _by_joint(model, v), "vdot": _by_joint(model, vdot)}
        answer |= {name: _by_joint(model, part) for name, part in parts.items()}
        answer |= {
            "variables": [label for label, _ in _variables(model)],
            "mass_matrix": H.tolist(),
            "mass": mass,
            "centre_of_mass": centre,
            "energy": {
                "kinetic": now.kinetic,
                "potential": now.potential,
                "gravity": now.gravity,
                "springs": now.springs,
            },
            "remarks": list(remarks),
        }
        print_json(answer)
        return 0
    for remark in remarks:
        print(f"kinegen: {remark}", file=sys.stderr)
    if model.loops:
        print("kinegen: loops are open here: this is the tree alone", file=sys.stderr)
    _print_text(model, parts, np.diag(H))
    print()
    print(f"mass {number(mass)} kg, centre of mass {' '.join(map(number, centre))} m")
    print(
        f"energy {number(now.total)} J: kinetic {number(now.kinetic)}, gravity "
        f"{number(now.gravity)}, springs {number(now.springs)}"
    )
    return 0


def _print_text(model: Model, parts: dict[str, Floats], diagonal: Floats) -> None:
    rows = []
    for k, (label, quantity) in enumerate(_variables(model)):
        unit, inertia = _UNITS[quantity][0], "kg m²" if quantity == "angle" else "kg"
        efforts = [f"{number(part[k])} {unit}" for part in parts.values()]
        rows.append((label, *efforts, f"{diagonal[k]:.4g} {inertia}"))
    print_table(
        ("variable", "effort", "of it bias", "of it gravity", "springs, friction", "inertia"),
        rows,
        right=range(1, 6),
    )


def _variables(model: Model) -> list[tuple[str, str]]:
    """Label and quantity of every freedom, in the order of v."""
    found = []
    for joint in model.joints:
        variables = joint.type.info.variables
        for name, quantity in variables:
            label = joint.name if len(variables) == 1 else f"{joint.name}.{name}"
            found.append((label, quantity))
    return found


def _by_joint(model: Model, values: Floats, what: str = "v") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for joint in model.joints:
        part = values[joint.q if what == "q" else joint.v].tolist()
        if part:
            found[joint.name] = part[0] if len(part) == 1 else part
    return found
