"""Colours of bodies, as logs and cameras show them."""

from __future__ import annotations

import re
from typing import TypeAlias

from kinegen.errors import UsageError, unknown_name

__all__ = ["Color", "check_color", "color_of"]

Color: TypeAlias = tuple[float, float, float]
"""Red, green and blue from 0 to 1."""

_NAMED = {
    "black": "000000", "blue": "0000ff", "brown": "a52a2a", "coral": "ff7f50",
    "crimson": "dc143c", "cyan": "00ffff", "darkblue": "00008b", "darkgreen": "006400",
    "darkgray": "a9a9a9", "darkred": "8b0000", "gold": "ffd700", "gray": "808080",
    "green": "008000", "lightblue": "add8e6", "lightgray": "d3d3d3", "lime": "00ff00",
    "magenta": "ff00ff", "maroon": "800000", "navy": "000080", "olive": "808000",
    "orange": "ffa500", "pink": "ffc0cb", "purple": "800080", "red": "ff0000",
    "salmon": "fa8072", "silver": "c0c0c0", "skyblue": "87ceeb", "steelblue": "4682b4",
    "tan": "d2b48c", "teal": "008080", "tomato": "ff6347", "turquoise": "40e0d0",
    "violet": "ee82ee", "white": "ffffff", "yellow": "ffff00",
}  # fmt: skip
"""The colours of CSS that RAFF knows by name."""
_USUAL = ("9aa7b4", "4c78a8", "f58518", "54a24b", "b279a2", "e45756", "72b7b2", "eeca3b")
"""Of links whose file gives no colour, in turn; the first is the ground's."""


def color_of(given: str | None, index: int) -> Color:
    """Red, green and blue from 0 to 1.

    Args:
        given: The colour of the file: a name, or "#rrggbb" or "#rgb"; None: the usual.
        index: Of the body, which chooses the usual colour.
    """
    text = (given or "").lstrip("#")
    text = _NAMED.get(text, text) or _USUAL[0 if index == 0 else 1 + index % (len(_USUAL) - 1)]
    if len(text) == 3:
        text = "".join(2 * digit for digit in text)
    red, green, blue = (int(text[i : i + 2], 16) / 255 for i in (0, 2, 4))
    return red, green, blue


def check_color(given: object, whose: str) -> None:
    """Refuse what is no colour.

    Args:
        given: A name, or "#rrggbb" or "#rgb".
        whose: For the message.
    """
    if not isinstance(given, str):
        raise UsageError(f"the color of {whose} must be a string, got {given!r}")
    if given not in _NAMED and not re.fullmatch("#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})", given):
        raise unknown_name("color", given, f"the colors that {whose} can have", _NAMED)
