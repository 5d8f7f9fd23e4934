"""What texts may be under some keys: colours, assembly modes, files of meshes."""

from __future__ import annotations

import re
from typing import Final

from kinegen.errors import did_you_mean
from kinegen.file_names import legible, path_fault
from kinegen.raff.sections.parts import COLORS
from kinegen.raff.wording import short

__all__ = ["BODIES", "text_fault"]

BODIES: Final = ("shape", "collision")
"""Keys with a body as their value."""
_MODE = re.compile(r"(?:[1-9][0-9]{0,3}|[-+0]+)\Z")
_HEX = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})\Z")
_MESHES = (".stl", ".obj", ".ply", ".dae", ".glb", ".gltf")


def text_fault(key: str, text: str) -> str:
    """What is wrong with a text under a key; '' when nothing is."""
    if key == "color" and not _HEX.match(text) and text not in COLORS:
        hint = did_you_mean(text, COLORS) or '; write a name like orange, or "#ff8800"'
        return f"unknown color '{short(text)}'{hint}"
    if key == "mode" and not _MODE.match(text):
        return (
            f"mode '{short(text)}' is neither a number (1, 2, …) nor signs (\"+-\"); "
            "'kinegen assemble FILE --modes' lists both"
        )
    if key == "mesh":
        return _mesh_fault(key, text, "", "")
    if key in BODIES and text not in ("auto", "none"):
        return _mesh_fault(key, text, "auto, none, or ", did_you_mean(text, ("auto", "none")))
    return ""


def _mesh_fault(key: str, file: str, others: str, hint: str) -> str:
    if not file.lower().endswith(_MESHES):
        return f"{key} '{short(file)}' is not {others}a mesh file ({' '.join(_MESHES)}){hint}"
    fault = path_fault(file)
    return f"{key} '{legible(file)}' cannot be a file: {fault}" if fault else ""
