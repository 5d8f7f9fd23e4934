"""``kinegen info``: what a mechanism is made of."""

from __future__ import annotations

import argparse
import math
from typing import Any

from kinegen.cli.analysis import analyse, analysis_text
from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import add_mechanism, add_parameters, load_mechanism
from kinegen.cli.output import angle, count, gap, length, print_table
from kinegen.kinematics.closure import loop_gap
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.raff.rules.numbers import evaluate_parameters
from kinegen.raff.units import quantity_of, units_of
from kinegen.spatial.rotation import SO3

EXAMPLES = [
    "kinegen info stewart",
    "kinegen info my-arm.raff --json",
    "kinegen info five-bar --set crank='120 mm'",
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The mechanism."""
    add_mechanism(parser)
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Print the mechanism's parts and sizes."""
    mechanism = load_mechanism(options)
    model = mechanism.compile()
    if options.json:
        print_json(describe(mechanism, model) | analyse(model))
    else:
        _print(mechanism, model)
    return 0


def describe(mechanism: Mechanism, model: Model) -> dict[str, Any]:
    """What a mechanism is, for programs (SI units, radians)."""
    return {
        "name": mechanism.name,
        "title": mechanism.title,
        "description": mechanism.description,
        "source": mechanism.source,
        "joints": [
            {
                "name": joint.name,
                "type": joint.type.value,
                "parent": model.link_names[joint.parent],
                "on": mechanism.joints[joint.name].parent,
                "child": model.link_names[joint.child],
                "cut": joint.is_cut,
                "motor": joint.has_motor,
                "lower": model.lower[joint.v],
                "upper": model.upper[joint.v],
                "start": model.start()[joint.q],
            }
            for joint in model.joints
        ],
        "links": list(model.link_names),
        "loops": [
            {
                "joint": model.joints[loop.joint].name,
                "from": model.link_names[model.joints[loop.joint].parent],
                "onto": model.link_names[model.joints[loop.joint].child],
            }
            for loop in model.loops
        ],
        "couplings": [
            {"name": one.name, "kind": one.kind, "members": list(one.members)}
            for one in model.couplings
        ],
        "joint_count": len(model.joints),
        "link_count": model.link_count,
        "loop_count": len(model.loops),
        "nq": model.nq,
        "nv": model.nv,
        "frames": [frame.name for frame in model.frames],
        "parameters": dict(model.parameters),
        "start_gap": loop_gap(model).to_dict(),
    }


def _print(mechanism: Mechanism, model: Model) -> None:
    print(f"{mechanism.name}: {mechanism.title or 'a mechanism'}")
    for text in (mechanism.description, mechanism.source and f"Source: {mechanism.source}"):
        if text:
            print(_wrapped(text))
    coupled = f", {count(len(model.couplings), 'coupling')}" if model.couplings else ""
    print(
        f"\n{count(len(model.joints), 'joint')}, {count(model.link_count, 'link')} (base "
        f"included), {count(len(model.loops), 'loop')}{coupled}; nq = {model.nq}, "
        f"nv = {model.nv}\n"
    )
    _print_joints(mechanism, model)
    if model.couplings:
        print()
        print_table(
            ("coupling", "kind", "between"),
            [(one.name, one.kind, ", ".join(one.members)) for one in model.couplings],
        )
    if model.frames:
        print()
        print_table(
            ("frame", "on link"),
            [(f.name, _seat(mechanism, f.parent)) for f in mechanism.frames.values()],
        )
    if model.parameters:
        print()
        _print_parameters(mechanism, model)
    if not model.nv:
        return
    print()
    if model.constraint_count:
        what = "its loop is" if len(model.loops) == 1 else "its loops are"
        if not model.loops:
            what = "its couplings are"
        print(f"At its start {what} {gap(loop_gap(model), model.size)}.")
    print(analysis_text(model))


def _seat(mechanism: Mechanism, place: str) -> str:
    """The link that something sits on, and the frame there."""
    link = mechanism.link_of(place)
    return link if link == place else f"{link}, frame {place}"


def _print_joints(mechanism: Mechanism, model: Model) -> None:
    if not model.joints:
        return
    header = ["joint", "type", "on link", "start", "limits", "motor"]
    rows = [
        [
            joint.name,
            joint.type.value,
            _seat(mechanism, mechanism.joints[joint.name].parent),
            _start(model, joint),
            _limits(model, joint),
            "yes" if joint.has_motor else "",
        ]
        for joint in model.joints
    ]
    if model.loops:
        header.append("closes onto")
        for joint, row in zip(model.joints, rows, strict=True):
            closes = mechanism.joints[joint.name].closes
            row.append("" if closes is None else _seat(mechanism, closes.onto))
    print_table(header, rows)


def _print_parameters(mechanism: Mechanism, model: Model) -> None:
    formulas = {name: parameter.formula for name, parameter in mechanism.parameters.items()}
    measures = evaluate_parameters(formulas).measures
    rows = []
    for name, value in model.parameters.items():
        found = measures.get(name)
        text = _measured(value, quantity_of(found.dimension)) if found else f"{value:.6g}"
        rows.append((name, text, formulas[name].text))
    print_table(("parameter", "value", "as written"), rows, right=(1,))
    if any(measures.get(name) is None for name in model.parameters):
        print("A value without a unit is in SI units: metres, radians, kilograms, seconds.")


def _wrapped(text: str) -> str:
    import textwrap

    return textwrap.fill(" ".join(text.split()), 88, initial_indent="  ", subsequent_indent="  ")


def _start(model: Model, joint: ModelJoint) -> str:
    values = model.start()[joint.q]
    if joint.type.info.has_quaternion:
        turns = ", ".join(map(angle, SO3(values[:4]).rpy))
        place = ", ".join(map(length, values[4:]))
        return (f"xyz {place}; " if place else "") + f"rpy {turns}"
    kinds = [quantity for _, quantity in joint.type.info.variables]
    return ", ".join(_measured(x, kind) for x, kind in zip(values, kinds, strict=True)) or "-"


def _limits(model: Model, joint: ModelJoint) -> str:
    variables = joint.type.info.variables
    bounds = zip(model.lower[joint.v], model.upper[joint.v], variables, strict=True)
    given = [(low, high, *v) for low, high, v in bounds if low > -math.inf or high < math.inf]
    if joint.type.info.swings and given:
        return f"swing up to {angle(given[0][1])}"
    texts = [
        (f"{name} " if len(variables) > 1 else "")
        + f"{_measured(low, kind)} … {_measured(high, kind)}"
        for low, high, name, kind in given
    ]
    return "; ".join(texts) or "none"


def _measured(value: float, quantity: str) -> str:
    """A value with the unit of what it measures."""
    if quantity in {"angle", "length"}:
        return angle(value) if quantity == "angle" else length(value)
    _, _, unnamed = quantity.partition("quantity in ")  # an area times a mass, say
    return f"{value:.6g} {unnamed or ' '.join(units_of(quantity)[:1])}".rstrip()
