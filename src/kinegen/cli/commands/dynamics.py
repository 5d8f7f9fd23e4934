"""``kinegen dynamics``: torques for a motion, mass matrix, gravity, energies."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from kinegen.cli.answers import print_json
from kinegen.cli.commands.statics import print_motors
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    parse_speeds,
    parse_start,
)
from kinegen.cli.options.loads import add_gravity, add_loads, parse_gravity, parse_loads
from kinegen.cli.output import number, print_table
from kinegen.cli.terminal import as_shown
from kinegen.dynamics.simulation.starts import closed_pose
from kinegen.dynamics.simulation.system import System
from kinegen.dynamics.tree.masses import check_masses
from kinegen.dynamics.tree.measures import centre_of_mass, energy
from kinegen.dynamics.tree.motion_equations import (
    bias,
    gravity_forces,
    inverse_dynamics,
    mass_matrix,
    passive_forces,
)
from kinegen.dynamics.tree.statics import MotorEfforts, motor_efforts
from kinegen.errors import LoadError
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import tangent
from kinegen.kinematics.solving.assembling.assembly import inputs_of
from kinegen.mechanism.model import Model

EXAMPLES = [
    'kinegen dynamics ur5e --q "0 -60deg 90deg 0 0 0" --load "tool=0,0,-20"',
    'kinegen dynamics ur5e --v "elbow=1.5" --vdot "elbow=-2" --json',
    'kinegen dynamics five-bar --v "A=1, E=-1" --vdot "A=0, E=5 rad/s2"',
]
_UNITS = {"angle": "N m", "length": "N"}
OPEN = "efforts, bias and inertia are those of the tree, with its loops cut open"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, state, accelerations, loads."""
    add_mechanism(parser)
    add_q(parser)
    for name, what, unit in (
        ("--v", "velocities [rad/s, m/s]", "90 deg/s"),
        ("--vdot", "accelerations [rad/s², m/s²]", "1.5"),
    ):
        parser.add_argument(
            name,
            metavar="VALUES",
            help=f'{what}: all in the file\'s order, or some by name ("elbow={unit}"): the '
            "others are 0, or follow from the loops",
        )
    add_loads(parser)
    add_gravity(parser)
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Print the equations of motion at one state."""
    system = System.of(load_mechanism(options), gravity=parse_gravity(options.gravity))
    model = system.model
    remarks = check_masses(model)
    loads = parse_loads(model, options.load)
    q = closed_pose(model, parse_start(model, options.q))
    rates = [parse_speeds(model, options.v), parse_speeds(model, options.vdot, "vdot")]
    v, vdot = (np.zeros(model.nv) if x is None else tangent(model, x, "v") for x in rates)
    motors: MotorEfforts | None = None
    trouble = ""
    if model.constraint_count:
        named = [None if x is None else _by_motor(model, x) for x in rates]
        try:
            motors = motor_efforts(system, q, named[0], named[1], loads=loads)
            v, vdot = motors.v, motors.vdot
        except LoadError as error:
            trouble = str(error)
    parts = _parts(system, q, v, vdot, loads)
    if options.json:
        print_json(_answer(system, q, v, vdot, parts, remarks, motors, trouble))
        return 0
    for remark in remarks:
        print(f"kinegen: {remark}", file=sys.stderr)
    if model.constraint_count:
        print("Motors, through the closed loops:")
        if motors is None or not print_motors(model, motors, inputs_of(model)):
            print(as_shown(trouble or "none"))
        print(f"\nWithout the loops ({OPEN}):")
    _print_text(model, parts, np.diag(mass_matrix(model, q)), with_loads=bool(loads))
    _print_measures(system, q, v)
    return 0


def _by_motor(model: Model, given: Floats | dict[str, list[float]]) -> dict[str, list[float]]:
    """What moves a mechanism with loops: joints as they were named, or its motors."""
    if isinstance(given, dict):
        return given
    return {name: given[model.joint(name).v].tolist() for name in inputs_of(model)}


def _parts(
    system: System, q: Floats, v: Floats, vdot: Floats, loads: dict[str, Floats]
) -> dict[str, Floats]:
    """Efforts of the tree and what they are made of, each (nv,)."""
    model = system.model
    weight = gravity_forces(model, q)
    passive = passive_forces(model, q, v)
    pull = system.springs.wrenches_at(model, q, v)
    if pull is not None:
        passive = passive + weight - gravity_forces(model, q, wrenches=pull)
    return {
        "torques": inverse_dynamics(model, q, v, vdot, wrenches=loads or None),
        "bias": bias(model, q, v),
        "gravity": weight,
        "loads": gravity_forces(model, q, wrenches=loads) - weight if loads else 0 * weight,
        "passive": passive,
    }


def _print_text(
    model: Model, parts: dict[str, Floats], diagonal: Floats, *, with_loads: bool
) -> None:
    tau, weight, carried = parts["torques"], parts["gravity"], parts["loads"]
    columns = {
        "effort": tau,
        "= acceleration": tau - parts["bias"] - carried,
        "+ speeds": parts["bias"] - weight,
        "+ gravity": weight,
    }
    if with_loads:
        columns["+ loads"] = carried
    if parts["passive"].any():
        columns["springs, friction"] = parts["passive"]
    top = max(float(np.abs(part).max(initial=0.0)) for part in parts.values())
    rows = []
    for k, (label, quantity, is_cut) in enumerate(_variables(model)):
        if is_cut:
            continue
        shown = [x[k] if abs(x[k]) > 1e-12 * top else 0.0 for x in columns.values()]
        inertia = f"{diagonal[k]:.4g} {'kg m²' if quantity == 'angle' else 'kg'}"
        rows.append((label, *(f"{number(x)} {_UNITS[quantity]}" for x in shown), inertia))
    print_table(("variable", *columns, "inertia"), rows, right=range(1, len(columns) + 2))
    if "springs, friction" in columns:
        print("A motor supplies the effort minus the share of springs and friction.")


def _print_measures(system: System, q: Floats, v: Floats) -> None:
    model = system.model
    mass, now = float(model.inertia[1:, 0].sum()), energy(model, q, v)
    springs = now.springs + system.spring_energy(q)
    print()
    if mass > 0:
        centre = " ".join(map(number, centre_of_mass(model, q)))
        print(f"mass {number(mass)} kg, centre of mass {centre} m")
    total = now.kinetic + now.gravity + springs
    print(
        f"energy {number(total)} J: kinetic {number(now.kinetic)} J, gravity "
        f"{number(now.gravity)} J, springs {number(springs)} J"
    )


def _answer(
    system: System,
    q: Floats,
    v: Floats,
    vdot: Floats,
    parts: dict[str, Floats],
    remarks: tuple[str, ...],
    motors: MotorEfforts | None,
    trouble: str,
) -> dict[str, Any]:
    model = system.model
    now, mass = energy(model, q, v), float(model.inertia[1:, 0].sum())
    springs = now.springs + system.spring_energy(q)
    answer: dict[str, Any] = {"name": model.name, "q": _by_joint(model, q, "q")}
    answer |= {"v": _by_joint(model, v), "vdot": _by_joint(model, vdot)}
    answer |= {name: _by_joint(model, part) for name, part in parts.items()}
    if model.constraint_count:
        names = inputs_of(model)
        efforts = None if motors is None else _by_joint(model, motors.efforts)
        answer["motor_torques"] = None if efforts is None else {n: efforts[n] for n in names}
        remarks = (*remarks, OPEN, *([trouble] if trouble else []))
    return answer | {
        "variables": [label for label, _, _ in _variables(model)],
        "mass_matrix": mass_matrix(model, q).tolist(),
        "mass": mass,
        "centre_of_mass": centre_of_mass(model, q) if mass > 0 else None,
        "energy": {
            "kinetic": now.kinetic,
            "potential": now.gravity + springs,
            "gravity": now.gravity,
            "springs": springs,
        },
        "remarks": list(remarks),
    }


def _variables(model: Model) -> list[tuple[str, str, bool]]:
    """Label, quantity and whether it belongs to a cut joint, of every variable of v."""
    found = []
    for joint in model.joints:
        variables = joint.type.info.variables
        for name, quantity in variables:
            label = joint.name if len(variables) == 1 else f"{joint.name}.{name}"
            found.append((label, quantity, joint.is_cut))
    return found


def _by_joint(model: Model, values: Floats, what: str = "v") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for joint in model.joints:
        part = values[joint.q if what == "q" else joint.v].tolist()
        if part:
            found[joint.name] = part[0] if len(part) == 1 else part
    return found
