"""X3D, scenes for web pages and viewers: its writer."""

from __future__ import annotations

from kinegen.formats.format import Format, later

__all__ = ["FORMAT"]

FORMAT = Format(
    "x3d",
    "X3D scene with named transforms, motions as interpolators",
    (".x3d",),
    write=later("kinegen.formats.robots.write.x3d:write_x3d"),
    has_motions=True,
    media_type="model/x3d+xml",
)
