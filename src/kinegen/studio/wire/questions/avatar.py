"""Questions about avatars from cameras: camera files of the project folder, and their pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from kinegen.studio.wire.message import Length, PieceHead, Question, Range, Result, Vec3

__all__ = [
    "CameraFileRequest",
    "CameraFileResult",
    "CameraFilesRequest",
    "CameraFilesResult",
    "CameraPicturePiece",
    "CameraPicturesRequest",
    "CameraPicturesResult",
    "PinholeData",
]

File = Annotated[str, Length(1, 400)]


@dataclass(slots=True)
class CameraFilesResult(Result):
    """All camera files."""

    files: list[str]


@dataclass(slots=True)
class CameraFilesRequest(Question):
    """Which camera files are in the project folder?"""

    KIND: ClassVar[str] = "camera_files"
    RESULT: ClassVar[type[Result]] = CameraFilesResult


@dataclass(slots=True)
class PinholeData:
    """A camera without distortion; it looks along its x axis, z is up in its picture."""

    name: str
    width: int
    height: int
    focal: tuple[float, float]
    """[pixels]"""
    centre: tuple[float, float]
    """Where its axis meets the picture [pixels], from the upper left corner."""
    pose: list[float]
    """Its rotation by rows, then its place [m]: X_WC."""


@dataclass(slots=True)
class CameraFileResult(Result):
    """What a camera file declares."""

    cameras: list[PinholeData]
    lower: Vec3
    """Of the space to carve [m]."""
    upper: Vec3
    threshold: float
    """Of background subtraction, 0 to 255."""
    frames: int
    """Pictures of each camera; 0 where the file names none."""
    trouble: str
    """Why there are no pictures, in words; '' where there are."""


@dataclass(slots=True)
class CameraFileRequest(Question):
    """Where does a camera file place its cameras?"""

    KIND: ClassVar[str] = "camera_file"
    RESULT: ClassVar[type[Result]] = CameraFileResult
    file: File
    """In the project folder."""


@dataclass(slots=True)
class CameraPicturePiece(PieceHead):
    """A camera's picture, RGBA of each pixel; the body is opaque, all else is not."""

    KIND: ClassVar[str] = "picture"
    camera: int


@dataclass(slots=True)
class CameraPicturesResult(Result):
    """The pictures that were taken at one time; they come before."""

    name: str


@dataclass(slots=True)
class CameraPicturesRequest(Question):
    """What did the cameras of a camera file see?"""

    KIND: ClassVar[str] = "camera_pictures"
    RESULT: ClassVar[type[Result]] = CameraPicturesResult
    PIECES: ClassVar[tuple[type[PieceHead], ...]] = (CameraPicturePiece,)
    file: File
    frame: Annotated[int, Range(0, 999999)]
