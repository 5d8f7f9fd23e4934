"""MJCF, MuJoCo's own format: its reader and writer."""

from __future__ import annotations

from kinegen.formats.format import Format
from kinegen.formats.robots.read.mjcf import read_mjcf
from kinegen.formats.robots.read.recognise import has_text
from kinegen.formats.robots.write.mjcf import write_mjcf

__all__ = ["FORMAT"]

FORMAT = Format(
    "mjcf",
    "MuJoCo's own format",
    (".mjcf", ".xml"),
    read_mjcf,
    write_mjcf,
    media_type="application/xml",
    options={"key": "reading: the keyframe at which the mechanism starts; default: the first"},
    recognises=has_text(r"<mujoco(inc\w*)?[\s>]"),
)
