"""Mesh files that an exported page carries in itself, with their materials and textures."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kinegen.errors import UsageError
from kinegen.formats.drawing.mesh_surfaces import TOTAL_SHOWN
from kinegen.mechanism.graph import Mechanism
from kinegen.studio.server.uploading.meshes import LARGEST, MESHES, parts_of

__all__ = ["CarriedMeshes", "carried_meshes"]


@dataclass(slots=True)
class CarriedMeshes:
    """The files of one page."""

    files: dict[str, bytes] = field(default_factory=dict)
    """By the path under which the page knows them."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Reasons, by path."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not shown, and why."""
        return tuple(f"mesh '{file}' is left out: {why}" for file, why in self.left_out.items())

    @property
    def size(self) -> int:
        """Of all files together [bytes]."""
        return sum(map(len, self.files.values()))


def carried_meshes(mechanism: Mechanism) -> CarriedMeshes:
    """The mesh files that links and objects name, each once; those that are too large are not."""
    made = CarriedMeshes()
    links = [mechanism.base, *(joint.link for joint in mechanism.joints.values())]
    shapes = [link.shape for link in links]
    shapes += [row.get("shape") for row in mechanism.scene.get("objects") or ()]
    for name in dict.fromkeys(name for shape in shapes for name in _meshes(shape)):
        _add(made, mechanism, name)
    return made


def _meshes(shape: Any) -> Iterator[str]:
    """Names of mesh files in a shape as the file has it."""
    if isinstance(shape, str):
        if shape not in ("auto", "none"):
            yield shape
    elif isinstance(shape, dict):
        if "mesh" in shape:
            yield str(shape["mesh"])
    elif shape is not None:
        for one in shape:
            yield from _meshes(one)


def _add(made: CarriedMeshes, mechanism: Mechanism, name: str, *, is_part: bool = False) -> None:
    """Add a file and what it brings in; why not, where that is impossible."""
    path = posixpath.normpath(name.replace("\\", "/"))
    if path in made.files or path in made.left_out:
        return
    if mechanism.opener is None:
        made.left_out[path] = "a text alone has no files"
        return
    try:
        data = mechanism.opener.content(name, largest=LARGEST)
    except UsageError as error:
        made.left_out[path] = str(error)
        return
    if made.size + len(data) > TOTAL_SHOWN:
        made.left_out[path] = f"the meshes of one page may have {TOTAL_SHOWN >> 20} MB in total"
        return
    made.files[path] = data
    suffix = posixpath.splitext(path)[1].lower()
    if suffix in (".obj", ".dae", ".gltf", ".mtl") and (suffix in MESHES or is_part):
        for part in sorted(parts_of(path, data)):
            _add(made, mechanism, part, is_part=True)
