"""Listener: the socket that takes connections, and HTTP whose visitors cannot dawdle."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import socket
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from kinegen.studio.server.entry.half_messages import MOST_PIECES, HalfMessages
from kinegen.studio.server.entry.visitors import Peer, Visitors

__all__ = ["BACKLOG", "OWN_FAULTS", "ListeningSocket", "protocols"]

BACKLOG = 512
"""Connections that wait to be taken."""
_LEAVING = 32
"""Connections that were sent away and are not closed yet; more have to be waited for."""


MOST_CONTROLS = 1000
"""Pings and pongs of one socket in a minute; pages send three."""
MOST_UNREAD = 80 * 2**20
"""[bytes] that wait for one who sends pings: more than the largest snapshot."""
_NOBODY = ("", 0)


class _Guest(socket.socket):
    """A connection that says when it ends."""

    def attend(self, listening: ListeningSocket, peer: Peer) -> None:
        """Say it to the socket that took the connection."""
        self._listening: ListeningSocket | None = listening
        self._peer = peer

    def close(self) -> None:
        """End it."""
        super().close()
        listening, self._listening = getattr(self, "_listening", None), None
        if listening is not None:
            listening.ended(self._peer)

    def send_away(self) -> None:
        """End it from outside; whoever reads from it notices."""
        with contextlib.suppress(OSError):
            self.shutdown(socket.SHUT_RDWR)


class ListeningSocket(socket.socket):
    """A listening socket that asks whether there is a place before it takes a connection.

    So even a connection that never finishes its TLS greeting is counted. On Windows asyncio takes
    connections past it; there they are counted from their first byte of HTTP on.
    """

    visitors: Visitors | None = None
    _open = 0
    """Connections that are not closed yet, those that were sent away included."""

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection for which there is a place."""
        visitors = self.visitors
        if visitors is None:
            return super().accept()
        if self._open >= visitors.most + _LEAVING:
            raise BlockingIOError  # those who were sent away close first
        try:
            taken, address = super().accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE) and visitors.make_place():
                raise BlockingIOError from None
            raise
        guest = _Guest(taken.family, taken.type, taken.proto, fileno=taken.detach())
        peer = tuple(address[:2])
        if not visitors.admit(peer, guest.send_away):
            guest.close()
            raise BlockingIOError
        self._open += 1
        guest.attend(self, peer)
        return guest, address

    def ended(self, peer: Peer) -> None:
        """A connection is closed."""
        self._open -= 1
        if self.visitors is not None:
            self.visitors.gone(peer)


def protocols(
    visitors: Visitors,
) -> tuple[type[H11Protocol], type[WebSocketsSansIOProtocol]]:
    """HTTP and sockets as uvicorn speaks them, with a record of how far each connection is."""
    # uvicorn makes the instances: what they need is of the class
    shared = {"visitors": visitors, "halves": HalfMessages()}
    return type("Http", (_Http,), shared), type("Socket", (_Socket,), shared)


class _Http(H11Protocol):
    """HTTP that records how far each connection is."""

    visitors: Visitors

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.peer = self.client or _NOBODY
        if self.peer in self.visitors:
            return
        # elsewhere than on Windows it was sent away again before it could say a word
        if os.name != "nt" or not self.visitors.admit(self.peer, transport.abort):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.visitors.gone(self.peer)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_resting():
            self.visitors.mark(self.peer, "arriving")
        try:
            super().data_received(data)
        except Exception:
            # what cannot even be refused, such as rubbish behind a request that is answered
            self.transport.abort()

    def handle_events(self) -> None:
        super().handle_events()
        if not self._is_resting():
            self.visitors.mark(self.peer, "asking")

    def _is_resting(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def handle_websocket_upgrade(self, event: Any) -> None:
        self.visitors.mark(self.peer, "page")
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        self.visitors.mark(self.peer, "resting")
        super().on_response_complete()


class _Socket(WebSocketsSansIOProtocol):
    """A web socket on which nobody can pile up pings, or pieces of messages."""

    visitors: Visitors
    halves: HalfMessages
    controls, controls_since = 0, 0.0

    def connection_lost(self, exc: Exception | None) -> None:
        self.visitors.gone(self.client or _NOBODY)
        self.halves.forget(self)
        self.frames = []
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        try:
            super().data_received(data)
        except Exception:
            self.transport.abort()
        pieces = getattr(self, "frames", [])
        if len(pieces) > MOST_PIECES:
            self.transport.abort()
        held = len(self.conn.reader.buffer) + sum(map(len, pieces))
        self.halves.note(self, held, self.transport.abort)

    def handle_ping(self) -> None:
        self._count()
        super().handle_ping()
        # each is answered: whoever does not read the answers lets them pile up here
        if self.transport.get_write_buffer_size() > MOST_UNREAD:
            self.transport.abort()

    def handle_pong(self, event: Any) -> None:
        self._count()
        super().handle_pong(event)

    def _count(self) -> None:
        self.controls += 1
        if self.controls > MOST_CONTROLS:
            now = self.loop.time()
            if now - self.controls_since < 60.0:
                self.transport.abort()
            self.controls, self.controls_since = 0, now


class _OwnFaults(logging.Filter):
    """Lets through what is the studio's fault; what clients did is no matter for the terminal."""

    _CLIENTS = ("Invalid", "Unsupported", "Cancel %s", "ASGI callable returned without", "Exceeded")

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line of uvicorn's is shown."""
        error = record.exc_info[1] if record.exc_info else None
        # a request that was under way when the studio was stopped is cancelled after a while
        if isinstance(error, asyncio.CancelledError):
            return False
        return not str(record.msg).startswith(self._CLIENTS)


OWN_FAULTS = _OwnFaults()
"""For uvicorn's log."""
