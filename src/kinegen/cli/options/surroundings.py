"""Options for what surrounds a mechanism that moves: a floor and the objects of its file."""

from __future__ import annotations

import argparse

from kinegen.cli.options.arguments import numbers_of
from kinegen.dynamics.simulation.system import System
from kinegen.errors import UsageError
from kinegen.mechanism.graph import Mechanism

__all__ = ["add_floor", "add_surroundings", "parse_floor", "surrounded"]


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
