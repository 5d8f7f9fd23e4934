"""TCPROS: how messages and calls of services travel between nodes of ROS 1.

A header of fields, each with its length, then messages, each with its length (ROS wiki, "TCPROS").
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Mapping

from kinegen.errors import KinegenError

__all__ = ["LARGEST", "TcprosError", "header", "read_block", "read_header"]

LARGEST = 16 << 20
"""Bytes of one message of a node."""
LONGEST_HEADER = 1 << 20


class TcprosError(KinegenError):
    """Bytes that are no TCPROS."""


def header(fields: Mapping[str, str]) -> bytes:
    """A header, with its length."""
    rows = [f"{key}={value}".encode() for key, value in fields.items()]
    body = b"".join(struct.pack("<I", len(row)) + row for row in rows)
    return struct.pack("<I", len(body)) + body


async def read_block(reader: asyncio.StreamReader, most: int = LARGEST) -> bytes:
    """What follows its length.

    Raises:
        TcprosError: It is longer than any message may be.
    """
    (size,) = struct.unpack("<I", await reader.readexactly(4))
    if size > most:
        raise TcprosError(f"the header declares {size} bytes; at most {most} are accepted")
    return await reader.readexactly(size)


async def read_header(reader: asyncio.StreamReader) -> dict[str, str]:
    """The fields of a header.

    Raises:
        TcprosError: It is none.
    """
    body = await read_block(reader, LONGEST_HEADER)
    found: dict[str, str] = {}
    at = 0
    while at < len(body):
        if at + 4 > len(body):
            raise TcprosError("a header ends in the middle of a length")
        (size,) = struct.unpack_from("<I", body, at)
        row = body[at + 4 : at + 4 + size]
        key, equals, value = row.decode("utf8", "replace").partition("=")
        if len(row) != size or not equals:
            raise TcprosError("a field of a header is not NAME=VALUE")
        found[key] = value
        at += 4 + size
    return found
