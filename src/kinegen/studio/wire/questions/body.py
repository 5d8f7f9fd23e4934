"""Questions about bodies: what a cloud or zone fills, with its surface and cells; a file of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from kinegen.studio.wire.message import FileLink, Length, PieceHead, Question, Range, Result, Vec3
from kinegen.studio.wire.questions.cloud import CloudSpec
from kinegen.studio.wire.questions.zone import MeasureData, ZoneSpec

__all__ = [
    "MOST_CELLS",
    "BodyComparisonData",
    "BodyDetail",
    "BodyProgressPiece",
    "BodyResult",
    "CellsData",
    "CellsPiece",
    "CloudBodyRequest",
    "CloudSurfaceFileRequest",
    "GridData",
    "SurfaceFormat",
    "SurfacePiece",
    "ZoneBodyRequest",
    "ZoneSurfaceFileRequest",
]

MOST_CELLS = 30_000_000
"""Of a body that a page sends back."""
BodyDetail = Literal["quick", "normal", "fine"]
SurfaceFormat = Literal["glb", "ply"]
PerAxis = Annotated[list[int], Length(2, 3)]
"""One number for each axis: two in a plane, else three."""


@dataclass(slots=True)
class GridData:
    """The lattice of a body's cells; all lists have two numbers in a plane, else three."""

    first: PerAxis
    """Index of the lowest cell on each axis."""
    shape: PerAxis
    """Cells on each axis."""
    cell: Annotated[float, Range(1e-9, 1e9)]
    """Side of a cell [m]."""
    outside: Annotated[float, Range(0.0, 1.0)]
    """The share of a filled cell at the edge that lies outside."""
    origin: Annotated[list[float], Length(2, 3)]
    """Where the lattice begins [m]."""


@dataclass(slots=True)
class CellsData:
    """A body that another is compared with."""

    grid: GridData
    bits: Annotated[str, Length(4, MOST_CELLS // 6 + 4)]
    """Whether each cell is filled, as base64; the last axis is fastest, the lowest bit first."""


@dataclass(slots=True)
class BodyComparisonData:
    """Two bodies, by how much each of them fills [m², m³]."""

    both: float
    only_first: float
    only_second: float
    overlap: float
    """What both fill over what either does."""


@dataclass(slots=True)
class BodyProgressPiece(PieceHead):
    """How far it is; without data."""

    KIND: ClassVar[str] = "progress"
    share: float
    """0 … 1"""


@dataclass(slots=True)
class SurfacePiece(PieceHead):
    """The surface: float32 x, y, z of each corner [m], then uint32 corners of each face."""

    KIND: ClassVar[str] = "surface"
    vertices: int
    sides: int
    """Corners of a face: 3, or 2 of an outline in a plane."""
    faces: int


@dataclass(slots=True)
class CellsPiece(PieceHead):
    """Whether each cell is filled: bits, the last axis fastest, the lowest bit first."""

    KIND: ClassVar[str] = "cells"


@dataclass(slots=True)
class BodyResult(Result):
    """A body; its surface and cells come before."""

    grid: GridData
    axes: list[Vec3]
    """Directions in the world of the cells' axes: two in a plane, else three."""
    lift: Vec3
    """Where the plane lies [m]."""
    measure: MeasureData
    pieces: int
    voids: int
    tunnels: int
    counted: int
    """Points or poses that it was made from."""
    seconds: float
    comparison: BodyComparisonData | None
    """With the other body; None where there is none."""


@dataclass(slots=True)
class CloudBodyRequest(Question):
    """The body of a frame of a tree, over the cloud's ranges."""

    KIND: ClassVar[str] = "cloud_body"
    RESULT: ClassVar[type[Result]] = BodyResult
    PIECES: ClassVar[tuple[type[PieceHead], ...]] = (BodyProgressPiece, SurfacePiece, CellsPiece)
    cloud: CloudSpec
    detail: BodyDetail = "normal"
    against: CellsData | None = None
    """A body to compare with, whose cells are used."""


@dataclass(slots=True)
class ZoneBodyRequest(Question):
    """The body of a zone."""

    KIND: ClassVar[str] = "zone_body"
    RESULT: ClassVar[type[Result]] = BodyResult
    PIECES: ClassVar[tuple[type[PieceHead], ...]] = (SurfacePiece, CellsPiece)
    zone: ZoneSpec
    shown: list[str] | None = None
    """Modes; None for all."""
    against: CellsData | None = None
    """A body to compare with, whose cells are used."""


@dataclass(slots=True)
class CloudSurfaceFileRequest(Question):
    """The surface of a tree's body as a file."""

    KIND: ClassVar[str] = "cloud_surface_file"
    RESULT: ClassVar[type[Result]] = FileLink
    cloud: CloudSpec
    format: SurfaceFormat
    detail: BodyDetail = "normal"


@dataclass(slots=True)
class ZoneSurfaceFileRequest(Question):
    """The surface of a zone's body as a file."""

    KIND: ClassVar[str] = "zone_surface_file"
    RESULT: ClassVar[type[Result]] = FileLink
    zone: ZoneSpec
    format: SurfaceFormat
    shown: list[str] | None = None
    """Modes; None for all."""
