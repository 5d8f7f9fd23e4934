"""Mesh files recognised by their content."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import IO

import pytest

from kinegen.errors import UsageError
from kinegen.studio.server.uploading.meshes import MESHES, Parts, check_mesh

GOOD = {
    ".stl": [
        bytes(80) + struct.pack("<I", 1) + bytes(50),
        b"solid x\nfacet normal 0 0 1\nendsolid",
    ],
    ".obj": [b"# made\nv 0 0 0\nv 1 0 0\n"],
    ".ply": [b"ply\nformat ascii 1.0\n"],
    ".dae": [b'<?xml version="1.0"?><COLLADA version="1.4.1"/>'],
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


def test_parts_of_a_mesh_are_listed_once(tmp_path: Path) -> None:
    file = tmp_path / "box.gltf"
    uris = ["box.bin", "./t/a%20b.png", "data:x.bin", "../up.jpg", "x.py", "t\\/c.png"]
    file.write_text("{" + ",".join(f'"uri" : "{uri}"' for uri in uris) + "}")
    opened = []

    def content(name: str) -> IO[bytes]:
        opened.append(name)
        return CountingFile(io.FileIO(tmp_path / Path(name).name))

    class CountingFile(io.BufferedReader):
        def read(self, size: int | None = -1, /) -> bytes:
            reads.append(size)
            return super().read(size)

    reads: list[int | None] = []
    parts = Parts(content)
    named = {"m/box.bin", "m/t/a b.png", "up.jpg", "m/t/c.png"}
    asked = [*named, "m/x.py", "box.bin", "m/box.gltf", "m/other.png"]
    assert {one for one in asked if parts.names("m/box.gltf", one)} == named
    assert len(reads) == 1 and len(opened) == 6
    assert not parts.names("m/box.stl", "m/box.bin")
    file.write_text('{"uri": "new.bin"}')
    assert parts.names("m/box.gltf", "m/new.bin") and not parts.names("m/box.gltf", "m/box.bin")
    assert len(reads) == 2
