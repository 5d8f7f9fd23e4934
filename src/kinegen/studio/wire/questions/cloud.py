"""Questions about clouds: the plan, the cloud, more of it nearby, the pose of a point, a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from kinegen.studio.wire.message import (
    FileLink,
    Length,
    PieceHead,
    Question,
    Range,
    Result,
    Vec3,
)

__all__ = [
    "MOST_POINTS",
    "MOST_POSES",
    "CloudBeginPiece",
    "CloudDetailPiece",
    "CloudDetailRequest",
    "CloudDetailResult",
    "CloudFileRequest",
    "CloudPlanRequest",
    "CloudPlanResult",
    "CloudPointsPiece",
    "CloudPoseRequest",
    "CloudProgressPiece",
    "CloudRequest",
    "CloudResult",
    "CloudSpec",
    "CloudValuesPiece",
    "Palette",
    "PointFormat",
    "PoseResult",
    "RangeData",
]

MOST_POSES = 10_000_000
"""Poses of a cloud that the studio computes."""
MOST_POINTS = 300_000
"""Points that are sent for one question."""
MOST_PLANES = 8
"""Planes around what a page looks at."""
Palette = Literal["safe", "paper"]
PointFormat = Literal["csv", "npz", "ply"]
Ends = tuple[float, float]
"""Lowest and highest value."""


@dataclass(slots=True)
class CloudSpec:
    """Which cloud is meant."""

    frame: str | None = None
    """None for the file's last."""
    frames: list[str] | None = None
    """None for all links on the way to the frame."""
    ranges: dict[str, Ends] = field(default_factory=dict)
    """Of joints whose range is not the file's [rad, m]."""
    factor: Annotated[float, Range(0.05, 360.0)] | None = None
    """Degrees per value; None for what suits."""
    count: Annotated[int, Range(1, MOST_POSES)] | None = None
    """Poses that are spread; None for what suits."""
    how: Literal["grid", "spread"] | None = None
    """None for what suits the mechanism."""
    layer: str = "link"
    """The quantity that colours the points."""
    home: list[float] | None = None
    """The pose of the joints that hold still; None for q."""


@dataclass(slots=True)
class RangeData:
    """The values of a joint that are tried."""

    name: str
    quantity: Literal["angle", "length"]
    lower: float
    upper: float
    count: int
    """Values on a grid; 0 where poses are spread."""


@dataclass(slots=True)
class CloudPlanResult(Result):
    """What is tried and shown."""

    frames: list[str]
    ranges: list[RangeData]
    held: list[str]
    """Joints on the way that have no range: balls, a free base."""
    following: list[str]
    """Coupled joints that follow those of the ranges."""
    poses: int
    points: int
    factor: float | None
    """Degrees per value; None where poses are spread."""
    layer: str
    palettes: dict[Palette, list[tuple[int, int, int]]]
    """Colours of the frames in turn, red, green and blue of 255."""


@dataclass(slots=True)
class CloudPlanRequest(Question):
    """What a cloud would try, without making it."""

    KIND: ClassVar[str] = "cloud_plan"
    RESULT: ClassVar[type[Result]] = CloudPlanResult
    cloud: CloudSpec


@dataclass(slots=True)
class CloudBeginPiece(PieceHead):
    """What will come; without data."""

    KIND: ClassVar[str] = "begin"
    plan: CloudPlanResult
    shown: int
    """Points that will be sent."""


@dataclass(slots=True)
class CloudPointsPiece(PieceHead):
    """Points spread over the cloud: float32 x, y, z of each, uint32 tags, float32 values if any.

    A tag is the number of the pose times the number of frames, and the frame.
    """

    KIND: ClassVar[str] = "points"
    count: int
    valued: bool
    """Whether values follow."""
    ends: Ends | None
    """Of the layer so far."""
    share: float
    """0 … 1"""
    seconds: float


@dataclass(slots=True)
class CloudProgressPiece(PieceHead):
    """How far it is when all points that are shown have been sent; without data."""

    KIND: ClassVar[str] = "progress"
    share: float
    """0 … 1"""
    seconds: float


@dataclass(slots=True)
class CloudValuesPiece(PieceHead):
    """Values of all points that were sent, where only the whole cloud says them: float32."""

    KIND: ClassVar[str] = "values"
    count: int
    ends: Ends | None


@dataclass(slots=True)
class CloudResult(Result):
    """A cloud; its points come before."""

    plan: CloudPlanResult
    seconds: float
    shown: int
    """Points that were sent."""
    bounds: list[tuple[Vec3, Vec3]]
    """Lowest and highest x, y, z of each frame [m]."""
    ends: Ends | None
    """Of the layer."""


@dataclass(slots=True)
class CloudRequest(Question):
    """Where the links of a tree get to."""

    KIND: ClassVar[str] = "cloud"
    RESULT: ClassVar[type[Result]] = CloudResult
    PIECES: ClassVar[tuple[type[PieceHead], ...]] = (
        CloudBeginPiece, CloudPointsPiece, CloudProgressPiece, CloudValuesPiece,
    )  # fmt: skip
    cloud: CloudSpec


@dataclass(slots=True)
class CloudDetailPiece(PieceHead):
    """Points within the planes, as those of a cloud."""

    KIND: ClassVar[str] = "detail"
    count: int
    valued: bool
    """Whether values follow."""


@dataclass(slots=True)
class CloudDetailResult(Result):
    """Where to continue; the points come before."""

    next: int | None
    """The pose to continue with; None when there is nothing more."""
    sent: int


@dataclass(slots=True)
class CloudDetailRequest(Question):
    """More points of a cloud within planes, as many as come in a fraction of a second."""

    KIND: ClassVar[str] = "cloud_detail"
    RESULT: ClassVar[type[Result]] = CloudDetailResult
    PIECES: ClassVar[tuple[type[PieceHead], ...]] = (CloudDetailPiece,)
    cloud: CloudSpec
    planes: Annotated[list[tuple[float, float, float, float]], Length(1, MOST_PLANES)]
    """Rows n, d: inside where n·p + d ≥ 0."""
    first: Annotated[int, Range(0, MOST_POSES)] = 0
    """The pose to begin with: 0, or the last result's ``next``."""
    most: Annotated[int, Range(1, MOST_POINTS)] = MOST_POINTS
    """Points at most."""


@dataclass(slots=True)
class PoseResult(Result):
    """A configuration."""

    q: list[float]


@dataclass(slots=True)
class CloudPoseRequest(Question):
    """The configuration that made a point of a cloud."""

    KIND: ClassVar[str] = "cloud_pose"
    RESULT: ClassVar[type[Result]] = PoseResult
    cloud: CloudSpec
    pose: Annotated[int, Range(0, MOST_POSES)]
    """Its number: the tag of the point over the number of frames."""


@dataclass(slots=True)
class CloudFileRequest(Question):
    """All points of a cloud as a file."""

    KIND: ClassVar[str] = "cloud_file"
    RESULT: ClassVar[type[Result]] = FileLink
    cloud: CloudSpec
    format: PointFormat
    palette: Palette = "safe"
