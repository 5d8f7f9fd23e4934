"""TcpWire: a protocol that clients reach at a TCP port, each with a conversation of its own."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import ClassVar

from kinegen.bridges.transport.wire import Wire
from kinegen.errors import UsageError

__all__ = ["TcpWire", "cannot_listen"]


def cannot_listen(kind: str, host: str, port: int, error: OSError) -> UsageError:
    """What to report when a port cannot be had."""
    reason = os.strerror(error.errno).lower() if error.errno else str(error)
    hint = ""
    if error.errno == errno.EADDRINUSE:
        hint = "; another program uses this port: stop it, or choose another port"
    return UsageError(f"{kind}: cannot listen on {host}:{port}: {reason}{hint}")


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Talks to one client until it is gone."""


class TcpWire(Wire):
    """A wire that listens at a port of its own and serves every client in a task."""

    PORT: ClassVar[int]
    """The protocol's usual port."""

    @property
    def port(self) -> int:
        """Where it listens; 0: any that is free."""
        return self.PORT if self.options.port is None else self.options.port

    @abstractmethod
    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Talk to one client until it is gone."""

    @property
    def client_count(self) -> int | None:
        """How many are connected."""
        return len(self.__dict__.get("_tasks", ()))

    async def open(self) -> None:
        """Listen."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._servers: list[asyncio.Server] = []
        host, port = await self.listen(self.serve, self.port)
        self.endpoint = f"{host}:{port}"

    async def listen(self, serve: Serve, port: int) -> tuple[str, int]:
        """Serve clients at a port, 0: any that is free, until the wire is closed; its address."""
        host = self.options.host

        async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._client(serve, reader, writer)

        try:
            server = await asyncio.start_server(client, host, port)
        except OSError as error:
            raise cannot_listen(self.kind, host, port, error) from None
        self._servers.append(server)
        found = server.sockets[0].getsockname()
        return str(found[0]), int(found[1])

    async def close(self) -> None:
        """All clients are disconnected."""
        servers: list[asyncio.Server] = self.__dict__.pop("_servers", [])
        for server in servers:
            server.close()
        if not servers:
            return
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for server in servers:
            await server.wait_closed()

    async def _client(
        self, serve: Serve, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()
