"""Tables of heights in files: PNG pictures, CSV and NPY tables."""

from __future__ import annotations

import io
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kinegen.errors import FormatError
from kinegen.raff.png_pixels import png_pixels
from kinegen.raff.sections.parts import HEIGHT_FILES

__all__ = ["LARGEST_GRID", "read_heights"]

Heights = NDArray[np.float64]
LARGEST_GRID: Final = 1 << 20
"""Heights of one field: a picture of 1024 by 1024."""


def read_heights(name: str, content: bytes) -> Heights:
    """The heights in a file, (rows, columns); rows from the smallest y on, columns along x.

    A picture is seen from above, its upper edge at the largest y; black is 0 and white is 1.

    Raises:
        FormatError: The file is no such table.
    """
    suffix = name.lower()[-4:]
    read = {".png": _png, ".csv": _csv, ".npy": _npy}.get(suffix)
    if read is None:
        raise FormatError(f"'{name}' is not one of {', '.join(HEIGHT_FILES)}")
    try:
        grid = np.asarray(read(content), dtype=np.float64)
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None
    if grid.ndim != 2 or min(grid.shape) < 2:
        raise FormatError(f"{name}: heights need two rows and columns or more, not {grid.shape}")
    if grid.size > LARGEST_GRID:
        raise FormatError(f"{name}: {grid.size} heights; {LARGEST_GRID} are allowed")
    if not np.isfinite(grid).all():
        row, column = np.argwhere(~np.isfinite(grid))[0]
        raise FormatError(f"{name}: row {row + 1}, column {column + 1} is not a finite number")
    return grid


def _csv(content: bytes) -> Heights:
    rows: list[list[float]] = []
    for n, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        words = line.replace(";", ",").replace("\t", ",").split(",")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            rows.append([float(word) for word in words])
        except ValueError:
            raise FormatError(f"line {n}: '{line.strip()[:40]}' is not a row of numbers") from None
        if len(rows[-1]) != len(rows[0]):
            raise FormatError(
                f"line {n} has {len(rows[-1])} numbers; the first row has {len(rows[0])}"
            )
    return np.array(rows, dtype=np.float64).reshape(len(rows), -1 if rows else 0)


def _npy(content: bytes) -> Heights:
    try:
        found = np.load(io.BytesIO(content), allow_pickle=False)
        return np.asarray(found, dtype=np.float64)
    except (ValueError, TypeError, EOFError, OSError) as error:
        raise FormatError(f"it is not a NumPy array of numbers ({error})") from None


def _png(content: bytes) -> Heights:
    """Brightness from 0 to 1 of a PNG of 8 or 16 bits; the upper row comes last."""
    pixels = png_pixels(content, LARGEST_GRID)
    colours = pixels[..., : 3 if pixels.shape[2] > 2 else 1]
    return np.flipud(colours.mean(axis=2) / np.iinfo(pixels.dtype).max)
