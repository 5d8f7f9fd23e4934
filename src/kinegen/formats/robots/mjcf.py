"""MJCF, MuJoCo's own format: its reader and writer."""

from __future__ import annotations

from kinegen.formats.format import Format, later
from kinegen.formats.robots.read.recognise import has_text

__all__ = ["FORMAT"]

FORMAT = Format(
    "mjcf",
    "MuJoCo's own format",
    (".mjcf", ".xml"),
    later("kinegen.formats.robots.read.mjcf_reader.mjcf:read_mjcf"),
    later("kinegen.formats.robots.write.mjcf_writer.mjcf:write_mjcf"),
    media_type="application/xml",
    options={
        "key": "reading: the keyframe at which the mechanism starts; default: the first",
        "step": "writing: MuJoCo's time step [s]; loops are as stiff as it allows; default: 0.001",
    },
    recognises=has_text(r"<mujoco(inc\w*)?[\s>]"),
)
