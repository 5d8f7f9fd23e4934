"""Peer: the robot as a node of ROS 1: what other nodes ask it, and its connections to them.

The API: ROS wiki, "ROS Slave API".
"""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kinegen.bridges.ros.node import NAME, Publication, RosNode
from kinegen.bridges.ros1.encoding import Ros1Types
from kinegen.bridges.ros1.services import Services
from kinegen.bridges.ros1.tcpros import TcprosError, header, read_block, read_header
from kinegen.bridges.ros1.xmlrpc import CallError, call
from kinegen.bridges.transport.traffic import Traffic
from kinegen.errors import KinegenError

__all__ = ["Peer"]

FULL = 1 << 20
"""Bytes that may wait for a node that does not read; messages beyond are dropped."""
AGAIN, LATEST = 0.2, 5.0
"""After how long a lost publisher is tried again, at first and at most [s]."""

Answer = list[Any]


@dataclass(frozen=True, slots=True)
class _Link:
    """A connection, as getBusInfo lists it."""

    number: int
    node: str
    """Name of the other node."""
    other: str
    """How it is listed: a subscriber by its name, a publisher by its address."""
    direction: str
    """'i' or 'o', as seen from the robot."""
    topic: str


class Peer:
    """The robot's topics, for nodes that connect and from nodes that publish."""

    def __init__(self, node: RosNode, traffic: Traffic, gone: Callable[[str], None]) -> None:
        """Nobody is connected.

        Args:
            node: The robot.
            traffic: Where messages are counted.
            gone: Called with the address of a node that does not listen any more.
        """
        self._node, self._traffic, self._gone = node, traffic, gone
        self.types = Ros1Types()
        self.services = Services(node.robot)
        self.place: tuple[str, int] = ("", 0)
        """Where other nodes connect to."""
        self.master = ""
        """The master's address."""
        known = {t: kind for t, kind in node.types.items() if self.types.has(kind)}
        self.takes = {t: kind for t, kind in known.items() if t in node.takes}
        self.gives = {t: kind for t, kind in known.items() if t not in node.takes}
        self._links: dict[int, _Link] = {}
        self._numbers = itertools.count(1)
        self._counts: dict[str, int] = {}
        self._following: dict[str, dict[str, asyncio.Task[None]]] = {}
        """Tasks that hear publishers, by topic and address."""
        self.methods: dict[str, Callable[..., Answer]] = {
            "requestTopic": self._request_topic, "publisherUpdate": self._publisher_update,
            "paramUpdate": lambda caller, key, value: [1, "the robot watches no parameter", 0],
            "getPublications": lambda caller: [1, "publications", _rows(self.gives)],
            "getSubscriptions": lambda caller: [1, "subscriptions", _rows(self.takes)],
            "getBusInfo": self._bus_info,
            "getBusStats": lambda caller: [1, "bus stats", [[], [], []]],
            "getMasterUri": lambda caller: [1, "the master's address", self.master],
            "getPid": lambda caller: [1, "the bridge's process", os.getpid()],
            "shutdown": lambda caller, reason="": [0, "only Ctrl-C ends the bridge", 0],
        }  # fmt: skip

    def close(self) -> None:
        """Hear nobody any more."""
        for topic in list(self._following):
            self.follow(topic, [])

    @property
    def nodes(self) -> set[str]:
        """Names of the nodes that are connected."""
        return {one.node for one in self._links.values()}

    # What other nodes ask

    def _request_topic(self, caller: str, topic: str, protocols: Any) -> Answer:
        if topic not in self.gives:
            return [-1, f"{NAME} does not publish {topic}", []]
        if not any(one and one[0] == "TCPROS" for one in protocols):
            return [0, "TCPROS is the only protocol here", []]
        return [1, f"ready on {self.place[0]}:{self.place[1]}", ["TCPROS", *self.place]]

    def _publisher_update(self, caller: str, topic: str, publishers: Any) -> Answer:
        if topic in self.takes:
            self.follow(topic, [str(one) for one in publishers])
        return [1, f"publishers of {topic}", 0]

    def _bus_info(self, caller: str) -> Answer:
        rows = [
            [one.number, one.other, one.direction, "TCPROS", one.topic, True]
            for one in self._links.values()
        ]
        return [1, "bus info", rows]

    # Nodes that connect

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A node that wants a topic or a service."""
        try:
            asked = await read_header(reader)
            if "service" in asked:
                await self.services.serve(asked, reader, writer)
            else:
                await self._publish_to(asked, reader, writer)
        except TcprosError as error:
            self._traffic.wrong()
            writer.write(header({"error": str(error)}))
            await writer.drain()

    async def _publish_to(
        self, asked: dict[str, str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        topic = asked.get("topic", "")
        if topic not in self.gives:
            raise TcprosError(f"{NAME} does not publish '{topic}'")
        kind = self.gives[topic]
        md5, source = self.types.md5_of(kind), self._node.sources.get(topic)
        if asked.get("md5sum") not in ("*", md5):
            raise TcprosError(
                f"{topic} is {kind} with the MD5 sum {md5}; {asked.get('callerid')} wants "
                f"{asked.get('type')} with {asked.get('md5sum')}"
            )
        latched = source is not None and source.latched
        writer.write(header({
            "callerid": NAME, "latching": str(int(latched)), "md5sum": md5,
            "message_definition": self.types.definition_of(kind), "topic": topic, "type": kind,
        }))  # fmt: skip

        def put(publication: Publication) -> None:
            transport = writer.transport
            if not transport.is_closing() and transport.get_write_buffer_size() < FULL:
                writer.write(self._encoded(publication))

        node = asked.get("callerid", "")
        link = self._link(node, node, "o", topic)
        self._node.listen(topic, put)
        try:
            while await reader.read(4096):
                pass  # a subscriber has nothing to say
        finally:
            self._node.forget(topic, put)
            del self._links[link.number]

    def _encoded(self, publication: Publication) -> bytes:
        data: bytes | None = publication.encoded.get("ros1")
        if data is None:
            count = self._counts[publication.topic] = self._counts.get(publication.topic, -1) + 1
            data = self.types.encode(publication.type, publication.message, count)
            publication.encoded["ros1"] = data
        self._traffic.said(publication.topic.encode(), len(data))
        return data

    def _link(self, node: str, other: str, direction: str, topic: str) -> _Link:
        link = _Link(next(self._numbers), node, other, direction, topic)
        self._links[link.number] = link
        return link

    # Nodes that publish

    def follow(self, topic: str, publishers: list[str]) -> None:
        """Hear these nodes, and no others."""
        tasks = self._following.setdefault(topic, {})
        for uri in [one for one in tasks if one not in publishers]:
            tasks.pop(uri).cancel()
        for uri in publishers:
            if uri not in tasks:
                loop = asyncio.get_running_loop()
                tasks[uri] = loop.create_task(self._follow(topic, uri))

    async def _follow(self, topic: str, uri: str) -> None:
        """Hear one node until it is removed; a connection that is lost is tried again."""
        pause = AGAIN
        while True:
            try:
                await self._hear(topic, uri)
                pause = AGAIN
            except (KinegenError, OSError, asyncio.IncompleteReadError) as error:
                self._traffic.said(f"{topic}: {error}".encode())
                if isinstance(error.__cause__, ConnectionRefusedError):
                    self._gone(uri)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LATEST)

    async def _hear(self, topic: str, uri: str) -> None:
        answer = await call(uri, "requestTopic", NAME, topic, [["TCPROS"]])
        try:
            _, _, (protocol, host, port) = answer
            if protocol != "TCPROS":
                raise ValueError(protocol)
        except (TypeError, ValueError):
            raise CallError(f"{uri} does not send {topic}: {answer!r:.200}") from None
        reader, writer = await asyncio.open_connection(str(host), int(port))
        link: _Link | None = None
        try:
            kind = self.takes[topic]
            writer.write(header({
                "callerid": NAME, "md5sum": self.types.md5_of(kind), "tcp_nodelay": "1",
                "topic": topic, "type": kind,
            }))  # fmt: skip
            found = await read_header(reader)
            if "error" in found:
                raise TcprosError(f"refused: {found['error']}")
            if found.get("md5sum") not in ("*", self.types.md5_of(kind)):
                raise TcprosError(f"{uri} publishes {found.get('type')}, not {kind}")
            link = self._link(found.get("callerid", uri), uri, "i", topic)
            while True:
                self._take(topic, kind, await read_block(reader))
                await asyncio.sleep(0)  # a flood leaves time for the others
        finally:
            if link is not None:
                del self._links[link.number]
            writer.close()

    def _take(self, topic: str, kind: str, data: bytes) -> None:
        self._traffic.heard(topic.encode(), len(data))
        try:
            self._node.take(topic, self.types.decode(kind, data))
        except KinegenError as error:
            # ROS has no way to answer a message: it is in the traffic
            self._traffic.wrong()
            self._traffic.said(f"{topic} refused: {error}".encode())


def _rows(types: dict[str, str]) -> list[list[str]]:
    return [[topic, kind] for topic, kind in types.items()]
