"""ROS 2: the robot's topics over zenoh, as nodes with rmw_zenoh exchange them.

Keys, attachments and liveliness tokens: the design document of rmw_zenoh.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from kinegen.bridges.robot import Robot
from kinegen.bridges.ros.cdr import CdrTypes
from kinegen.bridges.ros.definitions import plain_name
from kinegen.bridges.ros.node import NAME, Publication, RosNode
from kinegen.bridges.tcp_wire import cannot_listen
from kinegen.bridges.wire import Wire, WireOptions
from kinegen.errors import KinegenError, UsageError

__all__ = ["Ros2Wire"]

QOS, LATCHED = "::,10:,:,:,,", ":1:,1:,:,:,,"
"""Reliable and volatile, ten messages; reliable, the last one for those who come later."""


@dataclass(slots=True, eq=False)
class _Topic:
    """A topic that is published."""

    name: str
    type: str
    publisher: Any
    gid: bytes
    listener: Callable[[Publication], None] | None = None
    count: int = 0


class Ros2Wire(Wire):
    """A zenoh router with the robot as a node; other nodes connect to it as to ``rmw_zenohd``."""

    holds = True
    PORT: ClassVar[int] = 7447

    def __init__(self, kind: str, robot: Robot, options: WireOptions) -> None:
        """The robot's topics, for nodes of its domain."""
        super().__init__(kind, robot, options)
        self.types = CdrTypes()
        self.node = RosNode.of(robot)
        text = os.environ.get("ROS_DOMAIN_ID", "0") or "0"
        if not text.isdecimal():
            raise UsageError(f"ROS_DOMAIN_ID is {text!r}: give a number")
        self.domain = int(text)
        self._topics: list[_Topic] = []
        self._kept: list[Any] = []
        """Tokens and subscribers, which end when they are forgotten."""

    async def open(self) -> None:
        """Listen as a router, and declare all topics."""
        try:
            import zenoh
        except ImportError:
            raise UsageError(
                "ros2 needs the packages rosbags and eclipse-zenoh: pip install 'kinegen[bridges]'"
            ) from None
        port = self.PORT if self.options.port is None else self.options.port
        host = self.options.host
        try:
            # zenoh does not say why it cannot listen, nor which free port it took
            with socket.create_server((host, port)) as found:
                port = found.getsockname()[1]
        except OSError as error:
            raise cannot_listen(self.kind, host, port, error) from None
        self._loop = asyncio.get_running_loop()
        config = zenoh.Config()
        for key, value in (
            ("mode", "router"), ("listen/endpoints", [f"tcp/{host}:{port}"]),
            ("scouting/multicast/enabled", False), ("timestamping/enabled", True),
        ):  # fmt: skip
            config.insert_json5(key, json.dumps(value))
        self._session = await self._loop.run_in_executor(None, zenoh.open, config)
        self.endpoint = f"{host}:{port}"
        self.node.open()
        self._declare()

    async def close(self) -> None:
        """The node is gone."""
        session = self.__dict__.pop("_session", None)
        if session is not None:
            for one in self._topics:
                self._matched(one, False)
            await self.node.close()
            self._kept.clear()
            await self._loop.run_in_executor(None, session.close)

    def facts(self) -> dict[str, Any]:
        """How zenoh reaches it, and the domain."""
        url = f"tcp/{self.endpoint}"
        return {"url": url, "domain": self.domain, "topics": sorted(self._offered())}

    def _offered(self) -> dict[str, str]:
        """Types of the topics, without those of ROS 1's actions."""
        types = {t: kind for t, kind in self.node.types.items() if self.types.has(kind)}
        return {t: kind for t, kind in types.items() if not kind.startswith("actionlib")}

    # Topics

    def _declare(self) -> None:
        from zenoh import ext

        zid = str(self._session.info.zid())
        place = f"@ros2_lv/{self.domain}/{zid}/0"
        who = f"%/%/{NAME.strip('/')}"
        self._token(f"{place}/0/NN/{who}")
        number = 0
        for topic, kind in self._offered().items():
            number += 1
            source = self.node.sources.get(topic)
            latched = source is not None and source.latched
            word, hashed = _dds(kind), self.types.hash_of(kind)
            key = f"{self.domain}/{topic.strip('/')}/{word}/{hashed}"
            about = f"{topic.replace('/', '%')}/{word}/{hashed}/{LATCHED if latched else QOS}"
            takes = topic in self.node.takes
            self._token(f"{place}/{number}/{'MS' if takes else 'MP'}/{who}/{about}")
            if takes:
                key = f"{self.domain}/{topic.strip('/')}/{word}/*"
                hear = self._hearer(topic, kind)
                self._kept.append(self._session.declare_subscriber(key, hear))
                continue
            publisher: Any
            if latched:
                publisher = ext.declare_advanced_publisher(
                    self._session, key, cache=ext.CacheConfig(1), publisher_detection=True
                )
            else:
                publisher = self._session.declare_publisher(key)
            one = _Topic(topic, plain_name(kind), publisher, os.urandom(16))
            self._topics.append(one)
            if latched:
                self.node.listen(topic, lambda p, one=one: self._put(one, p))  # type: ignore[misc]
            else:
                self._watch(one)

    def _token(self, key: str) -> None:
        self._kept.append(self._session.liveliness().declare_token(key))

    def _watch(self, one: _Topic) -> None:
        """Publish only while there is a subscriber."""

        def changed(status: Any) -> None:  # in a thread of zenoh
            self._loop.call_soon_threadsafe(self._matched, one, bool(status.matching))

        self._kept.append(one.publisher.declare_matching_listener(changed))
        self._matched(one, bool(one.publisher.matching_status.matching))

    def _matched(self, one: _Topic, wanted: bool) -> None:
        if wanted and one.listener is None:
            one.listener = lambda publication: self._put(one, publication)
            self.node.listen(one.name, one.listener)
        elif not wanted and one.listener is not None:
            self.node.forget(one.name, one.listener)
            one.listener = None

    def _put(self, one: _Topic, publication: Publication) -> None:
        data = publication.encoded.get("cdr")
        if data is None:
            data = publication.encoded["cdr"] = self.types.encode(one.type, publication.message)
        one.count += 1
        head = struct.pack("<qq", one.count, time.time_ns()) + bytes([len(one.gid)]) + one.gid
        one.publisher.put(data, attachment=head)
        self.traffic.said(one.name.encode(), len(data))

    def _hearer(self, topic: str, kind: str) -> Callable[[Any], None]:
        def hear(sample: Any) -> None:  # in a thread of zenoh
            data = bytes(sample.payload.to_bytes())
            self._loop.call_soon_threadsafe(self._take, topic, kind, data)

        return hear

    def _take(self, topic: str, kind: str, data: bytes) -> None:
        self.traffic.heard(topic.encode(), len(data))
        try:
            self.node.take(topic, self.types.decode(kind, data))
        except KinegenError as error:
            # ROS has no way to answer a message: it is in the traffic
            self.traffic.wrong()
            self.traffic.said(f"{topic} refused: {error}".encode())


def _dds(kind: str) -> str:
    package, _, word = plain_name(kind).partition("/")
    return f"{package}::msg::dds_::{word}_"
