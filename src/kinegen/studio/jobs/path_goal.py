"""What a page wants of a path: curve, frame, how the tool is held, how fine, and when."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import Floats
from kinegen.motion.follow import SPEED, follow
from kinegen.motion.path import Path
from kinegen.motion.targets import Tool
from kinegen.motion.timing.timing import Timing, retime
from kinegen.spatial.rotation import SO3
from kinegen.studio.jobs.curves import CurveProblem, Made, made_curve
from kinegen.studio.session.compiled_text import CompiledText

__all__ = [
    "PathGoal",
    "floats_of",
    "followed",
    "frame_of",
    "number_of",
    "path_goal",
    "run_of",
    "start_of",
    "timed_path",
]

Arguments = Mapping[str, Any]

MOST_POINTS = 5000
"""Points of a path in a page: 3 of its pixels are no further apart."""


@dataclass(frozen=True, slots=True, eq=False)
class PathGoal:
    """A curve and how a frame should follow it, all of it checked."""

    made: Made
    frame: str
    tool: Tool
    wrist: float | None
    start: Floats
    limits: bool


def path_goal(piece: CompiledText, q: Floats, arguments: Arguments) -> PathGoal:
    """What is wanted, or a CurveProblem that says which field makes no sense."""
    made = made_curve(piece, arguments.get("curve"))
    tool = arguments.get("tool") or {}
    if not isinstance(tool, Mapping):
        raise UsageError(f"the tool is an object with hold, got {tool!r:.80}")
    hold = tool.get("hold", "free")
    held: Tool = None
    wrist: float | None = None
    if hold == "normal":
        if not made.curve.is_on_surface:
            raise CurveProblem(
                "this curve does not lie on a surface: give the tool a direction instead", "tool"
            )
        made = replace(made, curve=made.curve.tilted(number_of(tool, "tilt", 0.0)))
        held = "normal"
    elif hold == "direction":
        held = floats_of(tool.get("direction"), 3, "the tool's direction")
        if not np.any(held):
            raise CurveProblem("the direction of the tool has zero length", "tool")
    elif hold == "rotation":
        quat = np.asarray(floats_of(tool.get("quat"), 4, "the tool's rotation"))
        if not np.any(quat):
            raise CurveProblem("the rotation of the tool must be a quaternion of length 1", "tool")
        held = SO3(quat / np.linalg.norm(quat))
    elif hold == "wrist":
        wrist = number_of(tool, "wrist", 0.0)
    elif hold != "free":
        raise UsageError(f"the tool is held free, normal, direction, rotation or wrist: {hold!r}")
    return PathGoal(
        made, frame_of(piece, arguments), held, wrist, start_of(piece, q, arguments),
        bool(arguments.get("limits", True)),
    )  # fmt: skip


def followed(piece: CompiledText, q: Floats, arguments: Arguments) -> tuple[Made, Path]:
    """The curve and the path along it, at constant speed of the tool."""
    goal = path_goal(piece, q, arguments)
    step = arguments.get("step")
    points = None if step is not None else _whole(arguments, "points", 200, 2, MOST_POINTS)
    if step is not None:
        step = number_of(arguments, "step", 0.0)
        length = goal.made.curve.length()
        if not step > 0 or length / step > MOST_POINTS:
            raise CurveProblem(
                f"steps of {step * 1000:.3g} mm: use at least {length / MOST_POINTS * 1000:.2g} "
                f"mm, for {MOST_POINTS} points",
                "step",
            )
    speed = number_of(arguments, "speed", SPEED)
    if not speed > 0:
        raise CurveProblem("the speed of the tool must be positive", "speed")
    try:
        found = follow(
            piece.model, curve=goal.made.curve, frame=goal.frame, points=points, step=step,
            speed=speed, tool=goal.tool, wrist_angle=goal.wrist, start=goal.start,
            limits=goal.limits,
        )  # fmt: skip
    except KinegenError as error:
        raise CurveProblem(str(error)) from None
    return goal.made, found


def timed_path(planned: Path, arguments: Arguments) -> Path | str | None:
    """The stretch with the time law that is asked for; why not; None for constant speed."""
    timing = arguments.get("timing") or {}
    if not isinstance(timing, Mapping):
        raise UsageError(f"the timing is an object with law, got {timing!r:.80}")
    law = timing.get("law", "constant")
    if law == "constant":
        return None
    if law not in ("optimal", "smooth"):
        raise UsageError(f"a time law is constant, optimal or smooth, not {law!r}")
    efforts = timing.get("efforts")
    if efforts not in (None, "motors") or (efforts and law != "optimal"):
        raise UsageError(f"efforts are those of the 'motors', for the optimal law, not {efforts!r}")
    if not planned.runs:
        return "no stretch of the path is reachable"
    limits = {key: _limits(timing, key) for key in ("speeds", "accelerations", "jerks")}
    try:
        return retime(
            planned,
            cast(Timing, law),
            run=run_of(planned, arguments),
            speeds=limits["speeds"],
            accelerations=limits["accelerations"],
            jerks=limits["jerks"],
            efforts="motors" if efforts else None,
        )
    except KinegenError as error:
        return str(error)


def _limits(timing: Arguments, key: str) -> dict[str, float] | None:
    given = timing.get(key)
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise UsageError(f"{key} are numbers by the names of joints, got {given!r:.80}")
    return {str(name): number_of(given, name, 0.0) for name in given}


def run_of(planned: Path, arguments: Arguments) -> int:
    """The stretch that is timed: the one asked for while it is there, else the longest."""
    asked = (arguments.get("timing") or {}).get("run")
    if isinstance(asked, int) and not isinstance(asked, bool) and 0 <= asked < len(planned.runs):
        return asked
    return planned.longest_run


def frame_of(piece: CompiledText, arguments: Arguments) -> str:
    """The frame that is asked for, the file's last when none is."""
    frame = arguments.get("frame") or piece.model.site_names[-1]
    if not isinstance(frame, str):
        raise UsageError(f"the frame of a path is a name, got {frame!r:.80}")
    piece.model.site(frame)
    return frame


def start_of(piece: CompiledText, q: Floats, arguments: Arguments) -> Floats:
    """The pose to begin from: the one given, else the present one."""
    given = arguments.get("start")
    if given is None:
        return q
    return piece.checked(floats_of(given, piece.model.nq, "the start"))


def number_of(data: Arguments, key: str, default: float) -> float:
    """A finite number."""
    value = data.get(key, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise UsageError(f"{key} is a finite number, got {value!r:.40}")
    return float(value)


def _whole(data: Arguments, key: str, default: int, least: int, most: int) -> int:
    value = data.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise CurveProblem(f"{key} must be a whole number from {least} to {most:,}", key)
    return value


def floats_of(values: Any, count: int, what: str) -> list[float]:
    """So many finite numbers."""
    if not isinstance(values, list) or len(values) != count:
        raise UsageError(f"{what} is {count} numbers, got {values!r:.80}")
    return [number_of({what: value}, what, 0.0) for value in values]
