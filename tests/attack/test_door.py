"""Connections that dawdle, and bytes that are no HTTP: a real page is served all the same."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import socket
import ssl
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect

from kinegen.studio.server.entry import visitors as visitors_module
from kinegen.studio.server.serve import Running
from tests.support.studio import HANG, Page, greeting, page, printed_address, run, studio

HALVES = [
    b"",
    b"G",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
    b"POST /upload?file=x.stl HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\nabc",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
]
"""Beginnings of requests, and of a TLS greeting."""


@contextlib.asynccontextmanager
async def process(folder: Path, *arguments: str, files: int = 1024) -> AsyncIterator[Any]:
    """A studio of its own, with few file descriptors."""
    project = folder / "project"
    project.mkdir()
    command = [sys.executable, "-m", "kinegen", "studio", "four-bar", "--no-browser", "--port", "0"]
    started = await asyncio.create_subprocess_exec(
        "sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *command, "--folder", str(project),
        *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "KINEGEN_STATE": str(folder / "state"), "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
        await started.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit there")
@pytest.mark.parametrize("tls", [False, True])
def test_half_sent_requests_keep_nobody_out(tmp_path: Path, tls: bool, effort: int) -> None:
    async def work() -> None:
        async with process(tmp_path, *(["--tls"] if tls else []), files=256) as started:
            link = printed_address((await started.stdout.readline()).decode())
            port = urlsplit(link).port
            held = []
            for n in range(300 * min(effort, 3)):
                one = socket.create_connection(("127.0.0.1", port), timeout=HANG)
                with contextlib.suppress(OSError):
                    one.sendall(HALVES[n % len(HALVES)])
                held.append(one)
            context = ssl._create_unverified_context() if tls else None
            async with connect(
                link, ssl=context, open_timeout=HANG, compression=None, max_size=None
            ) as channel:
                one = Page(channel)
                await greeting(one)
                # heavy work needs file descriptors of its own
                assert await one.ask("mobility", q=one.snapshot["q"])
                await one.leave()
            for one in held:
                one.close()
            started.send_signal(signal.SIGTERM)
            _, errors = await started.communicate()
            assert errors.decode() == ""

    run(work())


def test_dawdlers_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for phase in ("arriving", "resting"):
        monkeypatch.setitem(visitors_module.PATIENCE, phase, 0.2)  # type: ignore[arg-type]

    async def drip(running: Running, half: bytes) -> None:
        """Send a beginning and then a byte now and then, until the studio has enough of it."""
        reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
        with contextlib.suppress(ConnectionError):
            writer.write(half)
            async with asyncio.timeout(HANG):
                while not reader.at_eof():
                    writer.write(b"a")
                    await writer.drain()
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(0.05):
                            await reader.read(1000)
        writer.close()

    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            await asyncio.gather(*(drip(running, half) for half in HALVES))
            assert len(running.visitors) == 1
            await one.ask("undo") if one.snapshot["undo"] else None
            assert not one.closed

    run(work())


def test_a_request_under_way_leaves_no_trace_when_the_studio_is_stopped(tmp_path: Path) -> None:
    async def work() -> None:
        async with process(tmp_path) as started:
            link = printed_address((await started.stdout.readline()).decode())
            port, token = urlsplit(link).port, link.partition("token=")[2]
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            head = f"POST /upload?file=x.stl&token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            writer.write(head.encode() + b"Content-Length: 999999\r\n\r\nhalf")
            await writer.drain()
            # this answer comes after the request was taken
            async with connect(link, open_timeout=HANG, compression=None, max_size=None) as channel:
                await greeting(Page(channel))
            started.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
            _, errors = await started.communicate()
            assert errors.decode() == ""
            writer.close()

    run(work())


def test_rubbish_leaves_no_trace(tmp_path: Path, effort: int) -> None:
    """Whatever clients send and however they leave: nothing is written to the terminal."""
    chance = random.Random(3)

    def rubbish(token: str, port: int) -> bytes:
        host = f"Host: 127.0.0.1:{port}\r\n"
        socket_head = (
            f"GET /ws?token={token} HTTP/1.1\r\n{host}Upgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode()
        post = f"POST /upload?file=x.stl&token={token} HTTP/1.1\r\n{host}".encode()
        return chance.choice([
            chance.randbytes(chance.randrange(2000)),
            b"GET " + chance.randbytes(30) + b" HTTP/1.1\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 50, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            f"GET /%00?token={token} HTTP/1.1\r\n{host}\r\n".encode(),
            f"GET /assets/%00?token={token} HTTP/1.1\r\n{host}\r\n".encode(),
            f"GET /files/%ff%fe?token={token} HTTP/1.1\r\n{host}\r\n".encode(),
            f"GET /{'x' * 9000}?token={token} HTTP/1.1\r\n{host}\r\n".encode(),
            f"GET /?token={token} HTTP/1.1\r\n{host}Cookie: {'a=b;' * 3000}\r\n\r\n".encode(),
            f"GET /ws?token={token} HTTP/1.1\r\n{host}Upgrade: websocket\r\n\r\n".encode(),
            f"OPTIONS * HTTP/1.1\r\n{host}\r\n".encode(),
            f"CONNECT evil:1 HTTP/1.1\r\n{host}\r\n".encode(),
            f"GET http://evil/?token={token} HTTP/1.1\r\n{host}\r\n".encode(),
            post + b"Content-Length: 999999\r\n\r\nhalf",
            post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            post + b"Content-Length: -1\r\n\r\n",
            post + b"Content-Length: 5\r\n\r\nabcdeGET rubbish",
            socket_head + b"\x81\x83\0\0\0\0\xff\xfe\xfd",  # text that is no UTF-8
            socket_head + b"\xff" * 40,  # no frame
            socket_head + b"\x81\xff" + b"\x7f" * 8,  # a frame of 2**63 bytes
            socket_head + b"\x88\x80\0\0\0\0",  # the end
            socket_head,
        ])  # fmt: skip

    async def attack(link: str, port: int) -> None:
        token = link.partition("token=")[2]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        with contextlib.suppress(ConnectionError, TimeoutError):
            writer.write(rubbish(token, port))
            await writer.drain()
            if chance.random() < 0.7:
                async with asyncio.timeout(0.2):
                    await reader.read(100)
        if chance.random() < 0.5:
            writer.transport.abort()
        writer.close()

    async def work() -> None:
        async with process(tmp_path) as started:
            link = printed_address((await started.stdout.readline()).decode())
            port = urlsplit(link).port
            assert port is not None
            for _ in range(6 * effort):
                await asyncio.gather(*(attack(link, port) for _ in range(20)))
            async with connect(link, open_timeout=HANG, compression=None, max_size=None) as channel:
                one = Page(channel)
                await greeting(one)
                # pages that leave amid an answer
                await one.start("modes", q=one.snapshot["q"])
                channel.transport.abort()
            async with connect(link, open_timeout=HANG, compression=None, max_size=None) as channel:
                one = Page(channel)
                await greeting(one)
                await one.leave()
            started.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
            _, errors = await started.communicate()
            assert errors.decode() == ""

    run(work())
