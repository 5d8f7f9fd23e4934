"""Questions about joint maps: what suits a frame, and the map."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from kinegen.studio.wire.message import PieceHead, Question, Range, Result

__all__ = [
    "BoxData",
    "Hold",
    "JointMapRequest",
    "JointMapResult",
    "MapBeyondPiece",
    "MapBranchData",
    "MapLampsPiece",
    "MapProposalRequest",
    "MapProposalResult",
    "MapValuesPiece",
]

Hold = Literal["wrist", "rotation", "free"]
"""What a frame keeps at every place."""
Span = tuple[float, float, int]
"""Lowest, highest [m], number of values."""


@dataclass(slots=True)
class BoxData:
    """A box of places: lowest, highest [m] and number of values on each axis."""

    x: Span
    y: Span
    z: Span


@dataclass(slots=True)
class MapProposalResult(Result):
    """What a frame can hold over a box, and a box that suits."""

    frame: str
    holds: list[Hold]
    """The usual one first."""
    text: str
    """Why the arm has a closed form; empty without one."""
    wrist_angle: float | None
    """The hand's angle to the ground now [rad], where it can be held."""
    dof: int
    """In how many directions the frame can move."""
    box: BoxData


@dataclass(slots=True)
class MapProposalRequest(Question):
    """Suggested settings for the joint map of a frame."""

    KIND: ClassVar[str] = "map_proposal"
    RESULT: ClassVar[type[Result]] = MapProposalResult
    frame: str | None = None
    """None for the file's last."""


@dataclass(slots=True)
class MapBranchData:
    """A branch of a joint map."""

    name: str
    reached: int
    """Places that it reaches, limits aside."""
    within: int
    """Those of them with every joint in its range."""


@dataclass(slots=True)
class MapValuesPiece(PieceHead):
    """Joint values of a branch: float64, a row per number of q, NaN where it does not get."""

    KIND: ClassVar[str] = "values"
    branch: int


@dataclass(slots=True)
class MapLampsPiece(PieceHead):
    """Joints of a branch that are out of their range: bytes, a row per joint."""

    KIND: ClassVar[str] = "lamps"
    branch: int


@dataclass(slots=True)
class MapBeyondPiece(PieceHead):
    """How far each place is beyond the arm's length [m]: float32."""

    KIND: ClassVar[str] = "beyond"


@dataclass(slots=True)
class JointMapResult(Result):
    """Joint values of every branch over a box; the values come before."""

    frame: str
    joints: list[str]
    """What the rows of the values are."""
    shape: tuple[int, int, int]
    axes: tuple[list[float], list[float], list[float]]
    """Places on x, y, z [m]."""
    branches: list[MapBranchData]
    present: int
    """The branch in which the mechanism stands."""
    seconds: float


@dataclass(slots=True)
class JointMapRequest(Question):
    """Joint values of every branch over a box of places."""

    KIND: ClassVar[str] = "joint_map"
    RESULT: ClassVar[type[Result]] = JointMapResult
    PIECES: ClassVar[tuple[type[PieceHead], ...]] = (MapValuesPiece, MapLampsPiece, MapBeyondPiece)
    box: BoxData
    frame: str | None = None
    """None for the file's last."""
    hold: Hold = "free"
    wrist_angle: Annotated[float, Range(-math.tau, math.tau)] | None = None
    """The hand's angle to the ground [rad], where that is held."""
