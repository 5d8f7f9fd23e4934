"""Stored motions: checked, written as entries of ``motions:``, and changed by their verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from kinegen.errors import UsageError, unknown_name
from kinegen.mechanism.model import Model
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.messages import MotionData

if TYPE_CHECKING:
    from kinegen.motion.recording import Recording

__all__ = ["changed_motion", "check_motion", "motion_entry", "motion_named"]


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


def motion_entry(motion: MotionData) -> dict[str, object]:
    """A motion as an entry of the file; numbers rounded to what can be measured."""
    entry: dict[str, object] = {
        "name": motion.name,
        "joints": [*motion.joints],
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
    motions: Sequence[MotionData], model: Model, edit: wire.MotionEdit
) -> dict[str, object] | None:
    """The entry of a motion after a change; None when it goes."""
    motion = motion_named(motions, edit.name)
    if isinstance(edit, wire.RemoveMotion):
        return None
    if isinstance(edit, wire.RenameMotion):
        if any(other.name == edit.new for other in motions):
            raise UsageError(f"a motion cannot be called {edit.new!r}: the name is taken")
        motion.name = edit.new
        return motion_entry(motion)
    entry = _recorded(model, motion, edit).raff_row()
    return {**motion_entry(motion), "times": entry["times"], "values": entry["values"]}


def _recorded(model: Model, motion: MotionData, edit: wire.MotionEdit) -> Recording:
    from kinegen.motion.recording import Recording

    recording = Recording.from_dict(model, motion_entry(motion))
    match edit:
        case wire.TrimMotion(start=start, end=end):
            return recording.trim(start, end)
        case wire.SmoothMotion(seconds=seconds):
            return recording.smooth(seconds)
        case wire.ResampleMotion(step=step):
            return recording.resample(step)
        case wire.SpeedMotion(factor=factor):
            return recording.speed(factor)
    raise UsageError(f"{edit.KIND} is not a change of a motion")
