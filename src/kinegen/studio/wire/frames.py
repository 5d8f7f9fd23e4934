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
import numpy.typing as npt

from kinegen.kernels import Floats
from kinegen.studio.wire.codec import WireError
from kinegen.studio.wire.limits import BODY_TOP
from kinegen.studio.wire.messages import PictureHead

__all__ = [
    "HEADS",
    "HEAD_SIZE",
    "LARGEST_BODY",
    "BodyFrame",
    "FrameKind",
    "PoseFrame",
    "body_of",
    "is_body",
    "no_body",
    "pack_body",
    "pack_live_frame",
    "pack_picture",
    "pack_piece",
    "pack_pose",
    "unpack_body",
    "unpack_pose",
]


class FrameKind(enum.IntEnum):
    """What a frame holds."""

    POSE = 1
    PIECE = 2
    LIVE = 3
    PICTURE = 4
    BODY = 5


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


class BodyHead(NamedTuple):
    """The head of a person's body, a coloured mesh.

    Six float32 follow: the lower and upper corner of the box around it [m]. Then three uint16 per
    vertex, its place in that box; three uint16 per triangle, its vertices; three bytes per vertex,
    its colour. Without triangles, the person has no body any more.
    """

    client: int
    """Whose body it is: the number of the page; 0 from the page itself."""
    vertex_count: int
    """At most 65535."""
    triangle_count: int
    """How many follow."""


HEADS: dict[FrameKind, type[NamedTuple]] = {
    FrameKind.POSE: PoseHead,
    FrameKind.PIECE: PieceHead,
    FrameKind.LIVE: LiveHead,
    FrameKind.PICTURE: PictureFrameHead,
    FrameKind.BODY: BodyHead,
}
"""What follows the kind, for each of them."""

LARGEST_BODY = 2**17
"""[bytes] A larger body is refused."""
FARTHEST_BODY = 1e6
"""[m] Bodies beyond this are refused."""
_BOX = 24
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


@dataclass(frozen=True, slots=True, eq=False)
class BodyFrame:
    """A person's body on its way, in world coordinates."""

    client: int
    """The number of the person's page."""
    vertices: Floats
    """[m], (n, 3)"""
    triangles: npt.NDArray[np.int32]
    """Three vertices each, counter-clockwise seen from outside, (m, 3)."""
    colours: npt.NDArray[np.uint8]
    """RGB of each vertex, (n, 3)."""


def is_body(frame: bytes) -> bool:
    """Whether a frame says that it is a person's body."""
    return frame[:4] == int(FrameKind.BODY).to_bytes(4, "little")


def pack_body(body: BodyFrame) -> bytes:
    """The frame of a body; its places are rounded to 1/65535 of the box around it."""
    vertices = np.asarray(body.vertices, dtype=float).reshape(-1, 3)
    corners = np.zeros((2, 3), dtype="<f4")
    if len(vertices):
        corners[0], corners[1] = vertices.min(axis=0), vertices.max(axis=0)
    size = (corners[1] - corners[0]).astype(float)
    shares = (vertices - corners[0]) / np.where(size > 0, size, 1)
    places = np.rint(np.clip(shares, 0, 1) * BODY_TOP).astype("<u2")
    head = BodyHead(body.client & _WORD, len(vertices), len(body.triangles))
    frame: bytes = (
        _HEAD.pack(FrameKind.BODY, *head)
        + corners.tobytes()
        + places.tobytes()
        + np.asarray(body.triangles).astype("<u2").tobytes()
        + np.asarray(body.colours, dtype=np.uint8).tobytes()
    )
    if len(vertices) > BODY_TOP or len(frame) > LARGEST_BODY:
        raise WireError(_too_large(len(frame)))
    return frame


def unpack_body(frame: bytes) -> BodyFrame:
    """The body of a frame; WireError when it is none."""
    if len(frame) > LARGEST_BODY:
        raise WireError(_too_large(len(frame)))
    if len(frame) < HEAD_SIZE + _BOX or not is_body(frame):
        raise WireError(
            f"a body frame has type {FrameKind.BODY:d} and at least {HEAD_SIZE + _BOX} bytes, got "
            f"{len(frame)} bytes"
        )
    head = BodyHead(*_HEAD.unpack_from(frame)[1:])
    vertex_count, triangle_count = head.vertex_count, head.triangle_count
    size = HEAD_SIZE + _BOX + 9 * vertex_count + 6 * triangle_count
    if vertex_count > BODY_TOP or len(frame) != size:
        raise WireError(
            f"a body of {vertex_count} vertices and {triangle_count} triangles has {size} bytes, "
            f"got {len(frame)}"
        )
    corners = np.frombuffer(frame, "<f4", 6, HEAD_SIZE).reshape(2, 3).astype(float)
    if not (np.abs(corners) <= FARTHEST_BODY).all() or (corners[1] < corners[0]).any():
        raise WireError(
            f"the box of a body must be a lower and an upper corner within {FARTHEST_BODY:g} m of "
            f"the origin, got {corners.tolist()}"
        )
    at = HEAD_SIZE + _BOX
    places = np.frombuffer(frame, "<u2", 3 * vertex_count, at).reshape(-1, 3)
    at += 6 * vertex_count
    triangles = np.frombuffer(frame, "<u2", 3 * triangle_count, at).reshape(-1, 3)
    at += 6 * triangle_count
    if triangle_count and int(triangles.max()) >= vertex_count:
        raise WireError(
            f"a body of {vertex_count} vertices has a triangle with vertex {triangles.max()}"
        )
    return BodyFrame(
        head.client,
        corners[0] + places / BODY_TOP * (corners[1] - corners[0]),
        triangles.astype(np.int32),
        np.frombuffer(frame, np.uint8, 3 * vertex_count, at).reshape(-1, 3),
    )


def body_of(client: int, frame: bytes) -> bytes:
    """The same body, as that of a page."""
    return frame[:4] + client.to_bytes(4, "little") + frame[8:]


def no_body(client: int) -> BodyFrame:
    """What is sent when a person has no body any more."""
    none = np.zeros((0, 3))
    return BodyFrame(client, none, none.astype(np.int32), none.astype(np.uint8))


def _too_large(size: int) -> str:
    return (
        f"a body may have at most {LARGEST_BODY} bytes and {BODY_TOP} vertices, got {size} bytes: "
        "send a coarser mesh"
    )


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
