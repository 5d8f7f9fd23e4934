"""URDF, the Unified Robot Description Format of ROS: its reader and writer."""

from __future__ import annotations

from kinegen.formats.format import Format
from kinegen.formats.robots.read.recognise import has_text
from kinegen.formats.robots.read.urdf import read_urdf
from kinegen.formats.robots.write.urdf import write_urdf

__all__ = ["FORMAT"]

FORMAT = Format(
    "urdf",
    "Unified Robot Description Format (ROS)",
    (".urdf",),
    read_urdf,
    write_urdf,
    media_type="application/xml",
    recognises=has_text(r"<robot[\s>]"),
)
