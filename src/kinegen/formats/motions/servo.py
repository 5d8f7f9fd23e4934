"""SSC-32: joint tables as commands of a hobby servo controller, such as a real Lynx 6 has.

A command is ``#0 P1500 #1 P1322 … T20``: a pulse width [µs] per channel, and the time of the move
[ms] (Lynxmotion SSC-32U user guide, pages 24 and 25). A servo turns about 90 degrees per 1000 µs
and stands in its middle at 1500 µs. ``id``, ``offset``, ``direction`` and ``ratio`` of a motor in
the file are used. Without them the middle of a joint's limits is the servo's middle; a joint that
slides uses 1000 µs for its whole travel. Real arms differ by some degrees: give each joint a
:class:`Servo` of your own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from kinegen.errors import FormatError, UsageError
from kinegen.mechanism.model import Model
from kinegen.motion.path import Path

__all__ = ["CHANNELS", "Servo", "servos_of", "to_ssc32"]

CHANNELS = {"waist": 0, "shoulder": 1, "elbow": 2, "wrist": 3, "gripper": 4, "wrist_rotate": 5}
"""The usual wiring of a Lynx 6: compare with yours; other joints follow in their order."""
MIDDLE, LEAST, MOST = 1500.0, 500, 2500
"""Pulses [µs] that servos take."""
PER_RADIAN = 1000 / (math.pi / 2)
APPROACH = 2000
"""Time of the way to the first point of a stretch [ms]."""
LONGEST = 65535
"""Of a move [ms]: the controller counts in 16 bits."""


@dataclass(frozen=True, slots=True)
class Servo:
    """How a joint's value becomes a pulse."""

    channel: int
    middle: float
    """Joint value at 1500 µs [rad, m]."""
    gain: float = PER_RADIAN
    """Pulse per joint value [µs/rad, µs/m]; negative where the servo is mounted the other way."""


def servos_of(model: Model) -> dict[str, Servo]:
    """A servo for each motor, by the rules above."""
    found: dict[str, Servo] = {}
    free = iter(i for i in range(32) if i not in CHANNELS.values())
    for joint in model.joints:
        if not joint.has_motor or not joint.type.info.is_single:
            continue
        low, high = float(model.lower[joint.v.start]), float(model.upper[joint.v.start])
        limited = math.isfinite(low) and math.isfinite(high)
        middle = (low + high) / 2 if limited else 0.0
        gain = PER_RADIAN
        if joint.type.info.is_slide:
            gain = 1000 / (high - low) if limited and high > low else 1000 / model.size
        row = model.compiled_from.joints[joint.name].motors[0] or {}
        given = {
            key: float(row[key].evaluate(dict(model.parameters)))
            for key in ("id", "offset", "direction", "ratio")
            if key in row
        }
        gain *= given.get("direction", 1.0) * given.get("ratio", 1.0)
        middle = given.get("offset", middle)
        channel: int | None
        if "id" in given:
            channel = int(given["id"])
        else:
            channel = CHANNELS[joint.name] if joint.name in CHANNELS else next(free, None)
        if channel is None:
            raise FormatError("an SSC-32 has 32 channels: this mechanism has more motors than that")
        found[joint.name] = Servo(channel, middle, gain)
    if not found:
        raise UsageError(f"mechanism '{model.name}' has no motors for servos to drive")
    return found


def to_ssc32(
    path: Path, name: str = "path.ssc", *, servos: Mapping[str, Servo] | None = None
) -> bytes:
    """Commands that move a real arm along a path; gaps are left out, with a pause to look.

    Raises:
        FormatError: a pulse would be beyond what servos take.
    """
    used = dict(servos) if servos is not None else servos_of(path.model)
    columns = {name: path.model.joint(name).q.start for name in used}
    lines = []
    for run in path.runs:
        for i in range(run.start, run.stop):
            # whole milliseconds of the clock, not of each step: rounding must not add up
            now, last = (round(float(path.times[k]) * 1000) for k in (i, max(i - 1, 0)))
            time = APPROACH if i == run.start else min(max(now - last, 1), LONGEST)
            words = []
            for joint, servo in sorted(used.items(), key=lambda item: item[1].channel):
                value = float(path.q[i, columns[joint]])
                pulse = round(MIDDLE + servo.gain * (value - servo.middle))
                if not LEAST <= pulse <= MOST:
                    raise FormatError(
                        f"joint '{joint}' at point {i} needs a pulse of {pulse} µs; servos accept "
                        f"{LEAST} to {MOST}"
                    )
                words.append(f"#{servo.channel} P{pulse}")
            lines.append(" ".join([*words, f"T{time}"]))
    return ("\r".join(lines) + "\r" if lines else "").encode()
