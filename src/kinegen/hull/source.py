"""Image sources: where the pictures of several cameras come from, frame by frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, SupportsIndex, runtime_checkable

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.hull.camera import PinholeCamera
from kinegen.hull.carving import Hull, carve
from kinegen.kernels import Floats

__all__ = ["CarvedFrame", "Frame", "ImageSource", "hulls"]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Pictures that all cameras took at the same time."""

    name: str
    """Name of the frame, such as the name of its files."""
    pictures: npt.NDArray[np.uint8]
    """(cameras, height, width, 3)"""
    silhouettes: npt.NDArray[np.bool_]
    """Where the body is, (cameras, height, width)."""


@runtime_checkable
class ImageSource(Protocol):
    """Cameras and their pictures. Any object with these two members is a source."""

    @property
    def cameras(self) -> Sequence[PinholeCamera]:
        """Where the cameras are."""
        ...

    def frames(self) -> Iterator[Frame]:
        """The pictures, frame by frame; may be endless."""
        ...


class CarvedFrame(NamedTuple):
    """The pictures of one time, and the body that they show."""

    frame: Frame
    hull: Hull


def hulls(
    source: ImageSource,
    box: npt.ArrayLike | Floats,
    resolution: SupportsIndex = 64,
    *,
    smoothing: SupportsIndex = 2,
) -> Iterator[CarvedFrame]:
    """Carve every frame of a source; arguments as for :func:`carve`."""
    if not isinstance(source, ImageSource):
        raise UsageError(
            f"a source of pictures has 'cameras' and 'frames()'; {type(source).__name__} lacks one"
        )
    for frame in source.frames():
        hull = carve(
            source.cameras, frame.silhouettes, box, resolution, pictures=frame.pictures,
            smoothing=smoothing,
        )  # fmt: skip
        yield CarvedFrame(frame, hull)
