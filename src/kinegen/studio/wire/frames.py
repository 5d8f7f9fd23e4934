"""Binary frames: poses on their way from page to studio and watchers; pieces of a job's result."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.studio.wire.codec import WireError

__all__ = ["PoseFrame", "pack_piece", "pack_pose", "pack_simulation", "unpack_pose"]

_HEAD = struct.Struct("<IIII")
"""Type, then three numbers, all little endian."""
_POSE = 1
"""Sequence, version, nq; then nq float64."""
_PIECE = 2
"""Request, bytes of the head, bytes of the data; then both, the head as JSON."""
_SIMULATION = 3
"""Sequence, version, bytes of the body; then the body as in ``live_frames.py``."""
_ALIGN = 8


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
    head = _HEAD.pack(_POSE, sequence & 0xFFFFFFFF, version & 0xFFFFFFFF, len(q))
    return head + np.ascontiguousarray(q, dtype="<f8").tobytes()


def unpack_pose(frame: bytes) -> PoseFrame:
    """The pose of a frame; WireError when it is none."""
    if len(frame) < _HEAD.size:
        raise WireError(f"a pose frame has at least {_HEAD.size} bytes, got {len(frame)}")
    kind, sequence, version, nq = _HEAD.unpack_from(frame)
    if kind != _POSE:
        raise WireError(f"binary frames are of type {_POSE} (pose), got {kind}")
    if len(frame) != _HEAD.size + 8 * nq:
        raise WireError(
            f"a pose frame of {nq} numbers has {_HEAD.size + 8 * nq} bytes, got {len(frame)}"
        )
    q = np.frombuffer(frame, dtype="<f8", offset=_HEAD.size).astype(np.float64)
    if not np.isfinite(q).all():
        raise WireError("a pose frame holds a number that is not finite")
    return PoseFrame(sequence, version, q)


def pack_piece(request: int, head: bytes, data: bytes) -> bytes:
    """The frame of a piece of a job's result; its data can be read as numbers where it stands."""
    text = head + b" " * (-len(head) % _ALIGN)
    return _HEAD.pack(_PIECE, request & 0xFFFFFFFF, len(text), len(data)) + text + data


def pack_simulation(sequence: int, version: int, body: bytes) -> bytes:
    """The frame of a running simulation."""
    head = _HEAD.pack(_SIMULATION, sequence & 0xFFFFFFFF, version & 0xFFFFFFFF, len(body))
    return head + body
