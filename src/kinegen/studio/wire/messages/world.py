"""What a running world has: sensors, cameras and their pictures, nodes, logs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from kinegen.studio.wire.message import Length, Message, Range

__all__ = [
    "CameraData",
    "LogData",
    "NodeData",
    "PictureHead",
    "SensorData",
    "SetAttribute",
]


@dataclass(slots=True)
class CameraData:
    """What a camera's pictures are like."""

    width: int
    height: int
    """[pixels]"""
    opening: float
    """Vertical [rad]."""
    near: float
    far: float
    """[m]"""
    images: list[str]
    """Which it takes: color, depth, segmentation."""
    is_drawn: bool
    """Whether the studio draws them; else the page shows its own view from there."""


@dataclass(slots=True)
class SensorData:
    """A sensor of a running world, as a page draws it."""

    name: str
    type: str
    node: str
    """Link or object that it is mounted on; '' where it has no place."""
    place: list[float]
    """There: wxyz xyz."""
    signals: list[str]
    """What it writes."""
    range: float
    """Farthest distance that it measures [m]; 0 where it measures none."""
    camera: CameraData | None = None
    read: list[str] = field(default_factory=list)
    """Those of its signals that agents have read so far."""


@dataclass(slots=True)
class PictureHead:
    """What a picture of a camera is; it follows as a PNG file."""

    signal: str
    time: float
    """When it was taken [s]."""
    low: float
    high: float
    """The least and greatest depth in it [m]; 0 where it has none."""


@dataclass(slots=True)
class NodeData:
    """A node of a running world, and the attributes that it was given."""

    name: str
    type: str
    parent: str
    attributes: dict[str, str]
    """In words; those that are numbers are signals too."""


@dataclass(slots=True)
class SetAttribute(Message):
    """Give a node of the running world an attribute; no answer."""

    KIND: ClassVar[str] = "set_attribute"
    node: Annotated[str, Length(1, 200)]
    name: Annotated[str, Length(1, 100)]
    value: Annotated[float, Range(-1e300, 1e300)]
    unit: Annotated[str, Length(0, 20)] = ""


@dataclass(slots=True)
class LogData:
    """A log of the running world that is being written, or the last one that was."""

    file: str
    """In the project folder."""
    start: float
    """[s]"""
    end: float | None = None
    """[s]; None: it is being written."""
    size: int = 0
    """[bytes] Of one that is finished."""
    link: str = ""
    """Where a finished one is fetched from."""
