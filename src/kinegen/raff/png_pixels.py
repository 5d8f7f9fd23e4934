"""Pixels of PNG pictures."""

from __future__ import annotations

import struct
import zlib
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kinegen.errors import FormatError

__all__ = ["png_pixels"]

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_CHANNELS: Final = {0: 1, 2: 3, 4: 2, 6: 4}
"""Numbers per pixel by a PNG's colour type; palettes are not among them."""


def png_pixels(content: bytes, most: int) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """The pixels of a PNG of 8 or 16 bits, (height, width, channels).

    One channel is grey, two are grey and opacity, three colours, four colours and opacity.

    Args:
        content: Of the file.
        most: Pixels that are allowed.

    Raises:
        FormatError: It is no such picture.
    """
    if not content.startswith(_SIGNATURE):
        raise FormatError("it is not a PNG picture")
    head, data, at = b"", [], len(_SIGNATURE)
    while at + 8 <= len(content):
        size, kind = struct.unpack_from(">I4s", content, at)
        body = content[at + 8 : at + 8 + size]
        head = body if kind == b"IHDR" else head
        data += [body] if kind == b"IDAT" else []
        at += size + 12
    if len(head) != 13:
        raise FormatError("the picture has no PNG header")
    width, height, bits, color, _, _, interlaced = struct.unpack(">IIBBBBB", head)
    channels = _CHANNELS.get(color)
    if channels is None or bits not in (8, 16) or interlaced:
        raise FormatError("PNG must be grey or colour, of 8 or 16 bits, not interlaced")
    if width * height > most:
        raise FormatError(f"{width} by {height} pixels; {most} are allowed")
    step = channels * bits // 8
    wide = 1 + width * step
    try:
        raw = zlib.decompressobj().decompress(b"".join(data), wide * height)
    except zlib.error:
        raise FormatError("the picture is damaged") from None
    if len(raw) != wide * height:
        raise FormatError("the picture is truncated")
    lines = np.frombuffer(raw, np.uint8).reshape(height, wide)
    found = _unfiltered(lines, step)
    if bits == 16:
        return found.view(">u2").astype(np.uint16).reshape(height, width, channels)
    return found.reshape(height, width, channels)


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
