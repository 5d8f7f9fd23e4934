"""Options for what surrounds a mechanism that moves: a floor and the objects of its file."""

from __future__ import annotations

import argparse

from kinegen.cli.options.arguments import numbers_of
from kinegen.dynamics.simulation.system import System
from kinegen.errors import UsageError
from kinegen.mechanism.graph import Mechanism

__all__ = ["add_surroundings", "surrounded"]


def add_surroundings(parser: argparse.ArgumentParser) -> None:
    """``--floor`` and ``--objects``."""
    add = parser.add_argument
    add("--floor", nargs="?", const="0", metavar="HEIGHT",
        help="add a floor perpendicular to gravity, at this height; default: 0")  # fmt: skip
    add("--objects", action="store_true",
        help="include the objects of the file: bodies can touch")  # fmt: skip


def surrounded(
    options: argparse.Namespace,
    mechanism: Mechanism,
    gravity: tuple[float, float, float] | None = None,
) -> System:
    """The mechanism with the floor and objects asked for."""
    floor = None
    if options.floor is not None:
        (floor,) = numbers_of("--floor", options.floor, ["length"])
    system = System.of(mechanism, gravity=gravity, floor=floor, objects=options.objects)
    if options.objects and not (system.object_names or system.fixed_objects):
        raise UsageError(f"--objects: mechanism '{system.model.name}' has no objects in its file")
    return system
