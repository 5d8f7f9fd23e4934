"""Questions about how a mechanism can move, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from kinegen.studio.wire.message import Question, Result, Vec3

__all__ = [
    "DiagnosisRequest",
    "DiagnosisResult",
    "FindingData",
    "MobilityRequest",
    "MobilityResult",
    "SuspectData",
]


@dataclass(slots=True)
class MobilityResult(Result):
    """The degrees of freedom in a pose."""

    text: str
    """In words."""
    instantaneous: int
    """To first order."""
    finite: int
    """Those that survive a small finite motion."""
    gruebler: int
    gruebler_planar: int | None
    """None where not every loop moves in a plane."""
    redundant: int
    """Loop equations that others imply."""
    idle: int
    """Those that move no point: rods that spin about themselves."""
    directions: list[list[float]]
    """One free motion each, over v."""
    is_closed: bool
    """Whether the loops could be closed."""
    gap: tuple[float, float]
    """Widest loop gap: distance [m] and angle [rad]."""
    q: list[float]
    """The pose that was examined: the given one with its loops closed."""


@dataclass(slots=True)
class MobilityRequest(Question):
    """The degrees of freedom, while some joints are locked."""

    KIND: ClassVar[str] = "mobility"
    RESULT: ClassVar[type[Result]] = MobilityResult
    locked: list[str] = field(default_factory=list)
    """Joints."""


@dataclass(slots=True)
class SuspectData:
    """A joint that may be placed wrongly, and how it should be."""

    joint: str
    axis: Vec3
    """As it is, a unit vector in the world."""
    proposed_axis: Vec3
    tilt: float
    """Angle between the two [rad]."""
    shift: Vec3
    """How far the joint should move, in the world [m]."""
    dof: int
    """Degrees of freedom of its loops after the change."""
    numbers: list[str]
    """The change in the file's numbers, in words."""


@dataclass(slots=True)
class FindingData:
    """One thing about a mechanism that its designer should know."""

    kind: str
    is_fault: bool
    joints: list[str]
    text: str
    suspects: list[SuspectData]


@dataclass(slots=True)
class DiagnosisResult(Result):
    """What was found about a mechanism."""

    text: str
    """In words."""
    is_healthy: bool
    mobility: MobilityResult
    findings: list[FindingData]


@dataclass(slots=True)
class DiagnosisRequest(Question):
    """What is wrong with a mechanism, and the joints that may be placed wrongly."""

    KIND: ClassVar[str] = "diagnosis"
    RESULT: ClassVar[type[Result]] = DiagnosisResult
