"""A studio on a free port of this machine, and pages that talk to it over real sockets."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from kinegen.studio.live.frames import LiveFrame, unpack_live
from kinegen.studio.server.serve import Running, Settings, serving
from kinegen.studio.wire.frames import HEAD_SIZE, FrameKind, PoseFrame, pack_pose, unpack_pose
from kinegen.studio.wire.typescript import schema_hash

HANG = 120
"""[s] Only what never comes takes this long."""


class RefusedError(Exception):
    """The studio refused a request."""


class Page:
    """What a page does, without a page."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.messages: list[dict[str, Any]] = []
        self.poses: list[PoseFrame] = []
        self.lives: list[LiveFrame] = []
        self._numbers = itertools.count(1)
        self._news = asyncio.Condition()
        self._reader = asyncio.create_task(self._read())
        self.closed = False

    async def _read(self) -> None:
        try:
            async for frame in self.socket:
                async with self._news:
                    if isinstance(frame, bytes) and frame[0] == FrameKind.LIVE:
                        self.lives.append(unpack_live(frame[HEAD_SIZE:]))
                    elif isinstance(frame, bytes):
                        self.poses.append(unpack_pose(frame))
                    else:
                        self.messages.append(json.loads(frame))
                    self._news.notify_all()
        except ConnectionClosed:
            pass  # the studio may end it with a code of its own
        finally:
            async with self._news:
                self.closed = True
                self._news.notify_all()

    async def until(self, test: Callable[[], Any]) -> Any:
        """Wait until something is so, looked at after every frame."""
        async with asyncio.timeout(HANG), self._news:
            await self._news.wait_for(lambda: self.closed or test())
        return test()

    async def wait(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The first message of a kind with these fields, past or to come."""
        found = await self.until(lambda: self.find(kind, **fields))
        assert found, f"the connection ended without {kind} {fields}: {self.messages[-3:]}"
        return found[0]

    def find(self, kind: str, **fields: Any) -> list[dict[str, Any]]:
        """Messages of a kind with these fields."""
        return [
            one
            for one in self.messages
            if one["kind"] == kind and all(one[key] == value for key, value in fields.items())
        ]

    async def send(self, kind: str, **fields: Any) -> None:
        """Send a message."""
        await self.socket.send(json.dumps({"kind": kind, **fields}))

    async def start(self, kind: str, **fields: Any) -> int:
        """Send a request; its number."""
        number = next(self._numbers)
        await self.send(kind, request=number, **fields)
        return number

    async def answer(self, number: int) -> Any:
        """The result of a request; RefusedError when it was refused."""
        await self.until(
            lambda: self.find("done", request=number) or self.find("refused", request=number)
        )
        refused = self.find("refused", request=number)
        if refused:
            raise RefusedError(refused[0]["message"])
        return self.find("done", request=number)[0]["result"]

    async def ask(self, kind: str, **fields: Any) -> Any:
        """Send a request and wait for its result."""
        return await self.answer(await self.start(kind, **fields))

    @property
    def welcome(self) -> dict[str, Any]:
        """The studio's first answer."""
        return self.find("welcome")[0]

    @property
    def snapshot(self) -> dict[str, Any]:
        """The latest snapshot."""
        return self.find("snapshot")[-1]

    async def pose(self, q: Any, *, sequence: int = 1) -> None:
        """Send a pose frame."""
        version = self.snapshot["version"]
        await self.socket.send(pack_pose(sequence, version, np.asarray(q, dtype=float)))

    async def leave(self) -> None:
        """Close the page."""
        await self.socket.close()
        await self._reader


def address(running: Running, *, token: str | None = None) -> str:
    """The address of a studio's socket, with its token or another one ('' for none)."""
    scheme = "wss" if running.guard.secure else "ws"
    given = running.guard.token if token is None else token
    return f"{scheme}://127.0.0.1:{running.port}/ws" + (f"?token={given}" if given else "")


def printed_address(line: str) -> str:
    """The address of the socket of a studio in another process, from the line with its link."""
    link = line[line.index("http") :].strip().partition("#")[0]  # behind it: the certificate
    return link.replace("http", "ws", 1).replace("/?token=", "/ws?token=")


def cookie(running: Running) -> dict[str, str]:
    """The header by which a browser that opened the studio's link is known."""
    return {"Cookie": f"{running.guard.cookie}={running.guard.token}"}


@asynccontextmanager
async def page(running: Running, *, greet: bool = True, **hello: Any) -> AsyncIterator[Page]:
    """A page that has said hello and has its first snapshot."""
    async with connect(
        address(running), open_timeout=HANG, compression=None, max_size=None
    ) as socket:
        one = Page(socket)
        try:
            if greet:
                await greeting(one, **hello)
            yield one
        finally:
            await one.leave()


async def greeting(one: Page, **hello: Any) -> None:
    """Say hello and wait for what is there."""
    await one.send("hello", **{"schema": schema_hash(), "session": None, "secret": None, **hello})
    await one.wait("welcome")
    await one.wait("snapshot")


@asynccontextmanager
async def studio(folder: Path, **settings: Any) -> AsyncIterator[Running]:
    """A studio whose project and state are in a folder."""
    project, state = folder / "project", folder / "state"
    project.mkdir(exist_ok=True)
    made = Settings(
        **{"folder": project, "state": state, "port": 0, "first": "four-bar", **settings}
    )
    async with serving(made) as running:
        yield running


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a test's coroutine."""
    return asyncio.run(work)
