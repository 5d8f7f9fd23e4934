"""Packets of trackers, and cameras that are not there."""

from __future__ import annotations

import socket

import numpy as np
import pytest

from kinegen.devices.head import sources
from kinegen.devices.head.sources import HeadPackets, Webcam
from kinegen.errors import UsageError


def test_packets_are_heads_and_what_is_none_is_counted() -> None:
    source = HeadPackets("127.0.0.1", 0)
    try:
        assert source.read().head is None  # a silence
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for data in (b"0.1 0.2 1.5", b"nonsense", b"0.3, 0, 1.6, 0, 0, 0.5"):
                sender.sendto(data, ("127.0.0.1", source.port))
        head = source.read().head
        assert head is not None and np.allclose(head.translation, [0.3, 0, 1.6])  # the latest
        assert head.so3.log() == pytest.approx([0, 0, 0.5])
        assert source.bad == 1
        with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{source.port}"):
            HeadPackets("127.0.0.1", source.port)
    finally:
        source.close()


def test_a_flood_of_packets_does_not_hold_the_head(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_PACKETS", 2)
    source = HeadPackets("127.0.0.1", 0)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for x in range(3):
                sender.sendto(b"%d 0 0" % x, ("127.0.0.1", source.port))
        heads = [source.read().head for _ in range(2)]
        assert [head.translation[0] for head in heads if head is not None] == [1, 2]
    finally:
        source.close()


def test_a_camera_that_is_not_there_is_an_error_that_lists_those_that_are() -> None:
    pytest.importorskip("cv2")
    with pytest.raises(UsageError, match="no camera 97; cameras: "):
        Webcam("97")
    with pytest.raises(UsageError, match="neither the number of a camera nor a readable video"):
        Webcam("no-such-film.mp4")
