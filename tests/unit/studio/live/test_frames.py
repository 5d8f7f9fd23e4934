"""Frames of a running simulation: there and back, and what is none."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from kinegen.kernels.records import size_of
from kinegen.studio.live.frames import (
    WORDS_SIZE,
    LiveFacts,
    LiveFrame,
    LiveHand,
    pack_live,
    unpack_live,
)
from kinegen.studio.wire.codec import WireError
from kinegen.studio.wire.frames import pack_live_frame


def frame() -> LiveFrame:
    facts = LiveFacts(*(0.5 + i for i in range(size_of(LiveFacts))))
    hand = LiveHand(
        7.0, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), 8.0, 9.0, 10.0, (11.0, 12.0, 13.0),
        3.0, (14.0, 15.0, 16.0),
    )  # fmt: skip
    return LiveFrame(
        facts, np.arange(3.0), np.array([4.0, 5.0]), np.array([0.0, 1.0]),
        [hand], np.ones((2, 7)), np.arange(12.0).reshape(2, 6), np.array([3.5]),
        np.array([1.0, np.nan]), np.arange(9.0).reshape(1, 9), np.ones((2, 6)), True,
    )  # fmt: skip


def test_a_frame_comes_back_as_it_was() -> None:
    sent, found = frame(), unpack_live(pack_live(frame()))
    assert found.facts == sent.facts and found.is_led
    assert found.hands == sent.hands
    for name in ("q", "efforts", "saturated", "objects", "reactions", "transmitted", "signals",
                 "rays", "touches"):  # fmt: skip
        assert np.array_equal(getattr(found, name), getattr(sent, name), equal_nan=True)


def test_what_is_short_or_long_is_none() -> None:
    body = pack_live(frame())
    for bad in (b"", body[:-8], body + bytes(8)):
        with pytest.raises(WireError, match="live frame"):
            unpack_live(bad)


def test_its_head_is_that_of_all_frames() -> None:
    body = pack_live(frame())
    whole = pack_live_frame(7, 9, body)
    assert struct.unpack_from("<IIII", whole) == (3, 7, 9, len(body))
    # numbers can be read where they stand
    assert (16 + WORDS_SIZE) % 8 == 0
