"""Sockets that speak WebSocket as no browser does: endless pieces, pings, half messages."""

from __future__ import annotations

import asyncio
import base64
import os
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from kinegen.studio.server.entry import half_messages
from kinegen.studio.server.serve import Running
from tests.support.studio import HANG, page, run, studio

TEXT, PIECE, PING, PONG = 1, 0, 9, 10
LAST = 0x80


def frame(kind: int, data: bytes = b"", last: int = LAST) -> bytes:
    size = len(data)
    if size < 126:
        head = bytes([last | kind, 0x80 | size])
    elif size < 2**16:
        head = bytes([last | kind, 0x80 | 126]) + struct.pack(">H", size)
    else:
        head = bytes([last | kind, 0x80 | 127]) + struct.pack(">Q", size)
    return head + bytes(4) + data


async def greet(running: Running) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    host, key = f"127.0.0.1:{running.port}", base64.b64encode(os.urandom(16)).decode()
    lines = [
        f"GET /ws?token={running.guard.token} HTTP/1.1", f"Host: {host}", f"Origin: http://{host}",
        "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13", "", "",
    ]  # fmt: skip
    writer.write("\r\n".join(lines).encode())
    assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
    return reader, writer


async def is_cut(running: Running, frames: Iterator[bytes], *, reads: bool) -> bool:
    """Whether the studio ends a connection that sends these."""
    reader, writer = await greet(running)
    try:
        async with asyncio.timeout(HANG):
            for data in frames:
                writer.write(data)
                await writer.drain()
                if reads:
                    await asyncio.sleep(0)
            while await reader.read(2**16):
                pass
            return True
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    finally:
        writer.close()


def endless(first: bytes, data: bytes) -> Iterator[bytes]:
    yield first
    for _ in range(200):
        yield data * 100


@pytest.mark.parametrize(
    ("first", "data"),
    [
        (frame(TEXT, b"x", 0), frame(PIECE, b"", 0)),
        (frame(TEXT, b"x", 0), frame(PIECE, b"x", 0)),
        (b"", frame(PING, b"p" * 125)),
        (b"", frame(PONG)),
    ],
    ids=["empty pieces", "small pieces", "pings", "pongs"],
)
def test_floods_of_frames_end_the_connection(tmp_path: Path, first: bytes, data: bytes) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as other:
            assert await is_cut(running, endless(first, data), reads=True)
            await other.ask("commit_pose", q=other.snapshot["q"], label="still here")

    run(work())


def test_half_messages_have_a_bound_in_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those with the most go; others are served as before."""
    monkeypatch.setattr(half_messages.HalfMessages.__init__, "__defaults__", (2**20,))

    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as other:
            some = [await greet(running) for _ in range(6)]
            half = frame(TEXT, bytes(2**20))[: 2**19]
            for _, writer in some:
                writer.write(half)
            async with asyncio.timeout(HANG):
                ended = [asyncio.create_task(_end(reader)) for reader, _ in some]
                while sum(one.done() for one in ended) < 4:
                    await asyncio.sleep(0.01)
            await other.ask("edit_text", text=other.snapshot["text"] + "# " + "x" * 2**18 + "\n")
            assert sum(one.done() for one in ended) < 6
            for one, (_, writer) in zip(ended, some, strict=True):
                one.cancel()
                writer.close()
            await asyncio.gather(*ended, return_exceptions=True)

    async def _end(reader: asyncio.StreamReader) -> None:
        try:
            while await reader.read(2**16):
                pass
        except ConnectionError:
            pass

    run(work())
