"""The RAFF grammar of guides: a point of one link stays on a plane, line or curve of another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinegen.raff.sections.kinds import (
    Axis,
    Either,
    Flag,
    Key,
    ListOf,
    Number,
    Reference,
    Section,
    Word,
)
from kinegen.raff.sections.parts import (
    ANGLE,
    COLOR_KEY,
    DH_HINTS,
    LENGTH,
    NAME_KEY,
    NOTE_KEY,
    PLACEMENT_KEYS,
    XYZ,
)

__all__ = [
    "CURVE_FORMS",
    "CURVE_VARIABLE",
    "GUIDE",
    "GUIDE_CURVE",
    "GUIDE_POINT",
    "GUIDE_TYPES",
    "guide_parts",
    "has_depth",
]

GUIDE_TYPES = ("plane", "line", "circle", "curve")
CURVE_VARIABLE = "u"
"""What the formulas of a curve call the place along it."""
CURVE_FORMS = ("points", "bezier", "x")
"""Keys of a curve of which one says what it is; ``x`` stands for formulas."""
_PLACES = ListOf(ListOf(LENGTH, (2, 3), hint="x, y or x, y, z"))
_ALONG = Number("", variable=CURVE_VARIABLE)
GUIDE_CURVE = Section(
    "the curve of a guide",
    {
        "x": Key(_ALONG, "its x as a formula of u; needs y, and z if the curve is not flat"),
        "y": Key(_ALONG, "its y as a formula of u"),
        "z": Key(_ALONG, "its z as a formula of u", "0: flat"),
        "u": Key(Word(("angle", "length")), "what u is in formulas: an angle or a length", "angle"),
        "points": Key(_PLACES, "points that it passes through, smoothly: a cubic spline"),
        "closed": Key(Flag(), "points: whether the curve returns to the first one", "false"),
        "bezier": Key(_PLACES, "control points of a Bézier curve, from 3 to 8"),
    },
    {
        "spline": "points of a spline are 'points'",
        "formula": "specify 'x' and 'y' as formulas of u",
    },
)
GUIDE_POINT = Section(
    "the point of a guide",
    {
        "link": Key(Reference("link"), "the link that the point is on", "base"),
        "frame": Key(Reference("frame"), "the frame that the point is on, instead of a link"),
        "xyz": Key(XYZ, "the point on the link or frame", "[0, 0, 0]"),
        "axis": Key(Axis(), "pin: its direction on the link or frame", "z"),
    },
    {"parent": "the link is 'link', a frame is 'frame'"},
)
GUIDE = Section(
    "a guide",
    {
        "name": NAME_KEY,
        "parent": Key(
            Reference("place"), "the link or frame that the guide is fixed to", required=True
        ),
        **PLACEMENT_KEYS,
        "type": Key(
            Word(GUIDE_TYPES),
            "what the point stays on: a plane (z is its normal), a line (along z), a circle "
            "(about z) or a curve",
            required=True,
        ),
        "radius": Key(Number("length", "positive"), "circle: its radius"),
        "curve": Key(GUIDE_CURVE, "curve: its shape, as formulas or by points"),
        "point": Key(GUIDE_POINT, "the point that it guides", required=True),
        "pin": Key(
            Flag(),
            "whether the point is a pin, about which the link turns: about z of a plane, circle or "
            "curve, about x of a line",
            "false: it turns freely",
        ),
        "start": Key(
            Either(scalar=Number(), listing=ListOf(LENGTH, (2,), hint="x, y")),
            "where the point starts: along the line, on the circle, u of the curve, or [x, y] on "
            "the plane",
            "0",
        ),
        "turn": Key(
            Either(
                scalar=ANGLE,
                listing=ListOf(Number(), (3, 4), hint="roll, pitch, yaw or w, x, y, z"),
            ),
            "orientation of the link there at the start: an angle about a pin, or [roll, pitch, "
            "yaw] or [w, x, y, z]",
            "0",
        ),
        "limits": Key(
            ListOf(Number(), (2,), hint="lower, upper"),
            "[lower, upper] of its position on a line, circle or curve",
            "none; for an open curve, its ends",
        ),
        "size": Key(Number("length", "positive"), "edge length with which a plane is drawn"),
        "color": COLOR_KEY,
        "note": NOTE_KEY,
    },
    {**DH_HINTS, "onto": "the point is 'point: {link: …}'", "on": "what it stays on is 'type'"},
)


def guide_parts(name: str, kind: str, depth: bool = False) -> tuple[list[str], str]:
    """Names of the joints that move the point over a guide, and of the one at the point.

    Args:
        name: The guide's.
        kind: Its type.
        depth: Whether it is a curve in space.
    """
    slides = {"plane": ("x", "y"), "curve": ("s", "x", "y", *(("z",) if depth else ()))}
    return [f"{name}.{slide}" for slide in slides.get(kind, ("s",))], f"{name}.point"


def has_depth(curve: Mapping[str, Any]) -> bool:
    """Whether the curve of a guide, by its keys, leaves its xy plane."""
    places = curve.get("points") or curve.get("bezier") or ()
    return "z" in curve or any(len(one) == _DEPTH for one in places)


_DEPTH = 3
"""Coordinates of a point in space."""
