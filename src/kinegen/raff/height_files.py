"""Tables of heights in files: PNG pictures, CSV and NPY tables."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kinegen.errors import FormatError
from kinegen.raff.sections.parts import HEIGHT_FILES

__all__ = ["LARGEST_GRID", "read_heights"]

Heights = NDArray[np.float64]
LARGEST_GRID: Final = 1 << 20
"""Heights of one field: a picture of 1024 by 1024."""
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_CHANNELS: Final = {0: 1, 2: 3, 4: 2, 6: 4}
"""Numbers per pixel by a PNG's colour type; palettes are not among them."""


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
    if not content.startswith(_SIGNATURE):
        raise FormatError("it is not a PNG picture")
    head, data, at = b"", b"", len(_SIGNATURE)
    while at + 8 <= len(content):
        size, kind = struct.unpack_from(">I4s", content, at)
        body = content[at + 8 : at + 8 + size]
        head, data = (body if kind == b"IHDR" else head), data + (body if kind == b"IDAT" else b"")
        at += size + 12
    if len(head) != 13:
        raise FormatError("the picture has no head")
    width, height, bits, color, _, _, interlaced = struct.unpack(">IIBBBBB", head)
    channels = _CHANNELS.get(color)
    if channels is None or bits not in (8, 16) or interlaced:
        raise FormatError(
            "heights are read from grey or colour PNG of 8 or 16 bits, not interlaced"
        )
    if width * height > LARGEST_GRID:
        raise FormatError(f"{width} by {height} pixels; {LARGEST_GRID} are allowed")
    step = channels * bits // 8
    wide = 1 + width * step
    try:
        raw = zlib.decompressobj().decompress(data, wide * height)
    except zlib.error:
        raise FormatError("the picture is damaged") from None
    if len(raw) != wide * height:
        raise FormatError("the picture is cut off")
    lines = np.frombuffer(raw, np.uint8).reshape(height, wide)
    pixels = _unfiltered(lines, step).reshape(height, width, step)
    depth = pixels.astype(np.float64)
    if bits == 16:
        depth = depth[..., 0::2] * 256 + depth[..., 1::2]
    colours = depth[..., : 3 if channels > 2 else 1]
    return np.flipud(colours.mean(axis=2) / (255 if bits == 8 else 65535))


def _unfiltered(lines: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    """Bytes of the pixels, from each line's difference to its neighbours (PNG, section 9)."""
    out = np.zeros((len(lines), lines.shape[1] - 1), np.uint8)
    above = np.zeros(out.shape[1], np.uint8)
    for line, row in zip(lines, out, strict=True):
        kind, values = int(line[0]), line[1:]
        match kind:
            case 0:
                row[:] = values
            case 1:
                ring = values.reshape(-1, step)
                row[:] = np.cumsum(ring, axis=0, dtype=np.uint8).ravel()
            case 2:
                row[:] = values + above
            case 3 | 4:
                _by_neighbours(kind, values, above, step, row)
            case _:
                raise FormatError("the picture is damaged")
        above = row
    return out


def _by_neighbours(
    kind: int, values: NDArray[np.uint8], above: NDArray[np.uint8], step: int,
    row: NDArray[np.uint8],
) -> None:  # fmt: skip
    """A line that is filtered by the mean of left and above (3), or by Paeth's choice (4)."""
    given, up = values.tolist(), above.tolist()
    made: list[int] = []
    for i, value in enumerate(given):
        left = made[i - step] if i >= step else 0
        corner = up[i - step] if i >= step else 0
        if kind == 3:
            near = (left + up[i]) // 2
        else:
            guess = left + up[i] - corner
            near = min((left, up[i], corner), key=lambda one: abs(guess - one))
        made.append((value + near) & 255)
    row[:] = made
