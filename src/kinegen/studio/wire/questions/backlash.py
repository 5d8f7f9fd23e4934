"""The question how far backlash and tolerances let a frame move."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from kinegen.studio.wire.message import PieceHead, Question, Range, Result, Vec3

__all__ = ["BacklashPointsPiece", "BacklashRequest", "BacklashResult", "BacklashShare"]


@dataclass(slots=True)
class BacklashShare:
    """How much one source does."""

    name: str
    share: float


@dataclass(slots=True)
class BacklashPointsPiece(PieceHead):
    """Places of the frame from where it should be [m]: float32, three numbers each."""

    KIND: ClassVar[str] = "points"


@dataclass(slots=True)
class BacklashResult(Result):
    """How far backlash lets a frame move; the cloud comes before."""

    frame: str
    at: Vec3
    """Where it should be [m]."""
    points: int
    lower: Vec3
    """How far it gets down each axis [m]."""
    upper: Vec3
    bound: Vec3
    """The same to first order [m]."""
    turn: Vec3
    """About each axis [rad]."""
    worst: float
    """Farthest from where it should be [m]."""
    worst_q: list[float]
    """The pose there."""
    shares: list[BacklashShare]
    """The largest first."""
    seconds: float


@dataclass(slots=True)
class BacklashRequest(Question):
    """How far backlash and tolerances let a frame move."""

    KIND: ClassVar[str] = "backlash"
    RESULT: ClassVar[type[Result]] = BacklashResult
    PIECES: ClassVar[tuple[type[PieceHead], ...]] = (BacklashPointsPiece,)
    frame: str | None = None
    """None for the file's last."""
    joints: dict[str, Annotated[float, Range(0.0, math.pi)]] = field(default_factory=dict)
    """Angular backlash [rad]."""
    length: Annotated[float, Range(0.0, 1e3)] = 0.0
    """Tolerance of bars, backlash of slides [m]."""
    wobble: Annotated[float, Range(0.0, math.pi / 2)] = 0.0
    """Tilt of hinge axes [rad]."""
