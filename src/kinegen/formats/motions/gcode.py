"""G-code: joint tables for machine controllers, one axis per motor."""

from __future__ import annotations

import math

from kinegen.errors import FormatError
from kinegen.motion.path import Path

__all__ = ["AXES", "to_gcode"]

AXES = "XYZABCUVW"
"""Axis letters in the order of the motors."""


def to_gcode(path: Path, name: str = "path.gcode") -> bytes:
    """The joint table as straight moves in joint space [degrees, mm], each with its own time.

    Feeds are inverse times (G93): F is one by the minutes that a move takes, so that every axis
    arrives when the path says. Before each stretch behind a gap the machine stops (M0).
    """
    motors = [joint for joint in path.model.joints if joint.has_motor and joint.type.info.is_single]
    if not 0 < len(motors) <= len(AXES):
        raise FormatError(
            f"G-code has the axes {' '.join(AXES)}; mechanism '{path.model.name}' has "
            f"{len(motors)} motors of one variable"
        )
    slides = [joint.type.info.is_slide for joint in motors]
    lines = [f"(Kinegen: {path.name} by {path.frame} of {path.model.name})"]
    lines += [
        f"({axis} = {joint.name}, {'mm' if slide else 'degrees'})"
        for axis, joint, slide in zip(AXES, motors, slides, strict=False)
    ]
    lines += ["G21 (mm)", "G90 (absolute)", "G93 (inverse time)"]
    for n, run in enumerate(path.runs):
        if n:
            lines.append(f"M0 (gap before point {run.start}: the next move leaves the path)")
        for i in range(run.start, run.stop):
            words = [
                f"{axis}{path.q[i, joint.q.start] * (1000 if slide else 180 / math.pi):.4f}"
                for axis, joint, slide in zip(AXES, motors, slides, strict=False)
            ]
            seconds = 2.0 if i == run.start else float(path.times[i] - path.times[i - 1])
            lines.append(" ".join(["G1", *words, f"F{60 / max(seconds, 1e-6):.4f}"]))
    return "\n".join([*lines, "G94", "M2", ""]).encode()
