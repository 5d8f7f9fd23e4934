"""Targets on the command line, and configurations in answers."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

import numpy as np

from kinegen.cli.options.arguments import numbers_of
from kinegen.cli.output import angle, length
from kinegen.kernels import Floats
from kinegen.kinematics.handles import Handle
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.spatial.rotation import SO3

__all__ = ["add_target", "by_joint", "handle_of", "joint_text", "names_of"]


def add_target(parser: argparse.ArgumentParser, *, option: str) -> None:
    """``--frame`` and where it should be."""
    parser.add_argument("--frame", metavar="F", help="a frame or link; default: the last")
    parser.add_argument(
        option, dest="xyz", metavar='"X Y Z"', required=True,
        help='target position of its origin, e.g. "0.4 0 300mm"; plain numbers are metres',
    )  # fmt: skip
    turn = parser.add_mutually_exclusive_group()
    turn.add_argument("--quat", metavar='"W X Y Z"', help="target orientation, as a quaternion")
    turn.add_argument(
        "--rpy",
        metavar='"R P Y"',
        help="target orientation, as roll, pitch, yaw; plain numbers are rad",
    )


def handle_of(model: Model, options: argparse.Namespace) -> Handle:
    """The handle that the options ask for."""
    frame = options.frame or model.site_names[-1]
    model.site(frame)
    rotation = None
    if options.quat:
        rotation = SO3(np.array(numbers_of("--quat", options.quat, [""] * 4)))
    elif options.rpy:
        roll, pitch, yaw = numbers_of("--rpy", options.rpy, ["angle"] * 3)
        rotation = SO3.from_rpy(roll, pitch, yaw)
    position = numbers_of("the target", options.xyz, ["length"] * 3)
    return Handle(frame, position, rotation)


def by_joint(model: Model, q: Floats) -> dict[str, Any]:
    """A configuration by joint name: a number, or a list where a joint has several."""
    parts = {joint.name: q[joint.q].tolist() for joint in model.joints}
    return {name: part[0] if len(part) == 1 else part for name, part in parts.items() if part}


def joint_text(joint: ModelJoint, q: Floats) -> str:
    """A joint's values with their units."""
    values = q[joint.q]
    if joint.type.info.has_quaternion:
        turn = ", ".join(map(angle, SO3(values[:4]).rpy))
        place = "".join(f", {length(float(x))}" for x in values[4:])
        return f"roll pitch yaw {turn}{place}"
    kinds = [quantity for _, quantity in joint.type.info.variables]
    return ", ".join(
        angle(float(x)) if kind == "angle" else length(float(x))
        for x, kind in zip(values, kinds, strict=True)
    )


def names_of(words: Iterable[str]) -> list[str]:
    """Names that were given one by one or with commas between them: ``a,b`` is a and b."""
    return [name.strip() for word in words for name in word.split(",") if name.strip()]
