"""xacro, URDF with macros: its reader."""

from __future__ import annotations

from kinegen.formats.format import Format, later
from kinegen.formats.robots.read.recognise import has_text

__all__ = ["FORMAT"]

FORMAT = Format(
    "xacro",
    "URDF with macros (ROS)",
    (".xacro",),
    later("kinegen.formats.robots.read.urdf_reader.xacro:read_xacro"),
    options={"args": "values for its arguments: name:=value, separated by spaces"},
    recognises=has_text(r"<xacro:|\$\{|\$\("),
)
