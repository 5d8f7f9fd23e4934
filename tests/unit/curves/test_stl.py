from pathlib import Path

import numpy as np
import pytest

from kinegen.curves.stl import read_stl
from kinegen.errors import FormatError

CORNERS = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 0], [0, 1, 0], [0, 0, 1]]])
TEXT = "solid x\n" + "".join(
    "facet normal 0 0 1\n outer loop\n"
    + "".join(f"  vertex {x} {y} {z}\n" for x, y, z in triangle)
    + " endloop\nendfacet\n"
    for triangle in CORNERS
)


def binary(count: int) -> bytes:
    head = b"solid looks like text".ljust(80) + count.to_bytes(4, "little")
    body = b"".join(
        np.zeros(3, "<f4").tobytes() + t.astype("<f4").tobytes() + b"\0\0" for t in CORNERS
    )
    return head + body


@pytest.mark.parametrize("data", [TEXT.encode(), binary(2)])
def test_text_and_binary(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "a.stl"
    file.write_bytes(data)
    mesh = read_stl(file, scale=0.001)
    assert len(mesh.vertices) == 4
    assert np.allclose(mesh.triangles, CORNERS * 0.001)


@pytest.mark.parametrize(
    "data", [b"", b"solid x\nvertex 1 2\n", b"solid x\nvertex 1 2 3\n", binary(9),
             b"solid x\n" + b"vertex nan 0 0\n" * 3]
)  # fmt: skip
def test_bad_files_are_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "a.stl"
    file.write_bytes(data)
    with pytest.raises(FormatError):
        read_stl(file)
