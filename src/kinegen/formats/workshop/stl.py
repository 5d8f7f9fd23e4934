"""STL: every part of a mechanism as a file of its own, in millimetres."""

from __future__ import annotations

from collections.abc import Mapping

from kinegen.file_names import portable
from kinegen.formats.format import Format, Written
from kinegen.formats.workshop.names import distinct
from kinegen.formats.workshop.solid.options import SOLID_OPTIONS, solids_asked
from kinegen.formats.workshop.solid.part import SolidAssembly
from kinegen.formats.workshop.solid.printing import printed_parts
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.workspace.export import stl_file

__all__ = ["FORMAT", "stl_files"]


def stl_files(assembly: SolidAssembly) -> tuple[dict[str, bytes], list[str]]:
    """Content of every file by its name, and what a maker should know."""
    parts, messages = printed_parts(assembly)
    names = distinct(portable(one.part.name) for one in parts)
    head = b"kinegen, lengths in millimetres"
    files = {
        f"{name}.stl": stl_file(one.mesh.vertices, one.mesh.triangles, head)
        for name, one in zip(names, parts, strict=True)
    }
    return files, messages


def _write(
    mechanism: Mechanism,
    *,
    options: Mapping[str, str],
    file: str = "",
    q: Floats | None = None,
    motion: str | None = None,
) -> Written:
    FORMAT.check_options(options)
    files, messages = stl_files(solids_asked(mechanism, q, options))
    return Written(None, tuple(messages), files)


FORMAT = Format(
    "stl",
    "every part as a printable solid, one STL file each [mm]",
    (".stl",),
    write=_write,
    options=SOLID_OPTIONS,
    media_type="model/stl",
    needs={"manifold3d": "workshop"},
)
