"""USD, Universal Scene Description as text: its writer."""

from __future__ import annotations

from kinegen.formats.format import Format, later

__all__ = ["FORMAT"]

FORMAT = Format(
    "usd",
    "Universal Scene Description as text, with physics",
    (".usda",),
    write=later("kinegen.formats.robots.write.usd:write_usd"),
    media_type="model/vnd.usda",
)
