"""Questions about zones: the zone, the pose of a point, a way through a mode, a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from kinegen.studio.wire.message import FileLink, PieceHead, Question, Range, Result, Vec3
from kinegen.studio.wire.questions.cloud import Ends, PointFormat, PoseResult

__all__ = [
    "MeasureData",
    "ZoneBeginPiece",
    "ZoneFileRequest",
    "ZoneKind",
    "ZoneModeData",
    "ZonePointsPiece",
    "ZonePoseRequest",
    "ZoneRequest",
    "ZoneResult",
    "ZoneSpec",
    "ZoneWayRequest",
    "ZoneWayResult",
]

ZoneKind = Literal["inputs", "place", "turn"]
"""What is swept: joints, or the frame's position or orientation."""
MOST_POINTS = 10**9
"""Numbers of points that may be asked for."""


@dataclass(slots=True)
class ZoneSpec:
    """Which zone is meant."""

    frame: str | None = None
    """None for the file's last."""
    kind: ZoneKind | None = None
    """None for what suits the mechanism."""
    step: Annotated[float, Range(1e-6, 1e6)] | None = None
    """Between two values [rad, m]; None: as fine as is useful."""
    ranges: dict[str, Ends] = field(default_factory=dict)
    """Of inputs whose range is not the file's [rad, m]."""
    inputs: list[str] | None = None
    """Joints that are swept; None for those with motors."""
    tilt: Annotated[float, Range(-1e3, 1e3)] | None = None
    """Of the plane of a spatial five-bar [rad]."""
    modes: list[str] | None = None
    """Assembly modes, or 'all'; None for those that are known anyway."""
    layer: str | None = None
    """What the points are coloured by; None: by mode."""
    home: list[float] | None = None
    """The pose to begin from; None for q."""


@dataclass(slots=True)
class MeasureData:
    """The size of a set."""

    value: float
    """Length, area or volume, by the dimension."""
    error: float
    dimension: int
    unit: str
    cell: float
    """Side of a cell [m]."""


@dataclass(slots=True)
class ZoneModeData:
    """The zone of one assembly mode."""

    name: str
    points: int
    measure: MeasureData


@dataclass(slots=True)
class ZoneResult(Result):
    """Where a frame gets to; its points come before."""

    frame: str
    kind: ZoneKind
    layer: str | None
    """What the points are coloured by; None: by mode."""
    ends: Ends | None
    """Of the layer."""
    method: Literal["triangles", "solver"]
    inputs: list[str]
    held: dict[str, float]
    """Inputs that hold [rad]."""
    tried: int
    """Poses."""
    points: int
    bounds: tuple[Vec3, Vec3] | None
    """Lowest and highest x, y, z [m]; None without points."""
    measure: MeasureData
    modes: list[ZoneModeData]
    step: float
    """[rad] or [m]"""
    seconds: float


@dataclass(slots=True)
class ZoneBeginPiece(PieceHead):
    """A zone that is coarser than the last one, or the last; without data."""

    KIND: ClassVar[str] = "begin"
    zone: ZoneResult
    shown: int
    """Points that will be sent."""


@dataclass(slots=True)
class ZonePointsPiece(PieceHead):
    """The points: float32 x, y, z of each, uint32 tags, float32 values if any.

    A tag is the number of the point times the number of modes, and the mode.
    """

    KIND: ClassVar[str] = "points"
    count: int
    valued: bool
    """Whether values follow."""


@dataclass(slots=True)
class ZoneRequest(Question):
    """Where a frame of a mechanism with loops gets to, coarse first."""

    KIND: ClassVar[str] = "zone"
    RESULT: ClassVar[type[Result]] = ZoneResult
    PIECES: ClassVar[tuple[type[PieceHead], ...]] = (ZoneBeginPiece, ZonePointsPiece)
    zone: ZoneSpec


@dataclass(slots=True)
class ZonePoseRequest(Question):
    """The configuration of a point of a zone."""

    KIND: ClassVar[str] = "zone_pose"
    RESULT: ClassVar[type[Result]] = PoseResult
    zone: ZoneSpec
    point: Annotated[int, Range(0, MOST_POINTS)]
    """Its number: its tag over the number of modes."""


@dataclass(slots=True)
class ZoneWayResult(Result):
    """Configurations, neighbours after each other."""

    qs: list[list[float]]


@dataclass(slots=True)
class ZoneWayRequest(Question):
    """A way through a mode of a zone."""

    KIND: ClassVar[str] = "zone_way"
    RESULT: ClassVar[type[Result]] = ZoneWayResult
    zone: ZoneSpec
    mode: str


@dataclass(slots=True)
class ZoneFileRequest(Question):
    """All points of a zone as a file."""

    KIND: ClassVar[str] = "zone_file"
    RESULT: ClassVar[type[Result]] = FileLink
    zone: ZoneSpec
    format: PointFormat
