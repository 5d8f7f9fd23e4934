"""Binary frames: their heads, poses between page and studio, pieces of a job's result.

A frame begins with four uint32, little endian: its kind, then the fields of the kind's head.
``make tables`` writes the heads for the page.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import struct
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinegen.kernels import Floats
from kinegen.studio.wire.codec import WireError
from kinegen.studio.wire.messages import PictureHead

__all__ = [
    "HEADS",
    "HEAD_SIZE",
    "FrameKind",
    "PoseFrame",
    "pack_live_frame",
    "pack_picture",
    "pack_piece",
    "pack_pose",
    "unpack_pose",
]


class FrameKind(enum.IntEnum):
    """What a frame holds."""

    POSE = 1
    PIECE = 2
    LIVE = 3
    PICTURE = 4


class PoseHead(NamedTuple):
    """The head of a pose; nq float64 follow."""

    sequence: int
    """Counts the sender's frames, modulo 2³²."""
    version: int
    """Of the snapshot whose model it belongs to."""
    nq: int
    """How many numbers follow."""


class PieceHead(NamedTuple):
    """The head of a piece of a job's result; its description as JSON and its data follow."""

    request: int
    """The page's number for the question."""
    text_size: int
    """Bytes of the description, a multiple of 8."""
    data_size: int
    """Bytes of the data."""


class LiveHead(NamedTuple):
    """The head of a running simulation's state; a body as in ``live/frames.py`` follows."""

    sequence: int
    """Counts the studio's frames, modulo 2³²."""
    version: int
    """Of the snapshot whose model it belongs to."""
    body_size: int
    """Bytes of the body."""


class PictureFrameHead(NamedTuple):
    """The head of a camera's picture; what it is as JSON and a PNG file follow."""

    sequence: int
    """0."""
    text_size: int
    """Bytes of the description, a multiple of 8."""
    data_size: int
    """Bytes of the picture."""


HEADS: dict[FrameKind, type[NamedTuple]] = {
    FrameKind.POSE: PoseHead,
    FrameKind.PIECE: PieceHead,
    FrameKind.LIVE: LiveHead,
    FrameKind.PICTURE: PictureFrameHead,
}
"""What follows the kind, for each of them."""

_HEAD = struct.Struct("<IIII")
HEAD_SIZE = _HEAD.size
_ALIGN = 8
_WORD = 0xFFFFFFFF


@dataclass(frozen=True, slots=True, eq=False)
class PoseFrame:
    """A pose on its way."""

    sequence: int
    """Counts the sender's frames, modulo 2³²."""
    version: int
    """Of the snapshot whose model it belongs to."""
    q: Floats
    """Configuration, (nq,)."""


def pack_pose(sequence: int, version: int, q: Floats) -> bytes:
    """The frame of a pose."""
    head = PoseHead(sequence & _WORD, version & _WORD, len(q))
    return _HEAD.pack(FrameKind.POSE, *head) + np.ascontiguousarray(q, dtype="<f8").tobytes()


def unpack_pose(frame: bytes) -> PoseFrame:
    """The pose of a frame; WireError when it is none."""
    if len(frame) < HEAD_SIZE:
        raise WireError(f"a pose frame has at least {HEAD_SIZE} bytes, got {len(frame)}")
    kind, *words = _HEAD.unpack_from(frame)
    if kind != FrameKind.POSE:
        raise WireError(f"binary frames are of type {FrameKind.POSE:d} (pose), got {kind}")
    head = PoseHead(*words)
    size = HEAD_SIZE + 8 * head.nq
    if len(frame) != size:
        raise WireError(f"a pose frame of {head.nq} numbers has {size} bytes, got {len(frame)}")
    q = np.frombuffer(frame, dtype="<f8", offset=HEAD_SIZE).astype(np.float64)
    if not np.isfinite(q).all():
        raise WireError("a pose frame contains a number that is not finite")
    return PoseFrame(head.sequence, head.version, q)


def pack_piece(request: int, text: bytes, data: bytes) -> bytes:
    """The frame of a piece of a job's result; its data can be read as numbers where it stands."""
    padded = _padded(text)
    head = PieceHead(request & _WORD, len(padded), len(data))
    return _HEAD.pack(FrameKind.PIECE, *head) + padded + data


def pack_live_frame(sequence: int, version: int, body: bytes) -> bytes:
    """The frame of a running simulation."""
    head = LiveHead(sequence & _WORD, version & _WORD, len(body))
    return _HEAD.pack(FrameKind.LIVE, *head) + body


def pack_picture(head: PictureHead, data: bytes) -> bytes:
    """The frame of a camera's picture."""
    padded = _padded(json.dumps(dataclasses.asdict(head)).encode())
    words = PictureFrameHead(0, len(padded), len(data))
    return _HEAD.pack(FrameKind.PICTURE, *words) + padded + data


def _padded(text: bytes) -> bytes:
    return text + b" " * (-len(text) % _ALIGN)
