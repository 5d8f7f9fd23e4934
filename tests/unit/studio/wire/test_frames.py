"""Poses to bytes and back; pieces of results to bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable

import numpy as np
import pytest

from kinegen.studio.wire.codec import WireError
from kinegen.studio.wire.frames import (
    LARGEST_BODY,
    BodyFrame,
    body_of,
    is_body,
    pack_body,
    pack_piece,
    pack_pose,
    unpack_body,
    unpack_pose,
)  # fmt: skip


def test_a_pose_comes_back() -> None:
    q = np.array([1.0, -2.5, np.pi])
    frame = unpack_pose(pack_pose(2**32 + 5, 7, q))
    assert (frame.sequence, frame.version) == (5, 7)
    assert frame.q.tolist() == q.tolist()


def test_the_layout_is_the_agreed_one() -> None:
    frame = pack_pose(3, 9, np.array([0.5]))
    assert frame == struct.pack("<IIIId", 1, 3, 9, 1, 0.5)


def test_the_numbers_of_a_piece_are_aligned() -> None:
    for name in ("a", "ab", "a much longer name"):
        frame = pack_piece(12, json.dumps({"name": name}).encode(), np.array([1.5, -2.0]).tobytes())
        kind, request, words, size = struct.unpack_from("<IIII", frame)
        assert (kind, request, size) == (2, 12, 16)
        assert json.loads(frame[16 : 16 + words]) == {"name": name}
        assert (16 + words) % 8 == 0
        assert np.frombuffer(frame, offset=16 + words).tolist() == [1.5, -2.0]


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (b"", "at least 16 bytes"),
        (struct.pack("<IIII", 2, 0, 0, 0), "type 1"),
        (struct.pack("<IIII", 1, 0, 0, 1), "has 24 bytes, got 16"),
        (struct.pack("<IIII", 1, 0, 0, 2**32 - 1), "got 16"),
        (struct.pack("<IIIId", 1, 0, 0, 1, float("nan")), "not finite"),
        (struct.pack("<IIIId", 1, 0, 0, 1, float("inf")), "not finite"),
    ],
)
def test_other_frames_are_refused(frame: bytes, words: str) -> None:
    with pytest.raises(WireError, match=words):
        unpack_pose(frame)


def body(vertices: int = 4) -> BodyFrame:
    rng = np.random.default_rng(2)
    return BodyFrame(
        7,
        rng.normal(size=(vertices, 3)) + [10, 0, -3],
        rng.integers(0, vertices, (2 * vertices, 3)).astype(np.int32),
        rng.integers(0, 256, (vertices, 3)).astype(np.uint8),
    )


def test_bodies_keep_places_within_a_step_of_their_box() -> None:
    given = body(500)
    found = unpack_body(pack_body(given))
    assert found.client == 7
    # half a step of 1/65535 of the box, and float32 corners
    size = np.ptp(given.vertices, axis=0)
    assert (np.abs(found.vertices - given.vertices) <= size / 65535 * 0.51 + 1e-5).all()
    assert (found.triangles == given.triangles).all() and (found.colours == given.colours).all()
    assert is_body(pack_body(given)) and not is_body(pack_pose(1, 1, np.zeros(2)))
    renamed = unpack_body(body_of(9, pack_body(given)))
    assert renamed.client == 9 and (renamed.triangles == found.triangles).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame[:20], "at least 40 bytes"),
        (lambda frame: frame + b"\0", "vertices and 8 triangles has 124 bytes, got 125"),
        (lambda frame: frame[:8] + b"\xff" * 8 + frame[16:], "has .* bytes, got 124"),
        (lambda frame: frame + bytes(LARGEST_BODY), "at most 131072 bytes"),
        (lambda frame: frame[:16] + b"\xff" * 4 + frame[20:], "within 1e\\+06 m"),
        (lambda frame: frame[:16] + frame[28:40] + frame[16:28] + frame[40:], "lower and an upper"),
        (lambda frame: frame[:64] + b"\xff\xff" + frame[66:], "a triangle with vertex 65535"),
    ],
)
def test_frames_that_are_no_body(change: Callable[[bytes], bytes], message: str) -> None:
    with pytest.raises(WireError, match=message):
        unpack_body(change(pack_body(body())))


def test_a_body_that_is_too_large_is_not_packed() -> None:
    with pytest.raises(WireError, match="a coarser mesh"):
        pack_body(body(10000))
