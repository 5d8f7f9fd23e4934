"""The grammar of ``wall``: screens of a room that show the mechanism, each its part of it."""

from __future__ import annotations

from kinegen.raff.sections.kinds import Key, ListOf, Number, Section, Word
from kinegen.raff.sections.parts import DH_HINTS, NAME_KEY, NOTE_KEY, PLACEMENT_KEYS, XYZ

__all__ = ["CORNERS", "SCREEN", "SHOWS", "WALL"]

SHOWS = ("centre", "left", "right", "side-by-side", "top-bottom", "red-cyan")
"""Which eyes a screen shows, and for both of them how."""
CORNERS = ("lower_left", "lower_right", "upper_left")

_AT = Section("at", PLACEMENT_KEYS, DH_HINTS)
SCREEN = Section(
    "a screen",
    {
        "name": NAME_KEY,
        "lower_left": Key(
            XYZ, "its lower left corner as seen by the viewer, in room coordinates", required=True
        ),
        "lower_right": Key(XYZ, "its lower right corner in the room", required=True),
        "upper_left": Key(XYZ, "its upper left corner in the room", required=True),
        "shows": Key(
            Word(SHOWS),
            "centre: what an eye between both eyes sees; left, right: what that eye sees; "
            "side-by-side, top-bottom, red-cyan: a picture for each eye",
            "centre",
        ),
        "note": NOTE_KEY,
    },
    {
        "size": "its corners are 'lower_left', 'lower_right' and 'upper_left'",
        "corners": "its corners are 'lower_left', 'lower_right' and 'upper_left'",
        "upper_right": "it follows from the other three corners",
        "eye": "which eye it shows is 'shows'",
    },
)
WALL = Section(
    "the wall",
    {
        "screens": Key(ListOf(SCREEN), "one row per screen", required=True),
        "eye": Key(
            XYZ, "where the viewer's head is in the room while it is not tracked", required=True
        ),
        "eye_distance": Key(
            Number("length", "not negative"), "distance between the viewer's eyes", "63 mm"
        ),
        "at": Key(_AT, "placement of the room in the world of the mechanism", "at its origin"),
        "scale": Key(
            Number("number", "positive"), "metres of the world per metre of the room", "1"
        ),
        "tracker": Key(
            Section("tracker", PLACEMENT_KEYS, DH_HINTS),
            "placement of the camera or tracker that follows the head: y along its view, z up",
            "in the middle of the upper edge of the middle screen, facing the viewer",
        ),
        "note": NOTE_KEY,
    },
    {
        "head": "where the head is at first is 'eye'",
        "camera": "the camera that follows the head is 'tracker'",
        "xyz": "the room's placement is 'at: {xyz: […]}'",
    },
)
