"""Listener: the socket that takes connections, and HTTP whose visitors cannot dawdle."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from kinegen.studio.visitors import Peer, Visitors

__all__ = ["BACKLOG", "ListeningSocket", "OwnFaults", "protocols"]

BACKLOG = 64
"""Connections taken in one go: those that are sent away for them close only afterwards."""


class _Guest(socket.socket):
    """A connection that says when it ends."""

    visitors: Visitors | None = None
    peer: Peer = ()

    def close(self) -> None:
        """End it."""
        super().close()
        if self.visitors is not None:
            self.visitors.gone(self.peer)

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

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection for which there is a place."""
        for _ in range(BACKLOG):
            taken, address = super().accept()
            guest = _Guest(taken.family, taken.type, taken.proto, fileno=taken.detach())
            if self.visitors is None:
                return guest, address
            peer = tuple(address[:2])
            if self.visitors.admit(peer, guest.send_away):
                guest.visitors, guest.peer = self.visitors, peer
                return guest, address
            guest.close()
        raise BlockingIOError  # the others have their turn first


def protocols(visitors: Visitors) -> tuple[type[H11Protocol], type[WebSocketsSansIOProtocol]]:
    """HTTP and sockets as uvicorn speaks them, with how far each connection is noted down."""

    class Http(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.peer = tuple((transport.get_extra_info("peername") or ("", 0))[:2])
            if self.peer not in visitors and not visitors.admit(self.peer, transport.abort):
                transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            visitors.gone(self.peer)
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if self._is_resting():
                visitors.mark(self.peer, "arriving")
            try:
                super().data_received(data)
            except Exception:
                # what cannot even be refused, such as rubbish behind a request that is answered
                self.transport.abort()

        def handle_events(self) -> None:
            super().handle_events()
            if not self._is_resting():
                visitors.mark(self.peer, "asking")

        def _is_resting(self) -> bool:
            return self.cycle is None or self.cycle.response_complete

        def handle_websocket_upgrade(self, event: Any) -> None:
            visitors.mark(self.peer, "page")
            super().handle_websocket_upgrade(event)

        def on_response_complete(self) -> None:
            visitors.mark(self.peer, "resting")
            super().on_response_complete()

    class Socket(WebSocketsSansIOProtocol):
        def connection_lost(self, exc: Exception | None) -> None:
            visitors.gone(tuple((self.transport.get_extra_info("peername") or ("", 0))[:2]))
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            try:
                super().data_received(data)
            except Exception:
                self.transport.abort()

    return Http, Socket


class OwnFaults(logging.Filter):
    """Lets through what is the studio's fault; what clients did is no matter for the terminal."""

    _CLIENTS = ("Invalid", "Unsupported", "Cancel %s", "ASGI callable returned without", "Exceeded")

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line of uvicorn's is shown."""
        return not str(record.msg).startswith(self._CLIENTS)
