"""Options for what surrounds a mechanism that moves: a floor and the objects of its file."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from kinegen.cli.options.arguments import numbers_of
from kinegen.cli.output import length
from kinegen.dynamics.simulation.system import System
from kinegen.errors import UsageError
from kinegen.kinematics.collisions.checker import CollisionChecker
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model

__all__ = ["Avoiding", "add_avoid", "add_floor", "add_surroundings", "parse_floor", "surrounded"]


def add_floor(parser: argparse.ArgumentParser) -> None:
    """``--floor``."""
    parser.add_argument(
        "--floor", nargs="?", const="0", metavar="HEIGHT",
        help="add a floor perpendicular to gravity, at this height; default: 0",
    )  # fmt: skip


def parse_floor(text: str | None) -> float | None:
    """Height of the floor [m], if any."""
    if text is None:
        return None
    (height,) = numbers_of("--floor", text, ["length"])
    return height


def add_avoid(parser: argparse.ArgumentParser) -> None:
    """``--avoid``, ``--clearance`` and ``--floor``."""
    parser.add_argument(
        "--avoid", action="store_true", help="avoid collisions of links, objects and the floor"
    )
    parser.add_argument(
        "--clearance", metavar="LENGTH",
        help="distance to keep with --avoid; default: a thousandth of the mechanism's size",
    )  # fmt: skip
    add_floor(parser)


class Avoiding(NamedTuple):
    """What ``--avoid`` asks for."""

    checker: CollisionChecker | None
    clearance: float | None
    """[m]"""

    @classmethod
    def parse(cls, model: Model, options: argparse.Namespace) -> Avoiding:
        """From what was typed."""
        if not options.avoid:
            for option in ("clearance", "floor"):
                if getattr(options, option) is not None:
                    raise UsageError(f"--{option} has no effect without --avoid")
            return cls(None, None)
        clearance = None
        if options.clearance is not None:
            (clearance,) = numbers_of("--clearance", options.clearance, ["length"])
            if clearance < 0:
                raise UsageError(f"--clearance is {length(clearance)}: use 0 or more")
        return cls(CollisionChecker(model, floor=parse_floor(options.floor)), clearance)


def add_surroundings(parser: argparse.ArgumentParser) -> None:
    """``--floor`` and ``--objects``."""
    add_floor(parser)
    parser.add_argument(
        "--objects", action="store_true", help="include the objects of the file: bodies can touch"
    )


def surrounded(
    options: argparse.Namespace,
    mechanism: Mechanism,
    gravity: tuple[float, float, float] | None = None,
) -> System:
    """The mechanism with the floor and objects asked for."""
    floor = parse_floor(options.floor)
    system = System.of(mechanism, gravity=gravity, floor=floor, objects=options.objects)
    if options.objects and not (system.object_names or system.fixed_objects):
        raise UsageError(f"--objects: mechanism '{system.model.name}' has no objects in its file")
    return system
