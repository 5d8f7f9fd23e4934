"""``kinegen head``: where the viewer's head is before a wall of screens, by webcam or tracker."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from kinegen.cli.answers import print_json
from kinegen.cli.options.arguments import numbers_of
from kinegen.devices.head.pinhole import EYE_DISTANCE, Pinhole
from kinegen.devices.head.smoothing import OneEuro
from kinegen.devices.head.sources import CameraHeads, HeadPackets, Sight, Webcam, webcams
from kinegen.devices.head.tracking import HeadTracking
from kinegen.devices.pose_packet import FORM
from kinegen.errors import UsageError
from kinegen.spatial.pose import SE3

if TYPE_CHECKING:
    from kinegen.live.core import Core

EXAMPLES = [
    "kinegen head LINK --camera 0   # LINK: as 'kinegen studio' prints it",
    "kinegen head LINK --packets 5005",
    "kinegen head --cameras",
]

REPORT = 1.0
"""[s] Between two lines of what is found."""


class Source(Protocol):
    """Gives heads, in the frame of a tracker or of the room."""

    name: str
    in_room: bool
    bad: int

    def read(self) -> Sight | None: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Studio, source, the viewer's eyes, smoothing."""
    add = parser.add_argument
    add("link", metavar="LINK", nargs="?",
        help="the link of a studio, as 'kinegen studio' prints it; without it, head positions "
        "are only printed")  # fmt: skip
    add("--session", metavar="NAME", help="the session; default: the one that was used last")
    add("--fingerprint", help="SHA-256 of the studio's certificate, for https; default: "
        "the one in the link")  # fmt: skip
    add("--camera", metavar="N",
        help="number of the webcam, or a video file; default: 0")  # fmt: skip
    add("--cameras", action="store_true", help="list the webcams and end")
    add("--field-of-view", metavar="ANGLE",
        help="horizontal field of view of the camera; default: 60 deg")  # fmt: skip
    add("--eye-distance", metavar="LENGTH",
        help="of the viewer; it scales all distances; default: 63 mm")  # fmt: skip
    add("--packets", metavar="[HOST:]PORT",
        help="receive head positions by UDP, as text: 'x y z' [m] or 'x y z roll pitch yaw' "
        "[m, rad]; 0: any free port")  # fmt: skip
    add("--frame", choices=("room", "tracker"),
        help="frame of these positions: that of the room, or of the wall's tracker; default: "
        "room")  # fmt: skip
    add("--smoothing", default="1", metavar="HERTZ",
        help="cut-off frequency of the smoothing for a head at rest; a lower one is smoother but "
        "lags more; 0: no smoothing; default: 1")  # fmt: skip
    add("--time", help="duration; default: until Ctrl-C")


def run(options: argparse.Namespace) -> int:
    """Find heads and send them to the wall; exit code 0 however it ends."""
    if options.cameras:
        found = webcams()
        if options.json:
            print_json({"cameras": found})
        else:
            print("\n".join(f"camera {one}" for one in found) or "no camera can be opened")
        return 0
    if options.packets is not None and options.camera is not None:
        raise UsageError("--camera and --packets are two sources: specify one of them")
    for name in ("field_of_view", "eye_distance") if options.packets is not None else ("frame",):
        if getattr(options, name) is not None:
            whose = "a camera" if options.packets is not None else "--packets"
            raise UsageError(f"--{name.replace('_', '-')} is for {whose}: leave it out")
    (cutoff,) = numbers_of("--smoothing", options.smoothing, ["frequency"])
    if cutoff < 0:
        raise UsageError(f"--smoothing must be 0 or more, got {options.smoothing}")
    end = math.inf
    if options.time is not None:
        end = numbers_of("--time", options.time, ["time"])[0]
        if not end > 0:
            raise UsageError(f"--time is {options.time}: use a positive time")
    source = _source(options)
    core: Core | None = None
    try:
        core = _core(options) if options.link else None
        tally = _follow(source, core, cutoff, end, options.json)
    finally:
        source.close()
        if core is not None:
            core.close()
    if options.json:
        print_json(tally)
    else:
        print(_words(tally))
    return 0


def _source(options: argparse.Namespace) -> Source:
    if options.packets is not None:
        host, _, port = options.packets.rpartition(":")
        if not port.isdecimal() or int(port[:6]) > 65535:
            raise UsageError(f"--packets takes a port, or HOST:PORT, got '{options.packets}'")
        is_room = options.frame != "tracker"
        source = HeadPackets(host or "127.0.0.1", int(port), in_room=is_room)
        if not options.json:
            print(f"waiting for {source.name}")
        return source
    (opening,) = numbers_of("--field-of-view", options.field_of_view or "60 deg", ["angle"])
    Pinhole(640, 480, opening)  # refuses before a camera is opened
    apart = EYE_DISTANCE
    if options.eye_distance is not None:
        (apart,) = numbers_of("--eye-distance", options.eye_distance, ["length"])
    if not 0.04 < apart < 0.09:
        raise UsageError(f"--eye-distance must be from 40 to 90 mm, got {options.eye_distance}")
    return CameraHeads(Webcam(options.camera or "0"), opening, apart)


def _core(options: argparse.Namespace) -> Core:
    from kinegen.live.start import join

    core = join(
        options.link, session=options.session, name="kinegen head", fingerprint=options.fingerprint
    )
    try:
        core.head(None, "head")  # refuses early where there is no wall
    except BaseException:
        core.close()
        raise
    return core


def _follow(
    source: Source, core: Core | None, cutoff: float, end: float, is_json: bool
) -> dict[str, Any]:
    """Follow the head until the time is over; what was found."""
    tracking = HeadTracking(np.zeros(3), OneEuro(rest=cutoff) if cutoff else OneEuro(rest=1e6))
    begin = said = time.monotonic()
    seen = found = 0
    delays: deque[float] = deque(maxlen=300)
    was_there = False
    with contextlib.suppress(KeyboardInterrupt):
        while time.monotonic() - begin < end:
            sight = source.read()
            if sight is None:
                break
            room = SE3() if core is None or source.in_room else _tracker(core)
            tracking.rest = np.zeros(3) if core is None else _eye(core)
            measured = None if sight.head is None else room @ sight.head
            head = tracking(sight.time, measured)
            if core is not None and (head is not None or was_there):
                core.head(head, source.name)
            was_there = head is not None
            now = time.monotonic()
            seen, found = seen + 1, found + (measured is not None)
            delays.append(now - sight.time)
            if not is_json and now - said >= REPORT:
                said = now
                tally = _tally(source, seen, found, now - begin, delays, head)
                print(_words(tally), file=sys.stderr, flush=True)
    now = time.monotonic()
    if core is not None and was_there:
        core.head(None, source.name)
    return _tally(source, seen, found, now - begin, delays, tracking.last)


def _tracker(core: Core) -> SE3:
    """X_RT of the wall; where it is gone, the last screens have gone too."""
    wall = core.shared.wall
    return SE3() if wall is None else SE3.from_pose(wall.tracker)


def _eye(core: Core) -> Any:
    wall = core.shared.wall
    return np.zeros(3) if wall is None else np.array(wall.eye, dtype=float)


def _tally(
    source: Source, seen: int, found: int, span: float, delays: deque[float], head: SE3 | None
) -> dict[str, Any]:
    return {
        "source": source.name,
        "read": seen,
        "found": found,
        "bad": source.bad,
        "rate": seen / span if span > 0 else 0.0,
        "latency": float(np.median(delays)) if delays else None,
        "head": None if head is None else head.pose.tolist(),
    }


def _words(tally: dict[str, Any]) -> str:
    head, delay = tally["head"], tally["latency"]
    where = "no head"
    if head is not None:
        where = "head at " + " ".join(f"{one:.3f}" for one in head[4:]) + " m"
    took = "" if delay is None else f", {1000 * delay:.1f} ms from picture or packet to sending"
    bad = ""
    if tally["bad"]:
        bad = f"; {tally['bad']} malformed: {FORM}"
    return (
        f"{tally['source']}: {where}; found {tally['found']} times in {tally['read']} at "
        f"{tally['rate']:.1f} Hz{took}{bad}"
    )
