"""TcpWire: a protocol that clients reach at a TCP port, each with a conversation of its own."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
from abc import abstractmethod
from typing import ClassVar

from kinegen.bridges.wire import Wire
from kinegen.errors import UsageError

__all__ = ["TcpWire", "cannot_listen"]


def cannot_listen(kind: str, host: str, port: int, error: OSError) -> UsageError:
    """What to report when a port cannot be had."""
    reason = os.strerror(error.errno).lower() if error.errno else str(error)
    hint = ""
    if error.errno == errno.EADDRINUSE:
        hint = "; another program has this port: end it, or choose another port with --port"
    return UsageError(f"{kind}: cannot listen on {host}:{port}: {reason}{hint}")


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

    async def open(self) -> None:
        """Listen."""
        self._tasks: set[asyncio.Task[None]] = set()
        host = self.options.host
        try:
            self._server = await asyncio.start_server(self._client, host, self.port)
        except OSError as error:
            raise cannot_listen(self.kind, host, self.port, error) from None
        found = self._server.sockets[0].getsockname()
        self.endpoint = f"{found[0]}:{found[1]}"

    async def close(self) -> None:
        """All clients are disconnected."""
        server = self.__dict__.pop("_server", None)
        if server is None:
            return
        server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await server.wait_closed()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self.serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()
