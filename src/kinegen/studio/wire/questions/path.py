"""Questions about paths: what there is to follow, where, the plan, its branches, a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from kinegen.studio.wire.message import (
    FileLink,
    PieceHead,
    Pose,
    Quat,
    Question,
    Range,
    Result,
    Vec3,
)
from kinegen.studio.wire.questions.curves import CurveData, Ends, FittedCurve

__all__ = [
    "MOST_POINTS",
    "BranchData",
    "CollisionData",
    "CrossingData",
    "CurveProblemData",
    "PathBranchesRequest",
    "PathBranchesResult",
    "PathData",
    "PathFileRequest",
    "PathFitData",
    "PathFitRequest",
    "PathFitResult",
    "PathFormat",
    "PathGapData",
    "PathGridPiece",
    "PathLinePiece",
    "PathMenuRequest",
    "PathMenuResult",
    "PathPlaceRequest",
    "PathPlaceResult",
    "PathPlanRequest",
    "PathPlanResult",
    "PathPointsPiece",
    "PathPosesPiece",
    "PathRatesPiece",
    "PathSpec",
    "PathTimedPiece",
    "PathTimingData",
    "SurfaceRow",
    "TimingData",
    "ToolData",
    "VolumeRow",
]

MOST_POINTS = 5000
"""Points of a path in a page: 3 of its pixels are no further apart."""
Positive = Annotated[float, Range(1e-9, 1e9)]
PathFormat = Literal["csv", "json", "npz", "mcap", "gcode", "ssc", "svg", "pdf", "png"]


@dataclass(slots=True)
class ToolData:
    """How the tool is held."""

    hold: Literal["free", "normal", "direction", "rotation", "wrist"] = "free"
    tilt: float = 0.0
    """Sideways lean against the normal [rad]."""
    direction: Vec3 | None = None
    """Where its z axis points."""
    quat: Quat | None = None
    """The rotation that it keeps."""
    wrist: float = 0.0
    """Angle of the hand to the ground [rad]."""


@dataclass(slots=True)
class TimingData:
    """When each point is passed."""

    law: Literal["constant", "optimal", "smooth"] = "constant"
    run: Annotated[int, Range(0, MOST_POINTS)] | None = None
    """The stretch that is timed; None for the longest."""
    speeds: dict[str, float] | None = None
    """By joint [rad/s, m/s]."""
    accelerations: dict[str, float] | None = None
    jerks: dict[str, float] | None = None
    efforts: Literal["motors"] | None = None
    """Whether the optimal law keeps the torques and forces of the file's motors."""


@dataclass(slots=True)
class PathSpec:
    """A curve, and how a frame follows it."""

    curve: CurveData
    frame: str | None = None
    """None for the file's last."""
    start: list[float] | None = None
    """The pose to begin from; None for q."""
    limits: bool = True
    """Whether the joints' limits are kept."""
    avoid: bool = False
    """Whether collisions are avoided."""
    lift: float = 0.0
    """Distance from the surface [m]."""
    poses: dict[str, Pose] = field(default_factory=dict)
    """Objects that are not where the file puts them."""
    points: Annotated[int, Range(2, MOST_POINTS)] = 200
    """How many, where no step is given."""
    step: Positive | None = None
    """Between two points [m]."""
    speed: Positive = 0.1
    """Of the tool [m/s]."""
    tool: ToolData = field(default_factory=ToolData)
    timing: TimingData = field(default_factory=TimingData)


@dataclass(slots=True)
class SurfaceRow:
    """A surface to choose."""

    name: str
    note: str
    formula: str
    gives: Literal["x", "y", "z"]
    x1: Ends
    x2: Ends
    curves: int


@dataclass(slots=True)
class VolumeRow:
    """A body to choose."""

    name: str
    note: str
    x: str
    y: str
    z: str
    u: Ends
    v: Ends
    curves: int


@dataclass(slots=True)
class PathMenuResult(Result):
    """What there is to choose from."""

    surfaces: list[SurfaceRow]
    volumes: list[VolumeRow]
    wrist: bool
    """Whether the arm can keep its wrist's angle to the ground."""


@dataclass(slots=True)
class PathMenuRequest(Question):
    """Surfaces and volumes to choose from, and what a frame can do."""

    KIND: ClassVar[str] = "path_menu"
    RESULT: ClassVar[type[Result]] = PathMenuResult
    frame: str | None = None
    """None for the file's last."""


@dataclass(slots=True)
class PathPlaceResult(Result):
    """A circle within reach of a frame."""

    centre: Vec3
    normal: Vec3
    """Of the plane to draw in, with two axes in it."""
    across: Vec3
    along: Vec3
    radius: float
    """[m]"""
    reached: bool
    flat: bool
    """Whether the mechanism moves in that plane only."""


@dataclass(slots=True)
class PathPlaceRequest(Question):
    """Where a frame can follow a curve."""

    KIND: ClassVar[str] = "path_place"
    RESULT: ClassVar[type[Result]] = PathPlaceResult
    frame: str | None = None
    """None for the file's last."""
    start: list[float] | None = None
    """The pose to begin from; None for q."""


@dataclass(slots=True)
class CurveProblemData:
    """What is wrong with a curve."""

    message: str
    field: str | None
    """Of the curve: 'x', or 't.0' for the first value of t; None for no field in particular."""
    offset: int | None
    """The character of the field."""


@dataclass(slots=True)
class PathFitData:
    """Scale and offset that bring a curve into a ball."""

    scale: float
    offset: Vec3
    """[m]"""


@dataclass(slots=True)
class PathFitResult(Result):
    """The fit, or what is wrong with the curve."""

    fit: PathFitData | None
    problem: CurveProblemData | None


@dataclass(slots=True)
class PathFitRequest(Question):
    """Scale and offset that bring a curve into a ball, whatever they are now."""

    KIND: ClassVar[str] = "path_fit"
    RESULT: ClassVar[type[Result]] = PathFitResult
    curve: FittedCurve
    centre: Vec3
    """[m]"""
    radius: Positive
    """[m]"""


@dataclass(slots=True)
class PathGapData:
    """A stretch that is not reached."""

    first: int
    last: int
    reason: str


@dataclass(slots=True)
class CrossingData:
    """Where the mechanism crosses a singular pose, or comes near one."""

    index: int
    """The point before it."""
    time: float
    """[s]"""
    kind: Literal["task", "gain", "jump", "near"]
    joints: list[str]
    text: str


@dataclass(slots=True)
class CollisionData:
    """Two bodies that touch on a stretch of a path."""

    a: str
    b: str
    first: int
    last: int
    """Points, both included."""
    text: str
    """With what, when, and how deep."""


@dataclass(slots=True)
class PathTimingData:
    """What the time law comes to."""

    duration: float
    """[s]"""
    too_fast: dict[str, float]
    """Joints that would exceed the speed of their motors, and by which factor."""
    run: int | None
    """The stretch that is timed; None at constant speed."""
    problem: str | None
    """Why the law cannot be kept."""


@dataclass(slots=True)
class PathData:
    """A path, besides its numbers."""

    frame: str
    name: str
    count: int
    reached: int
    length: float
    """[m]"""
    duration: float
    """At constant speed [s]."""
    speed: float
    """[m/s]"""
    closed: bool
    gap: float | None
    """Between its ends [m]."""
    choices: int
    """Curves or seams to choose from."""
    closing: list[float | None]
    """Distance between the ends of each curve of a volume [m]."""
    scale: float
    runs: list[tuple[int, int]]
    """First and last point of each unbroken stretch."""
    gaps: list[PathGapData]
    reasons: dict[str, str]
    """Why points are not reached, by their numbers; of the first hundreds of them."""
    crossings: list[CrossingData]
    collisions: list[CollisionData]
    too_fast: dict[str, float]
    """Joints that would exceed the speed of their motors, and by which factor."""
    on_surface: bool
    timing: PathTimingData


@dataclass(slots=True)
class PathPointsPiece(PieceHead):
    """Float32: x, y, z of all points [m], their ways [m], times [s], how singular, and if reached.

    Each of these for all points in turn; 1 where a point is reached, else 0.
    """

    KIND: ClassVar[str] = "points"
    count: int


@dataclass(slots=True)
class PathPosesPiece(PieceHead):
    """Poses as float64, NaN where a point is not reached."""

    KIND: ClassVar[str] = "poses"
    count: int
    nq: int


@dataclass(slots=True)
class PathRatesPiece(PieceHead):
    """Velocities of all points, then accelerations: float32."""

    KIND: ClassVar[str] = "rates"
    count: int
    nv: int


@dataclass(slots=True)
class PathLinePiece(PieceHead):
    """The curve in fine steps: float32 x, y, z of each point [m]."""

    KIND: ClassVar[str] = "line"
    count: int


@dataclass(slots=True)
class PathGridPiece(PieceHead):
    """Curves of the surface or body that the path is on: float32 x, y, z of each point [m]."""

    KIND: ClassVar[str] = "grid"
    curves: int
    points: int
    """Of each curve."""


@dataclass(slots=True)
class PathTimedPiece(PieceHead):
    """Times [s], velocities and accelerations of the timed stretch: float32."""

    KIND: ClassVar[str] = "timed"
    first: int
    """Its first point."""
    count: int


@dataclass(slots=True)
class PathPlanResult(Result):
    """The path, whose numbers come before; or what is wrong with the curve."""

    path: PathData | None
    problem: CurveProblemData | None


@dataclass(slots=True)
class PathPlanRequest(Question):
    """The path of a frame along a curve."""

    KIND: ClassVar[str] = "path_plan"
    RESULT: ClassVar[type[Result]] = PathPlanResult
    PIECES: ClassVar[tuple[type[PieceHead], ...]] = (
        PathPointsPiece, PathPosesPiece, PathRatesPiece, PathLinePiece, PathGridPiece,
        PathTimedPiece,
    )  # fmt: skip
    path: PathSpec


@dataclass(slots=True)
class BranchData:
    """A pose in which a curve can be begun."""

    name: str
    q: list[float]


@dataclass(slots=True)
class PathBranchesResult(Result):
    """The branches, nearest first; or what is wrong with the curve."""

    branches: list[BranchData]
    problem: CurveProblemData | None


@dataclass(slots=True)
class PathBranchesRequest(Question):
    """The poses in which a curve can be begun."""

    KIND: ClassVar[str] = "path_branches"
    RESULT: ClassVar[type[Result]] = PathBranchesResult
    path: PathSpec


@dataclass(slots=True)
class PathFileRequest(Question):
    """The path as a file: a table, commands, or a report to print."""

    KIND: ClassVar[str] = "path_file"
    RESULT: ClassVar[type[Result]] = FileLink
    path: PathSpec
    format: PathFormat
