"""STL: every part of a mechanism as a file of its own, in millimetres."""

from __future__ import annotations

from kinegen.file_names import portable
from kinegen.formats.workshop.names import distinct
from kinegen.formats.workshop.printing import printed_parts
from kinegen.formats.workshop.solid_part import SolidAssembly
from kinegen.workspace.export import stl_file

__all__ = ["stl_files"]


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
