"""The question how a tool gets to an object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from kinegen.studio.wire.message import Pose, Question, Range, Result

__all__ = ["GraspRequest", "GraspResult"]


@dataclass(slots=True)
class GraspResult(Result):
    """The way of a tool to an object; the gripper shuts at its end."""

    reached: bool
    reason: str
    """Why the tool does not arrive, in words; 'reached' when it does."""
    side: str
    """The side of the object from which it comes."""
    aligned: bool
    """Whether the tool points at the object when it arrives."""
    frame: str
    """The tool."""
    gripper: list[str]
    """The joints of the fingers."""
    path: list[list[float]]
    """Configurations in turn."""
    grasp_at: int
    """The row of the path in which the tool has arrived."""


@dataclass(slots=True)
class GraspRequest(Question):
    """A way for a tool to an object."""

    KIND: ClassVar[str] = "grasp"
    RESULT: ClassVar[type[Result]] = GraspResult
    object: str
    frame: str | None = None
    """The tool; None for the file's last frame."""
    pose: Pose | None = None
    """Where the object is now; None for where its file puts it."""
    clearance: Annotated[float, Range(0.0, 1e3)] | None = None
    """Distance from which the straight approach begins [m]; None for what suits."""
    avoid: bool = False
    """Whether collisions are avoided."""
