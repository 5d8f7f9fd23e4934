"""Colours of the built-in plotter: two themes, and the shading of one colour."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kinegen.mechanism.shapes.shapes import Primitive, Role

__all__ = ["THEMES", "Theme", "fill_of", "shaded"]

BRANCHES = (
    "#4c8dc4",  # blue
    "#de8a4a",  # orange
    "#45a58d",  # bluish green
    "#b27fb4",  # purple
    "#d6b446",  # yellow
    "#7cc3e6",  # sky
    "#c8675a",  # vermilion
    "#8a93a3",  # grey
)
"""Limb colours: the hues of Okabe and Ito (2008), safe for colour-blind eyes, made calmer."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Every colour of a picture that does not come from the mechanism."""

    sky: str
    """Background at the top."""
    floor: str
    """Background at the bottom."""
    grid: str
    ink: str
    """Text."""
    faint: str
    """Secondary text, axes, scale bar."""
    outline: str
    outline_opacity: float
    shadow: str
    shadow_opacity: float
    halo: str
    """Behind labels."""
    platform: str
    ground: str
    joint: str
    motor: str
    tool: str
    axes: tuple[str, str, str]
    """x, y, z of a frame."""


THEMES: Mapping[str, Theme] = {
    "light": Theme(
        sky="#fdfdfe",
        floor="#eceff3",
        grid="#c3cad4",
        ink="#222a35",
        faint="#6d7786",
        outline="#1d2633",
        outline_opacity=0.55,
        shadow="#39465a",
        shadow_opacity=0.26,
        halo="#f8f9fb",
        platform="#d9dee6",
        ground="#b4bbc6",
        joint="#56606f",
        motor="#f0a830",
        tool="#7d8796",
        axes=("#d33f49", "#2f9e5c", "#2f6fd0"),
    ),
    "dark": Theme(
        sky="#1d232c",
        floor="#12161c",
        grid="#3a4452",
        ink="#eef1f5",
        faint="#98a3b3",
        outline="#05070a",
        outline_opacity=0.6,
        shadow="#000000",
        shadow_opacity=0.5,
        halo="#171c23",
        platform="#d5d9e0",
        ground="#798393",
        joint="#5d6878",
        motor="#f0a830",
        tool="#9aa4b2",
        axes=("#ff6b73", "#55c98a", "#6aa5ff"),
    ),
}


def fill_of(shape: Primitive, theme: Theme) -> str:
    """The colour of a primitive before any light falls on it."""
    if shape.color is not None and re.fullmatch(r"#(?:[0-9a-fA-F]{3}){1,2}", shape.color):
        digits = shape.color[1:].lower()
        return "#" + (digits if len(digits) == 6 else "".join(2 * digit for digit in digits))
    if shape.color in _NAMED:
        return _NAMED[shape.color]
    by_role = {Role.GROUND: theme.ground, Role.JOINT: theme.joint, Role.MOTOR: theme.motor}
    if shape.role in by_role:
        return by_role[shape.role]
    if shape.role is Role.TOOL:
        return theme.tool
    if shape.branch == 0:
        return theme.platform
    color = BRANCHES[(shape.branch - 1) % len(BRANCHES)]
    return _mixed(color, "#ffffff", 0.3) if shape.tone == 0 else color


def shaded(color: str, light: float) -> str:
    """The colour under a light: 1 keeps it, less darkens it, more lets it shine."""
    if light <= 1.0:
        # Shadows turn a little towards blue, as under an open sky.
        return _mixed("#0e1a33", color, max(light, 0.0))
    return _mixed(color, "#ffffff", min(light - 1.0, 1.0))


def _mixed(one: str, other: str, part: float) -> str:
    a, b = _rgb(one), _rgb(other)
    return "#" + "".join(f"{round(x + (y - x) * part):02x}" for x, y in zip(a, b, strict=True))


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


_NAMED = {
    "black": "#2a2e35",
    "blue": "#3f7fbf",
    "brown": "#8d6a52",
    "coral": "#e58a6d",
    "crimson": "#b8404f",
    "cyan": "#5cb8c4",
    "darkblue": "#2f4b7c",
    "darkgreen": "#33694f",
    "darkgray": "#5b6470",
    "darkred": "#8a3a3a",
    "gold": "#d9b044",
    "gray": "#8a93a3",
    "green": "#4a9a5f",
    "lightblue": "#a5cbe6",
    "lightgray": "#cdd2da",
    "lime": "#9cc65b",
    "magenta": "#b9609f",
    "maroon": "#7a3b48",
    "navy": "#33446b",
    "olive": "#8b8b4a",
    "orange": "#e08f45",
    "pink": "#e0a3b5",
    "purple": "#8a6bb0",
    "red": "#c9504a",
    "salmon": "#e59a85",
    "silver": "#c3c9d2",
    "skyblue": "#7fbde0",
    "steelblue": "#4f83b0",
    "tan": "#cbb28c",
    "teal": "#3f8f8f",
    "tomato": "#d9644c",
    "turquoise": "#56bdb0",
    "violet": "#a683c4",
    "white": "#f4f5f7",
    "yellow": "#e0c750",
}
"""Colours of RAFF files by name, made calmer: they stand beside the theme's."""
