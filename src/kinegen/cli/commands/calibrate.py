"""``kinegen calibrate``: offsets, directions, backlash and friction of real servos."""

from __future__ import annotations

import argparse
import dataclasses
import math
from pathlib import Path
from typing import Any

from kinegen.cli.answers import print_json
from kinegen.cli.keys import pressed_keys
from kinegen.cli.main import EXIT_OK
from kinegen.cli.options.arguments import (
    add_mechanism,
    load_mechanism,
    numbers_of,
    parse_q,
)
from kinegen.cli.options.real_robot import add_port, agree, connect, print_joints
from kinegen.cli.output import angle, length
from kinegen.drive.calibration import ServoZero, find_zero, write_fits, write_zeros
from kinegen.drive.robot_drive import Drive
from kinegen.drive.wiggle import JointFit, fit_wiggle, record_wiggle
from kinegen.errors import UsageError, unknown_name
from kinegen.mechanism.graph import Mechanism

EXAMPLES = [
    "kinegen calibrate arm.raff --to /dev/ttyUSB0 --as feetech --zero",
    "kinegen calibrate so101 --to /dev/ttyUSB0 --as feetech --wiggle --out my-so101.raff",
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, port, what is found, where it is written."""
    add_mechanism(parser)
    add_port(parser)
    add = parser.add_argument
    add("--zero", action="store_true",
        help="find offsets and directions: motors off, you move each joint by hand")  # fmt: skip
    add("--pose", metavar="VALUES", help="with --zero: values of the pose that you move the joints "
        "to; default: all 0")  # fmt: skip
    add("--wiggle", action="store_true",
        help="find backlash and friction: each joint moves slowly back and forth")  # fmt: skip
    add("--amplitude", default="8 deg", help="amplitude of revolute joints; default: 8 deg")
    add("--period", default="8 s", help="period of the motion; default: 8 s")
    add("--joints", metavar="NAMES", help="only these joints, such as 'elbow,wrist'; default: all")
    add("--out", metavar="FILE", help="RAFF file to write; default: the file itself")


def run(options: argparse.Namespace) -> int:
    """Find numbers of real servos and write them; without a task, look only."""
    if options.zero and options.wiggle:
        raise UsageError("use --zero or --wiggle, not both; find the offsets first")
    amplitude = numbers_of("--amplitude", options.amplitude, ["angle"])[0]
    period = numbers_of("--period", options.period, ["time"])[0]
    if amplitude <= 0 or period <= 0:
        raise UsageError("--amplitude and --period must be positive")
    mechanism = load_mechanism(options)
    pose = None if options.pose is None else parse_q(mechanism.compile(), options.pose)
    place = _place(options) if options.zero or options.wiggle else None
    start: dict[str, Any] = {"at": {}} if options.kind == "ssc32" else {}
    with connect(options, mechanism, speed=0.25, **start) as drive:
        if not drive.port.measures and (options.zero or options.wiggle):
            raise UsageError(f"'{drive.kind}' servos measure nothing: they cannot be calibrated")
        names = _joints(options, drive)
        if not options.json:
            print_joints(drive)
        result: dict[str, Any] = {"servos": drive.travel.rows(drive.reading.positions)}
        if options.zero:
            known = drive.travel.configuration(0.0 * drive.travel.lower) if pose is None else pose
            zeros = _zeros(options, drive, names, drive.travel.values(known))
            write_zeros(mechanism, zeros)
            result["zeros"] = [dataclasses.asdict(one) for one in zeros]
        elif options.wiggle:
            fits = _fits(options, drive, names, amplitude, period)
            write_fits(mechanism, {one.joint: _keys(mechanism, one) for one in fits})
            result["fits"] = [dataclasses.asdict(one) for one in fits]
    if place is not None:
        mechanism.save(place)
        result["file"] = str(place)
    if options.json:
        print_json(result)
    else:
        print(f"{place}: written" if place else "Nothing is changed: use --zero or --wiggle.")
    return EXIT_OK


def _place(options: argparse.Namespace) -> Path:
    """The file to write: never one of the library."""
    place = Path(options.out or options.mechanism)
    if place.suffix != ".raff":
        raise UsageError(f"'{place}' is not a RAFF file to write to: use --out FILE.raff")
    return place


def _joints(options: argparse.Namespace, drive: Drive) -> list[str]:
    if options.joints is None:
        return list(drive.joints)
    names = [one.strip() for one in options.joints.split(",") if one.strip()]
    for name in names:
        if name not in drive.joints:
            raise unknown_name("servo", name, f"'{drive.model.name}'", drive.joints)
    return names


def _zeros(
    options: argparse.Namespace, drive: Drive, names: list[str], known: Any
) -> list[ServoZero]:
    agree(options, "The motors are switched off: hold the robot, or it will sink.")
    drive.let_go()
    found = []
    for name in names:
        i = drive.joints.index(name)
        shaft, value = drive.port.shafts[i], float(known[i])
        show = length if shaft.data.is_slide else angle
        _prompt(f"{name}: move it to {show(value)} and press Enter")
        first = drive.positions[name]
        _prompt(f"{name}: move it towards larger values, by 20° or more, and press Enter")
        one = find_zero(shaft, first, value, drive.positions[name])
        print(f"  offset {show(one.offset)}, direction {one.direction}")
        found.append(one)
    return found


def _prompt(text: str) -> None:
    print(text, flush=True)
    try:
        input()
    except EOFError:
        raise UsageError("Enter was not pressed: nothing was written") from None


def _fits(
    options: argparse.Namespace, drive: Drive, names: list[str], amplitude: float, period: float
) -> list[JointFit]:
    agree(
        options,
        f"The motors are switched on where the robot is; then {', '.join(names)} move one after "
        "another, back and forth.\nSpace or Ctrl-C stops it: the motors hold. Keep clear of it.",
    )
    found = []
    with pressed_keys() as keys:

        def each(_: Drive) -> None:
            if " " in keys():
                raise KeyboardInterrupt

        drive.start()
        for name in names:
            shaft = drive.port.shafts[drive.joints.index(name)]
            far = amplitude if not shaft.data.is_slide else 0.05 * _range(shaft)
            motor = drive.mechanism.joints[shaft.data.joint].motors[0] or {}
            values = dict(drive.model.parameters)
            stiffness = float(motor["kp"].evaluate(values)) if "kp" in motor else math.nan
            made = record_wiggle(drive, name, amplitude=far, period=period, each=each)
            one = fit_wiggle(made, stiffness=stiffness)
            if not options.json:
                print(f"{name}: {_words(one, is_slide=shaft.data.is_slide)}")
            found.append(one)
    return found


def _words(one: JointFit, *, is_slide: bool) -> str:
    """What was fitted, each number with its standard error."""
    unit, show = ("N", length) if is_slide else ("N m", angle)
    text = f"dry friction {one.coulomb:.4f} ± {one.coulomb_error:.4f} {unit}, viscous friction "
    text += f"{one.viscous:.3f} ± {one.viscous_error:.3f} {'N s/m' if is_slide else 'N m s/rad'}"
    text += "" if one.has_viscous else " (not significant, not written)"
    if math.isfinite(one.backlash):
        return f"{text}, backlash {show(one.backlash)} ± {show(one.backlash_error)}"
    why = "the file has no kp, or gravity keeps the gear teeth in contact on one side"
    return f"{text}, backlash unknown ({why})"


def _range(shaft: Any) -> float:
    reach = shaft.data.upper - shaft.data.lower
    return float(reach) if math.isfinite(reach) else 0.1


def _keys(mechanism: Mechanism, one: JointFit) -> dict[str, Any]:
    """What is written of a joint: the other numbers of its friction stay."""
    friction: dict[str, Any] = dict(mechanism.joints[one.joint].friction or {})
    friction["coulomb"] = round(one.coulomb, 5)
    if one.has_viscous:
        friction["viscous"] = round(one.viscous, 5)
    keys: dict[str, Any] = {"friction": friction}
    if math.isfinite(one.backlash):
        keys["backlash"] = round(one.backlash, 5)
    return keys
