"""What commands on real robots take: a port, limits, and a user who agrees."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Iterator
from typing import Any

from kinegen.bridges.bridge import Bridge
from kinegen.cli.options.arguments import numbers_of, parse_q
from kinegen.cli.output import angle, length, print_table
from kinegen.drive.ports import PORTS
from kinegen.drive.robot_drive import Drive
from kinegen.errors import UsageError
from kinegen.mechanism.graph import Mechanism

__all__ = ["add_port", "agree", "connect", "limits_of", "print_joints"]


def add_port(parser: argparse.ArgumentParser) -> None:
    """``--to``, ``--as`` and what belongs to them."""
    add, kinds = parser.add_argument, PORTS.names()
    add("--to", metavar="PORT", help="serial port of the servos, such as /dev/ttyUSB0 or COM3; "
        "virtual: a simulated robot, to try it")  # fmt: skip
    add("--as", dest="kind", metavar="KIND", choices=kinds,
        help=f"type of the servos: {', '.join(kinds)}")  # fmt: skip
    add("--robot", metavar="NAME", default="",
        help="name of an included robot of the file, if each has its own port")  # fmt: skip
    add("--yes", action="store_true", help="do not ask before the first motion")


@contextlib.contextmanager
def connect(options: argparse.Namespace, mechanism: Mechanism, **more: Any) -> Iterator[Drive]:
    """The robot at the port that was asked for."""
    if not options.to or not options.kind:
        raise UsageError("name the port with --to and the servos with --as, such as "
                         "--to /dev/ttyUSB0 --as feetech")  # fmt: skip
    with contextlib.ExitStack() as stack:
        port = options.to
        if port == "virtual":
            bridge = stack.enter_context(Bridge(mechanism, [options.kind]))
            port = bridge.endpoints[f"{options.kind} {options.robot}".rstrip()]
        yield stack.enter_context(Drive(mechanism, port, options.kind, robot=options.robot, **more))


def limits_of(options: argparse.Namespace, mechanism: Mechanism) -> dict[str, Any]:
    """Speed, torque, what a stop does, and where servos are that do not say so."""
    found: dict[str, Any] = {"on_stop": options.on_stop}
    found |= _speed(options.speed)
    found["torque"] = numbers_of("--torque", options.torque, ["number"])[0]
    if options.at is not None:
        found["at"] = parse_q(mechanism.compile(), options.at)
    return found


def _speed(text: str) -> dict[str, float]:
    """A share, or a speed with its unit."""
    try:
        return {"speed": float(text)}
    except ValueError:
        fastest = numbers_of("--speed", text, ["angular speed"])[0]
        if not (math.isfinite(fastest) and fastest > 0):
            raise UsageError(f"--speed {text}: use a positive speed") from None
        return {"speed": 1.0, "fastest": fastest}


def print_joints(drive: Drive) -> None:
    """A table of the servos: ids, positions, limits, speeds."""
    port = drive.port
    print(f"{drive.model.name} at {port.path}: {drive.kind}, {port.baud} bit/s, "
          f"{len(port.ids)} servos")  # fmt: skip
    rows = []
    for row in drive.travel.rows(drive.reading.positions):
        show = length if row["unit"] == "m" else angle
        limits = f"{show(row['lower'])} to {show(row['upper'])}"
        rows.append(
            [str(row["id"]), row["joint"], show(row["position"]), limits, f"{show(row['speed'])}/s"]
        )
    print_table(["id", "joint", "now", "limits", "fastest"], rows, right=[0, 2])


def agree(options: argparse.Namespace, what: str) -> None:
    """Say what will happen and wait for the user's yes.

    Raises:
        UsageError: Nobody can be asked, or the answer was no.
    """
    print(what, flush=True)
    if options.yes:
        return
    if not sys.stdin.isatty() or options.json:
        raise UsageError(
            "this command cannot ask for confirmation here: add --yes if the robot may move"
        )
    print("Continue? [y/N] ", end="", flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("nothing was moved")
