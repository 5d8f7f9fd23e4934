"""``kinegen run``: run a world, its sensors and agents, and write a log."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time as clock
from typing import Any

import numpy as np

from kinegen.cli.answers import print_json
from kinegen.cli.main import EXIT_INPUT, EXIT_OK, EXIT_STOPPED
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    load_mechanism,
    numbers_of,
    parse_modes,
)
from kinegen.cli.out import write_out
from kinegen.cli.output import count, print_table
from kinegen.dynamics.engines.registry import engine_names
from kinegen.dynamics.motors.motor import Mode
from kinegen.errors import UsageError
from kinegen.world.drawing.pictures import as_picture, png
from kinegen.world.log.log import SUFFIXES, check_suffix
from kinegen.world.signalling.quantities import quantity_of_unit
from kinegen.world.signalling.signal import Signal
from kinegen.world.world import World

EXAMPLES = [
    "kinegen run exploring-cart --time 10",
    "kinegen run exploring-cart --time 2 --out cart.csv",
    "kinegen run exploring-cart --time 2 --force left.distance=5cm",
    "kinegen run exploring-cart --list-signals",
]

PROGRESS = 1.0
"""Seconds after which a long run reports its progress."""
MOST_STEPS = 1e12
"""Steps of one run: months of work."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """World, time, seed, log, overrides."""
    add_mechanism(parser)
    add = parser.add_argument
    add("--time", help="duration; plain numbers are seconds; default: as in the file, or 5 s")
    add("--seed", help="seed of all noise; default: as in the file, or 0")
    add("--step", help="time step; plain numbers are seconds; default: as in the file, or 1 ms")
    add("--engine", metavar="NAME", help=f"one of {', '.join(engine_names())}; default: as in the "
        "file, or reduced")  # fmt: skip
    add("--floor", nargs="?", const="0", metavar="HEIGHT",
        help="a floor at this height; default: as in the file")  # fmt: skip
    add("--pace", metavar="FACTOR",
        help="simulated seconds per real second: 1 is real time; default: no limit")  # fmt: skip
    add("--force", metavar="SIGNAL=VALUE", action="append", default=[],
        help="replace a signal by a value: left.distance=5cm; may be repeated")  # fmt: skip
    add("--cut", metavar="SIGNAL", action="append", default=[],
        help="remove the value of a signal, as if its cable were cut; may be repeated")  # fmt: skip
    add("--target", metavar="VALUES", help='targets of motors that no agent drives, by name: '
        '"elbow=30 deg, wheel=5 rad/s"')  # fmt: skip
    add("--mode", metavar="MODES", help="modes of motors, by name (\"elbow=torque\"): "
        f"{', '.join(mode.value for mode in Mode)}; default: as in the file")  # fmt: skip
    add("--no-cameras", action="store_true", help="take no pictures, so that no renderer is needed")
    add("--out", metavar="FILE", help=f"log of all signals, by suffix: {', '.join(SUFFIXES)}")
    add("--picture", metavar="SIGNAL=FILE", action="append", default=[],
        help="write a map or a camera's picture at the end, as PNG: driver.map=map.png; may be "
        "repeated")  # fmt: skip
    add("--rate", help="rows per second of the log; default: 100 Hz")
    add("--list-signals", action="store_true", help="list all signals with their units, and exit")
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Run and report; exit code 1 when the world stopped before its time."""
    if options.out:
        check_suffix(options.out)
    seed = _optional("--seed", options.seed, "number")
    if seed is not None and seed != int(seed):
        raise UsageError(f"--seed {options.seed}: use a whole number")
    with World(
        load_mechanism(options),
        engine=options.engine,
        step=_positive("--step", options.step, "time"),
        seed=None if seed is None else int(seed),
        floor=_optional("--floor", options.floor, "length"),
        modes=parse_modes(options.mode),
        keyframes=0,
        cameras=not options.no_cameras,
    ) as world:
        if options.target:
            world.command(_targets(world, options.target))
        for word in options.force:
            _force(world, word)
        for name in options.cut:
            world.signals[name].cut()
        if options.list_signals:
            return _list(world, as_json=options.json)
        seconds = _positive("--time", options.time, "time") or world.settings.time
        if seconds / world.step_length > MOST_STEPS:
            raise UsageError(f"--time {options.time} has more than {MOST_STEPS:.0e} steps")
        if seconds < world.step_length:
            raise UsageError(
                f"the step of {world.step_length:g} s is longer than the time of {seconds:g} s"
            )
        rate = _positive("--rate", options.rate, "frequency")
        log = world.log(options.out, rate=rate) if options.out else None
        began = clock.perf_counter()
        stopped = _go(world, seconds, _positive("--pace", options.pace, "number"), options.json)
        took = clock.perf_counter() - began
        pictures = [_picture(world, word) for word in options.picture]
    report = world.report()
    rows = 0 if log is None else log.rows
    if options.json:
        values = {name: _plain(one) for name, one in world.signals.items()}
        error = "" if report.complete else report.reason
        facts = report.to_dict() | {"signals": values, "file": options.out, "rows": rows}
        print_json(facts | {"computed_in": took}, error=error)
    else:
        for event in report.events:
            print(event)
        for one in report.overridden:
            print(f"still overridden: {one}")
        speed = report.time / max(took, 1e-9)
        print(f"{report.world}: {report.reason}, {count(report.steps, 'step')}, in {took:.3g} s "
              f"({speed:.3g} × real time)")  # fmt: skip
        if log is not None:
            print(f"wrote {options.out}: {count(rows, 'row')}")
        for file in pictures:
            print(f"wrote {file}")
    if stopped:
        return EXIT_STOPPED
    return EXIT_OK if report.complete else EXIT_INPUT


def _go(world: World, seconds: float, pace: float | None, quiet: bool) -> bool:
    """Run to the end; whether Ctrl-C came before. What was logged is kept."""
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, signal.default_int_handler) if is_main else None
    show = not quiet and sys.stderr.isatty()
    began, shown = clock.perf_counter(), False

    def progress(time: float) -> None:
        nonlocal shown
        if show and clock.perf_counter() - began > PROGRESS:
            shown = True
            text = f"\r{time:.2f} s of {seconds:g} s ({time / seconds:.0%})"
            print(text, end="", file=sys.stderr, flush=True)

    try:
        world.run(seconds, pace=pace, progress=progress)
        return False
    except KeyboardInterrupt:
        world.stop(f"stopped by Ctrl-C or a signal after {world.time:g} s")
        return True
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)
        if shown:
            print("\r" + " " * 60 + "\r", end="", file=sys.stderr, flush=True)


def _list(world: World, *, as_json: bool) -> int:
    rows = list(world.signals.values())
    if as_json:
        listed = [
            {"name": one.name, "unit": one.unit, "shape": one.shape, "writer": one.writer,
             "override": one.override.text if one.override else None}
            for one in rows
        ]  # fmt: skip
        print_json({"world": world.name, "signals": listed})
        return EXIT_OK
    print_table(
        ["signal", "unit", "numbers", "written by", "override"],
        [
            (one.name, one.unit, _size(one), one.writer, one.override.text if one.override else "")
            for one in rows
        ],
    )
    return EXIT_OK


def _size(signal: Signal) -> str:
    return "picture" if signal.shape is None else "×".join(map(str, signal.shape)) or "1"


def _force(world: World, word: str) -> None:
    name, equals, text = (part.strip() for part in word.partition("="))
    if not (name and equals and text):
        raise UsageError(f"--force takes SIGNAL=VALUE, got '{word}'")
    one = world.signals[name]
    size = 1
    for number in one.shape or ():
        size *= number
    quantity = quantity_of_unit(one.unit)
    values = numbers_of(f"--force {name}", text, [quantity] * size)
    one.force(values if one.shape else values[0])


def _targets(world: World, text: str) -> dict[str, float | list[float]]:
    """Targets by joint; an agent that drives the joint may change them."""
    found: dict[str, float | list[float]] = {}
    for word in (part.strip() for part in text.split(",")):
        name, equals, value = (part.strip() for part in word.partition("="))
        if not (name and equals and value):
            raise UsageError(f"--target takes JOINT=VALUE, got '{word}'")
        signal = world.signals[f"{name}.target"]
        if signal.shape:
            raise UsageError(
                f"--target: joint '{name}' takes {signal.shape[0]} numbers: use Python"
            )
        quantity = quantity_of_unit(signal.unit)
        found[name] = numbers_of(f"--target {name}", value, [quantity])[0]
    return found


def _picture(world: World, word: str) -> str:
    """Write what a signal shows; the file that it is in now."""
    name, _, file = (part.strip() for part in word.partition("="))
    if not (name and file.endswith(".png")):
        raise UsageError(f"--picture takes SIGNAL=FILE.png, got '{word}'")
    value = world.signals[name].value
    numbers = np.asarray(np.nan if value is None else value)
    if numbers.ndim not in (2, 3):
        raise UsageError(f"--picture: signal '{name}' is neither a map nor a picture")
    write_out(file, png(as_picture(numbers)))
    return file


def _plain(signal: Signal) -> Any:
    return None if signal.shape is None else signal.value


def _optional(option: str, text: str | None, quantity: str) -> float | None:
    return None if text is None else numbers_of(option, text, [quantity])[0]


def _positive(option: str, text: str | None, quantity: str) -> float | None:
    value = _optional(option, text, quantity)
    if value is not None and not value > 0:
        raise UsageError(f"{option} is {text}: use a positive value")
    return value
