"""Which format a name or a file stands for; formats are plug-ins, the built-in ones too."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import PurePath

from kinegen.errors import FormatError, unknown_name
from kinegen.formats.format import Format

__all__ = ["BUILT_IN", "GROUP", "format_named", "format_of", "formats"]

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


@cache
def formats() -> dict[str, Format]:
    """All formats by name; a plug-in that cannot be loaded is skipped with a warning."""
    entries = {name: EntryPoint(name, value, GROUP) for name, value in BUILT_IN.items()}
    entries |= {entry.name: entry for entry in entry_points(group=GROUP)}
    found: dict[str, Format] = {}
    for name, entry in entries.items():
        try:
            loaded = entry.load()
            if not isinstance(loaded, Format):
                raise TypeError(f"{entry.value} is not a Format but a {type(loaded).__name__}")
        except Exception as error:
            warnings.warn(
                f"format plug-in '{name}' ({entry.value}) is skipped: "
                f"{type(error).__name__}: {error}",
                RuntimeWarning,
                stacklevel=2,
            )
            continue
        found[name] = loaded
    return found


def format_named(name: str) -> Format:
    """A format by its name; NameNotFoundError when there is none."""
    known = formats()
    if name not in known:
        raise unknown_name("format", name, "Kinegen or its plug-ins", known)
    return known[name]


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
