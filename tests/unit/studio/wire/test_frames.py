"""Poses to bytes and back; pieces of results to bytes."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

from kinegen.studio.wire.codec import WireError
from kinegen.studio.wire.frames import pack_piece, pack_pose, unpack_pose


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
