"""ROS 1: a master with the robot as its node, or the robot as a node of another master."""

from __future__ import annotations

import asyncio
import os
import re
import socket
from typing import Any, ClassVar
from urllib.parse import urlsplit

from kinegen.bridges.robot import Robot
from kinegen.bridges.ros.node import NAME, RosNode
from kinegen.bridges.ros1 import xmlrpc
from kinegen.bridges.ros1.master import Master
from kinegen.bridges.ros1.peer import Peer
from kinegen.bridges.transport.tcp_wire import TcpWire
from kinegen.bridges.transport.wire import WireOptions
from kinegen.errors import KinegenError, UsageError

__all__ = ["Ros1Wire"]

VARIABLE = "ROS_MASTER_URI"
MOST_CALLS = 1000
"""Calls that wait for a node that does not answer; then it is removed."""
GOODBYE = 3.0
"""How long another master may take to hear that the robot is gone [s]."""


class Ros1Wire(TcpWire):
    """Where ``ROS_MASTER_URI`` names a master that runs, the robot joins it; else it is one."""

    holds = True
    PORT: ClassVar[int] = 11311
    connects = "rospy, roscpp, rostopic: nodes of ROS 1"

    def __init__(self, kind: str, robot: Robot, options: WireOptions) -> None:
        """The robot's topics, for nodes of its graph."""
        super().__init__(kind, robot, options)
        self.node = RosNode.of(robot)
        self.peer = Peer(self.node, self.traffic, self._gone)
        self.master: Master | None = None
        """None where another master is joined."""
        self._joined = ""
        self._port = self.PORT
        self._calls: dict[str, asyncio.Lock] = {}
        self._waiting: dict[str, int] = {}
        self._errands: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int:
        """Where master and node listen."""
        return self._port if self.options.port is None else self.options.port

    @property
    def client_count(self) -> int | None:
        """Nodes that are connected; the master's own conversations do not count."""
        return len(self.peer.nodes)

    async def open(self) -> None:
        """Listen, and register everything at the master."""
        await self._look_for_master()
        await super().open()
        name = self._name()
        self.uri = f"http://{name}:{self.endpoint.rpartition(':')[2]}/"
        self.peer.place = name, (await self.listen(self.peer.serve, 0))[1]
        self.methods: dict[str, xmlrpc.Method] = dict(self.peer.methods)
        if not self._joined:
            self.master = Master(self.uri, self._notify)
            self.methods |= self.master.methods
        self.peer.master = self._joined or self.uri
        self.node.open()
        await self._register()
        if self._joined:
            parts = urlsplit(self._joined)
            self.endpoint = f"{parts.hostname}:{parts.port}"

    async def close(self) -> None:
        """The node is gone, and the master with it where it is ours."""
        if hasattr(self, "methods"):
            self.peer.close()
            for one in self._errands:
                one.cancel()
            await self._say_goodbye()
            await self.node.close()
            del self.methods
        await super().close()

    def facts(self) -> dict[str, Any]:
        """What nodes have as their ROS_MASTER_URI."""
        topics = sorted([*self.peer.gives, *self.peer.takes])
        return {"url": self.peer.master, "joined": bool(self._joined), "topics": topics}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Calls of the master's and of the node's API."""
        await xmlrpc.serve(reader, writer, self.methods, self._heard)

    def words(self, packet: bytes, answers: bool) -> str:
        """The topic, or the method that is called."""
        text = packet.decode("utf8", "backslashreplace")
        found = re.search(r"<methodName>\s*([\w.]+)", text)
        strings = re.findall(r"<string>([^<]{1,100})", text)
        return f"{found[1]} {' '.join(strings[:2])}".strip() if found else text

    # The master

    async def _look_for_master(self) -> None:
        """Join the one of the environment if it runs; a port of one's own makes one's own."""
        given = os.environ.get(VARIABLE, "")
        if not given or self.options.port is not None:
            return
        parts = urlsplit(given)
        try:
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if parts.scheme != "http" or not host or not port:
            raise UsageError(
                f"{VARIABLE} is {given!r}: use an address such as http://localhost:11311"
            )
        try:
            _, _, taken = await xmlrpc.call(given, "lookupNode", NAME, NAME)
        except (KinegenError, TypeError, ValueError) as error:
            if host not in ("localhost", "127.0.0.1", socket.gethostname()):
                raise UsageError(
                    f"{VARIABLE} is {given}, and no master answers there: {error}; start it, or "
                    "unset the variable so that the bridge is the master"
                ) from None
            self._port = port
            return
        if isinstance(taken, str) and taken and await _is_alive(taken):
            raise UsageError(
                f"{given} already has a node {NAME} at {taken}: stop it, or use --port to "
                "start a separate master"
            )
        self._joined, self._port = given, 0

    async def _ask(self, method: str, *parameters: Any) -> Any:
        """A call of the node at its master."""
        if self.master is not None:
            return self.master.methods[method](NAME, *parameters)[2]
        code, text, value = await xmlrpc.call(self._joined, method, NAME, *parameters)
        if code != 1:
            raise KinegenError(f"{self._joined} refused {method}: {text}")
        return value

    async def _register(self) -> None:
        values = {"robot_description": self.node.description.text, "use_sim_time": True}
        if self.master is not None:
            values |= {"rosdistro": "noetic\n", "rosversion": "1.16.0\n"}
        for name, value in values.items():
            await self._ask("setParam", f"/{name}", value)
        for topic, kind in self.peer.gives.items():
            await self._ask("registerPublisher", topic, kind, self.uri)
        for topic, kind in self.peer.takes.items():
            self.peer.follow(topic, await self._ask("registerSubscriber", topic, kind, self.uri))
        for service in self.peer.services.names:
            await self._ask("registerService", service, self._service_place(), self.uri)

    async def _say_goodbye(self) -> None:
        """Another master need not keep what is gone."""
        if self.master is not None:
            return
        try:
            async with asyncio.timeout(GOODBYE):
                await self._ask("deleteParam", "/use_sim_time")
                for topic in self.peer.gives:
                    await self._ask("unregisterPublisher", topic, self.uri)
                for topic in self.peer.takes:
                    await self._ask("unregisterSubscriber", topic, self.uri)
                for service in self.peer.services.names:
                    await self._ask("unregisterService", service, self._service_place())
        except (KinegenError, TimeoutError):
            pass  # it is gone itself

    def _service_place(self) -> str:
        host, port = self.peer.place
        return f"rosrpc://{host}:{port}"

    def _name(self) -> str:
        """How other nodes call this machine."""
        if self.options.host not in ("0.0.0.0", "::", ""):
            return self.options.host
        own = os.environ.get("ROS_HOSTNAME") or os.environ.get("ROS_IP")
        return own or socket.gethostname()

    # Calls to other nodes

    def _notify(self, uri: str, method: str, parameters: tuple[Any, ...]) -> None:
        """Call a node's method, after those that wait for it."""
        loop = asyncio.get_running_loop()
        if uri == self.uri:
            loop.call_soon(self.peer.methods[method], *parameters)
            return
        self._waiting[uri] = self._waiting.get(uri, 0) + 1
        if self._waiting[uri] > MOST_CALLS:
            loop.call_soon(self._gone, uri)
        task = loop.create_task(self._call(uri, method, parameters))
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    async def _call(self, uri: str, method: str, parameters: tuple[Any, ...]) -> None:
        try:
            async with self._calls.setdefault(uri, asyncio.Lock()):
                await xmlrpc.call(uri, method, *parameters)
        except KinegenError as error:
            if isinstance(error.__cause__, ConnectionRefusedError):
                self._gone(uri)
        finally:
            self._waiting[uri] -= 1
            if not self._waiting[uri]:
                del self._waiting[uri]
                self._calls.pop(uri, None)

    def _gone(self, uri: str) -> None:
        if self.master is not None:
            self.master.forget(uri)

    def _heard(self, body: bytes) -> None:
        self.traffic.heard(body[:KEPT], len(body))


async def _is_alive(uri: str) -> bool:
    try:
        await xmlrpc.call(uri, "getPid", NAME)
    except KinegenError:
        return False
    return True


KEPT = 2000
"""Bytes of a call that are remembered."""
