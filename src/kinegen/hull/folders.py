"""Pictures in folders: a folder of PNG files per camera, equal names at equal times."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kinegen.errors import FormatError, UsageError
from kinegen.hull.background import silhouettes
from kinegen.hull.camera import PinholeCamera
from kinegen.hull.camera_file import CameraFile, CameraRow
from kinegen.hull.source import Frame
from kinegen.raff.png_pixels import png_pixels

__all__ = ["PictureFolders"]

OPAQUE = 128
"""Least opacity of a pixel that belongs to the body."""


class PictureFolders:
    """An image source: the folders that a camera file names.

    Files are in the order of their names. The body is what is opaque in pictures with opacity, and
    otherwise what differs from the camera's ``background``.
    """

    def __init__(self, file: CameraFile) -> None:
        """Look for the pictures; they are read frame by frame.

        Raises:
            UsageError: A folder is missing, empty, or has other files than the first one.
        """
        self.file = file
        self.names = self._names(file.rows[0])
        """Of the files that every folder has."""
        for row in file.rows[1:]:
            names = self._names(row)
            if names != self.names:
                odd = sorted(set(names) ^ set(self.names))[0]
                raise UsageError(
                    f"'{odd}' is not in the folders of both '{file.rows[0].camera.name}' and "
                    f"'{row.camera.name}': pictures that were taken together must have one name"
                )
        self._backgrounds = [
            None if row.background is None else self._pixels(row.background, row.camera)[0]
            for row in file.rows
        ]

    @property
    def cameras(self) -> tuple[PinholeCamera, ...]:
        """The cameras of the file."""
        return self.file.cameras

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.names)

    def frames(self) -> Iterator[Frame]:
        """All frames, in the order of their names."""
        return (self.frame(index) for index in range(len(self)))

    def frame(self, index: int) -> Frame:
        """One frame.

        Raises:
            UsageError: A picture does not fit its camera, or has neither opacity nor background.
        """
        name = self.names[index]
        pictures, masks = [], []
        for row, background in zip(self.file.rows, self._backgrounds, strict=True):
            assert row.images is not None
            picture, mask = self._pixels(row.images / name, row.camera)
            if mask is None and background is not None:
                mask = silhouettes(picture, background, threshold=self.file.threshold)
            if mask is None:
                raise UsageError(
                    f"'{row.images / name}' has no opacity, and camera '{row.camera.name}' has no "
                    "'background': specify a picture without the body"
                )
            pictures.append(picture)
            masks.append(mask)
        return Frame(Path(name).stem, np.stack(pictures), np.stack(masks))

    def _names(self, row: CameraRow) -> list[str]:
        if row.images is None:
            raise UsageError(f"camera '{row.camera.name}' has no 'images': specify a folder of PNG")
        if not row.images.is_dir():
            raise UsageError(f"camera '{row.camera.name}': there is no folder '{row.images}'")
        found = sorted(one.name for one in row.images.iterdir() if one.suffix.lower() == ".png")
        if not found:
            raise UsageError(f"camera '{row.camera.name}': no PNG files in '{row.images}'")
        return found

    def _pixels(
        self, path: Path, camera: PinholeCamera
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_] | None]:
        """Colours of a picture, and what is opaque, if it has opacity."""
        try:
            found = png_pixels(path.read_bytes(), camera.width * camera.height)
        except OSError as error:
            raise UsageError(f"'{path}' cannot be read: {error.strerror}") from None
        except FormatError as error:
            raise FormatError(f"{path}: {error}") from None
        if found.shape[:2] != (camera.height, camera.width):
            raise UsageError(
                f"'{path}' has {found.shape[1]} × {found.shape[0]} pixels; camera "
                f"'{camera.name}' has {camera.width} × {camera.height}"
            )
        bytes_ = (found >> 8 if found.dtype == np.uint16 else found).astype(np.uint8)
        channels = bytes_.shape[2]
        mask = bytes_[..., -1] >= OPAQUE if channels in (2, 4) else None
        colours = bytes_[..., :3] if channels > 2 else np.repeat(bytes_[..., :1], 3, axis=2)
        return np.ascontiguousarray(colours), mask
