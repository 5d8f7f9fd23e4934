"""URDF, the Unified Robot Description Format of ROS: its reader and writer."""

from __future__ import annotations

from kinegen.formats.format import Format, later
from kinegen.formats.robots.read.recognise import has_text

__all__ = ["FORMAT"]

FORMAT = Format(
    "urdf",
    "Unified Robot Description Format (ROS)",
    (".urdf",),
    later("kinegen.formats.robots.read.urdf_reader.urdf:read_urdf"),
    later("kinegen.formats.robots.write.urdf:write_urdf"),
    media_type="application/xml",
    recognises=has_text(r"<robot[\s>]"),
)
