"""Rules within ``wall``: screens that are rectangles, under different names."""

from __future__ import annotations

from kinegen.raff.records import Row
from kinegen.raff.rules.row_rules import RowRules
from kinegen.raff.sections.wall import CORNERS

__all__ = ["check_wall"]

RIGHT_ANGLE = 0.02
"""Largest cosine of the angle at a screen's corner: 1° off, which nobody sees on a real screen."""


def check_wall(rules: RowRules, wall: Row) -> None:
    """At least one screen, names that differ, corners that span a rectangle."""
    rules.placed(wall)
    if "tracker" in wall.values:
        rules.placement(wall.values["tracker"])
    screens = wall.values.get("screens")
    if screens is not None and not screens:
        rules.problem(wall.place("screens"), "a wall has at least one screen")
    seen: set[str] = set()
    for screen in screens or ():
        name = screen.values.get("name")
        if name in seen:
            rules.problem(screen.place("name"), f"two screens have the name '{name}'")
        seen.add(name)
        _check_corners(rules, screen)


def _check_corners(rules: RowRules, screen: Row) -> None:
    """Width and height that are not 0, at a right angle."""
    places = []
    for key in CORNERS:
        numbers = [rules.number(one) for one in screen.values.get(key) or ()]
        known = [one for one in numbers if one is not None]
        if len(known) != 3:
            return  # reported elsewhere
        places.append(known)
    origin, right, up = places
    width, height = ([a - b for a, b in zip(end, origin, strict=True)] for end in (right, up))
    lengths = [sum(x * x for x in edge) ** 0.5 for edge in (width, height)]
    for length, key in zip(lengths, CORNERS[1:], strict=True):
        if length < 1e-6:
            rules.problem(screen.place(key), f"{key} is at the same place as lower_left")
            return
    cosine = sum(a * b for a, b in zip(width, height, strict=True)) / (lengths[0] * lengths[1])
    if abs(cosine) > RIGHT_ANGLE:
        rules.problem(
            screen.place("upper_left"),
            "the edges of a screen are perpendicular: lower_left to lower_right and lower_left to "
            f"upper_left are not (cosine {cosine:.3g})",
        )
