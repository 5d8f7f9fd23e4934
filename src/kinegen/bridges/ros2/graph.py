"""Graph: publishers, subscribers and services of a node, as rmw_zenoh declares them to zenoh.

Keys, attachments and liveliness tokens: the design document of rmw_zenoh.
"""

from __future__ import annotations

import asyncio
import os
import struct
import time
from collections.abc import Callable
from typing import Any

from kinegen.bridges.ros.cdr import CdrTypes
from kinegen.bridges.ros.definitions import ros2_name
from kinegen.bridges.ros.source import Message

__all__ = ["Graph", "Publisher", "Request"]

QOS, LATCHED = "::,10:,:,:,,", ":1:,1:,:,:,,"
"""Reliable and volatile, ten messages; reliable, the last one for those who come later."""


class Publisher:
    """A topic that is published."""

    def __init__(self, declared: Any, types: CdrTypes, kind: str) -> None:
        self.declared, self._types, self._kind = declared, types, kind
        self._gid, self._count = os.urandom(16), 0

    def put(self, data: bytes) -> None:
        """Send an encoded message."""
        self._count += 1
        self.declared.put(data, attachment=_attachment(self._count, self._gid))

    def send(self, message: Message) -> None:
        """Encode a message and send it."""
        self.put(self._types.encode(self._kind, message))


class Request:
    """A call of a service; it may be answered later."""

    def __init__(self, query: Any, types: CdrTypes, kind: str) -> None:
        self._query, self._types, self._kind = query, types, kind
        self.data = bytes(query.payload.to_bytes()) if query.payload is not None else b""
        head = bytes(query.attachment.to_bytes()) if query.attachment is not None else b""
        self._head = head if len(head) >= 17 and len(head) == 17 + head[16] else bytes(17)

    def read(self) -> Any:
        """What is asked.

        Raises:
            UsageError: The bytes are no such request.
        """
        return self._types.decode(f"{self._kind}_Request", self.data)

    def answer(self, message: Message) -> None:
        """The response, with the number and the sender of the request."""
        (count,) = struct.unpack_from("<q", self._head)
        data = self._types.encode(f"{self._kind}_Response", message)
        head = _attachment(count, self._head[17:])
        self._query.reply(self._query.key_expr, data, attachment=head)
        self._query.drop()

    def refuse(self, reason: str) -> None:
        """An error instead of a response."""
        self._query.reply_err(reason.encode())
        self._query.drop()


class Graph:
    """A node with its endpoints; they end when the graph is closed."""

    def __init__(self, session: Any, domain: int, name: str, types: CdrTypes) -> None:
        """The node's token is declared.

        Args:
            session: Of zenoh.
            domain: ROS_DOMAIN_ID.
            name: Of the node, without a namespace.
            types: Of its messages.
        """
        self._session, self._domain, self._types = session, domain, types
        self._loop = asyncio.get_running_loop()
        self._place = f"@ros2_lv/{domain}/{session.info.zid()}/0"
        self._who = f"%/%/{name}"
        self._count = 0
        self._kept: list[Any] = []
        self._token(f"{self._place}/0/NN/{self._who}")

    def close(self) -> None:
        """Forget everything."""
        self._kept.clear()

    def publisher(self, topic: str, kind: str, *, latched: bool) -> Publisher:
        """Declare a topic."""
        from zenoh import ext

        key = f"{self._declare('MP', topic, kind, latched=latched)}/{self._types.hash_of(kind)}"
        if latched:
            found: Any = ext.declare_advanced_publisher(
                self._session, key, cache=ext.CacheConfig(1), publisher_detection=True
            )
        else:
            found = self._session.declare_publisher(key)
        return Publisher(found, self._types, kind)

    def watch(self, one: Publisher, call: Callable[[bool], None]) -> None:
        """Call, now and at changes, with whether somebody subscribes."""

        def changed(status: Any) -> None:  # in a thread of zenoh
            self._loop.call_soon_threadsafe(call, bool(status.matching))

        self._kept.append(one.declared.declare_matching_listener(changed))
        call(bool(one.declared.matching_status.matching))

    def subscriber(self, topic: str, kind: str, call: Callable[[bytes], None]) -> None:
        """Call with every message of a topic, whatever the hash of its type."""

        def hear(sample: Any) -> None:  # in a thread of zenoh
            data = bytes(sample.payload.to_bytes())
            self._loop.call_soon_threadsafe(call, data)

        key = f"{self._declare('MS', topic, kind)}/*"
        self._kept.append(self._session.declare_subscriber(key, hear))

    def service(self, name: str, kind: str, call: Callable[[Request], None]) -> None:
        """Call with every request of a service."""

        def hear(query: Any) -> None:  # in a thread of zenoh
            request = Request(query, self._types, kind)
            self._loop.call_soon_threadsafe(call, request)

        key = f"{self._declare('SS', name, kind)}/*"
        self._kept.append(self._session.declare_queryable(key, hear, complete=True))

    def _declare(self, word: str, name: str, kind: str, *, latched: bool = False) -> str:
        """The token of an endpoint; its key without the hash."""
        self._count += 1
        dds, hashed = _dds(kind), self._types.hash_of(kind)
        about = f"{name.replace('/', '%')}/{dds}/{hashed}/{LATCHED if latched else QOS}"
        self._token(f"{self._place}/{self._count}/{word}/{self._who}/{about}")
        return f"{self._domain}/{name.strip('/')}/{dds}"

    def _token(self, key: str) -> None:
        self._kept.append(self._session.liveliness().declare_token(key))


def _attachment(count: int, gid: bytes) -> bytes:
    return struct.pack("<qq", count, time.time_ns()) + bytes([len(gid)]) + gid


def _dds(kind: str) -> str:
    name = kind if kind.count("/") == 2 else ros2_name(kind)
    package, folder, word = name.split("/")
    return f"{package}::{folder}::dds_::{word}_"
