"""Colours of points: palettes for links, a scale for numbers; all as RGB bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats

__all__ = ["PALETTES", "Colours", "colours_of", "palette_colours", "scale_colours", "value_ends"]

Colours: TypeAlias = npt.NDArray[np.uint8]

PALETTES: dict[str, tuple[tuple[int, int, int], ...]] = {
    # Okabe and Ito's eight colours (2008), which people with any colour vision can distinguish
    "safe": (
        (230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66), (0, 114, 178),
        (213, 94, 0), (204, 121, 167), (110, 110, 110),
    ),
    # 3D-RAS, section 4: base orange, shoulder yellow, elbow red, wrist magenta, gripper purple
    "paper": ((255, 165, 0), (255, 255, 0), (255, 0, 0), (255, 0, 255), (128, 0, 128)),
}  # fmt: skip

EXTREME = (0.02, 0.98)
"""Shares of the numbers beyond which they all have the colour of the scale's end."""

_SCALE = np.array(
    [(0, 32, 76), (60, 77, 110), (124, 123, 120), (187, 175, 113), (255, 233, 69)], dtype=float
)
"""From dark blue to yellow with even steps in brightness: readable without red and green."""


def palette_colours(index: npt.ArrayLike, palette: str = "safe") -> Colours:
    """Colours of whole numbers, (n, 3); numbers beyond the palette start it again."""
    if palette not in PALETTES:
        raise UsageError(f"there is no palette '{palette}'; palettes: {', '.join(PALETTES)}")
    colours = np.array(PALETTES[palette], dtype=np.uint8)
    picked: Colours = colours[np.asarray(index, dtype=np.int64) % len(colours)]
    return picked


def scale_colours(values: Floats, ends: Sequence[float] | None = None) -> Colours:
    """Colours of numbers from dark (lowest) to light (highest), (n, 3)."""
    low, high = ends if ends is not None else (float(np.min(values)), float(np.max(values)))
    share = np.clip((values - low) / (high - low if high > low else 1.0), 0, 1) * (len(_SCALE) - 1)
    below = np.minimum(share.astype(np.int64), len(_SCALE) - 2)
    part = (share - below)[:, None]
    mixed: Colours = np.rint(_SCALE[below] * (1 - part) + _SCALE[below + 1] * part).astype(np.uint8)
    return mixed


def value_ends(values: Floats) -> tuple[float, float]:
    """The ends of a scale for numbers of which a few are extreme, as those near singular poses."""
    low, high = np.quantile(values, EXTREME)
    return float(low), float(high)


def colours_of(values: Floats, layer: str, palette: str = "safe") -> Colours:
    """Colours of a layer's values, (n, 3): a palette for links, otherwise a colour scale."""
    flat = np.ravel(values)
    return palette_colours(flat, palette) if layer == "link" else scale_colours(flat)
