"""Master: who publishes, subscribes and serves what, for nodes of ROS 1.

The API: ROS wiki, "ROS Master API" and "ROS Parameter Server API".
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from kinegen.bridges.ros1.parameters import Parameters, resolved
from kinegen.errors import UsageError

__all__ = ["Master"]

Answer = list[Any]
Table = dict[str, dict[str, str]]
"""Addresses of nodes by their names, by topic or service."""


class Master:
    """The tables of a master; what it calls at nodes goes through ``notify``."""

    def __init__(self, uri: str, notify: Callable[[str, str, tuple[Any, ...]], None]) -> None:
        """No nodes yet.

        Args:
            uri: Its own address.
            notify: Calls a method of the node at an address.
        """
        self.uri, self._notify = uri, notify
        self.parameters = Parameters(notify)
        self._nodes: dict[str, str] = {}
        self._types: dict[str, str] = {}
        self._publishers: Table = {}
        self._subscribers: Table = {}
        self._services: Table = {}
        self.methods: dict[str, Callable[..., Answer]] = self.parameters.methods | {
            "registerPublisher": self._register_publisher,
            "unregisterPublisher": self._unregister_publisher,
            "registerSubscriber": self._register_subscriber,
            "unregisterSubscriber": self._unregister_subscriber,
            "registerService": self._register_service,
            "unregisterService": self._unregister_service,
            "lookupNode": self._lookup_node, "lookupService": self._lookup_service,
            "getPublishedTopics": self._published_topics, "getTopicTypes": self._topic_types,
            "getSystemState": self._system_state,
            "getUri": lambda caller: [1, "the master's address", self.uri],
            "getPid": lambda caller: [1, "the master's process", os.getpid()],
        }  # fmt: skip

    def forget(self, uri: str) -> None:
        """A node that does not listen any more: all it registered is removed."""
        for name in [one for one, place in self._nodes.items() if place == uri]:
            self._drop(name)

    # Topics

    def _register_publisher(self, caller: str, topic: str, kind: str, uri: str) -> Answer:
        self._enter(caller, uri)
        topic = resolved(caller, topic)
        self._publishers.setdefault(topic, {})[caller] = uri
        if kind != "*" or topic not in self._types:
            self._types[topic] = kind
        self._announce(topic)
        subscribers = list(self._subscribers.get(topic, {}).values())
        return [1, f"registered {caller} as publisher of {topic}", subscribers]

    def _unregister_publisher(self, caller: str, topic: str, uri: str) -> Answer:
        topic = resolved(caller, topic)
        gone = _remove(self._publishers, topic, caller, uri)
        if gone:
            self._announce(topic)
            self._leave(caller)
        return [1, f"{caller} does not publish {topic}", gone]

    def _register_subscriber(self, caller: str, topic: str, kind: str, uri: str) -> Answer:
        self._enter(caller, uri)
        topic = resolved(caller, topic)
        self._subscribers.setdefault(topic, {})[caller] = uri
        if kind != "*":
            self._types.setdefault(topic, kind)
        publishers = list(self._publishers.get(topic, {}).values())
        return [1, f"subscribed {caller} to {topic}", publishers]

    def _unregister_subscriber(self, caller: str, topic: str, uri: str) -> Answer:
        topic = resolved(caller, topic)
        gone = _remove(self._subscribers, topic, caller, uri)
        if gone:
            self._leave(caller)
        return [1, f"{caller} does not subscribe to {topic}", gone]

    def _announce(self, topic: str) -> None:
        publishers = list(self._publishers.get(topic, {}).values())
        for uri in self._subscribers.get(topic, {}).values():
            self._notify(uri, "publisherUpdate", ("/master", topic, publishers))

    # Services

    def _register_service(self, caller: str, service: str, place: str, uri: str) -> Answer:
        self._enter(caller, uri)
        # one node has a service: the last that registers it
        service = resolved(caller, service)
        self._services[service] = {caller: place}
        return [1, f"registered {caller} as {service}", 1]

    def _unregister_service(self, caller: str, service: str, place: str) -> Answer:
        gone = _remove(self._services, resolved(caller, service), caller, place)
        if gone:
            self._leave(caller)
        return [1, f"{caller} does not offer {service}", gone]

    def _lookup_service(self, caller: str, service: str) -> Answer:
        found = self._services.get(resolved(caller, service), {})
        for place in found.values():
            return [1, "the service's address", place]
        return [-1, f"no node offers {service}", ""]

    # Nodes

    def _enter(self, caller: str, uri: str) -> None:
        before = self._nodes.get(caller)
        if before == self.uri and uri != before:
            raise UsageError(f"{caller} is the robot here: choose another name for the node")
        if before is not None and before != uri:
            # two nodes have one name: the older one ends
            self._drop(caller)
            self._notify(before, "shutdown", ("/master", f"new node registered with name {caller}"))
        self._nodes[caller] = uri

    def _drop(self, caller: str) -> None:
        topics = [t for t, rows in self._publishers.items() if caller in rows]
        for table in (self._publishers, self._subscribers, self._services):
            for key in [k for k, rows in table.items() if caller in rows]:
                _remove(table, key, caller, table[key][caller])
        self.parameters.forget(caller)
        self._nodes.pop(caller, None)
        for topic in topics:
            self._announce(topic)

    def _leave(self, caller: str) -> None:
        """Without registrations it is no node."""
        tables = (self._publishers, self._subscribers, self._services)
        if not any(caller in rows for table in tables for rows in table.values()):
            self._nodes.pop(caller, None)

    def _lookup_node(self, caller: str, name: str) -> Answer:
        uri = self._nodes.get(resolved(caller, name))
        return [1, "the node's address", uri] if uri else [-1, f"unknown node {name}", ""]

    # State

    def _published_topics(self, caller: str, space: str) -> Answer:
        begin = resolved(caller, space).rstrip("/") + "/" if space else "/"
        rows = [[t, self._types[t]] for t in self._publishers if t.startswith(begin)]
        return [1, "published topics", rows]

    def _topic_types(self, caller: str) -> Answer:
        return [1, "types of topics", [[t, kind] for t, kind in self._types.items()]]

    def _system_state(self, caller: str) -> Answer:
        tables = (self._publishers, self._subscribers, self._services)
        return [1, "system state", [[[k, list(v)] for k, v in one.items()] for one in tables]]


def _remove(table: Table, key: str, caller: str, uri: str) -> int:
    """Take one registration out; how many were there."""
    rows = table.get(key, {})
    if rows.get(caller) != uri:
        return 0
    del rows[caller]
    if not rows:
        del table[key]
    return 1
