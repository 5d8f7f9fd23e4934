"""Rosapi: services that list topics, types, services and parameters for clients."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from kinegen.bridges.ros.action import ACTION
from kinegen.bridges.ros.definitions import CONSTANTS, FIELDS, plain_name, raw_text, ros2_name
from kinegen.bridges.ros.node import NAME, RosNode
from kinegen.bridges.ros.values import Time, seconds_of
from kinegen.errors import UsageError, unknown_name

__all__ = ["Rosapi"]

Values = dict[str, Any]


class Rosapi:
    """Services by name; each takes the arguments of a call and returns its values."""

    def __init__(self, node: RosNode, others: Callable[[], Mapping[str, str]]) -> None:
        """Of a node.

        Args:
            node: The robot.
            others: Types of topics that clients have advertised.
        """
        self._node, self._others = node, others
        self.services: dict[str, tuple[str, Callable[[Values], Values]]] = {
            "/rosapi/topics": ("Topics", self._topics),
            "/rosapi/topics_for_type": ("TopicsForType", self._topics_for_type),
            "/rosapi/topics_and_raw_types": ("TopicsAndRawTypes", self._raw_types),
            "/rosapi/topic_type": ("TopicType", self._topic_type),
            "/rosapi/message_details": ("MessageDetails", self._details),
            "/rosapi/services": ("Services", self._services),
            "/rosapi/services_for_type": ("ServicesForType", self._services_for_type),
            "/rosapi/service_type": ("ServiceType", self._service_type),
            "/rosapi/service_node": ("ServiceNode", lambda _: {"node": NAME}),
            "/rosapi/nodes": ("Nodes", lambda _: {"nodes": [NAME]}),
            "/rosapi/node_details": ("NodeDetails", self._node_details),
            "/rosapi/publishers": ("Publishers", lambda _: {"publishers": [NAME]}),
            "/rosapi/subscribers": ("Subscribers", lambda _: {"subscribers": [NAME]}),
            "/rosapi/action_servers": (
                "GetActionServers", lambda _: {"action_servers": [ACTION]}
            ),
            "/rosapi/get_time": ("GetTime", self._time),
            "/rosapi/get_param": ("GetParam", self._get_param),
            "/rosapi/has_param": ("HasParam", self._has_param),
            "/rosapi/get_param_names": (
                "GetParamNames", lambda _: {"names": list(self._parameters())}
            ),
            "/kinegen/advance": ("kinegen", self._advance),
        }  # fmt: skip

    def call(self, name: str, values: Any) -> Values:
        """The answer of a service.

        Raises:
            UsageError: There is no such service, or it does not take these arguments.
        """
        asked = f"/{name.lstrip('/')}"
        if asked not in self.services:
            raise unknown_name("service", name, "the bridge", self.services)
        return self.services[asked][1](dict(values) if isinstance(values, Mapping) else {})

    # Topics

    def _types(self) -> dict[str, str]:
        return {**self._others(), **self._node.types}

    def _topics(self, _: Values) -> Values:
        types = self._types()
        return {"topics": list(types), "types": [ros2_name(one) for one in types.values()]}

    def _raw_types(self, _: Values) -> Values:
        known = {t: kind for t, kind in self._types().items() if plain_name(kind) in FIELDS}
        texts = [raw_text(kind) for kind in known.values()]
        types = [ros2_name(one) for one in known.values()]
        return {"topics": list(known), "types": types, "typedefs_full_text": texts}

    def _topics_for_type(self, values: Values) -> Values:
        asked = plain_name(str(values.get("type", "")))
        return {"topics": [t for t, kind in self._types().items() if plain_name(kind) == asked]}

    def _topic_type(self, values: Values) -> Values:
        kind = self._types().get(str(values.get("topic", "")))
        return {"type": ros2_name(kind) if kind else ""}

    def _details(self, values: Values) -> Values:
        asked = plain_name(str(values.get("type", "")))
        if asked not in FIELDS:
            raise unknown_name("message type", asked, "the bridge", FIELDS)
        waiting, rows = [asked], []
        for kind in waiting:  # grows
            fields = [one.split() for one in FIELDS[kind].split("; ")]
            inner = [one.partition("[") for one, _ in fields]
            waiting += [one for one, _, _ in inner if one in FIELDS and one not in waiting]
            constants = [one.split()[1] for one in CONSTANTS.get(kind, "").split("; ") if one]
            rows.append({
                # as the fields name it, so that clients find it
                "type": kind, "fieldnames": [name for _, name in fields],
                "fieldtypes": [one for one, _, _ in inner],
                "fieldarraylen": [
                    int(size[:-1] or 0) if bracket else -1 for _, bracket, size in inner
                ],
                "examples": [], "constnames": [one.partition("=")[0] for one in constants],
                "constvalues": [one.partition("=")[2] for one in constants],
            })  # fmt: skip
        return {"typedefs": rows}

    # Services and nodes

    def _kind(self, name: str) -> str:
        word = self.services[name][0]
        return "kinegen/srv/Advance" if word == "kinegen" else f"rosapi_msgs/srv/{word}"

    def _services(self, _: Values) -> Values:
        return {"services": list(self.services)}

    def _services_for_type(self, values: Values) -> Values:
        asked = str(values.get("type", "")).rpartition("/")[2]
        return {"services": [n for n in self.services if self._kind(n).endswith(f"/{asked}")]}

    def _service_type(self, values: Values) -> Values:
        name = f"/{str(values.get('service', '')).lstrip('/')}"
        return {"type": self._kind(name) if name in self.services else ""}

    def _node_details(self, _: Values) -> Values:
        node = self._node
        publishing = [*node.sources, *node.action.types]
        return {
            "subscribing": list(node.takes), "publishing": publishing,
            "services": list(self.services),
        }  # fmt: skip

    # Time and parameters

    def _time(self, _: Values) -> Values:
        self._node.robot.look()
        return {"time": Time.of(self._node.robot.time)}

    def _advance(self, values: Values) -> Values:
        robot = self._node.robot
        given = values.get("seconds")
        robot.advance(None if given is None else seconds_of(given, "seconds"))
        return {"time": Time.of(robot.time), "tick": robot.tick}

    def _parameters(self) -> dict[str, Any]:
        return {"/robot_description": self._node.description.text, "/use_sim_time": True}

    def _has_param(self, values: Values) -> Values:
        return {"exists": _parameter(values) in self._parameters()}

    def _get_param(self, values: Values) -> Values:
        name, known = _parameter(values), self._parameters()
        if name not in known:
            given = values.get("default_value", values.get("default", ""))
            if not given:
                raise UsageError(f"unknown parameter '{name}'; parameters: {', '.join(known)}")
            return {"value": given}
        return {"value": json.dumps(known[name])}


def _parameter(values: Values) -> str:
    """``robot_description``, however ROS 1 and ROS 2 write it."""
    return "/" + str(values.get("name", "")).rpartition(":")[2].strip("/").rpartition("/")[2]
