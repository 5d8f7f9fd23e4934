"""``kinegen touch``: a hand on a running mechanism, by a haptic device or a scripted hand.

The mechanism and the hand are two processes that speak UDP: both here, or each on its own machine.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import secrets
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import (
    add_parameters,
    add_q,
    load_mechanism,
    numbers_of,
    parse_start,
)
from kinegen.cli.options.surroundings import add_surroundings, surrounded
from kinegen.cli.output import count
from kinegen.cli.terminal import as_shown
from kinegen.devices.declared import DeclaredDevice, device_named
from kinegen.devices.haptic import HapticThread, Trouble
from kinegen.devices.key import key_of, new_key, read_key
from kinegen.devices.link import UdpTransport
from kinegen.devices.process import HapticProcess
from kinegen.devices.registry import device_names, make_device
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.errors import UsageError
from kinegen.kernels import HapticSettings
from kinegen.mechanism.graph import Mechanism

EXAMPLES = [
    "kinegen touch arm-6 --pull tool --hold --time 1",
    'kinegen touch stewart --hold --turn --hand "0 0 0 0; 0.5 0.02 0 0" --time 1',
    "kinegen touch arm-6 --push --device udp --time 1",
    "kinegen touch cart --floor --pull chassis --time 1",
]

WAY = "0 0 0 0; 1 0.05 0 0; 2 0.05 0 0.05; 3 0 0 0"
"""The scripted hand's way when none is given: rows of s and m."""
SUPPLY = "2"
"""Power [W] that motors and weight of a mechanism may give the hand, once it proved who it is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, what the hand does, device, addresses."""
    add = parser.add_argument
    add("mechanism", metavar="NAME", nargs="?",
        help="a library name, or a file; none with --dynamics")  # fmt: skip
    add("--pull", metavar="FRAME", help="the link or frame that the hand holds; default: the last")
    add("--turn", action="store_true", help="let the pulling hand also rotate the part")
    add("--push", action="store_true", help="let the hand push whatever it touches")
    add_surroundings(parser)
    add("--hold", action="store_true", help="let the motors hold the start pose")
    add("--step", default="1 ms", help="time step of the simulation; default: 1 ms")
    add_q(parser)
    add_parameters(parser)
    add("--time", help="duration; default: until Ctrl-C, or the path of a scripted hand plus 1 s")
    add("--device", metavar="NAME",
        help="a device that the file declares, or one of "
        f"{', '.join(device_names())}; default: the file's, else hand, without a device"
    )  # fmt: skip
    add("--service", metavar="ADDRESS", help="address of Haply's service; default: "
        "ws://localhost:10001")  # fmt: skip
    add("--singular", default="4", metavar="FACTOR",
        help="stiffness of a pull at a singular pose, as a multiple of the usual one; 1: it does "
        "not grow; default: 4")  # fmt: skip
    add("--hand", metavar='"T X Y Z; …"', help="path of the scripted hand [s, m], "
        "relative to its grip point; default:"
        f' "{WAY}"')  # fmt: skip
    add("--device-listen", metavar="HOST:PORT",
        help="address to listen on for a udp device; default: this machine, any port")  # fmt: skip
    add("--rate", default="1000 Hz", help="rate of the haptic thread; default: 1000 Hz")
    add("--deadline", default="1 ms",
        help="longest wait for a new state of the mechanism, after which the last one is used "
        "again; default: 1 ms")  # fmt: skip
    add("--force", default="20 N", help="largest force on the hand; default: 20 N")
    add("--supply", metavar="WATTS",
        help="largest power that the motors and weight of the mechanism give to the hand; default: "
        f"{SUPPLY} W, or 0 W over a link without a key")  # fmt: skip
    add(
        "--listen",
        metavar="HOST:PORT",
        help="run only the mechanism and wait for a hand at this address",
    )
    add(
        "--dynamics",
        metavar="HOST:PORT",
        help="run only the hand; the mechanism runs at this address",
    )
    add("--key-file", metavar="FILE", help="file with the key shared by both ends of a link; "
        "needed when it leaves this machine; default: from KINEGEN_HAPTIC_KEY")  # fmt: skip
    add("--new-key", metavar="FILE", help="write a new key and do nothing else")


def run(options: argparse.Namespace) -> int:
    """Run what this process is to be; exit code 1 when the simulation broke off."""
    _check(options)
    if options.new_key:
        new_key(options.new_key)
        _say(options, f"wrote a key to {options.new_key}: copy it to the other machine")
        if options.json:
            print_json({"key_file": options.new_key})
        return 0
    if options.dynamics and (options.mechanism or options.listen):
        raise UsageError("--dynamics runs only the hand: do not specify NAME or --listen with it")
    if options.dynamics:
        return _run_hand(options)
    if not options.mechanism:
        raise UsageError("specify the NAME of a mechanism, or --dynamics with the address of one")
    if options.push and (options.pull or options.turn):
        raise UsageError(
            "--push acts on whatever the hand touches: specify either --pull (and --turn) or --push"
        )
    return _run_mechanism(options)


def _check(options: argparse.Namespace) -> None:
    """Refuse words that would say nothing: a key that is not used protects nobody."""
    for name in ("new_key", "key_file", "listen", "dynamics", "pull", "supply"):
        if getattr(options, name) == "":
            raise UsageError(
                f"--{name.replace('_', '-')} is empty: specify a value, or leave it out"
            )


def _check_device(options: argparse.Namespace, device: DeclaredDevice) -> None:
    is_linked = options.listen or options.dynamics or device.device == "udp"
    if options.key_file and not is_linked:
        raise UsageError("--key-file is for links: --listen, --dynamics or --device udp")
    for name, kind in (("service", "haply"), ("device_listen", "udp"), ("hand", "hand")):
        if getattr(options, name) is not None and device.device != kind:
            raise UsageError(
                f"--{name.replace('_', '-')} is for a {kind} device, not for {device.device}"
            )


def _device(options: argparse.Namespace, mechanism: Mechanism | None) -> DeclaredDevice:
    """What the hand holds: as declared, changed by what was typed."""
    found = None
    if mechanism is not None and not (options.listen and options.device is None):
        found = device_named(mechanism, options.device)
    if found is None:
        found = DeclaredDevice(device=options.device or "hand")
    if options.push:
        found = replace(found, is_push=True)
    elif options.pull or options.turn:
        found = replace(
            found, is_push=False, moves=options.pull or found.moves,
            has_pose=options.turn or found.has_pose,
        )  # fmt: skip
    _check_device(options, found)
    more: dict[str, Any] = {}
    if found.device == "udp":
        more = {"key": _key(options)}
        if options.device_listen is not None:
            more["listen"] = options.device_listen
    elif found.device == "hand":
        more = {"table": _way(options.hand)}
    elif options.service is not None:
        more = {"service": options.service}
    return replace(found, options={**found.options, **more})


def _run_mechanism(options: argparse.Namespace) -> int:
    step = _number("--step", options.step, "time")
    mechanism = load_mechanism(options)
    device = _device(options, mechanism)
    system = surrounded(options, mechanism)
    simulation = Simulation(system, step=step, hold=options.hold, record=0)
    q = parse_start(simulation.model, options.q)
    if q is not None:
        simulation.reset(q)
    touch = device.touch(simulation)
    singular = _number("--singular", options.singular, "number")
    seconds = _seconds(options, device)
    with contextlib.ExitStack() as ends:
        # both ends are ours: nobody else's packets count
        key = _key(options) if options.listen else secrets.token_bytes(32)
        transport = ends.enter_context(
            contextlib.closing(UdpTransport(options.listen or "127.0.0.1:0", key=key))
        )
        link = device.link(simulation, touch, transport, singular=singular)
        hand = None
        if not options.listen:
            hand = ends.enter_context(_hand_process(options, device, transport))
        if hand is None:
            _say(options, f"the mechanism is listening for a hand on port {transport.port}")
        began = time.perf_counter()
        with contextlib.suppress(KeyboardInterrupt):
            link.run(seconds, step=step)
        took = time.perf_counter() - began
        report = None if hand is None else hand.stop().to_dict()
    answer = {
        "mechanism": simulation.model.name,
        "touch": "push" if device.is_push else "pull",
        "device": device.name,
        "seconds": simulation.time,
        "real_seconds": took,
        "packets": {
            "heard": link.heard,
            "late": link.old,
            "nonsense": link.bad,
            "strange": link.strange,
        },
        "energy_given": touch.energy,
        "trouble": simulation.reason or link.trouble,
        "haptic": report,
    }
    if options.json:
        print_json(answer, error=simulation.reason)
    else:
        _report(answer)
    return 1 if simulation.reason else 0


def _hand_process(
    options: argparse.Namespace, device: DeclaredDevice, mechanism: UdpTransport
) -> HapticProcess:
    hand = HapticProcess(
        device.device, device.options,
        dynamics=f"127.0.0.1:{mechanism.port}", settings=_settings(options, mechanism.key),
        key=mechanism.key,
    )  # fmt: skip
    _say_port(options, hand.device_port)
    return hand


def _run_hand(options: argparse.Namespace) -> int:
    found = _device(options, None)
    device = make_device(found.device, **found.options)
    key = _key(options)
    thread = HapticThread(
        device, settings=_settings(options, key), dynamics=options.dynamics, key=key
    )
    _say_port(options, getattr(device, "port", 0))
    report = _watch(thread, _seconds(options, found))
    if options.json:
        print_json(report)
    else:
        for line in _haptic_lines(report):
            print(as_shown(line))
    return 0


def _say_port(options: argparse.Namespace, port: int) -> None:
    if port:
        _say(options, f"listening for the device of the hand on port {port}")


def _key(options: argparse.Namespace) -> bytes:
    return read_key(options.key_file) if options.key_file else key_of(None)


def _settings(options: argparse.Namespace, key: bytes) -> HapticSettings:
    rate = _number("--rate", options.rate, "frequency")
    if not rate > 0:
        raise UsageError(f"--rate is {options.rate}: use a positive rate, such as 1000 Hz")
    supply = options.supply or (SUPPLY if key else "0")
    return HapticSettings(
        step=1 / rate,
        supply_most=_number("--supply", supply, "number"),
        deadline=_number("--deadline", options.deadline, "time"),
        force_most=_number("--force", options.force, "force"),
    )


def _way(text: str | None) -> list[list[float]]:
    text = WAY if text is None else text
    rows = [row for row in text.split(";") if row.strip()]
    if not rows:
        raise UsageError(f'--hand is empty: specify the path of the hand, such as "{WAY}"')
    return [numbers_of("--hand", row, ["time", "length", "length", "length"]) for row in rows]


def _seconds(options: argparse.Namespace, device: DeclaredDevice) -> float:
    if options.time is not None:
        seconds = _number("--time", options.time, "time")
        if not seconds > 0:
            raise UsageError(f"--time is {options.time}: use a positive time")
        return seconds
    is_scripted = device.device == "hand" and not options.listen
    return _way(options.hand)[-1][0] + 1.0 if is_scripted else math.inf


def _watch(thread: HapticThread, seconds: float) -> dict[str, Any]:
    """Run, and say what is wrong whenever that changes; the report at the end."""
    said = Trouble.FINE
    end = time.monotonic() + seconds
    with thread:
        try:
            while (left := end - time.monotonic()) > 0:
                time.sleep(min(0.05, left))
                now = thread.trouble
                if now is not said:
                    print(now.words, file=sys.stderr, flush=True)
                    said = now
        except KeyboardInterrupt:
            pass
        return thread.report().to_dict()


def _report(answer: Mapping[str, Any]) -> None:
    packets = answer["packets"]
    print(f"{answer['mechanism']}: {answer['seconds']:.4g} s simulated in "
          f"{answer['real_seconds']:.4g} s, with a hand on it ({answer['touch']})")  # fmt: skip
    lines = [
        f"  packets of the hand     {packets['heard']} received, {packets['late']} late or "
        f"duplicate, {packets['nonsense']} malformed, {packets['strange']} from others",
        f"  hand supplied           {answer['energy_given']:.4g} J",
    ]
    if answer["haptic"] is not None:
        lines += _haptic_lines(answer["haptic"])
    if answer["trouble"]:
        lines.append(f"note: {answer['trouble']}")
    for line in lines:
        print(as_shown(line))


def _haptic_lines(report: Mapping[str, Any]) -> list[str]:
    late = report["lateness"]
    force = math.hypot(*report["force"])
    return [
        f"  haptic thread           {count(report['ticks'], 'tick')}, {report['fresh']} with a "
        f"new state of the mechanism, {report['reused']} with the previous one",
        f"  lateness                median {_micro(late['median'])}, 99 % {_micro(late['p99'])}, "
        f"latest {_micro(late['latest'])}",
        f"  force at the end        {force:.3g} N, energy supplied {report['energy']:.4g} J",
        f"  rejected                {count(report['gated'], 'force')}, "
        f"{count(report['wrong'] + report['bad'], 'packet')} out of bounds, "
        f"{report['strangers'] + report['unproven']} from others",
        f"  the link                {report['trouble']}",
    ]


def _micro(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} µs"


def _say(options: argparse.Namespace, text: str) -> None:
    """A line that must not wait, nor stand in the JSON."""
    print(text, file=sys.stderr if options.json else sys.stdout, flush=True)


def _number(option: str, text: str, quantity: str) -> float:
    return numbers_of(option, text, [quantity])[0]
