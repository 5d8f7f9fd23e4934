"""RosbridgeClient: what one client of a rosbridge has asked for, and what waits to be sent."""

from __future__ import annotations

import asyncio
import json
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kinegen.bridges.ros.action import ACTION
from kinegen.bridges.ros.controller import Goal
from kinegen.bridges.ros.definitions import plain_name
from kinegen.bridges.ros.json_text import dialect_of, plain, publish_text
from kinegen.bridges.ros.node import Publication
from kinegen.errors import KinegenError, UsageError, did_you_mean

if TYPE_CHECKING:
    from kinegen.bridges.wires.rosbridge import RosbridgeWire

__all__ = ["RosbridgeClient"]

MOST_EVENTS = 10_000
"""Answers that wait for a client that does not read; then it is disconnected."""
LEVELS = ("info", "warning", "error", "none")


@dataclass(slots=True, eq=False)
class _Subscription:
    """A topic that a client wants."""

    dialect: str
    throttle: float
    """Least time between two messages [s]."""
    length: int
    """Messages that wait while the throttle is closed; 0: none."""
    listener: Callable[[Publication], None]
    waiting: deque[str] = field(default_factory=deque)
    last: float = -math.inf
    timer: asyncio.TimerHandle | None = None


class RosbridgeClient:
    """The conversation with one client. Nothing here waits."""

    def __init__(self, wire: RosbridgeWire) -> None:
        self._wire, self._node = wire, wire.node
        self.advertised: dict[str, str] = {}
        """Types of the topics that it publishes."""
        self._subscriptions: dict[str, dict[str, _Subscription]] = {}
        self._goals: dict[str, Goal] = {}
        self._level = "error"
        self._events: deque[str] = deque()
        self._newest: dict[tuple[str, str], deque[str]] = {}
        """Messages on their way, by topic and subscription; the oldest are dropped."""
        self._new = asyncio.Event()
        self._operations: dict[str, Callable[[dict[str, Any]], None]] = {
            "advertise": self._advertise, "unadvertise": self._unadvertise,
            "publish": self._publish, "subscribe": self._subscribe,
            "unsubscribe": self._unsubscribe, "call_service": self._call,
            "send_action_goal": self._send_goal, "cancel_action_goal": self._cancel_goal,
            "set_level": self._set_level,
        }  # fmt: skip

    def receive(self, frame: str | bytes) -> None:
        """Carry out what a frame says; errors are reported to the client."""
        name: Any = None
        try:
            message = _parsed(frame)
            if not isinstance(message, dict):
                raise UsageError("a message is an object with 'op'")
            name = message.get("id")
            word = message.get("op")
            if not isinstance(word, str) or word not in self._operations:
                known = list(self._operations)
                hint = did_you_mean(str(word), known) or ";"
                raise UsageError(
                    f"operation {word!r} is not supported{hint} operations: {', '.join(known)}"
                )
            self._operations[word](message)
        except KinegenError as error:
            self._status("error", str(error), name)
            self._wire.traffic.wrong()

    async def next(self) -> str | None:
        """What is to be sent next; None: the client must be disconnected."""
        while True:
            if len(self._events) > MOST_EVENTS:
                return None
            if self._events:
                return self._events.popleft()
            for key, waiting in self._newest.items():
                text = waiting.popleft()
                # to the back, so that no topic keeps the others waiting
                del self._newest[key]
                if waiting:
                    self._newest[key] = waiting
                return text
            self._new.clear()
            await self._new.wait()

    def close(self) -> None:
        """The client is gone: its subscriptions end, and so do its goals."""
        for topic in list(self._subscriptions):
            self._drop(topic, None)
        for goal in list(self._goals.values()):
            self._node.controller.cancel(goal)
        self._node.robot.send()

    def relayed(self, topic: str, message: Any) -> None:
        """A message of another client."""
        for one in self._subscriptions.get(topic, {}).values():
            one.listener(Publication(topic, "", message))

    # Topics

    def _advertise(self, message: dict[str, Any]) -> None:
        topic, kind = _text(message, "topic"), _text(message, "type")
        self._check_type(topic, kind)
        self.advertised[topic] = plain_name(kind)

    def _unadvertise(self, message: dict[str, Any]) -> None:
        self.advertised.pop(_text(message, "topic"), None)

    def _publish(self, message: dict[str, Any]) -> None:
        topic, content = _text(message, "topic"), message.get("msg")
        if topic in self._node.takes:
            self._node.take(topic, content)
        elif topic in self._node.types:
            raise UsageError(
                f"the robot publishes '{topic}'; it subscribes to {', '.join(self._node.takes)}"
            )
        else:
            self._wire.relay(self, topic, content)

    def _subscribe(self, message: dict[str, Any]) -> None:
        topic, kind = _text(message, "topic"), str(message.get("type") or "")
        name = str(message.get("id") or "")
        if kind:
            self._check_type(topic, kind)
        throttle, length = _number(message, "throttle_rate"), _number(message, "queue_length")
        compression = message.get("compression") or "none"
        if compression != "none":
            self._status(
                "error", f"compression {compression!r} is not supported: '{topic}' is sent "
                "uncompressed", message.get("id"),
            )  # fmt: skip
        if message.get("fragment_size"):
            self._status("error", "messages are not split: they are sent whole", message.get("id"))
        self._drop(topic, name)
        key = topic, name
        one = _Subscription(
            dialect_of(kind), throttle / 1000, int(length), lambda p: self._heard(p, one, key)
        )
        self._subscriptions.setdefault(topic, {})[name] = one
        self._node.listen(topic, one.listener)

    def _unsubscribe(self, message: dict[str, Any]) -> None:
        name = message.get("id")
        self._drop(_text(message, "topic"), None if name is None else str(name))

    def _drop(self, topic: str, name: str | None) -> None:
        """End a subscription by its id, or all of a topic."""
        found = self._subscriptions.get(topic, {})
        if name is not None and name not in found and len(found) and name:
            return
        for key in [name] if name in found else list(found) if name is None else []:
            one = found.pop(str(key))
            self._node.forget(topic, one.listener)
            self._newest.pop((topic, str(key)), None)
            if one.timer is not None:
                one.timer.cancel()
        if not found:
            self._subscriptions.pop(topic, None)

    def _heard(self, publication: Publication, one: _Subscription, key: tuple[str, str]) -> None:
        text = publish_text(publication, one.dialect)
        if not one.throttle:
            self._queue(key, text, one)
            return
        loop = asyncio.get_running_loop()
        left = one.last + one.throttle - loop.time()
        if left <= 0 and not one.waiting:
            one.last = loop.time()
            self._queue(key, text, one)
        elif one.length:
            one.waiting.append(text)
            while len(one.waiting) > one.length:
                one.waiting.popleft()
            if one.timer is None:
                one.timer = loop.call_later(max(left, 0), self._release, one, key)

    def _release(self, one: _Subscription, key: tuple[str, str]) -> None:
        """The throttle is open again for one message."""
        loop = asyncio.get_running_loop()
        one.timer, one.last = None, loop.time()
        self._queue(key, one.waiting.popleft(), one)
        if one.waiting:
            one.timer = loop.call_later(one.throttle, self._release, one, key)

    def _queue(self, key: tuple[str, str], text: str, one: _Subscription) -> None:
        waiting = self._newest.setdefault(key, deque(maxlen=max(one.length, 1)))
        waiting.append(text)
        self._new.set()

    def _check_type(self, topic: str, kind: str) -> None:
        known = self._wire.rosapi.call("/rosapi/topic_type", {"topic": topic})["type"]
        if known and plain_name(known) != plain_name(kind):
            raise UsageError(f"'{topic}' is of type {known}, not {kind}")

    # Services and actions

    def _call(self, message: dict[str, Any]) -> None:
        service = _text(message, "service")
        frame = {"op": "service_response", "id": message.get("id"), "service": service}
        try:
            values: Any = self._wire.rosapi.call(service, message.get("args"))
            frame |= {"values": plain(values, "both"), "result": True}
        except KinegenError as error:
            frame |= {"values": str(error), "result": False}
        self._send(frame)

    def _send_goal(self, message: dict[str, Any]) -> None:
        action, name = _text(message, "action"), str(message.get("id") or "")
        wants_feedback = bool(message.get("feedback"))
        head = {"id": message.get("id"), "action": action}
        dialect = dialect_of(str(message.get("action_type") or ""))

        def feedback(values: dict[str, Any]) -> None:
            if wants_feedback:
                frame = {"op": "action_feedback"} | head
                self._send(frame | {"values": plain(values, dialect)})

        def done(status: int, values: dict[str, Any]) -> None:
            self._goals.pop(name, None)
            frame = {"op": "action_result"} | head
            self._send(frame | {"values": values, "status": status, "result": True})

        try:
            if f"/{action.lstrip('/')}" != ACTION:
                raise UsageError(f"unknown action '{action}'; actions: {ACTION}")
            self._node.robot.look()
            args = message.get("args")
            goal = self._node.controller.accept(args, name, feedback, done)
        except UsageError as error:
            frame = {"op": "action_result"} | head
            self._send(frame | {"values": str(error), "status": 6, "result": False})
            return
        if self._node.controller.goal is goal:
            self._goals[name] = goal
        self._node.robot.send()

    def _cancel_goal(self, message: dict[str, Any]) -> None:
        goal = self._goals.get(str(message.get("id") or ""))
        if goal is None:
            raise UsageError(f"no goal {message.get('id')!r} is active")
        self._node.robot.look()
        self._node.controller.cancel(goal)
        self._node.robot.send()

    # Answers

    def _set_level(self, message: dict[str, Any]) -> None:
        level = message.get("level")
        if level not in LEVELS:
            raise UsageError(f"level {level!r} is none of {', '.join(LEVELS)}")
        self._level = str(level)

    def _status(self, level: str, text: str, name: Any) -> None:
        if LEVELS.index(level) >= LEVELS.index(self._level):
            frame = {"op": "status", "level": level, "msg": text}
            self._send(frame if name is None else frame | {"id": name})

    def _send(self, frame: dict[str, Any]) -> None:
        self._events.append(json.dumps(frame))
        self._new.set()


def _parsed(frame: str | bytes) -> Any:
    try:
        return json.loads(frame)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"this is not JSON: {error}") from None


def _text(message: dict[str, Any], key: str) -> str:
    value = message.get(key)
    if not isinstance(value, str) or not value:
        raise UsageError(f"{message['op']} needs '{key}', a text")
    return value


def _number(message: dict[str, Any], key: str) -> float:
    value = message.get(key) or 0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise UsageError(f"{key} is {value!r}: use a number from 0")
    return float(value)
