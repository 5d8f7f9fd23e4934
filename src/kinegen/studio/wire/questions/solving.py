"""Questions about poses: assembly modes, and poses that meet handles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from kinegen.studio.wire.message import Length, Quat, Question, Range, Result, Vec3

__all__ = [
    "HandleData",
    "ModeData",
    "ModesRequest",
    "ModesResult",
    "SolutionData",
    "SolveAllRequest",
    "SolveAllResult",
    "SolveRequest",
    "SolveResult",
]

MOST_HANDLES = 100
"""In one question."""
Weight = Annotated[float, Range(1e-9, 1e9)]


@dataclass(slots=True)
class HandleData:
    """A point of a frame or link, and where it should be; as ``Handle`` has it."""

    frame: str | None = None
    """None for the file's last."""
    position: Vec3 | None = None
    """Where the point should be in the world [m]; None leaves its place free."""
    quat: Quat | None = None
    """The rotation that it should have; None leaves it free."""
    direction: Vec3 | None = None
    """Where ``axis`` should point in the world."""
    point: Vec3 | None = None
    """In the frame [m]; None for its origin."""
    axis: Vec3 | None = None
    """In the frame; None for its z axis."""
    pin: bool = False
    """Whether it is kept exactly, like a loop."""
    weight: Weight = 1.0
    rotation_weight: Weight = 1.0


@dataclass(slots=True)
class ModeData:
    """A way to close the loops while the inputs hold."""

    name: str
    q: list[float]
    distance: float
    """Largest way of any joint, landing or frame from the given pose [m]."""
    loose: int
    """Degrees of freedom that it has though the inputs hold."""


@dataclass(slots=True)
class ModesResult(Result):
    """All assembly modes that were found."""

    modes: list[ModeData]


@dataclass(slots=True)
class ModesRequest(Question):
    """All poses that close the loops while the inputs hold."""

    KIND: ClassVar[str] = "modes"
    RESULT: ClassVar[type[Result]] = ModesResult
    inputs: list[str] | None = None
    """Joints that hold; None for those with motors."""
    limits: bool = True
    """Whether the joints' limits are kept."""
    attempts: Annotated[int, Range(1, 20000)] = 2000
    """Searches from random poses."""


@dataclass(slots=True)
class SolutionData:
    """A pose that meets handles, or the nearest one."""

    q: list[float]
    reached: bool
    reason: str
    """Why it is no nearer, in words."""
    limits: list[str]
    """Limits at which joints stand, in words."""
    dof_left: int
    """Degrees of freedom that the handles leave."""


@dataclass(slots=True)
class SolveResult(SolutionData, Result):
    """The pose that meets the handles, or the nearest one."""


@dataclass(slots=True)
class SolveRequest(Question):
    """The pose that meets handles, or the nearest one and why it is no nearer."""

    KIND: ClassVar[str] = "solve"
    RESULT: ClassVar[type[Result]] = SolveResult
    handles: Annotated[list[HandleData], Length(1, MOST_HANDLES)]
    limits: bool = True
    """Whether the joints' limits are kept."""
    locked: list[str] = field(default_factory=list)
    """Joints."""


@dataclass(slots=True)
class SolveAllResult(Result):
    """Every different pose that meets the handles."""

    solutions: list[SolutionData]


@dataclass(slots=True)
class SolveAllRequest(Question):
    """Every different pose that meets handles."""

    KIND: ClassVar[str] = "solve_all"
    RESULT: ClassVar[type[Result]] = SolveAllResult
    handles: Annotated[list[HandleData], Length(1, MOST_HANDLES)]
    limits: bool = True
    """Whether the joints' limits are kept."""
    locked: list[str] = field(default_factory=list)
    """Joints."""
    most: Annotated[int, Range(1, 200)] = 64
