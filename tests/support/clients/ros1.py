"""A node of ROS 1 in little: XML-RPC of the standard library, and TCPROS on plain sockets."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from typing import Any
from xmlrpc.client import ServerProxy
from xmlrpc.server import SimpleXMLRPCServer

from kinegen.bridges.ros1.tcpros import header

NAME = "/little"


class Api:
    """Methods of a master or a node, each call with a connection of its own."""

    def __init__(self, uri: str) -> None:
        self._uri = uri

    def __getattr__(self, name: str) -> Any:
        def call(*parameters: Any) -> Any:
            with ServerProxy(self._uri) as proxy:
                return getattr(proxy, name)(*parameters)

        return call


def master(address: str) -> Api:
    """The master at ``host:port``."""
    return Api(f"http://{address}/")


def value(answer: Any) -> Any:
    """Of a call that succeeds."""
    assert answer[0] == 1, answer
    return answer[2]


def read_block(stream: socket.socket) -> bytes:
    """What follows its length."""
    (size,) = struct.unpack("<I", _exactly(stream, 4))
    return _exactly(stream, size)


def _exactly(stream: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = stream.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def read_header(stream: socket.socket) -> dict[str, str]:
    """The fields of a header."""
    body, found = read_block(stream), {}
    while body:
        (size,) = struct.unpack_from("<I", body)
        key, _, text = body[4 : 4 + size].decode().partition("=")
        found[key] = text
        body = body[4 + size :]
    return found


@contextlib.contextmanager
def subscribed(address: str, topic: str, md5: str) -> Iterator[tuple[socket.socket, Any]]:
    """A connection that brings a topic, and its header."""
    node = value(master(address).lookupNode(NAME, "/kinegen"))
    _, host, port = value(Api(node).requestTopic(NAME, topic, [["TCPROS"]]))
    with socket.create_connection((host, port), 30) as stream:
        stream.sendall(header({"callerid": NAME, "topic": topic, "md5sum": md5, "type": "*"}))
        yield stream, read_header(stream)


class Publisher:
    """A node that publishes one topic, until the ``with`` block ends."""

    def __init__(self, address: str, topic: str, kind: str, md5: str) -> None:
        self._address, self.topic, self.kind, self.md5 = address, topic, kind, md5

    def __enter__(self) -> Publisher:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(30)
        port = self._listening.getsockname()[1]
        self._api = SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False)
        self._api.register_function(
            lambda caller, topic, protocols: [1, "", ["TCPROS", "127.0.0.1", port]], "requestTopic"
        )
        threading.Thread(target=self._api.serve_forever, args=(0.02,), daemon=True).start()
        self.uri = f"http://127.0.0.1:{self._api.server_address[1]}/"
        self.stream: Any = None
        value(master(self._address).registerPublisher(NAME, self.topic, self.kind, self.uri))
        return self

    def connect(self) -> dict[str, str]:
        """Wait for the robot; the header that it sent."""
        self.stream, _ = self._listening.accept()
        self.stream.settimeout(30)
        asked = read_header(self.stream)
        fields = {"callerid": NAME, "topic": self.topic, "md5sum": self.md5, "type": self.kind}
        self.stream.sendall(header(fields))
        return asked

    def __exit__(self, *error: object) -> None:
        self._api.shutdown()
        self._api.server_close()
        self._listening.close()
        if self.stream is not None:
            self.stream.close()
