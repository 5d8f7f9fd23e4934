"""Mesh files told by their content."""

from __future__ import annotations

import struct

import pytest

from kinegen.errors import UsageError
from kinegen.studio.meshes import MESHES, check_mesh

GOOD = {
    ".stl": [
        bytes(80) + struct.pack("<I", 1) + bytes(50),
        b"solid x\nfacet normal 0 0 1\nendsolid",
    ],
    ".obj": [b"# made\nv 0 0 0\nv 1 0 0\n"],
    ".gltf": [b'{"asset": {"version": "2.0"}}'],
    ".glb": [struct.pack("<4sII", b"glTF", 2, 20) + bytes(8)],
}
BAD = [b"", b"<html>", b"solid but no mesh", b"\x7fELF" + bytes(100), b'{"asset": 1}', b"[1]"]


@pytest.mark.parametrize("suffix", MESHES)
def test_content_decides(suffix: str) -> None:
    for data in GOOD[suffix]:
        check_mesh(suffix, data)
    others = [data for kind, found in GOOD.items() if kind != suffix for data in found]
    for data in [*BAD, *others]:
        with pytest.raises(UsageError, match=f"ends in {suffix}"):
            check_mesh(suffix, data)


def test_a_cut_off_file_is_refused() -> None:
    for suffix in (".stl", ".glb"):
        with pytest.raises(UsageError):
            check_mesh(suffix, GOOD[suffix][0][:-1])
