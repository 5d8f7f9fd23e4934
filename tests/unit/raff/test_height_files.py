"""Tables of heights in files: what is read, and what is refused."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import FormatError, RaffError
from kinegen.raff.height_files import read_heights

TABLE = np.array([[0.0, 0.1, 0.2], [0.3, 0.4, 0.5]])


def png(pixels: np.ndarray, *, filter_: int = 0) -> bytes:
    """A picture (rows, columns, channels) of 8 or 16 bits, each line filtered in the same way."""
    rows, columns, channels = pixels.shape
    bits = 8 * pixels.dtype.itemsize
    raw = pixels.astype(pixels.dtype.newbyteorder(">")).tobytes()
    lines = np.frombuffer(raw, np.uint8).reshape(rows, -1).astype(int)
    step, out = channels * bits // 8, b""
    for n, line in enumerate(lines):
        above = lines[n - 1] if n else np.zeros_like(line)
        left = np.concatenate([np.zeros(step, int), line[:-step]])
        corner = np.concatenate([np.zeros(step, int), above[:-step]])
        guess = left + above - corner
        near = np.stack([left, above, corner])
        paeth = near[np.argmin(np.abs(guess - near), axis=0), np.arange(len(line))]
        taken = [0 * line, left, above, (left + above) // 2, paeth][filter_]
        out += bytes([filter_]) + ((line - taken) % 256).astype(np.uint8).tobytes()

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    color = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    head = struct.pack(">IIBBBBB", columns, rows, bits, color, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(out)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


@pytest.mark.parametrize("filter_", range(5))
@pytest.mark.parametrize(("channels", "kind"), [(1, np.uint8), (4, np.uint8), (1, np.uint16)])
def test_pictures_are_read_by_their_brightness(filter_: int, channels: int, kind: type) -> None:
    white = np.iinfo(kind).max
    pixels = np.random.default_rng(1).integers(0, white, (5, 7, channels)).astype(kind)
    found = read_heights("hill.png", png(pixels, filter_=filter_))
    grey = pixels[..., : 3 if channels > 2 else 1].mean(axis=2) / white
    np.testing.assert_allclose(found, grey[::-1], atol=1e-12)  # its upper edge has the largest y


def test_tables_are_read_as_they_are() -> None:
    text = "# metres\n" + "\n".join(", ".join(map(str, row)) for row in TABLE)
    np.testing.assert_array_equal(read_heights("hill.csv", text.encode()), TABLE)
    out = io.BytesIO()
    np.save(out, TABLE)
    np.testing.assert_array_equal(read_heights("hill.NPY", out.getvalue()), TABLE)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"1, 2\n3, x\n", "line 2: '3, x' is not a row of numbers"),
        ("a.csv", b"1, 2\n3\n", "line 2 has 1 numbers; the first row has 2"),
        ("a.csv", b"", "two rows and columns"),
        ("a.csv", b"1, 2\nnan, 3\n", "row 2, column 1 is not a finite number"),
        ("a.npy", b"\x93NUMPY", "not a NumPy array"),
        ("a.png", b"GIF89a", "not a PNG"),
        ("a.png", png(np.zeros((3, 3, 1), np.uint8))[:43], "damaged|truncated"),
        ("a.tif", b"", r"not one of \.png, \.csv, \.npy"),
    ],
)
def test_other_files_are_refused_with_what_is_wrong(
    name: str, content: bytes, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        read_heights(name, content)


def field(shape: str, fixed: str = "true") -> str:
    return (
        "raff: 1\nname: field\nobjects:\n"
        f"  - {{name: hill, fixed: {fixed}, mass: 1, shape: {{{shape}}}}}\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (field("heights: [[0, 1], [0, 1]]"), r"heights need 'size: \[x, y\]'"),
        (field("heights: [[0, 1]], size: [1, 1]"), "two rows of two numbers"),
        (field("heights: [[0, 1], [0]], size: [1, 1]"), "two rows of two numbers"),
        (field("heights: [[0, 1, 2], [0, 1]], size: [1, 1]"), "row 2 of the heights has 2 numbers"),
        (field("heights: a.jpg, size: [1, 1]"), r"read from \.png, \.csv, \.npy, not 'a\.jpg'"),
        (field("heights: a.png, size: [1, 1]"), "need 'height', the height that white means"),
        (field("heights: none.csv, size: [1, 1]"), "none.csv"),
        (field("heights: bad.csv, size: [1, 1]"), "line 1: 'x' is not a row"),
        (
            field("heights: [[0, 1], [0, 1]], size: [1, 1]", "false"),
            "only an object with 'fixed: t",
        ),
        (field("box: [1, 1, 1], size: [1, 1]"), "only a shape with 'heights' has 'size'"),
    ],
)
def test_bad_height_fields_are_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("x\n")
    (tmp_path / "field.raff").write_text(text)
    with pytest.raises(RaffError, match=message):
        kg.load(tmp_path / "field.raff")


def test_links_have_no_height_field() -> None:
    text = "raff: 1\nname: arm\njoints:\n  - {name: a, parent: base, mass: 1, shape: "
    with pytest.raises(RaffError, match="only an object with 'fixed: true'"):
        kg.load(text + "{heights: [[0, 1], [0, 1]], size: [1, 1]}}\n")


def test_a_file_is_read_beside_the_text_and_written_as_a_table(tmp_path: Path) -> None:
    (tmp_path / "hill.csv").write_text("0, 1\n2, 3\n")
    (tmp_path / "field.raff").write_text(field("heights: hill.csv, size: [2, 4], height: 10 cm"))
    mechanism = kg.load(tmp_path / "field.raff")
    system = kg.dynamics.System.of(mechanism, objects=True)
    bodies = kg.dynamics.Collisions(system)
    hits = bodies.cast_rays(system.model.start(), [[-0.999, 1.999, 1]], [[0, 0, -1]])
    assert hits.names == ("hill",)
    # 2 at (-1, 2), less what the slopes take on the way there
    assert hits.points[0, 2] == pytest.approx(0.2, abs=1e-3)
    # the text names the file; a mechanism without its text is written with the table in it
    assert "heights: hill.csv" in mechanism.to_raff()
    mechanism.document = None
    rows = kg.load(mechanism.to_raff()).scene["objects"][0]["shape"]["heights"]
    assert [[one.evaluate({}) for one in row] for row in rows] == [[0, 1], [2, 3]]
