"""``kinegen bridge``: a simulated robot on the wires that a real one has."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys

from kinegen.bridges.process.hub import Hub, HubOptions
from kinegen.bridges.process.priority import preferred
from kinegen.bridges.registry import BRIDGES
from kinegen.bridges.transport.serial_wire import HAS_TERMINALS
from kinegen.cli.answers import print_rows
from kinegen.cli.main import EXIT_INPUT, EXIT_OK
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    load_mechanism,
    numbers_of,
)
from kinegen.errors import UsageError
from kinegen.world.log.log import SUFFIXES, check_suffix

EXAMPLES = [
    "kinegen bridge so101 --as feetech",
    "kinegen bridge so101 --as dynamixel --as ssc32 --log run.mcap",
    "kinegen bridge so101 --as feetech --clock client --period 20ms",
    "kinegen bridge so101 --as feetech --tcp --port 7000",
]

LOOK = 0.2
"""How often the simulation is asked whether it still runs [s]."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, protocols, addresses, clock, world."""
    add_mechanism(parser)
    add = parser.add_argument
    add("--as", dest="kinds", metavar="KIND", action="append", default=[],
        help=f"protocol: {', '.join(sorted(BRIDGES.names()))}; may be repeated; KIND:PORT gives a "
        "TCP port")  # fmt: skip
    add("--port", help="TCP port of the protocol that has one; default: the protocol's own, or any "
        "that is free")  # fmt: skip
    add("--host", default="127.0.0.1", help="address to listen on; default: this machine only")
    add("--origin", metavar="URL", action="append", default=[],
        help="web pages of this origin may connect to rosbridge too, such as https://example.org; "
        "may be repeated; *: all; default: pages of this machine")  # fmt: skip
    add("--tcp", action="store_true",
        help="use TCP addresses for serial protocols instead of pseudo terminals")  # fmt: skip
    add("--clock", choices=["wall", "client"], default="wall",
        help="what advances simulated time: the real clock, or a client that reads "
        "positions; default: wall")  # fmt: skip
    add("--period", default="20 ms",
        help="by how much one cycle of a client advances time, with --clock client; default: "
        "20 ms")  # fmt: skip
    add("--hold", action="store_true", default=None,
        help="start with all motors on; default: like real ones, bus servos start off")  # fmt: skip
    add("--time", help="end after this real time; default: until Ctrl-C")
    add("--seed", help="seed of all noise; default: as in the file, or 0")
    add("--step", help="time step; plain numbers are seconds; default: as in the file, or 1 ms")
    add("--engine", metavar="NAME", help="engine of the simulation; default: as in the file, or "
        "reduced")  # fmt: skip
    add("--floor", nargs="?", const="0", metavar="HEIGHT",
        help="a floor at this height; default: as in the file")  # fmt: skip
    add("--log", metavar="FILE", help=f"log of all signals, by suffix: {', '.join(SUFFIXES)}")
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Open the wires and speak until Ctrl-C or SIGTERM; exit code 1 when the simulation broke."""
    if not options.kinds:
        raise UsageError(f"name a protocol with --as: {', '.join(sorted(BRIDGES.names()))}")
    if options.log:
        check_suffix(options.log)
    seed = _number("--seed", options.seed, "number")
    port = _number("--port", options.port, "number")
    for name, value in (("--seed", seed), ("--port", port)):
        if value is not None and value != int(value):
            raise UsageError(f"{name} {value:g}: use a whole number")
    world = {
        "engine": options.engine,
        "step": _number("--step", options.step, "time"),
        "seed": None if seed is None else int(seed),
        "floor": _number("--floor", options.floor, "length"),
        "log": options.log,
    }
    settings = HubOptions(
        tuple(options.kinds), options.host, None if port is None else int(port), options.tcp,
        options.clock, _number("--period", options.period, "time") or 0.0, options.hold,
        {key: value for key, value in world.items() if value is not None}, tuple(options.origin),
    )  # fmt: skip
    seconds = _number("--time", options.time, "time")
    if seconds is not None and seconds < 0:
        raise UsageError(f"--time is {options.time}: use a positive time")
    if not HAS_TERMINALS and not options.tcp:
        print("this system has no pseudo terminals: serial protocols get TCP addresses, which "
              "pyserial opens as socket://HOST:PORT", file=sys.stderr, flush=True)  # fmt: skip
    hub = Hub(load_mechanism(options), settings)
    # with another clock the world runs in this process
    with preferred() if settings.clock == "wall" else contextlib.nullcontext():
        reason = asyncio.run(_speak(hub, options, seconds))
    if reason:
        print(f"kinegen: the simulation stopped: {reason}", file=sys.stderr)
    return EXIT_INPUT if reason else EXIT_OK


async def _speak(hub: Hub, options: argparse.Namespace, seconds: float | None) -> str:
    """Until the end; why the simulation stopped, if it did."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        # a shell that starts commands in the background lets them ignore SIGINT: not here
        with contextlib.suppress(NotImplementedError, AttributeError, ValueError):
            loop.add_signal_handler(getattr(signal, name), stopped.set)
    await hub.open()
    try:
        _announce(hub, as_json=options.json)
        end = None if seconds is None else loop.time() + seconds
        while not stopped.is_set() and (end is None or loop.time() < end):
            left = LOOK if end is None else min(LOOK, max(end - loop.time(), 0.0))
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(stopped.wait(), left)
            if hub.physics.reason:
                return hub.physics.reason
    except asyncio.CancelledError:
        pass  # Ctrl-C where there are no signal handlers
    finally:
        await hub.close()
    return ""


def _announce(hub: Hub, *, as_json: bool) -> None:
    rows = hub.rows()
    if as_json:
        print_rows(rows)
        return
    for row in rows:
        speed = f" at {row['baud']} bit/s" if "baud" in row else ""
        whose = f" of {row['robot']}" if "robot" in row else ""
        print(f"{row['bridge']}{whose}: {row.get('url', row['endpoint'])}{speed}")
        for number, name in row.get("servos", {}).items():
            print(f"  {number:>3}  {name}")
    print("Press Ctrl-C to stop.", flush=True)


def _number(option: str, text: str | None, quantity: str) -> float | None:
    return None if text is None else numbers_of(option, text, [quantity])[0]
