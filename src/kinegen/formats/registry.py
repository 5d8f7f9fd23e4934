"""Which format a name or a file stands for; formats are plug-ins, the built-in ones too."""

from __future__ import annotations

import os

from kinegen.errors import FormatError, KinegenError
from kinegen.formats.format import Format
from kinegen.plug_ins import PlugIns

__all__ = [
    "BUILT_IN",
    "FORMATS",
    "GROUP",
    "find_reader",
    "format_named",
    "format_of",
    "formats",
    "no_format",
    "readable_suffixes",
]

GROUP = "kinegen.formats"
"""Entry-point group: every entry names a :class:`Format`."""

BUILT_IN = {
    "raff": "kinegen.formats.mechanisms.raff:FORMAT",
    "dh": "kinegen.formats.mechanisms.denavit_hartenberg:STANDARD",
    "mdh": "kinegen.formats.mechanisms.denavit_hartenberg:MODIFIED",
    "xacro": "kinegen.formats.robots.xacro:FORMAT",
    "urdf": "kinegen.formats.robots.urdf:FORMAT",
    "sdf": "kinegen.formats.robots.sdf:FORMAT",
    "mjcf": "kinegen.formats.robots.mjcf:FORMAT",
    "usd": "kinegen.formats.robots.usd:FORMAT",
    "x3d": "kinegen.formats.robots.x3d:FORMAT",
    "symoro": "kinegen.formats.mechanisms.symoro:FORMAT",
    "svg": "kinegen.formats.drawing.pictures.svg:FORMAT",
    "gltf": "kinegen.formats.drawing.gltf:FORMAT",
    "glb": "kinegen.formats.drawing.gltf:BINARY",
    "csv": "kinegen.formats.motions.table:CSV",
    "json": "kinegen.formats.motions.table:JSON",
    "eds": "kinegen.bridges.can.eds:FORMAT",
    "lerobot": "kinegen.bridges.lerobot:FORMAT",
    "page": "kinegen.studio.jobs.page_file.page:FORMAT",
    "python": "kinegen.formats.python_code.writer:FORMAT",
    "dxf": "kinegen.formats.workshop.dxf:FORMAT",
    "cut": "kinegen.formats.workshop.cut_svg:FORMAT",
    "stl": "kinegen.formats.workshop.stl:FORMAT",
    "3mf": "kinegen.formats.workshop.threemf:FORMAT",
    "step": "kinegen.formats.workshop.step:FORMAT",
    "parts": "kinegen.formats.workshop.parts_table:FORMAT",
    "fmu": "kinegen.formats.fmi.fmu:FORMAT",
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
    found = _of_suffix(file, for_writing=for_writing)
    if not found:
        raise no_format(file, for_writing=for_writing)
    return found[0]


def find_reader(file: str, text: str) -> Format | None:
    """The format that reads a file: by its suffix, and by its content where that is not enough.

    A format that is called like the suffix comes first, so that the others need not be loaded.
    """
    suffix = os.path.splitext(file)[1].lower()
    if suffix[1:] in FORMATS.entries:
        try:
            own = format_named(suffix[1:])
        except KinegenError:  # a broken plug-in, which is reported below
            own = None
        if own is not None and own.read is not None and suffix in own.suffixes:
            if own.recognises is None or own.recognises(text):
                return own
    found = _of_suffix(file)
    for among in (found, _usable()):
        known = [one for one in among if one.recognises is not None and one.recognises(text)]
        if known or any(one.recognises is None for one in found):
            return next(iter([*known, *found]), None)
    return next(iter(found), None)


def no_format(file: str, *, for_writing: bool = False) -> FormatError:
    """The error that nothing reads or writes such files, with the formats that there are."""
    suffix = os.path.splitext(file)[1].lower()
    verb = "writes" if for_writing else "reads"
    usable = _usable(for_writing=for_writing)
    listed = ", ".join(f"{f.name} ({' '.join(f.suffixes) or 'no suffix'})" for f in usable)
    return FormatError(f"no format {verb} '{suffix}' files such as {file}; name one: {listed}")


def readable_suffixes() -> list[str]:
    """The suffixes of all files that can be read, with the dot."""
    return list(dict.fromkeys(suffix for one in _usable() for suffix in one.suffixes))


def _of_suffix(file: str, *, for_writing: bool = False) -> list[Format]:
    suffix = os.path.splitext(file)[1].lower()
    return [one for one in _usable(for_writing=for_writing) if suffix in one.suffixes]


def _usable(*, for_writing: bool = False) -> list[Format]:
    return [f for f in formats().values() if (f.write if for_writing else f.read) is not None]
