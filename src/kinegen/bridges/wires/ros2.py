"""ROS 2: the robot's topics and its action over zenoh, as nodes with rmw_zenoh exchange them."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from kinegen.bridges.robot import Robot
from kinegen.bridges.ros.action import ACTION
from kinegen.bridges.ros.action_server import ActionServer
from kinegen.bridges.ros.action_types import CANCEL, FEEDBACK, GET_RESULT, SEND_GOAL, STATUS
from kinegen.bridges.ros.cdr import CdrTypes
from kinegen.bridges.ros.definitions import plain_name
from kinegen.bridges.ros.node import NAME, Publication, RosNode
from kinegen.bridges.ros2.graph import Graph, Publisher, Request
from kinegen.bridges.transport.tcp_wire import cannot_listen
from kinegen.bridges.transport.wire import Wire, WireOptions
from kinegen.errors import KinegenError, UsageError

__all__ = ["Ros2Wire"]


@dataclass(slots=True, eq=False)
class _Topic:
    """A topic that is published."""

    name: str
    type: str
    publisher: Publisher
    listener: Callable[[Publication], None] | None = None


class Ros2Wire(Wire):
    """A zenoh router with the robot as a node; other nodes connect to it as to ``rmw_zenohd``."""

    holds = True
    PORT: ClassVar[int] = 7447
    connects = "ROS 2 nodes with rmw_zenoh: joint states, trajectories, actions, tf, sensors"
    packages = ("zenoh", "rosbags")

    def __init__(self, kind: str, robot: Robot, options: WireOptions) -> None:
        """The robot's topics, for nodes of its domain."""
        super().__init__(kind, robot, options)
        self.types = CdrTypes()
        self.node = RosNode.of(robot)
        text = os.environ.get("ROS_DOMAIN_ID", "0") or "0"
        if not text.isdecimal():
            raise UsageError(f"ROS_DOMAIN_ID is {text!r}: use a number")
        self.domain = int(text)
        self._topics: list[_Topic] = []

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
        self._graph = Graph(self._session, self.domain, NAME.strip("/"), self.types)
        self._declare()
        self._offer_action()

    async def close(self) -> None:
        """The node is gone."""
        session = self.__dict__.pop("_session", None)
        if session is not None:
            for one in self._topics:
                self._matched(one, False)
            await self.node.close()
            self._graph.close()
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
        graph = self._graph
        for topic, kind in self._offered().items():
            if topic in self.node.takes:
                graph.subscriber(topic, kind, partial(self._take, topic, kind))
                continue
            source = self.node.sources.get(topic)
            latched = source is not None and source.latched
            one = _Topic(topic, plain_name(kind), graph.publisher(topic, kind, latched=latched))
            self._topics.append(one)
            if latched:
                self._matched(one, True)
            else:
                graph.watch(one.publisher, partial(self._matched, one))

    def _matched(self, one: _Topic, wanted: bool) -> None:
        """Publish only while there is a subscriber."""
        if wanted and one.listener is None:
            one.listener = partial(self._put, one)
            self.node.listen(one.name, one.listener)
        elif not wanted and one.listener is not None:
            self.node.forget(one.name, one.listener)
            one.listener = None

    def _put(self, one: _Topic, publication: Publication) -> None:
        data = publication.encoded.get("cdr")
        if data is None:
            data = publication.encoded["cdr"] = self.types.encode(one.type, publication.message)
        one.publisher.put(data)
        self.traffic.said(one.name.encode(), len(data))

    def _take(self, topic: str, kind: str, data: bytes) -> None:
        self.traffic.heard(topic.encode(), len(data))
        try:
            self.node.take(topic, self.types.decode(kind, data))
        except KinegenError as error:
            # ROS has no way to answer a message: it is in the traffic
            self._refused(topic, error)

    def _refused(self, what: str, error: KinegenError) -> None:
        self.traffic.wrong()
        self.traffic.said(f"{what} refused: {error}".encode())

    # The action

    def _offer_action(self) -> None:
        graph, base = self._graph, f"{ACTION}/_action"
        feedback = graph.publisher(f"{base}/feedback", FEEDBACK, latched=False)
        status = graph.publisher(f"{base}/status", STATUS, latched=True)
        self.action = ActionServer(self.node.controller, feedback.send, status.send)
        status.send(self.action.statuses())
        for word, kind, call in (
            ("send_goal", SEND_GOAL, self._send_goal),
            ("cancel_goal", CANCEL, lambda one: one.answer(self.action.cancel(one.read()))),
            ("get_result", GET_RESULT, self._get_result),
        ):
            graph.service(f"{base}/{word}", kind, partial(self._serve, f"{base}/{word}", call))

    def _serve(self, name: str, call: Callable[[Request], None], request: Request) -> None:
        self.traffic.heard(name.encode(), len(request.data))
        try:
            call(request)
        except KinegenError as error:
            self._refused(name, error)
            request.refuse(str(error))

    def _send_goal(self, request: Request) -> None:
        asked = request.read()
        try:
            answer = self.action.send_goal(asked)
        except UsageError as error:
            self._refused(ACTION, error)
            answer = self.action.rejection()
        request.answer(answer)

    def _get_result(self, request: Request) -> None:
        self.action.get_result(request.read(), request.answer)
