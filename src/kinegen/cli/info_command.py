"""``kinegen info``: what a mechanism is made of."""

from __future__ import annotations

import argparse
from typing import Any

from kinegen.cli.arguments import add_mechanism, add_parameters, load_mechanism
from kinegen.cli.output import angle, length, print_json, print_table
from kinegen.kinematics import loop_gap
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model, ModelJoint

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
        print_json(describe(mechanism, model))
    else:
        _print(mechanism, model)
    return 0


def describe(mechanism: Mechanism, model: Model) -> dict[str, Any]:
    """What a mechanism is, for programs (SI units, radians)."""
    distance, turn = loop_gap(model)
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
        "joint_count": len(model.joints),
        "link_count": model.link_count,
        "loop_count": len(model.loops),
        "nq": model.nq,
        "nv": model.nv,
        "frames": [frame.name for frame in model.frames],
        "parameters": dict(model.parameters),
        "start_gap": {"distance": distance, "angle": turn},
    }


def _print(mechanism: Mechanism, model: Model) -> None:
    print(f"{mechanism.name}: {mechanism.title or 'a mechanism'}")
    for text in (mechanism.description, mechanism.source and f"Source: {mechanism.source}"):
        if text:
            print(_wrapped(text))
    print(
        f"\n{_count(len(model.joints), 'joint')}, {_count(model.link_count, 'link')} (base "
        f"included), {_count(len(model.loops), 'loop')}; nq = {model.nq}, nv = {model.nv}\n"
    )
    print_table(
        ("joint", "type", "on link", "start", "limits", "motor", ""),
        [
            (
                joint.name,
                joint.type.value,
                model.link_names[joint.parent],
                _start(model, joint),
                _limits(model, joint),
                "yes" if joint.has_motor else "",
                f"closes onto {model.link_names[joint.child]}" if joint.is_cut else "",
            )
            for joint in model.joints
        ],
    )
    if model.frames:
        print()
        print_table(
            ("frame", "on link"),
            [(frame.name, model.link_names[frame.link]) for frame in model.frames],
        )
    if model.parameters:
        print()
        print_table(
            ("parameter", "value (SI)", "as written"),
            [
                (name, f"{value:.6g}", mechanism.parameters[name].formula.text)
                for name, value in model.parameters.items()
            ],
            right=(1,),
        )
    if model.loops:
        distance, turn = loop_gap(model)
        print(f"\nAt its start the widest loop gap is {distance * 1e6:.3g} µm and {angle(turn)}.")


def _wrapped(text: str) -> str:
    import textwrap

    return textwrap.fill(" ".join(text.split()), 88, initial_indent="  ", subsequent_indent="  ")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _start(model: Model, joint: ModelJoint) -> str:
    values = model.start()[joint.q]
    if len(values) != joint.type.info.nv:
        return "quaternion" if len(values) == 4 else "pose"
    kinds = [quantity for _, quantity in joint.type.info.variables]
    return ", ".join(_quantity(x, kind) for x, kind in zip(values, kinds, strict=True)) or "-"


def _limits(model: Model, joint: ModelJoint) -> str:
    kinds = [quantity for _, quantity in joint.type.info.variables]
    bounds = zip(model.lower[joint.v], model.upper[joint.v], kinds, strict=True)
    texts = [
        f"{_quantity(low, kind)} … {_quantity(high, kind)}"
        for low, high, kind in bounds
        if low > -float("inf") or high < float("inf")
    ]
    return "; ".join(texts) or "none"


def _quantity(value: float, kind: str) -> str:
    return angle(value) if kind == "angle" else length(value)
