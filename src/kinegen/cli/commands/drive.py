"""``kinegen drive``: a real robot goes to a pose, plays a motion, is taught, or follows a page."""

from __future__ import annotations

import argparse
import contextlib
import math
import re
import time
from collections.abc import Callable
from typing import Any

from kinegen.cli.answers import print_json
from kinegen.cli.keys import pressed_keys
from kinegen.cli.main import EXIT_OK, EXIT_STOPPED
from kinegen.cli.options.arguments import (
    add_mechanism,
    add_parameters,
    load_mechanism,
    numbers_of,
    parse_q,
)
from kinegen.cli.options.real_robot import add_port, agree, connect, limits_of, print_joints
from kinegen.cli.out import check_place
from kinegen.cli.output import angle, length
from kinegen.drive.comparison import Comparison
from kinegen.drive.robot_drive import Drive, Each
from kinegen.drive.teaching import teach
from kinegen.errors import StoppedError, UsageError
from kinegen.formats.motions.read import read_motion

EXAMPLES = [
    "kinegen drive so101 --to virtual --as feetech",
    'kinegen drive so101 --to virtual --as feetech --q "elbow_flex=30 deg" --speed 0.5 --yes',
    "kinegen drive so101 --to virtual --as feetech --teach wave.csv --time 0.5 --yes",
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Mechanism, port, what the robot does, limits."""
    add_mechanism(parser)
    add_port(parser)
    add = parser.add_argument
    add("--q", metavar="VALUES", help="move to this pose and hold it: all values, or some by name "
        '("shoulder=30 deg, elbow=-1.2")')  # fmt: skip
    add("--play", metavar="MOTION",
        help="play a motion of the file by its name, or a file: .csv, .json, .mcap")  # fmt: skip
    add("--teach", metavar="OUT",
        help="motors off: record how you move the robot by hand, as .csv or .json")  # fmt: skip
    add("--follow", metavar="LINK",
        help="follow the pose in a session of the studio, whose link it prints")  # fmt: skip
    add("--speed", default="0.25", help="share of the motors' speeds, up to 1, or a speed such as "
        "'30 deg/s'; default: 0.25")  # fmt: skip
    add("--torque", default="1", help="share of the motors' largest torque, up to 1; default: 1")
    add("--at", metavar="VALUES", help="current pose of the robot, for servos that do "
        "not measure it (ssc32)")  # fmt: skip
    add("--on-stop", choices=["hold", "off"], default="hold",
        help="what a stop does: hold the robot, or motors off; default: hold")  # fmt: skip
    add("--end", choices=["hold", "off"], default="hold",
        help="motors at the end: hold, or off; default: hold")  # fmt: skip
    add("--time", help="end --teach or --follow after this time; default: Space or Ctrl-C")
    add("--also", choices=["virtual"],
        help="also send the commands to a simulated robot, and compare the two")  # fmt: skip
    add("--out", metavar="FILE", help="with --also: table of the differences, .csv or .json")
    add_parameters(parser)


def run(options: argparse.Namespace) -> int:
    """Connect, say what will happen, move; exit code 130 when it was stopped."""
    task, seconds = _task(options), _seconds(options)
    mechanism = load_mechanism(options)
    if options.q is not None:
        parse_q(mechanism.compile(), options.q)  # what is wrong is said before a port is opened
    with connect(options, mechanism, **limits_of(options, mechanism)) as drive:
        result: dict[str, Any] = {"task": task, "kind": drive.kind, "port": drive.port.path}
        result["servos"] = drive.travel.rows(drive.reading.positions)
        go, what = _plan(task, options, drive, seconds, result)
        if not options.json:
            print_joints(drive)
        if task == "look":
            if options.json:
                print_json(result)
            else:
                print(what)
            return EXIT_OK
        stop = "the motors hold" if options.on_stop == "hold" else "the motors are switched off"
        end = "ends it" if task == "teach" else f"stops it: {stop}"
        agree(options, f"{what}\nSpace or Ctrl-C {end}. Keep clear of the robot.")
        with pressed_keys() as keys:
            if task == "teach":
                return _teach(options, drive, result, seconds, keys)
            return _move(options, drive, result, keys, go)


Go = Callable[[Drive, Each], None]
"""A motion: the robot, and what is called in every cycle."""


def _plan(
    task: str, options: argparse.Namespace, drive: Drive, seconds: float, result: dict[str, Any]
) -> tuple[Go, str]:
    """What the robot will do, checked against its limits; and in words."""
    on = "The motors are switched on where the robot is; then it"
    if task == "q":
        # joints that --q does not name stay where they are
        words = [part.partition("=")[0].strip() for part in re.split("[,;]", options.q)]
        given = words if "=" in options.q else None
        goal = drive.travel.named(parse_q(drive.model, options.q), given)
        drive.travel.checked(drive.travel.values(goal, drive.travel.middle))
        return lambda drive, each: drive.move(goal, each=each), f"{on} moves to the pose."
    if task == "play":
        motion = read_motion(drive.model, options.play)
        factor = result["speed"] = drive.travel.fitted(motion)[1]
        slower = f" at {factor:.2f} of its speed" if factor < 1 else ""

        def play(drive: Drive, each: Each) -> None:
            drive.play(motion, each=each)

        return play, f"{on} moves to the start of the motion and plays it{slower}."
    if task == "follow":
        return (
            lambda drive, each: _follow(options.follow, drive, seconds, each),
            f"{on} follows the page.",
        )
    words_of = {
        "teach": "The motors are switched off: hold the robot, or it will sink.",
        "look": "Nothing moves: specify --q, --play, --teach or --follow.",
    }
    return lambda drive, each: None, words_of[task]


def _move(
    options: argparse.Namespace, drive: Drive, result: dict[str, Any], keys: Callable[[], str],
    go: Go,
) -> int:  # fmt: skip
    """Motors on, the motion, and what came of it."""
    with contextlib.ExitStack() as stack:
        compared: Comparison | None = None

        def each(drive: Drive) -> None:
            if " " in keys():
                raise KeyboardInterrupt
            if compared is not None:
                compared(drive)

        code = EXIT_OK
        try:
            drive.start()
            if options.also:
                compared = stack.enter_context(Comparison(drive))
            go(drive, each)
            if options.end == "off":
                drive.let_go()
        except KeyboardInterrupt:
            drive.stop("by the user")
            code = EXIT_STOPPED
        except StoppedError:
            code = EXIT_STOPPED
        result |= {"state": drive.state, "reason": drive.reason, "positions": drive.positions}
        if compared is not None:
            _compare(options, compared, result)
    _report(options, drive, result, code)
    return code


def _task(options: argparse.Namespace) -> str:
    """The one thing that the robot shall do."""
    given = [one for one in ("q", "play", "teach", "follow") if getattr(options, one) is not None]
    if len(given) > 1:
        raise UsageError(f"specify one of --{' and --'.join(given)}")
    task = given[0] if given else "look"
    if options.out and not options.also:
        raise UsageError("--out writes the differences from a simulated robot: add --also virtual")
    if options.also and task in ("teach", "look"):
        raise UsageError("--also virtual needs commands: add --q, --play or --follow")
    if options.time and task not in ("teach", "follow"):
        raise UsageError("--time belongs to --teach and --follow")
    if options.teach is not None:
        check_place("--teach", options.teach)
        if not options.teach.endswith((".csv", ".json")):
            raise UsageError(f"--teach {options.teach}: the motion is written as .csv or .json")
    return task


def _seconds(options: argparse.Namespace) -> float:
    if options.time is None:
        return math.inf
    found = numbers_of("--time", options.time, ["time"])[0]
    if found <= 0:
        raise UsageError(f"--time is {options.time}: use a positive time")
    return found


def _teach(
    options: argparse.Namespace, drive: Drive, result: dict[str, Any], seconds: float,
    keys: Callable[[], str],
) -> int:  # fmt: skip
    """Record until the time is over, Space or Ctrl-C; all three end it well."""
    taught = teach(drive, seconds=seconds, until=lambda: " " in keys())
    taught.save(options.teach)
    result |= {"file": options.teach, "rows": len(taught.times), "duration": taught.duration}
    if options.json:
        print_json(result)
    else:
        print(f"{options.teach}: {len(taught.times)} poses in {taught.duration:.1f} s; the motors "
              "are off")  # fmt: skip
    return EXIT_OK


def _follow(link: str, drive: Drive, seconds: float, each: Each) -> None:
    """Follow the pose of a session while its page is there."""
    from kinegen.live.entry import connect as join
    from kinegen.live.skeleton import Skeleton

    with join(link, name="kinegen drive", patience=1.0) as view:
        if [joint.name for joint in view.model.joints] != [one.name for one in drive.model.joints]:
            raise UsageError(
                f"the session shows '{view.model.name}', whose joints differ from those of "
                f"'{drive.model.name}'"
            )
        phantom = Skeleton(view, drive.model)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if view.state != "open" or not view.pages:
                drive.stop("no page shows the session")
                raise StoppedError("no page shows the session")
            drive.lead(view.q)
            phantom.show(drive.q)
            try:
                each(drive)
            except BaseException:
                drive.stop("by the user")
                raise
            time.sleep(drive.period)


def _compare(options: argparse.Namespace, compared: Comparison, result: dict[str, Any]) -> None:
    found = compared.result()
    result["differences"] = found.largest
    if options.out:
        found.save(options.out)
    if not options.json:
        for name, unit, gap in zip(found.joints, found.units, found.largest.values(), strict=True):
            shown = length(gap) if unit == "m" else angle(gap)
            print(f"{name}: real and virtual differ by up to {shown}")
        if options.out:
            print(f"{options.out}: {len(found.times)} rows")


def _report(options: argparse.Namespace, drive: Drive, result: dict[str, Any], code: int) -> None:
    words = {"on": "the motors hold", "off": "the motors are off"}
    held = "the motors hold" if drive.on_stop == "hold" else "the motors are off"
    if options.json:
        print_json(result, error=f"stopped: {drive.reason}" if code else "")
    elif code:
        print(f"stopped: {drive.reason}; {held}")
    else:
        print(f"done; {words.get(drive.state, drive.state)}")
