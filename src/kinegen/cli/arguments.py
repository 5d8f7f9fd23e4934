"""What several commands take: a mechanism, joint values."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics import configuration
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.joint_types import JointType
from kinegen.mechanism.load import load
from kinegen.mechanism.model import Model, ModelJoint
from kinegen.raff.formula import FormulaError, parse_formula

__all__ = ["add_mechanism", "add_parameters", "add_q", "load_mechanism", "parse_q"]


def add_mechanism(parser: argparse.ArgumentParser) -> None:
    """The positional NAME: a library name or a file."""
    parser.add_argument("mechanism", metavar="NAME", help="a library name, or a RAFF file")


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """``--set NAME=VALUE`` for parameters."""
    parser.add_argument(
        "--set",
        metavar="PARAMETER=VALUE",
        action="append",
        default=[],
        help="change a parameter, e.g. --set crank='120 mm'; may be repeated",
    )


def add_q(parser: argparse.ArgumentParser) -> None:
    """``--q`` for joint values."""
    parser.add_argument(
        "--q",
        metavar="VALUES",
        help='joint values: all of them in the file\'s order ("0 90deg 0 …"), or some by name '
        '("shoulder=30 deg, elbow=-1.2"; several numbers as "hip=(1 0 0 0)"); plain numbers are '
        "rad and m; default: the file's start",
    )


def load_mechanism(options: argparse.Namespace) -> Mechanism:
    """The mechanism asked for, parameters set."""
    mechanism = load(options.mechanism)
    for assignment in getattr(options, "set", []):
        name, equals, value = assignment.partition("=")
        if not equals:
            raise UsageError(f"--set takes PARAMETER=VALUE, got '{assignment}'")
        mechanism.set_parameter(name.strip(), value.strip())
    return mechanism


def parse_q(model: Model, text: str | None) -> Floats:
    """A configuration from what was typed."""
    if text is None:
        return configuration(model)
    if "=" in text:
        return _by_name(model, text)
    quantities = [quantity for joint in model.joints for quantity in _quantities(joint)]
    words = _words(text)
    if len(words) != len(quantities):
        raise UsageError(
            f"--q of mechanism '{model.name}' takes {len(quantities)} numbers, got {len(words)}; "
            f"in order: {', '.join(_labels(model.joints))}"
        )
    return configuration(
        model, np.array([_value(w, q) for w, q in zip(words, quantities, strict=True)])
    )


def _by_name(model: Model, text: str) -> Floats:
    q = configuration(model)
    for part in re.split(r"[,;](?![^(]*\))", text):
        if not part.strip():
            continue
        name, equals, values = part.partition("=")
        if not equals:
            raise UsageError(f"--q: '{part.strip()}' is not NAME=VALUE")
        joint = model.joint(name.strip())
        words = _words(values.strip().removeprefix("(").removesuffix(")"))
        quantities = _quantities(joint)
        if len(words) != len(quantities):
            raise UsageError(
                f"--q: joint '{joint.name}' ({joint.type.value}) takes {len(quantities)} numbers, "
                f"got {len(words)}"
            )
        q[joint.q] = [
            _value(word, quantity) for word, quantity in zip(words, quantities, strict=True)
        ]
    return configuration(model, q)


def _words(text: str) -> list[str]:
    """Numbers apart by commas or blanks; a unit after a blank stays with its number."""
    if "," in text:
        return [word.strip() for word in text.split(",") if word.strip()]
    return re.findall(r"\S+(?:\s+(?:°|[A-Za-zµ][A-Za-z/.0-9]*)(?![^\s(]*\())?", text)


def _quantities(joint: ModelJoint) -> list[str]:
    """What each number of a joint's part of q measures."""
    if joint.type is JointType.SPHERICAL:
        return [""] * 4
    if joint.type is JointType.FREE:
        return [""] * 4 + ["length"] * 3
    return [quantity for _, quantity in joint.type.info.variables]


def _labels(joints: Iterable[ModelJoint]) -> list[str]:
    labels = []
    for joint in joints:
        size = joint.q.stop - joint.q.start
        labels += [joint.name] if size == 1 else [f"{joint.name}.{i}" for i in range(size)]
    return labels


def _value(word: str, quantity: str) -> float:
    try:
        return parse_formula(word, quantity=quantity or None).evaluate({})
    except FormulaError as error:
        raise UsageError(f"--q: {error}") from error
