"""SDF, the Simulation Description Format of Gazebo: its reader and writer."""

from __future__ import annotations

from kinegen.formats.format import Format, later
from kinegen.formats.robots.read.recognise import has_text

__all__ = ["FORMAT"]

FORMAT = Format(
    "sdf",
    "Simulation Description Format (Gazebo)",
    (".sdf", ".world"),
    later("kinegen.formats.robots.read.sdf_reader.sdf:read_sdf"),
    later("kinegen.formats.robots.write.sdf:write_sdf"),
    media_type="application/xml",
    options={"base": "fixed: put models without a fixed base on the ground; free: keep them free"},
    recognises=has_text(r"<sdf[\s>]"),
)
