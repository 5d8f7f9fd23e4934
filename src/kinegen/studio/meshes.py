"""Kinds of mesh files, told by what is in them and not by their name alone."""

from __future__ import annotations

import struct

import orjson

from kinegen.errors import UsageError

__all__ = ["MESHES", "check_mesh"]

MESHES = {
    ".stl": "model/stl",
    ".obj": "model/obj",
    ".gltf": "model/gltf+json",
    ".glb": "model/gltf-binary",
}
"""Media types by file ending."""


def check_mesh(suffix: str, data: bytes) -> None:
    """Refuse a file whose content is not of the kind that its ending says."""
    if not _CHECKS[suffix](data):
        raise UsageError(f"the file ends in {suffix} but its content is not of that kind")


def _is_stl(data: bytes) -> bool:
    """Binary: 80 bytes of header, a count, 50 bytes per triangle; else text."""
    if len(data) >= 84:
        (count,) = struct.unpack_from("<I", data, 80)
        if len(data) == 84 + 50 * count:
            return True
    return data[:5].lower() == b"solid" and b"facet" in data[:2000] and _is_text(data)


def _is_obj(data: bytes) -> bool:
    lines = data.splitlines()
    return _is_text(data) and any(line.startswith(b"v ") for line in lines)


def _is_gltf(data: bytes) -> bool:
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
