"""Kinds of mesh files, told by what is in them and not by their name alone."""

from __future__ import annotations

import posixpath
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any
from urllib.parse import quote

import orjson

from kinegen.errors import UsageError

__all__ = ["MESHES", "PARTS", "check_mesh", "meshes_of", "names_part"]

MESHES = {
    ".stl": "model/stl",
    ".obj": "model/obj",
    ".gltf": "model/gltf+json",
    ".glb": "model/gltf-binary",
}
"""Media types by file ending."""
PARTS = (".bin", ".png", ".jpg", ".jpeg")
"""Endings of what glTF files bring in from beside them."""
_MOST_VALUES = 2_000_000
"""In a glTF file, where coordinates are packed: each takes some 100 bytes when it is read."""
_VERTEX = re.compile(rb"^v ", re.MULTILINE)


def check_mesh(suffix: str, data: bytes) -> None:
    """Refuse a file whose content is not of the kind that its ending says."""
    if not _CHECKS[suffix](data):
        raise UsageError(f"the file ends in {suffix} but its content is not of that kind")


def meshes_of(shape: Any) -> Iterator[str]:
    """The mesh files that a shape as in ``model_data.shape_data`` names."""
    if isinstance(shape, str):
        if posixpath.splitext(shape)[1].lower() in MESHES:
            yield shape
    elif isinstance(shape, Mapping):
        yield from meshes_of(shape.get("mesh"))
    elif isinstance(shape, list):
        for one in shape:
            yield from meshes_of(one)


def names_part(mesh: str, content: Callable[[str], IO[bytes]], part: str) -> bool:
    """Whether a glTF mesh brings in another file of the project folder; ``content`` opens it."""
    folder, suffix = posixpath.split(mesh)[0], posixpath.splitext(mesh)[1].lower()
    if suffix not in (".gltf", ".glb") or posixpath.splitext(part)[1].lower() not in PARTS:
        return False
    named = posixpath.relpath(part, folder or ".")
    with content(mesh) as file:
        data = file.read()
    return any(
        b'"' + start + text.encode() + b'"' in data
        for start in (b"", b"./")
        for text in {named, quote(named)}
    )


def _is_stl(data: bytes) -> bool:
    """Binary: 80 bytes of header, a count, 50 bytes per triangle; else text."""
    if len(data) >= 84:
        (count,) = struct.unpack_from("<I", data, 80)
        if len(data) == 84 + 50 * count:
            return True
    return data[:5].lower() == b"solid" and b"facet" in data[:2000] and _is_text(data)


def _is_obj(data: bytes) -> bool:
    return _is_text(data) and _VERTEX.search(data) is not None


def _is_gltf(data: bytes) -> bool:
    if sum(map(data.count, (b"{", b"[", b","))) > _MOST_VALUES:
        raise UsageError(
            f"the glTF file has more than {_MOST_VALUES:,} values; keep its numbers in buffers"
        )
    try:
        content = orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    return isinstance(content, dict) and isinstance(content.get("asset"), dict)


def _is_glb(data: bytes) -> bool:
    """Magic word, version 2, length of the whole."""
    if len(data) < 20:
        return False
    magic, version, length = struct.unpack_from("<4sII", data)
    return bool(magic == b"glTF" and version == 2 and length == len(data))


def _is_text(data: bytes) -> bool:
    return b"\0" not in data[:4096]


_CHECKS = {".stl": _is_stl, ".obj": _is_obj, ".gltf": _is_gltf, ".glb": _is_glb}
