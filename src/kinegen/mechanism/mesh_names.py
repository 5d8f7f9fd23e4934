"""Names of mesh files in a mechanism: relative to the folder that its text is in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from kinegen.mechanism.graph import Mechanism

__all__ = ["mesh_names", "move_meshes"]


def mesh_names(mechanism: Mechanism) -> Iterator[str]:
    """The mesh files that links and objects name."""
    found: list[str] = []

    def note(name: str) -> str:
        found.append(name)
        return name

    _rename(mechanism, note)
    return iter(found)


def move_meshes(
    mechanism: Mechanism, old: str | os.PathLike[str], new: str | os.PathLike[str]
) -> None:
    """Name the same meshes from another folder."""

    def moved(name: str) -> str:
        if os.path.isabs(name):
            return name
        place = os.path.join(os.path.realpath(old), name)
        try:
            return os.path.relpath(place, os.path.realpath(new)).replace(os.sep, "/")
        except ValueError:  # another drive
            return os.path.normpath(place)

    _rename(mechanism, moved)


def _rename(mechanism: Mechanism, change: Callable[[str], str]) -> None:
    """Change the name of every mesh file."""
    for link in (mechanism.base, *(joint.link for joint in mechanism.joints.values())):
        link.shape = _shape(link.shape, change)
        if link.collision is not None:
            link.collision = _shape(link.collision, change)
    for row in mechanism.scene.get("objects", ()):
        if "shape" in row:
            row["shape"] = _shape(row["shape"], change)


def _shape(shape: Any, change: Callable[[str], str]) -> Any:
    if isinstance(shape, list):
        return [_shape(one, change) for one in shape]
    if isinstance(shape, dict):
        return {**shape, "mesh": change(shape["mesh"])} if "mesh" in shape else shape
    return shape if shape in ("auto", "none") else change(shape)
