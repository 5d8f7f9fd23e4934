"""Rosbridge: ROS topics, services and actions as JSON over a WebSocket (rosbridge protocol 2.0)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from http import HTTPStatus
from typing import Any, ClassVar
from urllib.parse import urlsplit

from kinegen.bridges.robot import Robot
from kinegen.bridges.ros.node import RosNode
from kinegen.bridges.ros.rosapi import Rosapi
from kinegen.bridges.transport.tcp_wire import cannot_listen
from kinegen.bridges.transport.wire import Wire, WireOptions
from kinegen.bridges.wires.rosbridge_client import RosbridgeClient
from kinegen.errors import UsageError

__all__ = ["RosbridgeWire"]

LARGEST = 16 << 20
"""Bytes of one message of a client."""


class RosbridgeWire(Wire):
    """A rosbridge server; every client has a conversation of its own, and all share the robot."""

    holds = True
    PORT: ClassVar[int] = 9090
    connects = "roslibpy, roslib.js, Foxglove: ROS topics, services, actions over a WebSocket"
    packages = ("websockets",)

    def __init__(self, kind: str, robot: Robot, options: WireOptions) -> None:
        """The robot's topics, whoever asks for them."""
        super().__init__(kind, robot, options)
        self.node = RosNode.of(robot)
        self.clients: set[RosbridgeClient] = set()
        self.rosapi = Rosapi(self.node, self._advertised)

    def _advertised(self) -> dict[str, str]:
        return {topic: kind for one in self.clients for topic, kind in one.advertised.items()}

    @property
    def client_count(self) -> int | None:
        """How many are connected."""
        return len(self.clients)

    def relay(self, sender: RosbridgeClient, topic: str, message: Any) -> None:
        """Pass a message that is not for the robot to the clients that want it."""
        for one in self.clients:
            if one is not sender:
                one.relayed(topic, message)

    async def open(self) -> None:
        """Listen for WebSockets."""
        try:
            from websockets.asyncio.server import serve
        except ImportError:
            raise UsageError(
                "rosbridge needs the package websockets: pip install 'kinegen[bridges]'"
            ) from None
        quiet = logging.getLogger("kinegen.bridges.rosbridge")
        quiet.addHandler(logging.NullHandler())
        quiet.propagate = False  # bytes that are no WebSocket are counted, not printed
        host, given = self.options.host, self.options.port
        port = self.PORT if given is None else given
        try:
            self._server = await serve(
                self._serve, host, port, max_size=LARGEST, compression=None, logger=quiet,
                close_timeout=1, process_request=self._check_origin,
            )  # fmt: skip
        except OSError as error:
            raise cannot_listen(self.kind, host, port, error) from None
        found = next(iter(self._server.sockets)).getsockname()
        self.endpoint = f"{found[0]}:{found[1]}"
        self.node.open()

    def _check_origin(self, connection: Any, request: Any) -> Any:
        """Programs send no origin; a browser sends that of the page, whoever wrote it."""
        for origin in request.headers.get_all("Origin"):
            if not _is_allowed(origin, self.options.origins):
                self.traffic.wrong()
                self.traffic.said(f"a page of {origin} was refused".encode())
                return connection.respond(
                    HTTPStatus.FORBIDDEN,
                    f"Pages of {origin} may not connect: allow it with --origin {origin}\n",
                )
        return None

    async def close(self) -> None:
        """All clients are disconnected."""
        server = self.__dict__.pop("_server", None)
        if server is not None:
            server.close()
            await server.wait_closed()
            await self.node.close()

    def facts(self) -> dict[str, Any]:
        """How a WebSocket opens it."""
        return {"url": f"ws://{self.endpoint}", "topics": sorted(self.node.types)}

    async def _serve(self, connection: Any) -> None:
        from websockets.exceptions import ConnectionClosed

        client = RosbridgeClient(self)
        self.clients.add(client)
        writer = asyncio.ensure_future(self._write(connection, client))
        try:
            async for frame in connection:
                data = frame.encode() if isinstance(frame, str) else bytes(frame)
                self.traffic.heard(data[:KEPT], len(data))
                client.receive(frame)
                # a flood leaves time for the others
                await asyncio.sleep(0)
        except ConnectionClosed:
            pass
        finally:
            self.clients.discard(client)
            client.close()
            writer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await writer

    async def _write(self, connection: Any, client: RosbridgeClient) -> None:
        """Send what waits; a client that does not read gets the newest when it does."""
        from websockets.exceptions import ConnectionClosed

        with contextlib.suppress(ConnectionClosed):
            while True:
                text = await client.next()
                if text is None:
                    await connection.close(1013, "the client does not read its answers")
                    return
                self.traffic.said(text[:KEPT].encode(), len(text))
                await connection.send(text)

    def words(self, packet: bytes, answers: bool) -> str:
        """The operation and what it is about."""
        text = packet.decode("utf8", "backslashreplace")
        found = dict(reversed(_ABOUT.findall(text)))
        if "op" not in found:
            return text if len(text) < 100 else f"{text[:100]} …"
        about = next((found[k] for k in ("topic", "service", "action", "msg") if k in found), "")
        return f"{found['op']} {about}".strip()


def _is_allowed(origin: str, allowed: tuple[str, ...]) -> bool:
    """Pages of this machine and those that the user named."""
    if "*" in allowed or origin.rstrip("/") in {one.rstrip("/") for one in allowed}:
        return True
    try:
        return urlsplit(origin).hostname in ("localhost", "127.0.0.1", "::1")
    except ValueError:
        return False


_ABOUT = re.compile(r'"(op|topic|service|action|msg)": ?"([^"]*)"')
KEPT = 2000
"""Bytes of a message that are remembered."""
