"""``--range`` on the command line: which values of which joints a sweep tries."""

from __future__ import annotations

import argparse
import re

from kinegen.cli.options.arguments import numbers_of
from kinegen.errors import UsageError
from kinegen.mechanism.model import Model

__all__ = ["add_range", "amount_of", "parse_ranges"]


def add_range(parser: argparse.ArgumentParser) -> None:
    """``--range "JOINT=LOW:HIGH, …"``."""
    parser.add_argument(
        "--range", metavar="RANGES",
        help='joint values to try, e.g. "shoulder=0 deg:90 deg, elbow=0:1.5"; plain numbers are '
        "rad and m; default: the joint limits, or a full turn",
    )  # fmt: skip


def parse_ranges(model: Model, text: str | None) -> dict[str, tuple[float, float]]:
    """Ranges by joint or joint.variable, from what was typed."""
    found: dict[str, tuple[float, float]] = {}
    if text is None:
        return found
    for part in re.split("[,;]", text):
        name, equals, ends = (side.strip() for side in part.partition("="))
        low, colon, high = (side.strip() for side in ends.partition(":"))
        if not (name and equals and colon and low and high):
            raise UsageError(
                f"--range: '{part.strip()}' is not JOINT=LOW:HIGH, such as elbow=0:90 deg"
            )
        quantity = _quantity(model, name)
        lower, upper = (numbers_of("--range", end, [quantity])[0] for end in (low, high))
        found[name] = lower, upper
    return found


def _quantity(model: Model, name: str) -> str:
    known = {joint.name for joint in model.joints}
    whole, dot, variable = name.rpartition(".")
    owner, wanted = (whole, variable) if dot and name not in known else (name, "")
    joint = model.joint(owner)
    if joint.type.info.has_quaternion:
        return ""
    variables = dict(joint.type.info.variables)
    return variables.get(wanted) or next(iter(variables.values()), "")


def amount_of(option: str, text: str) -> tuple[float, str]:
    """A positive angle [rad] or length [m] with which of the two it is."""
    for quantity in ("angle", "length"):
        try:
            value = numbers_of(option, text, [quantity])[0]
        except UsageError:
            continue
        return value, quantity
    raise UsageError(
        f'{option} takes an angle or a length, such as "0.5 deg" or "5 mm", got \'{text}\''
    )
