"""Questions about designs: goals to begin with, and the search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from kinegen.studio.wire.message import Length, PieceHead, Question, Range, Result, Vec3

__all__ = [
    "CoverData",
    "DesignBestPiece",
    "DesignFoundPiece",
    "DesignRequest",
    "DesignResult",
    "DesignStepPiece",
    "GoalCurveData",
    "GoalsRequest",
    "GoalsResult",
]

MOST_POINTS = 200
"""Places that a search can look at."""
MOST_STARTS = 60


@dataclass(slots=True)
class GoalCurveData:
    """Places to be passed in turn."""

    name: str
    title: str
    note: str
    """Where they come from; empty where nothing is to be said."""
    closed: bool
    points: list[Vec3]
    """[m]"""


@dataclass(slots=True)
class GoalsResult(Result):
    """Goals near a frame, to begin with."""

    frame: str
    curves: list[GoalCurveData]
    box: tuple[Vec3, Vec3]
    """Two opposite corners [m]."""
    normal: Vec3
    """Of the plane to draw in."""
    flat: bool
    """Whether the mechanism moves in that plane only."""
    at: Vec3
    """Where the frame is [m]."""


@dataclass(slots=True)
class GoalsRequest(Question):
    """Curves and a box near a frame, for a design to begin with."""

    KIND: ClassVar[str] = "design_goals"
    RESULT: ClassVar[type[Result]] = GoalsResult
    frame: str | None = None
    """None for the file's last."""


@dataclass(slots=True)
class DesignStepPiece(PieceHead):
    """How far a search is; without data."""

    KIND: ClassVar[str] = "step"
    step: int
    start: int
    best: float
    """Least mean distance so far [m]."""


@dataclass(slots=True)
class DesignBestPiece(PieceHead):
    """The best design so far; its motion as float64, nq numbers per pose."""

    KIND: ClassVar[str] = "best"
    parameters: dict[str, float]
    error: float
    """Mean distance [m]."""


@dataclass(slots=True)
class DesignFoundPiece(PieceHead):
    """Where a start has led; its motion as float64, nq numbers per pose."""

    KIND: ClassVar[str] = "design"
    start: int
    parameters: dict[str, float]
    error: float
    """Mean distance [m]."""
    worst: float
    """Largest distance [m]."""
    share: float | None
    """The same as a share of the target's extent; None where it has none."""
    connected: bool
    """Whether one motion passes all places."""
    clearance: float | None
    """From singular poses, dimensionless; None where there are none."""


@dataclass(slots=True)
class DesignResult(Result):
    """What a search has done; the designs come before."""

    frame: str
    starts: int
    steps: int
    designs: int
    """Different ones."""
    extent: float
    """Of the wanted places [m]."""
    seconds: float


@dataclass(slots=True)
class CoverData:
    """A box to cover."""

    corners: tuple[Vec3, Vec3]
    """Two opposite ones [m]."""
    edge: Annotated[int, Range(2, 8)] = 4
    """Places per edge."""


@dataclass(slots=True)
class DesignRequest(Question):
    """Parameters that let a frame pass wanted places, or cover a box."""

    KIND: ClassVar[str] = "design"
    RESULT: ClassVar[type[Result]] = DesignResult
    PIECES: ClassVar[tuple[type[PieceHead], ...]] = (
        DesignStepPiece, DesignBestPiece, DesignFoundPiece,
    )  # fmt: skip
    free: dict[str, tuple[float, float]]
    """Parameters that may change: lowest and highest value."""
    frame: str | None = None
    """None for the file's last."""
    points: Annotated[list[Vec3], Length(0, MOST_POINTS)] = field(default_factory=list)
    """To be passed [m]; not looked at where a box is given."""
    box: CoverData | None = None
    """To be covered instead."""
    starts: Annotated[int, Range(1, MOST_STARTS)] = 8
    clear: Annotated[float, Range(0.0, 1.0)] = 0.0
    """Wanted distance from singular poses."""
    seed: Annotated[int, Range(0, 10**6)] = 0
