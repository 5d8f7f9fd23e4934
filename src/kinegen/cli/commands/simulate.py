"""``kinegen simulate``: simulate a mechanism, and report the accuracy."""

from __future__ import annotations

import argparse
import math
import signal
import sys
import threading
import time as clock
from pathlib import Path

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    add_q,
    load_mechanism,
    numbers_of,
    parse_modes,
    parse_speeds,
    parse_start,
    parse_targets,
)
from kinegen.cli.options.loads import add_gravity, parse_gravity
from kinegen.cli.options.surroundings import add_surroundings, surrounded
from kinegen.cli.output import count
from kinegen.cli.run_report import print_run
from kinegen.dynamics.engines.registry import engine_names
from kinegen.dynamics.motors.motor import Mode, motor_modes
from kinegen.dynamics.simulation.run_files import SUFFIXES
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.dynamics.simulation.system import System
from kinegen.errors import UsageError

EXAMPLES = [
    "kinegen simulate bricard --time 10",
    'kinegen simulate five-bar --gravity "0 -9.81 0" --time 2 --out run.csv',
    'kinegen simulate puma560 --q "shoulder=45 deg" --v "waist=90 deg/s" --engine mujoco',
    'kinegen simulate arm-6 --target "elbow=30 deg, wrist_1=0.2" --time "500 ms"',
    "kinegen simulate humanoid-30 --floor --time 1",
]

EXIT_BROKEN = 1
"""Exit code when the run ended before its time."""
EXIT_STOPPED = 130
MOST_STEPS = 1e12
"""Steps of one run: months of work."""
PROGRESS = 1.0
"""Seconds after which a long run reports its progress."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, time, engine, start, surroundings, file."""
    add_mechanism(parser)
    add = parser.add_argument
    add("--time", default="5 s", help="duration; plain numbers are seconds; default: 5 s")
    add(
        "--step",
        default="1 ms",
        help="time step of the engine; plain numbers are seconds; default: 1 ms",
    )
    add("--engine", default="reduced", metavar="NAME",
        help=f"one of {', '.join(engine_names())}; default: reduced")  # fmt: skip
    add_gravity(parser)
    add_q(parser)
    add("--v", metavar="VALUES", help="initial velocities, all of them or some by name "
        '("waist=90 deg/s"): the others follow from the loops; default: at rest')  # fmt: skip
    add_surroundings(parser)
    add("--hold", action="store_true", help="let the motors hold the start pose")
    add("--target", metavar="VALUES", help='targets of motors, by name ("elbow=30 deg, wheel=5 '
        'rad/s"): a position, a speed or a torque, depending on the mode of the motor')  # fmt: skip
    add("--mode", metavar="MODES", help="modes of motors, by name (\"elbow=computed\"): "
        f"{', '.join(mode.value for mode in Mode)}; default: as in the file")  # fmt: skip
    add("--record", default="100 Hz", help="recorded rows per second; default: 100 Hz")
    add("--out", metavar="FILE", help=f"file for the recording, by suffix: {', '.join(SUFFIXES)}")
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Simulate and report; exit code 1 when the run ended before its time."""
    if options.out:
        _check_file(options.out)
    mechanism = load_mechanism(options)
    seconds = _number("--time", options.time, "time")
    if not seconds > 0:
        raise UsageError(f"--time is {options.time}: use a positive time")
    rate = _number("--record", options.record, "frequency")
    if not rate > 0:
        raise UsageError(f"--record is {options.record}: use a positive rate, such as 100 Hz")
    system = surrounded(options, mechanism, parse_gravity(options.gravity))
    if options.mode and not (options.hold or options.target):
        raise UsageError("--mode needs driven motors: use --hold or --target too")
    modes = parse_modes(options.mode)
    targets = parse_targets(system.model, options.target, _target_quantities(system, modes))
    step = _number("--step", options.step, "time")
    if step > 0 and seconds / step > MOST_STEPS:
        raise UsageError(
            f"--time {options.time} in steps of {options.step} are more than {MOST_STEPS:.0e} "
            f"steps; take --step {seconds / MOST_STEPS:.2g} or longer"
        )
    simulation = Simulation(
        system,
        engine=options.engine,
        step=step,
        q=parse_start(system.model, options.q),
        v=parse_speeds(system.model, options.v),
        record=rate,
        hold=options.hold,
        targets=targets or None,
        modes=modes,
    )
    if seconds < simulation.engine.step:
        raise UsageError(f"--step {options.step} is longer than --time {options.time}")
    simulation.check_rows(seconds)
    began = clock.perf_counter()
    stopped = _go(simulation, seconds, quiet=options.json)
    took = clock.perf_counter() - began
    made = simulation.run(complete=False if stopped else None)
    saturation = simulation.servos.saturation if simulation.servos is not None else {}
    if options.out:
        made.save(options.out)
    left_out = " and ".join(key for key in ("sensors", "agents") if mechanism.scene.get(key))
    if options.json:
        print_json(
            made.summary()
            | {
                "computed_in": took,
                "file": options.out,
                "saturation": saturation,
                "left_out": left_out,
            },
            error="" if made.complete and not stopped else made.reason or "stopped",
        )
    else:
        if left_out:
            print(f"Left out: {left_out}; 'kinegen run' runs them.")
        print_run(made, took, saturation, touches=system.contacts.enabled)
        if options.out:
            print(f"wrote {options.out}: {count(len(made), 'row')}")
    return EXIT_STOPPED if stopped else 0 if made.complete else EXIT_BROKEN


def _go(simulation: Simulation, seconds: float, *, quiet: bool) -> bool:
    """Run to the end; whether Ctrl-C came before."""
    pieces = max(1, math.ceil(seconds / 0.05))
    next_report = clock.perf_counter() + PROGRESS
    shown = False
    stopped = False
    # whoever ends it by a signal, as schedulers of a cluster do, wants what there is as well
    before = signal.signal(signal.SIGTERM, signal.default_int_handler) if _is_main() else None
    try:
        for piece in range(pieces):
            simulation.advance(seconds / pieces)
            if not simulation.is_running:
                break
            if not quiet and sys.stderr.isatty() and clock.perf_counter() > next_report:
                next_report += 0.2
                shown = True
                share = (piece + 1) / pieces
                text = f"\r{simulation.time:.2f} s of {seconds:g} s simulated ({share:.0%})"
                print(text, end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        simulation.stop(f"stopped by Ctrl-C or a signal after {simulation.time:g} s")
        stopped = True
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)
    if shown:
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr, flush=True)
    return stopped


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


_QUANTITIES = {
    Mode.POSITION: {"angle": "angle", "length": "length"},
    Mode.COMPUTED: {"angle": "angle", "length": "length"},
    Mode.VELOCITY: {"angle": "angular speed", "length": "speed"},
    Mode.TORQUE: {"angle": "torque", "length": "force"},
}


def _target_quantities(system: System, given: dict[str, Mode | str]) -> list[str]:
    """The quantity of the target of each v."""
    modes = motor_modes(system, given)
    kinds = [""] * system.model.nv
    for joint in system.model.joints:
        for k, (_, kind) in enumerate(joint.type.info.variables):
            kinds[joint.v.start + k] = _QUANTITIES[modes[joint.v.start + k]][kind]
    return kinds


def _number(option: str, text: str, quantity: str) -> float:
    return numbers_of(option, text, [quantity])[0]


def _check_file(name: str) -> None:
    """Refuse a name that says no kind of file, before the work."""
    if Path(name).suffix.lower() not in SUFFIXES:
        raise UsageError(f"--out {name}: a recording has one of the suffixes {', '.join(SUFFIXES)}")
