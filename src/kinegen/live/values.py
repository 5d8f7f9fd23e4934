"""Values that programs show: places, colours and numbers, checked and packed for the wire."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, did_you_mean
from kinegen.raff.sections.parts import COLORS
from kinegen.studio.wire.message import Vec3
from kinegen.studio.wire.messages.items import MOST_LETTERS, MOST_NUMBERS

__all__ = ["Color", "color_of", "number", "packed", "place", "places", "words"]

Color: TypeAlias = str | Sequence[float] | None
"""A name such as 'orange', '#ff8800', (r, g, b) from 0 to 1; None: the program's own."""

_HEX = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})\Z")


def place(values: npt.ArrayLike, what: str) -> Vec3:
    """Three finite numbers [m]."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise UsageError(f"{what} must be three numbers [m], got {values!r}") from None
    if array.shape != (3,) or not np.isfinite(array).all():
        raise UsageError(f"{what} must be three finite numbers [m], got {_short(values)}")
    x, y, z = array.tolist()
    return x, y, z


def places(values: npt.ArrayLike, what: str, least: int = 0) -> npt.NDArray[np.float64]:
    """Finite places (n, 3) [m]; (n, 2) lie in the plane z = 0."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise UsageError(
            f"{what} must be numbers of shape (n, 3) [m], got {_short(values)}"
        ) from None
    if array.size == 0:
        array = array.reshape(0, 3)
    if array.ndim == 2 and array.shape[1] == 2:
        array = np.column_stack([array, np.zeros(len(array))])
    if array.ndim != 2 or array.shape[1] != 3:
        raise UsageError(f"{what} must have the shape (n, 3) [m], got {array.shape}")
    if len(array) < least:
        raise UsageError(f"{what}: at least {least} are needed, got {len(array)}")
    if array.size > MOST_NUMBERS:
        raise UsageError(f"{what}: at most {MOST_NUMBERS // 3:,} can be shown, got {len(array):,}")
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if len(bad):
        raise UsageError(f"{what}: row {bad[0]} is not finite: {array[bad[0]]}")
    return array


def packed(array: npt.NDArray[Any], kind: str = "<f4") -> str:
    """Numbers as the page reads them: little endian, base64."""
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode("ascii")


def color_of(color: Color) -> str:
    """A colour as the page takes it, '' for the program's own."""
    if color is None or color == "":
        return ""
    if isinstance(color, str):
        if _HEX.match(color) or color in COLORS:
            return color
        hint = did_you_mean(color, COLORS) or "; write a name like orange, or '#ff8800'"
        raise UsageError(f"unknown color '{color[:40]}'{hint}")
    try:
        parts = [float(part) for part in color]
    except (TypeError, ValueError):
        parts = []
    if len(parts) != 3 or not all(0 <= part <= 1 for part in parts):
        raise UsageError(
            f"a color must be a name, '#rrggbb' or three numbers from 0 to 1, got {color!r}"
        )
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def number(value: Any, what: str, *, least: float = -math.inf, most: float = math.inf) -> float:
    """A finite number within bounds."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{what} must be a number, got {_short(value)}") from None
    if not math.isfinite(found) or not least <= found <= most:
        bounds = "" if least == -math.inf and most == math.inf else f" from {least:g} to {most:g}"
        raise UsageError(f"{what} must be a finite number{bounds}, got {_short(value)}")
    return found


def words(text: object, what: str, *, least: int = 0) -> str:
    """A text that is shown as it is."""
    if not isinstance(text, str):
        raise UsageError(f"{what} must be a string, got {_short(text)}")
    if not least <= len(text) <= MOST_LETTERS:
        raise UsageError(f"{what} must have {least} to {MOST_LETTERS} characters, got {len(text)}")
    return text


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
