"""Stored motions: checked, written as entries of ``motions:``, and changed by their verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from kinegen.errors import UsageError, unknown_name
from kinegen.mechanism.model import Model
from kinegen.studio.wire.messages import MotionData

__all__ = ["changed_motion", "check_motion", "motion_entry", "motion_named"]

_TAKES = {
    "remove": (),
    "rename": ("new",),
    "trim": ("start", "end"),
    "smooth": ("seconds",),
    "resample": ("step",),
    "speed": ("factor",),
}
"""The arguments of each verb."""


def check_motion(motion: MotionData, sizes: Mapping[str, int]) -> None:
    """Refuse a motion that does not fit the mechanism.

    Args:
        motion: The motion.
        sizes: How many numbers each joint has.
    """
    for name in motion.joints:
        if name not in sizes:
            raise unknown_name("joint", name, "the mechanism", sizes)
    width = sum(sizes[name] for name in motion.joints)
    if len(motion.times) != len(motion.values):
        raise UsageError(
            f"motion '{motion.name}' has {len(motion.values)} rows for {len(motion.times)} times"
        )
    if not motion.times:
        raise UsageError(f"motion '{motion.name}' is empty")
    for row in motion.values:
        if len(row) != width:
            raise UsageError(
                f"a row of motion '{motion.name}' has {len(row)} numbers; its joints have {width}"
            )
    for before, after in pairwise(motion.times):
        if after <= before:
            raise UsageError(
                f"times of motion '{motion.name}' must increase; {after} follows {before}"
            )


def motion_entry(motion: MotionData) -> dict[str, Any]:
    """A motion as an entry of the file; numbers rounded to what can be measured."""
    entry: dict[str, Any] = {
        "name": motion.name,
        "joints": motion.joints,
        "times": [round(time, 6) for time in motion.times],
        "values": [[round(value, 9) for value in row] for row in motion.values],
    }
    if motion.interpolation != "linear":
        entry["interpolation"] = motion.interpolation
    if motion.note:
        entry["note"] = motion.note
    return entry


def motion_named(motions: Sequence[MotionData], name: str) -> MotionData:
    """A motion by name."""
    for motion in motions:
        if motion.name == name:
            return motion
    raise unknown_name("motion", name, "the mechanism", [motion.name for motion in motions])


def changed_motion(
    motions: Sequence[MotionData], model: Model, name: str, verb: str, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """The entry of a motion after a change; ``{"name": …, "remove": True}`` when it goes."""
    motion = motion_named(motions, name)
    needed = _TAKES[verb]
    if set(arguments) != set(needed):
        raise UsageError(
            f"{verb} takes {', '.join(needed) or 'no arguments'}; got "
            f"{', '.join(arguments) or 'none'}"
        )
    if verb == "remove":
        return {"name": name, "remove": True}
    if verb == "rename":
        new = arguments["new"]
        if not isinstance(new, str) or any(other.name == new for other in motions):
            raise UsageError(f"a motion cannot be called {new!r}: the name is taken or empty")
        motion.name = new
        return motion_entry(motion)
    numbers = {key: _number(verb, key, value) for key, value in arguments.items()}
    from kinegen.motion.recording import Recording

    recording = Recording.from_data(model, motion_entry(motion))
    changed: Recording = getattr(recording, verb)(**numbers)
    entry = changed.to_data()
    return {**motion_entry(motion), "times": entry["times"], "values": entry["values"]}


def _number(verb: str, key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UsageError(f"{key} of {verb} is a number, got {value!r}")
    return float(value)
