"""What a page wants of a path: curve, frame, how the tool is held, how fine, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.collisions.checker import CollisionChecker, checker_of
from kinegen.motion.follow import follow
from kinegen.motion.path import Path
from kinegen.motion.targets import Tool
from kinegen.motion.timing.timing import retime
from kinegen.spatial.rotation import SO3
from kinegen.studio.jobs.paths.curves import Made, made_curve
from kinegen.studio.jobs.paths.formulas import CurveProblem
from kinegen.studio.jobs.scene import object_places
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.message import Pose
from kinegen.studio.wire.questions.path import MOST_POINTS, PathSpec, TimingData, ToolData

__all__ = [
    "PathGoal",
    "checker_for",
    "followed",
    "frame_of",
    "path_goal",
    "run_of",
    "start_of",
    "timed_path",
]


@dataclass(frozen=True, slots=True, eq=False)
class PathGoal:
    """A curve and how a frame should follow it, all of it checked."""

    made: Made
    frame: str
    tool: Tool
    wrist: float | None
    start: Floats
    limits: bool


def path_goal(compiled: CompiledText, q: Floats, spec: PathSpec) -> PathGoal:
    """What is wanted, or a CurveProblem that says which field makes no sense."""
    made = made_curve(compiled, spec.curve, poses=spec.poses, lift=spec.lift)
    tool = spec.tool
    if tool.hold == "normal":
        if not made.curve.is_on_surface:
            raise CurveProblem(
                "this curve does not lie on a surface: specify a direction of the tool instead",
                "tool",
            )
        made = replace(made, curve=made.curve.tilted(tool.tilt))
    return PathGoal(
        made, frame_of(compiled, spec.frame), _held(tool),
        tool.wrist if tool.hold == "wrist" else None, start_of(compiled, q, spec.start),
        spec.limits,
    )  # fmt: skip


def _held(tool: ToolData) -> Tool:
    match tool.hold:
        case "normal":
            return "normal"
        case "direction":
            if tool.direction is None or not any(tool.direction):
                raise CurveProblem("the direction of the tool has zero length", "tool")
            return tool.direction
        case "rotation":
            if tool.quat is None or not any(tool.quat):
                raise CurveProblem(
                    "the rotation of the tool must be a quaternion of length 1", "tool"
                )
            return SO3(np.array(tool.quat) / np.linalg.norm(tool.quat))
    return None


def followed(compiled: CompiledText, q: Floats, spec: PathSpec) -> tuple[Made, Path]:
    """The curve and the path along it, at constant speed of the tool."""
    goal = path_goal(compiled, q, spec)
    if spec.step is not None:
        length = goal.made.curve.length()
        if length / spec.step > MOST_POINTS:
            raise CurveProblem(
                f"steps of {spec.step * 1000:.3g} mm: use at least "
                f"{length / MOST_POINTS * 1000:.2g} mm, for {MOST_POINTS} points",
                "step",
            )
    try:
        found = follow(
            compiled.model, curve=goal.made.curve, frame=goal.frame,
            points=spec.points if spec.step is None else None, step=spec.step, speed=spec.speed,
            tool=goal.tool, wrist_angle=goal.wrist, start=goal.start, limits=goal.limits,
            avoid=checker_for(compiled, spec.poses) if spec.avoid else False,
        )  # fmt: skip
    except KinegenError as error:
        raise CurveProblem(str(error)) from None
    return goal.made, found


def checker_for(compiled: CompiledText, poses: Mapping[str, Pose]) -> CollisionChecker:
    """What a path may collide with; objects where the page has them."""
    places = object_places(compiled.model, poses)
    if not places:
        return checker_of(compiled.model)
    return CollisionChecker(compiled.model, places=places)


def timed_path(planned: Path, timing: TimingData) -> Path | str | None:
    """The stretch with the time law that is asked for; why not; None for constant speed."""
    if timing.efforts is not None and timing.law != "optimal":
        raise UsageError(f"efforts are kept by the optimal law, not by '{timing.law}'")
    if timing.law == "constant":
        return None
    if not planned.runs:
        return "no segment of the path is reachable"
    try:
        return retime(
            planned, timing.law, run=run_of(planned, timing), speeds=timing.speeds,
            accelerations=timing.accelerations, jerks=timing.jerks, efforts=timing.efforts,
        )  # fmt: skip
    except KinegenError as error:
        return str(error)


def run_of(planned: Path, timing: TimingData) -> int:
    """The stretch that is timed: the one asked for while it is there, else the longest."""
    if timing.run is not None and timing.run < len(planned.runs):
        return timing.run
    return planned.longest_run


def frame_of(compiled: CompiledText, frame: str | None) -> str:
    """The frame that is asked for, the file's last when none is."""
    name = frame or str(compiled.model.site_names[-1])
    compiled.model.site(name)
    return name


def start_of(compiled: CompiledText, q: Floats, start: list[float] | None) -> Floats:
    """The pose to begin from: the one given, else the present one."""
    return q if start is None else compiled.checked(start)
