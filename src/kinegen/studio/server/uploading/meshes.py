"""Kinds of mesh files, recognised by content and not by name alone."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import posixpath
import re
import struct
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any
from urllib.parse import unquote

from kinegen.errors import UsageError
from kinegen.formats.robots.read.mesh_files import LARGEST_SHOWN

__all__ = ["MESHES", "PARTS", "Parts", "check_mesh", "meshes_of", "parts_of"]

MESHES = {
    ".stl": "model/stl",
    ".obj": "model/obj",
    ".ply": "application/octet-stream",
    ".dae": "model/vnd.collada+xml",
    ".gltf": "model/gltf+json",
    ".glb": "model/gltf-binary",
}
"""Media types by file ending."""
PARTS = (".bin", ".mtl", ".png", ".jpg", ".jpeg")
"""Endings of what mesh files bring in from beside them."""
_MOST_VALUES = 2_000_000
"""In a glTF file, where coordinates are packed: each takes some 100 bytes when it is read."""
LARGEST = LARGEST_SHOWN
"""[bytes] of a mesh."""
MOST_PARTS = 10_000
"""Places in a glTF file that name another."""
MOST_KNOWN = 100
"""glTF files whose parts are remembered."""
_URI = re.compile(rb'"uri"\s*:\s*("(?!data:)[^"]{1,1000}")')
_LIBRARY = re.compile(rb"^mtllib[ \t]+([^\r\n]{1,1000})", re.MULTILINE)
_MAP = re.compile(rb"^[ \t]*map_\w+[ \t]+(?:-[^\r\n]*[ \t])?([^\r\n]{1,1000})", re.MULTILINE)
_IMAGE = re.compile(rb"<init_from>\s*(?:<ref>)?\s*([^<]{1,1000}?)\s*<")
_NAMED = {".gltf": _URI, ".glb": _URI, ".obj": _LIBRARY, ".mtl": _MAP, ".dae": _IMAGE}
"""How files of each kind name their parts."""
_VERTEX = re.compile(rb"^v ", re.MULTILINE)


def check_mesh(suffix: str, data: bytes) -> None:
    """Refuse a file whose content is not of the kind that its ending says."""
    if not _CHECKS[suffix](data):
        raise UsageError(f"the file ends in {suffix} but its content is of another kind")


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


def parts_of(mesh: str, data: bytes) -> frozenset[str]:
    """Files of the project folder that a mesh brings in, as far as pages fetch such."""
    folder, found = posixpath.split(mesh)[0], set()
    pattern = _NAMED[posixpath.splitext(mesh)[1].lower()]
    for match in itertools.islice(pattern.finditer(data), MOST_PARTS):
        named = unquote(_plain(match[1]))
        part = posixpath.normpath(posixpath.join(folder, named))
        if posixpath.splitext(part)[1].lower() in PARTS:
            found.add(part)
    return frozenset(found)


def _plain(name: bytes) -> str:
    """A name as it is written in a mesh file, where JSON puts it into quotes."""
    with contextlib.suppress(json.JSONDecodeError):
        if name.startswith(b'"'):
            return str(json.loads(name))
    return name.decode("utf-8", "replace").strip()


class Parts:
    """What mesh files bring in; each file is read once, and again only when it has changed."""

    def __init__(self, content: Callable[[str], IO[bytes]]) -> None:
        self._content = content
        self._known: OrderedDict[str, tuple[tuple[int, ...], frozenset[str]]] = OrderedDict()
        self._lock = threading.Lock()

    def names(self, mesh: str, part: str) -> bool:
        """Whether a mesh brings in another file of the project folder; from any thread."""
        endings = posixpath.splitext(mesh)[1].lower(), posixpath.splitext(part)[1].lower()
        if endings[0] not in _NAMED or endings[1] not in PARTS:
            return False
        own = self._of(mesh)
        if posixpath.normpath(part) in own or endings[0] != ".obj":
            return posixpath.normpath(part) in own
        # the materials of an OBJ file name its textures
        return any(self.names(one, part) for one in own)

    def _of(self, mesh: str) -> frozenset[str]:
        with self._content(mesh) as file, self._lock:
            stat = os.fstat(file.fileno())
            look = (stat.st_mtime_ns, stat.st_size, stat.st_ino, stat.st_dev)
            known = self._known.pop(mesh, None)
            if known is None or known[0] != look:
                known = look, parts_of(mesh, file.read(LARGEST))
            self._known[mesh] = known
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
        return known[1]


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
    import orjson  # exported pages need the rest of this module only

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


def _is_ply(data: bytes) -> bool:
    return data[:4] in (b"ply\n", b"ply\r")


def _is_dae(data: bytes) -> bool:
    """XML with the root of Collada; entities could stand for gigabytes."""
    return _is_text(data) and b"<COLLADA" in data[:4096] and b"<!ENTITY" not in data


_CHECKS = {
    ".stl": _is_stl, ".obj": _is_obj, ".ply": _is_ply, ".dae": _is_dae, ".gltf": _is_gltf,
    ".glb": _is_glb,
}  # fmt: skip
