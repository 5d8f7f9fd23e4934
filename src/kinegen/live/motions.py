"""Motions that a view plays: from recordings, simulations, paths and tables of configurations."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.live.shared import Shared
from kinegen.motion.recording import Interpolation, Recording
from kinegen.studio.wire.messages import MotionData

__all__ = ["motion_data"]

MOST_VALUES = 900_000
"""Of one motion on the wire."""


def motion_data(
    shared: Shared, motion: Any, times: npt.ArrayLike | None, *, rate: float = 60.0
) -> MotionData:
    """A motion as the page plays it.

    Args:
        shared: The session, whose mechanism it moves.
        motion: A recording, a simulated run, a path, or configurations (n, nq).
        times: For configurations: when each is passed [s]; None: 60 a second.
        rate: [1/s] For configurations without times.
    """
    joints: list[str]
    at: Any
    name = str(getattr(motion, "name", "") or "from Python")[:100]
    if isinstance(motion, Recording):
        joints, at, values = list(motion.joints), motion.times, motion.values
        interpolation: Interpolation = motion.interpolation
    else:
        given = motion if not hasattr(motion, "q") else motion.q
        at = getattr(motion, "times", None) if times is None else np.asarray(times, dtype=float)
        # a path has rows without numbers where it cannot be followed; a table of one's own has not
        joints, at, values = _table(shared, given, at, rate, strict=given is motion)
        interpolation = "linear"
    if not len(at):
        raise UsageError("there is nothing to play: the motion has no rows")
    if len(at) * (1 + len(values[0])) > MOST_VALUES:
        raise UsageError(
            f"a motion has at most {MOST_VALUES:,} numbers, this one {values.size:,}; resample it"
        )
    model = shared.mechanism_and_model()[1]
    width = sum(len(range(*model.joint(one).q.indices(model.nq))) for one in joints)
    if values.shape[1] != width:
        raise UsageError(f"the motion belongs to another mechanism than '{model.name}'")
    return MotionData(name, joints, at.tolist(), values.tolist(), interpolation, None)


def _table(
    shared: Shared, given: Any, times: Any, rate: float, *, strict: bool
) -> tuple[list[str], npt.NDArray[Any], npt.NDArray[Any]]:
    """All joints at the times of a table; rows that are not finite are left out, or an error."""
    nq = len(shared.q)
    expected = f"expected a recording, a simulated run, a path or configurations of shape (n, {nq})"
    try:
        values = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise UsageError(f"{expected}; got {type(given).__name__}") from None
    if values.ndim != 2 or values.shape[1] != nq:
        raise UsageError(f"{expected}; got {type(given).__name__} of shape {values.shape}")
    at = np.arange(len(values)) / rate if times is None else np.asarray(times, dtype=float)
    if at.shape != (len(values),):
        raise UsageError(f"there are {len(values)} configurations and {at.size} times")
    kept = np.isfinite(values).all(axis=1) & np.isfinite(at)
    if strict and not kept.all():
        row = int(np.argmin(kept))
        raise UsageError(f"row {row} of the motion is not finite: {values[row]} at {at[row]:g} s")
    values, at = values[kept], at[kept]
    # a simulation may record a moment twice
    rising = np.concatenate([[True], np.diff(at) > 0]) if len(at) else np.zeros(0, bool)
    if len(at) and np.any(np.diff(at) < 0):
        raise UsageError("the times of a motion must increase")
    model = shared.mechanism_and_model()[1]
    joints = [joint.name for joint in model.joints if joint.q.stop > joint.q.start]
    return joints, at[rising], values[rising]
