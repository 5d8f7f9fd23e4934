"""Which format a name or a file stands for; formats are plug-ins, the built-in ones too."""

from __future__ import annotations

from pathlib import PurePath

from kinegen.errors import FormatError
from kinegen.formats.format import Format
from kinegen.plug_ins import PlugIns

__all__ = ["BUILT_IN", "FORMATS", "GROUP", "format_named", "format_of", "formats"]

GROUP = "kinegen.formats"
"""Entry-point group: every entry names a :class:`Format`."""

BUILT_IN = {
    "raff": "kinegen.formats.mechanisms.raff:FORMAT",
    "dh": "kinegen.formats.mechanisms.denavit_hartenberg:STANDARD",
    "mdh": "kinegen.formats.mechanisms.denavit_hartenberg:MODIFIED",
    "symoro": "kinegen.formats.mechanisms.symoro:FORMAT",
    "svg": "kinegen.formats.drawing.svg:FORMAT",
    "gltf": "kinegen.formats.drawing.gltf:FORMAT",
    "page": "kinegen.studio.jobs.page:FORMAT",
}
"""Kinegen's own entries, as in pyproject.toml: for a source tree that is not installed."""

FORMATS = PlugIns[Format](
    "format", GROUP, BUILT_IN, lambda one: isinstance(one, Format), "a Format"
)


def formats() -> dict[str, Format]:
    """All formats by name; a plug-in that cannot be loaded is skipped with a warning."""
    return FORMATS.all()


def format_named(name: str) -> Format:
    """A format by its name; NameNotFoundError when there is none."""
    return FORMATS.named(name)


def format_of(file: str, *, for_writing: bool = False) -> Format:
    """The format of a file, by its suffix; FormatError when none reads or writes such files."""
    suffix = PurePath(file).suffix.lower()
    usable = [f for f in formats().values() if (f.write if for_writing else f.read) is not None]
    for candidate in usable:
        if suffix in candidate.suffixes:
            return candidate
    verb = "writes" if for_writing else "reads"
    listed = ", ".join(f"{f.name} ({' '.join(f.suffixes) or 'no suffix'})" for f in usable)
    raise FormatError(f"no format {verb} '{suffix}' files such as {file}; name one: {listed}")
