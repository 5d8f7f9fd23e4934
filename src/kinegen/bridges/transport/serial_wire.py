"""SerialWire: a protocol of bytes, on a pseudo terminal or a TCP address."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from kinegen.bridges.transport.tcp_wire import cannot_listen
from kinegen.bridges.transport.wire import Wire

__all__ = ["SerialWire", "baud_of"]

CHUNK = 4096
"""Bytes that are taken at once, so that a flood on one wire leaves time for the others."""
SILENCE = 0.01
"""After which a packet that is not complete may be one that will never be [s]."""
HAS_TERMINALS = sys.platform != "win32"


class SerialWire(Wire):
    """A wire that turns bytes into bytes."""

    uses_port = False

    @abstractmethod
    def receive(self, data: bytes, baud: int | None) -> bytes:
        """The robot's answer to some bytes, which may be part of a packet or several packets.

        Args:
            data: The bytes as they arrived.
            baud: Baud rate that the client has set [bit/s]; None where there is none, as over TCP.
        """

    def idle(self) -> bytes:
        """The robot's answer after some milliseconds of silence on the wire."""
        return b""

    def forget(self) -> None:
        """Discard an incomplete packet, because another client has connected."""

    @property
    def client_count(self) -> int | None:
        """Number of clients connected over TCP; None for a terminal, where it is unknown."""
        writers = self.__dict__.get("_writers")
        return None if writers is None else len(writers)

    def facts(self) -> dict[str, Any]:
        """The address with which pyserial opens it."""
        return {} if self.endpoint.startswith("/") else {"url": f"socket://{self.endpoint}"}

    async def open(self) -> None:
        """Open a pseudo terminal, or listen on a TCP port."""
        options = self.options
        if not HAS_TERMINALS or options.tcp or options.port is not None:
            await self._open_tcp()
        else:
            self._open_terminal()

    async def close(self) -> None:
        """Close the terminal or the port, so that clients are disconnected."""
        timer = self.__dict__.pop("_timer", None)
        if timer is not None:
            timer.cancel()
        self._close_terminal()
        server = self.__dict__.pop("_server", None)
        if server is not None:
            server.close()
            for writer in list(self._writers):
                writer.close()
            await server.wait_closed()

    def answer(self, data: bytes, baud: int | None = None) -> bytes:
        """The robot's answer, from the newest state; commands are passed on."""
        self.robot.look()
        answer = self.receive(data, baud) if data else self.idle()
        self.robot.send()
        return answer

    def _soon(self, write: Callable[[bytes], None]) -> None:
        """Look at what is left when the wire has been silent for a while."""
        timer = self.__dict__.pop("_timer", None)
        if timer is not None:
            timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(SILENCE, lambda: write(self.answer(b"")))

    # A pseudo terminal

    def _open_terminal(self) -> None:
        import tty

        self._ours, self._theirs = os.openpty()  # ours stays open when clients close theirs
        tty.setraw(self._theirs)
        os.set_blocking(self._ours, False)
        self.endpoint = os.ttyname(self._theirs)
        asyncio.get_running_loop().add_reader(self._ours, self._readable)

    def _close_terminal(self) -> None:
        ours = self.__dict__.pop("_ours", None)
        if ours is not None:
            asyncio.get_running_loop().remove_reader(ours)
            os.close(ours)
            os.close(self._theirs)

    def _readable(self) -> None:
        try:
            data = os.read(self._ours, CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self._close_terminal()
            return
        self._write(self.answer(data, baud_of(self._ours)))
        self._soon(self._write)

    def _write(self, answer: bytes) -> None:
        ours = self.__dict__.get("_ours")
        if answer and ours is not None:
            # a client that does not read loses answers, as on a real wire
            with contextlib.suppress(BlockingIOError):
                os.write(ours, answer)

    # TCP

    async def _open_tcp(self) -> None:
        self._writers: set[asyncio.StreamWriter] = set()
        options = self.options
        try:
            self._server = await asyncio.start_server(
                self._serve, options.host, options.port or 0, limit=CHUNK
            )
        except OSError as error:
            raise cannot_listen(self.kind, options.host, options.port or 0, error) from None
        host, port = self._server.sockets[0].getsockname()[:2]
        self.endpoint = f"{host}:{port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self.forget()
        try:
            while data := await reader.read(CHUNK):
                writer.write(self.answer(data))
                self._soon(writer.write)
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()


def baud_of(terminal: int) -> int | None:
    """Speed that a client has set on a pseudo terminal [bit/s]; None where it cannot be known."""
    system: str = sys.platform
    if system == "linux":
        import fcntl

        # TCGETS2 has speeds as plain numbers, those that no constant exists for too
        found: Any = fcntl.ioctl(terminal, 0x802C542A, bytes(44))
        return int.from_bytes(found[40:44], sys.byteorder)
    if system == "darwin":
        import termios

        return int(termios.tcgetattr(terminal)[5])
    return None
