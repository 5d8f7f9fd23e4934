"""The RAFF grammar of guides: a point of one link stays on a plane, line or circle of another."""

from __future__ import annotations

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

__all__ = ["GUIDE", "GUIDE_POINT", "GUIDE_TYPES", "guide_parts"]

GUIDE_TYPES = ("plane", "line", "circle")
GUIDE_POINT = Section(
    "the point of a guide",
    {
        "link": Key(Reference("link"), "the link that the point is on", "base"),
        "frame": Key(Reference("frame"), "the frame that the point is on, instead of a link"),
        "xyz": Key(XYZ, "the point on the link or frame", "[0, 0, 0]"),
        "axis": Key(Axis(), "of a pin: its direction on the link or frame", "z"),
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
            "what the point stays on: a plane (z is its normal), a line (along z) or a circle "
            "(about z)",
            required=True,
        ),
        "radius": Key(Number("length", "positive"), "of a circle"),
        "point": Key(GUIDE_POINT, "the point that it guides", required=True),
        "pin": Key(
            Flag(),
            "whether the point is a pin, about which the link turns: about the normal of a plane "
            "or circle, about x of a line",
            "false: it turns freely",
        ),
        "start": Key(
            Either(scalar=Number(), listing=ListOf(LENGTH, (2,), hint="x, y")),
            "where the point starts: along the line, on the circle, or [x, y] on the plane",
            "0",
        ),
        "turn": Key(
            Either(
                scalar=ANGLE,
                listing=ListOf(Number(), (3, 4), hint="roll, pitch, yaw or w, x, y, z"),
            ),
            "how the link is turned there at the start: an angle about a pin, else [roll, pitch, "
            "yaw] or [w, x, y, z]",
            "0",
        ),
        "limits": Key(
            ListOf(Number(), (2,), hint="lower, upper"),
            "[lower, upper] of where it may be on a line or circle",
            "none",
        ),
        "size": Key(Number("length", "positive"), "edge of a plane as it is drawn"),
        "color": COLOR_KEY,
        "note": NOTE_KEY,
    },
    {**DH_HINTS, "onto": "the point is 'point: {link: …}'", "on": "what it stays on is 'type'"},
)


def guide_parts(name: str, kind: str) -> tuple[list[str], str]:
    """Names of the joints that move the point over a guide, and of the one at the point."""
    slides = ("x", "y") if kind == "plane" else ("s",)
    return [f"{name}.{slide}" for slide in slides], f"{name}.point"
